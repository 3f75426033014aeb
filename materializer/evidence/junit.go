package evidence

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed9cc7a46e/wf/dsl/glob"
)

// Bounds of JUnit reports.
const (
	maxReport  = 32 << 20 // bytes of one
	maxReports = 1000     // files
	maxWalked  = 200_000  // names looked at for a pattern
)

// clearReports removes what has the name of a report before the gate has run: a
// report that lies in the commit was not written by these tests.
func clearReports(tree, workdir, pattern string) error {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return err
	}
	defer root.Close()
	names, err := reports(root, workdir, pattern)
	if err != nil {
		return nil // reading them afterwards says what is wrong
	}
	for _, name := range names {
		if err := root.RemoveAll(name); err != nil {
			return err
		}
	}
	return nil
}

// countReports reads the reports a gate wrote in its throwaway tree. Nothing
// outside the tree is read, and no link. why says what keeps them from being known.
func countReports(tree, workdir, pattern string) (ran, skipped int, why string) {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return 0, 0, err.Error()
	}
	defer root.Close()
	names, err := reports(root, workdir, pattern)
	if err == nil && len(names) == 0 {
		err = errors.New("there is none")
	}
	for i := 0; err == nil && i < len(names); i++ {
		var r, s int
		if r, s, err = countReport(root, names[i]); err != nil {
			err = fmt.Errorf("%s: %w", shown(names[i]), err)
		}
		ran, skipped = ran+r, skipped+s
	}
	if err != nil {
		return 0, 0, "the report " + pattern + " cannot be read: " + err.Error()
	}
	return ran, skipped, ""
}

// reports lists the files that a path or pattern names, below the gate's folder.
func reports(root *os.Root, workdir, pattern string) ([]string, error) {
	name := path.Clean(path.Join(workdir, pattern))
	if !fs.ValidPath(name) || name == "." {
		return nil, fmt.Errorf("%s is no path inside the commit", pattern)
	}
	if !strings.ContainsAny(pattern, `*?[{\`) {
		if _, err := root.Lstat(name); err != nil {
			return nil, nil
		}
		return []string{name}, nil
	}
	p, err := glob.Compile(name)
	if err != nil {
		return nil, err
	}
	start := path.Dir(p.LiteralPrefix() + "x")
	var names []string
	walked := 0
	err = fs.WalkDir(root.FS(), start, func(at string, d fs.DirEntry, err error) error {
		if walked++; walked > maxWalked || len(names) > maxReports {
			return errors.New("too many files")
		}
		if err == nil && !d.IsDir() && p.Match(at) {
			names = append(names, at)
		}
		return nil
	})
	return names, err
}

func countReport(root *os.Root, name string) (ran, skipped int, err error) {
	if info, err := root.Lstat(name); err != nil {
		return 0, 0, err
	} else if !info.Mode().IsRegular() {
		return 0, 0, errors.New("it is no regular file")
	}
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxReport {
		return 0, 0, fmt.Errorf("it has %d bytes, at most %d are read", info.Size(), maxReport)
	}
	return countCases(io.LimitReader(f, maxReport))
}

// countCases counts <testcase> elements, without those that hold <skipped>.
func countCases(r io.Reader) (ran, skipped int, err error) {
	d := xml.NewDecoder(r)
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return ascii{in}, nil }
	in, skip, any := false, false, false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && any {
			return ran, skipped, nil
		}
		if err != nil {
			return 0, 0, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			any = true
			in, skip = in || t.Name.Local == "testcase", skip || in && (t.Name.Local == "skipped" || t.Name.Local == "disabled")
		case xml.EndElement:
			if t.Name.Local != "testcase" {
				continue
			}
			if skip {
				skipped++
			} else {
				ran++
			}
			in, skip = false, false
		}
	}
}

// ascii reads any charset that holds ASCII: names are not looked at, only tags.
type ascii struct{ io.Reader }

// Read puts a question mark for what is not ASCII.
func (a ascii) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	for i := range p[:n] {
		if p[i] >= 0x80 {
			p[i] = '?'
		}
	}
	return n, err
}
