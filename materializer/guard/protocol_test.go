package guard

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is read from the socket passes the check of a question, or is an error.
func FuzzQuestion(f *testing.F) {
	f.Add([]byte(`{"guard":1,"event":"pre","id":"1","tool":"Read","input":{"file_path":"a"}}` + "\n"))
	f.Add([]byte("{\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := readQuestion(bytes.NewReader(data))
		if err == nil {
			require.NoError(t, q.Check())
		}
	})
}

// A record file that was cut at any byte gives the whole records before it.
func TestRecordsCut(t *testing.T) {
	whole := []byte(`{"n":1,"event":"pre","id":"1","decision":"allow","at":"t"}` + "\n" + `{"n":2,"event":"pre","id":"2","decision":"deny","at":"t"}` + "\n")
	first := bytes.IndexByte(whole, '\n') + 1
	for n := range whole {
		got, err := parseRecords(bytes.NewReader(whole[:n]))
		require.NoError(t, err)
		want := 0
		if n >= first {
			want = 1
		}
		require.Len(t, got, want, "cut at %d", n)
	}
}
