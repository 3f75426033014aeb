package layout

import "math"

// rounds is how often places move to the middle of their neighbours.
const rounds = 24

// straight is the weight of a way against a box: long edges should not bend.
const straight = 6.0

// settle gives every place its height: each as near as can be to the middle of
// its neighbours, in the order of its column and without touching others.
func (d *drawing) settle() {
	for _, column := range d.columns {
		y := 0.0
		for i, p := range column {
			if i > 0 {
				y += d.apart(column[i-1], p)
			}
			d.places[p].y = y
		}
	}
	for round := range rounds {
		for i := range d.columns {
			column, both := d.columns[i], round >= rounds/2
			if round%2 == 1 {
				column = d.columns[len(d.columns)-1-i]
			}
			d.settleColumn(column, round%2 == 0, both)
		}
	}
}

// apart is the least distance between the middles of two places, one above the other.
func (d *drawing) apart(a, b int) float64 {
	gap := rowGap
	if d.places[a].vertex < 0 && d.places[b].vertex < 0 {
		gap = wayGap
	}
	return d.places[a].size.H/2 + gap + d.places[b].size.H/2
}

// run is a number of neighbours that touch and move together.
type run struct {
	first, last int // indices of the column
	sum, weight float64
}

func (r run) at() float64 { return r.sum / r.weight }

// settleColumn finds the heights that are nearest to the wanted ones: the least
// sum of squares under a least distance, by joining runs that would overlap.
func (d *drawing) settleColumn(column []int, leftwards, both bool) {
	offset := make([]float64, len(column))
	var runs []run
	for i, p := range column {
		if i > 0 {
			offset[i] = offset[i-1] + d.apart(column[i-1], p)
		}
		want, weight := d.wanted(p, leftwards, both)
		runs = append(runs, run{i, i, (want - offset[i]) * weight, weight})
		for len(runs) > 1 && runs[len(runs)-2].at() >= runs[len(runs)-1].at() {
			a, b := runs[len(runs)-2], runs[len(runs)-1]
			runs = append(runs[:len(runs)-2], run{a.first, b.last, a.sum + b.sum, a.weight + b.weight})
		}
	}
	for _, r := range runs {
		for i := r.first; i <= r.last; i++ {
			d.places[column[i]].y = r.at() + offset[i]
		}
	}
}

// wanted is where a place would like to be, and how much.
func (d *drawing) wanted(p int, leftwards, both bool) (y, weight float64) {
	own := d.places[p]
	var sum, total float64
	mean := func(list []int) {
		for _, q := range list {
			w := 1.0
			if d.places[q].vertex < 0 || own.vertex < 0 {
				w = straight
			}
			sum, total = sum+d.places[q].y*w, total+w
		}
	}
	if leftwards || both {
		mean(own.left)
	}
	if !leftwards || both {
		mean(own.right)
	}
	if total == 0 {
		return own.y, 0.1
	}
	return sum / total, total
}

// result moves everything into a frame that begins at 0, 0.
func (d *drawing) result(loose []int) Layout {
	out := Layout{Centre: make([]Point, len(d.sizes)), Routes: make([][]Point, len(d.edges))}
	left, right := d.columnSides()
	top, bottom := d.extent()
	for _, p := range d.places {
		if p.vertex >= 0 {
			out.Centre[p.vertex] = Point{left[p.column] + p.size.W/2, p.y - top}
		}
	}
	if n := len(d.columns); n > 0 {
		out.W, out.H = right[n-1], bottom-top
	}
	d.placeLoose(&out, loose)
	for e := range d.edges {
		out.Routes[e] = d.route(e, out, left, right, top)
	}
	return out
}

func (d *drawing) columnSides() (left, right []float64) {
	x := 0.0
	for _, column := range d.columns {
		width := 0.0
		for _, p := range column {
			width = math.Max(width, d.places[p].size.W)
		}
		left, right = append(left, x), append(right, x+width)
		x += width + columnGap
	}
	return left, right
}

func (d *drawing) extent() (top, bottom float64) {
	top, bottom = math.Inf(1), math.Inf(-1)
	for _, p := range d.places {
		top, bottom = math.Min(top, p.y-p.size.H/2), math.Max(bottom, p.y+p.size.H/2)
	}
	if len(d.places) == 0 {
		return 0, 0
	}
	return top, bottom
}

// placeLoose fills rows below the rest, about as wide as it, or as a square.
func (d *drawing) placeLoose(out *Layout, loose []int) {
	if len(loose) == 0 {
		return
	}
	size := Size{}
	for _, v := range loose {
		size = Size{math.Max(size.W, d.sizes[v].W), math.Max(size.H, d.sizes[v].H)}
	}
	perRow := max(int(out.W/(size.W+rowGap)), int(math.Ceil(math.Sqrt(float64(len(loose))/3))), 1)
	y := out.H
	if y > 0 {
		y += 2 * rowGap
	}
	for i, v := range loose {
		column, row := float64(i%perRow), float64(i/perRow)
		c := Point{column*(size.W+rowGap) + d.sizes[v].W/2, y + row*(size.H+rowGap) + d.sizes[v].H/2}
		out.Centre[v] = c
		out.W, out.H = math.Max(out.W, c.X+d.sizes[v].W/2), math.Max(out.H, c.Y+d.sizes[v].H/2)
	}
}

// route gives an edge's points: where it leaves and enters boxes, and where it
// passes a column, two points each.
func (d *drawing) route(e int, out Layout, left, right []float64, top float64) []Point {
	if d.self(e) {
		v := d.edges[e].From
		c, s := out.Centre[v], d.sizes[v]
		return []Point{{c.X + s.W/2, c.Y}, {c.X + s.W/2 + rowGap, c.Y - s.H/2}, {c.X, c.Y - s.H/2}}
	}
	var points []Point
	for i, p := range d.chain[e] {
		at := d.places[p]
		y := at.y - top
		switch {
		case at.vertex < 0:
			points = append(points, Point{left[at.column], y}, Point{right[at.column], y})
		case i == 0:
			points = append(points, Point{left[at.column] + at.size.W, y})
		default:
			points = append(points, Point{left[at.column], y})
		}
	}
	if d.back[e] {
		for i, j := 0, len(points)-1; i < j; i, j = i+1, j-1 {
			points[i], points[j] = points[j], points[i]
		}
	}
	return points
}
