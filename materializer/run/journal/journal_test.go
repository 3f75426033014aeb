package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

var header = Header{Run: "0a1b2c3d-1", Plan: strings.Repeat("ab", 32), Rules: "1"}

func event(i int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"kind":"unit_started","unit":"T-%03d/implement/1","note":"ü\u0000<&>"}`, i))
}

// sample writes a journal of n events and gives its path and bytes.
func sample(t testing.TB, n int) (string, []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j, err := Create(path, header)
	require.NoError(t, err)
	for i := range n {
		require.NoError(t, j.Append(event(i)))
	}
	require.NoError(t, j.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return path, data
}

// collect opens a journal and gives its events.
func collect(t testing.TB, path string) ([]string, *Journal, Notice, error) {
	t.Helper()
	var got []string
	j, _, notice, err := Open(path, func(n int, e json.RawMessage) error {
		require.Equal(t, len(got)+2, n)
		got = append(got, string(e))
		return nil
	})
	if err == nil {
		t.Cleanup(func() { j.Close() })
	}
	return got, j, notice, err
}

func TestWhatIsAppendedIsReadBackInOrder(t *testing.T) {
	path, _ := sample(t, 3)
	got, j, notice, err := collect(t, path)
	require.NoError(t, err)
	require.Empty(t, notice.String())
	require.Equal(t, []string{string(event(0)), string(event(1)), string(event(2))}, got)
	require.Equal(t, 4, j.N())

	require.NoError(t, j.Append(event(3), event(4)))
	h, head, _, err := Read(path, nil)
	require.NoError(t, err)
	require.Equal(t, j.Head(), head)
	require.Equal(t, Header{Format: 1, Run: header.Run, Plan: header.Plan, Rules: header.Rules}, h)
	again, _, _, err := collect(t, path)
	require.NoError(t, err)
	require.Len(t, again, 5)
}

func TestTheBytesAreAsDescribed(t *testing.T) {
	_, data := sample(t, 1)
	lines := strings.SplitAfter(string(data), "\n")
	require.Len(t, lines, 3)
	require.Regexp(t, `^\{"n":1,"prev":"0{64}","header":\{"format":1,"run":"0a1b2c3d-1","plan":"[ab]{64}","rules":"1"\},"crc":"[0-9a-f]{8}"\}\n$`, lines[0])
	require.Regexp(t, `^\{"n":2,"prev":"[0-9a-f]{64}","event":\{.*\},"crc":"[0-9a-f]{8}"\}\n$`, lines[1])
	require.True(t, json.Valid([]byte(lines[1])))
}

func TestTheSameEventsGiveTheSameBytes(t *testing.T) {
	_, a := sample(t, 5)
	path := filepath.Join(t.TempDir(), "j")
	j, err := Create(path, header)
	require.NoError(t, err)
	require.NoError(t, j.Append(event(0), event(1)), "grouping leaves no trace")
	require.NoError(t, j.Append(event(2), event(3), event(4)))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(a), string(b))
}

// A cut at every byte: whole lines are kept, a torn one is cut with a notice,
// and the journal goes on. Only a file without a whole header is damaged.
func TestCutAtEveryByte(t *testing.T) {
	path, data := sample(t, 2)
	ends := lineEnds(data)
	for cut := range len(data) {
		require.NoError(t, os.WriteFile(path, data[:cut], 0o600))
		got, j, notice, err := collect(t, path)
		whole := 0
		for whole < len(ends) && ends[whole] <= cut {
			whole++
		}
		if whole == 0 {
			damage, ok := errors.AsType[*Damage](err)
			require.True(t, ok, "cut at %d: %v", cut, err)
			require.Equal(t, 1, damage.Line)
			continue
		}
		require.NoError(t, err, "cut at %d", cut)
		require.Len(t, got, whole-1)
		torn := cut - ends[whole-1]
		require.Equal(t, int64(torn), notice.CutBytes, "cut at %d", cut)
		if cut%5 != 0 { // each append is an fsync
			continue
		}
		require.NoError(t, j.Append(event(9)))
		again, _, second, err := collect(t, path)
		require.NoError(t, err)
		require.Empty(t, second.String())
		require.Equal(t, append(got, string(event(9))), again)
	}
}

// A flip of every byte, in every bit: detected with its line, or, where the last
// newline is hit, the line counts as torn.
func TestFlipAtEveryByte(t *testing.T) {
	_, data := sample(t, 3)
	ends := lineEnds(data)
	path := filepath.Join(t.TempDir(), "j")
	for at := range data {
		line := 1
		for ends[line-1] <= at {
			line++
		}
		for bit := range 8 {
			bad := append([]byte(nil), data...)
			bad[at] ^= 1 << bit
			s := &scan{head: genesis}
			err := s.all(bufio.NewReader(bytes.NewReader(bad)))
			if at == len(data)-1 {
				require.NoError(t, err)
				require.Equal(t, line-1, s.lines)
				require.Equal(t, int64(len(data)-ends[line-2]), s.torn)
				continue
			}
			damage, ok := errors.AsType[*Damage](err)
			require.True(t, ok, "byte %d bit %d: %v", at, bit, err)
			require.Equal(t, line, damage.Line, "byte %d bit %d: %s", at, bit, damage.Why)
			if bit == at%8 { // through the file as well, where it costs more
				require.NoError(t, os.WriteFile(path, bad, 0o600))
				_, _, _, err = collect(t, path)
				require.ErrorContains(t, err, fmt.Sprintf("line %d", line))
			}
		}
	}
}

func lineEnds(data []byte) []int {
	var ends []int
	for i, b := range data {
		if b == '\n' {
			ends = append(ends, i+1)
		}
	}
	return ends
}

// EVID-08: a line left out, put in twice, swapped or rewritten with a fitting
// checksum still shows.
func TestRewritingShows(t *testing.T) {
	_, data := sample(t, 4)
	lines := strings.SplitAfter(strings.TrimSuffix(string(data), ""), "\n")[:5]
	j := &Journal{lines: 2, head: genesis}
	forged := string(j.frame(nil, "event", []byte(`{"kind":"approved"}`)))
	for name, c := range map[string]struct {
		lines []string
		line  int
	}{
		"left out":  {[]string{lines[0], lines[1], lines[3], lines[4]}, 3},
		"twice":     {[]string{lines[0], lines[1], lines[1], lines[2]}, 3},
		"swapped":   {[]string{lines[0], lines[2], lines[1], lines[3]}, 2},
		"rewritten": {[]string{lines[0], lines[1], forged, lines[3]}, 2},
		"blank":     {[]string{lines[0], "\n", lines[1]}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			require.NoError(t, os.WriteFile(path, []byte(strings.Join(c.lines, "")), 0o600))
			report, err := Verify(path)
			require.NoError(t, err)
			require.NotNil(t, report.Damage)
			require.Equal(t, c.line, report.Damage.Line, report.Damage.Why)
		})
	}
}

func TestRepairKeepsThePrefixAndMovesTheRest(t *testing.T) {
	path, data := sample(t, 5)
	ends := lineEnds(data)
	data[ends[2]+90] ^= 1
	require.NoError(t, os.WriteFile(path, data, 0o600))
	report, err := Repair(path)
	require.NoError(t, err)
	require.Equal(t, 4, report.Damage.Line)
	require.Equal(t, 3, report.Lines)
	aside, err := os.ReadFile(report.Aside)
	require.NoError(t, err)
	require.Equal(t, data[ends[2]:], aside, "nothing is deleted")
	got, j, _, err := collect(t, path)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Equal(t, report.Head, j.Head())
	require.NoError(t, j.Append(event(7)))

	second, err := Repair(path)
	require.NoError(t, err)
	require.Empty(t, second.Aside, "an undamaged file stays as it is")
}

func TestRepairNeverOverwritesAnEarlierAside(t *testing.T) {
	path, data := sample(t, 2)
	for range 2 {
		require.NoError(t, os.WriteFile(path, append(data[:len(data):len(data)], "torn"...), 0o600))
		_, err := Repair(path)
		require.NoError(t, err)
	}
	require.FileExists(t, path+".damaged-1")
	require.FileExists(t, path+".damaged-2")
}

func TestRepairRefusesWithoutAHeader(t *testing.T) {
	path, data := sample(t, 2)
	data[3] ^= 1
	require.NoError(t, os.WriteFile(path, data, 0o600))
	_, err := Repair(path)
	require.ErrorContains(t, err, "line 1")
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, data, after)
}

// failing is a file whose disk is full, or whose fsync fails, from the n-th call on.
type failing struct {
	File
	write, sync int
	short       bool
}

func (f *failing) Write(p []byte) (int, error) {
	if f.write--; f.write < 0 {
		if f.short {
			n, _ := f.File.Write(p[:len(p)/2])
			return n, syscall.ENOSPC
		}
		return 0, syscall.ENOSPC
	}
	return f.File.Write(p)
}

func (f *failing) Sync() error {
	if f.sync--; f.sync < 0 {
		return syscall.EIO
	}
	return f.File.Sync()
}

func TestAFailingDiskStopsTheJournal(t *testing.T) {
	for name, f := range map[string]*failing{
		"disk full":       {write: 2, sync: 99},
		"half a write":    {write: 2, sync: 99, short: true},
		"fsync fails":     {write: 99, sync: 2},
		"header fsync ok": {write: 99, sync: 2},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			j, err := Create(path, header, WithFile(func(in File) File { f.File = in; return f }))
			require.NoError(t, err)
			require.NoError(t, j.Append(event(0)))
			err = j.Append(event(1), event(2))
			require.Error(t, err)
			require.True(t, errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EIO))
			f.write, f.sync = 99, 99
			require.ErrorContains(t, j.Append(event(3)), "refused after an earlier failure")
			require.NoError(t, j.Close())
			got, _, _, err := collect(t, path)
			require.NoError(t, err)
			require.Equal(t, string(event(0)), got[0], "what was acknowledged is there")
			require.NotContains(t, got, string(event(3)))
		})
	}
}

func TestASecondWriterIsNoticed(t *testing.T) {
	path, _ := sample(t, 1)
	_, a, _, err := collect(t, path)
	require.NoError(t, err)
	_, b, _, err := collect(t, path)
	require.NoError(t, err)
	require.NoError(t, a.Append(event(1)))
	require.ErrorContains(t, b.Append(event(2)), "another program writes to it")
	report, err := Verify(path)
	require.NoError(t, err)
	require.Nil(t, report.Damage)
	require.Equal(t, 3, report.Lines)
}

func TestAppendRefusesWhatIsNotALine(t *testing.T) {
	path, before := sample(t, 1)
	_, j, _, err := collect(t, path)
	require.NoError(t, err)
	require.ErrorContains(t, j.Append(json.RawMessage(`{`)), "not JSON")
	require.ErrorContains(t, j.Append(event(1), json.RawMessage(`"`+strings.Repeat("x", maxLine)+`"`)), "bytes")
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after, "all of a group or nothing")
	require.NoError(t, j.Append(json.RawMessage("{\n  \"a\": 1\n}")))
	got, _, _, err := collect(t, path)
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, got[1])
}

func TestCreateAndOpenFollowNoLink(t *testing.T) {
	path, data := sample(t, 1)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(path, link))
	_, err := Create(link, header)
	require.Error(t, err)
	_, _, _, err = Open(link, nil)
	require.Error(t, err)
	_, err = Create(path, header)
	require.ErrorIs(t, err, os.ErrExist)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, data, after)
}

func TestAnotherFormatIsRefusedByName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := &Journal{head: genesis}
	require.NoError(t, os.WriteFile(path, j.frame(nil, "header", []byte(`{"format":2}`)), 0o600))
	_, _, _, err := Open(path, nil)
	require.ErrorContains(t, err, "format 2")
}

func TestAVisitorsErrorComesBack(t *testing.T) {
	path, _ := sample(t, 3)
	stop := errors.New("stop")
	_, _, _, err := Open(path, func(n int, _ json.RawMessage) error { return stop })
	require.ErrorIs(t, err, stop)
}

// big writes a journal of n events with few fsyncs.
func big(t testing.TB, n int) string {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	j, err := Create(path, header)
	require.NoError(t, err)
	var group []json.RawMessage
	for i := range n {
		if group = append(group, event(i)); len(group) == 5000 || i == n-1 {
			require.NoError(t, j.Append(group...))
			group = group[:0]
		}
	}
	require.NoError(t, j.Close())
	return path
}

func TestOpeningHoldsOneLineAtATime(t *testing.T) {
	path := big(t, 50_000)
	var peak, count uint64
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	base := m.HeapAlloc
	_, _, _, err := Read(path, func(n int, _ json.RawMessage) error {
		if count++; count%10_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc-min(base, m.HeapAlloc))
		}
		return nil
	})
	require.NoError(t, err)
	require.EqualValues(t, 50_000, count)
	require.Less(t, peak, uint64(4<<20), "the file has 13 MB")
}

func BenchmarkOpenMillion(b *testing.B) {
	path := big(b, 1_000_000)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		j, _, _, err := Open(path, func(int, json.RawMessage) error { n++; return nil })
		require.NoError(b, err)
		require.Equal(b, 1_000_000, n)
		j.Close()
	}
}

func BenchmarkAppend(b *testing.B) {
	j, err := Create(filepath.Join(b.TempDir(), "j"), header)
	require.NoError(b, err)
	for b.Loop() {
		require.NoError(b, j.Append(event(1)))
	}
}

func FuzzRead(f *testing.F) {
	_, data := sample(f, 2)
	f.Add(data)
	f.Add(data[:len(data)-1])
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		read := func(data []byte) (*scan, error) {
			s := &scan{head: genesis}
			return s, s.all(bufio.NewReader(bytes.NewReader(data)))
		}
		s, err := read(data)
		damage, isDamage := errors.AsType[*Damage](err)
		if err != nil && !isDamage || s.lines == 0 {
			return // another format, or nothing to keep
		}
		if isDamage {
			require.Equal(t, s.lines+1, damage.Line)
			require.Equal(t, s.good, damage.Offset)
		} else {
			require.Equal(t, int64(len(data)), s.good+s.torn)
		}
		// What is kept is a journal by itself, with the same head.
		kept, err := read(data[:s.good])
		require.NoError(t, err)
		require.Equal(t, []any{s.lines, s.head, int64(0)}, []any{kept.lines, kept.head, kept.torn})
	})
}

// Whatever byte is damaged, each line that was taken away is told or counted as unread.
func TestEachLineThatWasMovedAsideIsToldOrCounted(t *testing.T) {
	path, data := sample(t, 4)
	for at := 0; at < len(data); at += 7 {
		bad := bytes.Clone(data)
		bad[at] ^= 0x04
		require.NoError(t, os.WriteFile(path, bad, 0o600))
		report, err := Repair(path)
		if report.Lines == 0 {
			require.Error(t, err) // the first line: there is nothing to keep
			continue
		}
		require.NoError(t, err)
		told, unread := 0, 0
		if report.Aside != "" {
			unread, err = Aside(report.Aside, func(json.RawMessage) error { told++; return nil })
			require.NoError(t, err)
			require.NoError(t, os.Remove(report.Aside))
		}
		require.GreaterOrEqual(t, report.Lines+told+unread, 5, "byte %d", at)
		require.LessOrEqual(t, report.Lines+told, 5, "byte %d", at)
	}
}
