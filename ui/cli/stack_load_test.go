package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strconv"
	"time"
)

// A loader sends one request over and over on a connection of its own. It does as
// little as it can, so that what is measured is the server.
type loader struct {
	conn    net.Conn
	reader  *bufio.Reader
	request []byte
	took    []time.Duration
}

func dial(host string, request []byte) (*loader, error) {
	conn, err := net.Dial("tcp", host)
	if err != nil {
		return nil, err
	}
	return &loader{conn: conn, reader: bufio.NewReaderSize(conn, 64<<10), request: request, took: make([]time.Duration, 0, 1<<16)}, nil
}

func (c *loader) close() { c.conn.Close() }

// repeat sends the request and reads the answer until then.
func (c *loader) repeat(until time.Time) error {
	for now := time.Now(); now.Before(until); {
		if _, err := c.conn.Write(c.request); err != nil {
			return err
		}
		length, err := c.head()
		if err != nil {
			return err
		}
		if err := c.discard(length); err != nil {
			return err
		}
		then := time.Now()
		c.took = append(c.took, then.Sub(now))
		now = then
	}
	return nil
}

// body sends the request once and is the body of its answer.
func (c *loader) body() ([]byte, error) {
	if _, err := c.conn.Write(c.request); err != nil {
		return nil, err
	}
	length, err := c.head()
	if err != nil {
		return nil, err
	}
	if length >= 0 {
		b := make([]byte, length)
		_, err := io.ReadFull(c.reader, b)
		return b, err
	}
	b, err := io.ReadAll(httputil.NewChunkedReader(c.reader))
	if err == nil {
		_, err = c.reader.Discard(2) // the end of the trailer
	}
	return b, err
}

// head reads the head of an answer: how long its body is, -1 for one in chunks.
func (c *loader) head() (length int, err error) {
	length = -1
	for first := true; ; first = false {
		line, err := c.reader.ReadSlice('\n')
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case err != nil:
			return 0, err
		case first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200")):
			return 0, fmt.Errorf("answered %s", line)
		case len(line) == 0:
			return length, nil
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, err
			}
		}
	}
}

// discard reads a body of that length, -1 for one in chunks.
func (c *loader) discard(length int) error {
	if length >= 0 {
		_, err := c.reader.Discard(length)
		return err
	}
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(string(bytes.TrimRight(line, "\r\n")), 16, 32)
		if err != nil {
			return err
		}
		if _, err := c.reader.Discard(int(size) + 2); err != nil {
			return err
		}
		if size == 0 {
			return nil
		}
	}
}
