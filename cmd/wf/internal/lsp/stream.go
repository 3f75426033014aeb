package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// The most bytes of one message and of one line of its header. An editor sends
// whole files; what is larger is passed over without being kept.
const (
	maxMessage = 48 << 20
	maxHeader  = 4 << 10
)

// stream frames messages as LSP does: a header with their length, then JSON.
// Whatever is no frame is passed over up to the next header, and JSON that
// cannot be read is answered with an error: a client's mistake ends nothing.
type stream struct {
	in  *bufio.Reader
	out io.Writer
	mu  sync.Mutex // one message is written at a time
}

func newStream(in io.Reader, out io.Writer) *stream {
	return &stream{in: bufio.NewReaderSize(in, maxHeader), out: out}
}

// Close leaves the process's own streams alone.
func (s *stream) Close() error { return nil }

// WriteObject writes one message.
func (s *stream) WriteObject(obj any) error {
	body, err := json.Marshal(obj)
	if err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// ReadObject reads the next message that can be read; io.EOF at the end.
func (s *stream) ReadObject(v any) error {
	for {
		body, err := s.frame()
		if err != nil {
			return err
		}
		bad := json.Unmarshal(body, v)
		switch {
		case bad == nil:
			return nil
		case json.Valid(body):
			err = s.refuse(-32600, "no message of JSON-RPC 2.0")
		default:
			err = s.refuse(-32700, "no JSON")
		}
		if err != nil {
			return err
		}
	}
}

func (s *stream) refuse(code int, text string) error {
	return s.WriteObject(json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, code, text)))
}

// frame reads one header and the bytes it announces.
func (s *stream) frame() ([]byte, error) {
	for {
		length, err := s.header()
		if err != nil {
			return nil, err
		}
		if length > maxMessage {
			if _, err := io.CopyN(io.Discard, s.in, length); err != nil {
				return nil, err
			}
			continue
		}
		// Grown as bytes arrive: a length alone takes no memory.
		var body bytes.Buffer
		if _, err := io.CopyN(&body, s.in, length); err != nil {
			return nil, err
		}
		return body.Bytes(), nil
	}
}

// header reads up to the empty line behind a length.
func (s *stream) header() (length int64, err error) {
	length = -1
	for {
		line, err := s.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue // no header is that long
		}
		if err != nil {
			return 0, err
		}
		name, value, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), ":")
		switch {
		case name == "" && !ok && length >= 0:
			return length, nil
		case ok && strings.EqualFold(strings.TrimSpace(name), "Content-Length"):
			if n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64); err == nil && n >= 0 {
				length = n
			}
		case name == "" && !ok:
			length = -1
		}
	}
}
