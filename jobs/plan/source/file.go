package source

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

// ReadFile reads a GPX or FIT file, told apart by content, never by name. It
// reads as a stream: memory grows with the points, not with the file. read,
// when not nil, is called with the number of bytes read so far.
//
// A file that is damaged after its first points gives these and a warning. The
// errors are a *Problem, or what r fails with.
func ReadFile(r io.Reader, read func(bytes int64)) (Route, error) {
	in := &input{r: r, read: read}
	b := bufio.NewReaderSize(in, 64<<10)
	head, _ := b.Peek(fitHeaderSize)
	switch {
	case in.err != nil:
		return Route{}, in.err
	case isFIT(head):
		return readFIT(in, b)
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return Route{}, archive("zip")
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return Route{}, archive("gzip")
	}
	text, marked := byteOrder(b)
	return readText(in, text, marked)
}

// readText reads a text file; marked says that a byte order mark has decided
// its charset.
func readText(in *input, text *bufio.Reader, marked bool) (Route, error) {
	first, err := skipSpace(text)
	switch {
	case in.err != nil:
		return Route{}, in.err
	case err != nil:
		return Route{}, emptyFile()
	case first == '<':
		return readGPX(in, characters(text, marked))
	case first == '{' || first == '[':
		start, _ := text.Peek(1024)
		for _, key := range []string{`"FeatureCollection"`, `"Feature"`, `"LineString"`, `"coordinates"`} {
			if strings.Contains(string(start), key) {
				return Route{}, notRoute("a GeoJSON file")
			}
		}
		return Route{}, notRoute("a JSON file")
	}
	return Route{}, unknownFormat()
}

// skipSpace moves to the first byte that is no space, which stays unread. The
// error is that of the reader at its end.
func skipSpace(b *bufio.Reader) (byte, error) {
	for {
		c, err := b.ReadByte()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, b.UnreadByte()
		}
	}
}

// input is a file as it is read. It counts the bytes, stops at maxBytes, and
// remembers in err why reading ended before the end of the file: the parsers
// above it take every error for damage.
type input struct {
	r    io.Reader
	read func(bytes int64)
	n    int64
	err  error
}

func (in *input) Read(p []byte) (int, error) {
	if in.err != nil {
		return 0, in.err
	}
	n, err := in.r.Read(p)
	in.n += int64(n)
	if in.n > maxBytes {
		in.err = tooManyBytes()
		return 0, in.err
	}
	if in.read != nil && n > 0 {
		in.read(in.n)
	}
	if err != nil && err != io.EOF {
		in.err = fmt.Errorf("read route file: %w", err)
		err = in.err
	}
	return n, err
}
