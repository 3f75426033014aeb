package layout

import (
	"cmp"
	"slices"
	"sort"
)

// sweeps is how often the columns are put in order, each time by the one beside.
const sweeps = 12

// order puts each column in an order in which few edges cross: by the middle of
// its neighbours, to and fro, and keeps the best.
func (d *drawing) order() {
	rank := make([]int, len(d.places))
	number := func() {
		for _, column := range d.columns {
			for i, p := range column {
				rank[p] = i
			}
		}
	}
	number()
	best, least := d.copyColumns(), d.crossings(rank)
	for sweep := 0; sweep < sweeps && least > 0; sweep++ {
		d.sweep(rank, sweep%2 == 0)
		d.swap(rank)
		if n := d.crossings(rank); n < least {
			best, least = d.copyColumns(), n
		}
	}
	d.columns = best
}

func (d *drawing) copyColumns() [][]int {
	out := make([][]int, len(d.columns))
	for i, c := range d.columns {
		out[i] = slices.Clone(c)
	}
	return out
}

func (d *drawing) sweep(rank []int, rightwards bool) {
	for i := range d.columns {
		column := d.columns[i]
		if !rightwards {
			column = d.columns[len(d.columns)-1-i]
		}
		wanted := make(map[int]float64, len(column))
		for _, p := range column {
			beside := d.places[p].left
			if !rightwards {
				beside = d.places[p].right
			}
			wanted[p] = middle(beside, rank, rank[p])
		}
		slices.SortStableFunc(column, func(a, b int) int { return cmp.Compare(wanted[a], wanted[b]) })
		for k, p := range column {
			rank[p] = k
		}
	}
}

// middle is the mean rank of neighbours; who has none stays.
func middle(beside []int, rank []int, own int) float64 {
	if len(beside) == 0 {
		return float64(own)
	}
	sum := 0
	for _, p := range beside {
		sum += rank[p]
	}
	return float64(sum) / float64(len(beside))
}

// swap changes neighbours of a column where that saves crossings.
func (d *drawing) swap(rank []int) {
	for _, column := range d.columns {
		if len(column) > 200 {
			continue // quadratic, and nobody sees it there
		}
		for i := 0; i+1 < len(column); i++ {
			a, b := column[i], column[i+1]
			now := pairs(d.places[a].left, d.places[b].left, rank) + pairs(d.places[a].right, d.places[b].right, rank)
			then := pairs(d.places[b].left, d.places[a].left, rank) + pairs(d.places[b].right, d.places[a].right, rank)
			if then < now {
				column[i], column[i+1] = b, a
				rank[a], rank[b] = rank[b], rank[a]
			}
		}
	}
}

// pairs counts the crossings of the edges of an upper and a lower place.
func pairs(upper, lower []int, rank []int) (n int) {
	for _, u := range upper {
		for _, l := range lower {
			if rank[u] > rank[l] {
				n++
			}
		}
	}
	return n
}

// crossings counts all crossings, column by column: inversions of the right ends
// of edges that are sorted by their left ends.
func (d *drawing) crossings(rank []int) (n int) {
	for _, column := range d.columns {
		var ends []int
		for _, p := range column {
			right := make([]int, 0, len(d.places[p].right))
			for _, q := range d.places[p].right {
				right = append(right, rank[q])
			}
			slices.Sort(right)
			ends = append(ends, right...)
		}
		n += inversions(ends)
	}
	return n
}

// inversions counts pairs that are out of order; equal ones are in order.
func inversions(list []int) (n int) {
	var seen []int
	for _, x := range list {
		at := sort.SearchInts(seen, x+1)
		n += len(seen) - at
		seen = slices.Insert(seen, at, x)
	}
	return n
}
