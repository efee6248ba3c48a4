package source

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// byteOrder reads the byte order mark of a text (Unicode 16.0, 23.8), if it has
// one: b then gives UTF-8, and marked is true.
func byteOrder(b *bufio.Reader) (text *bufio.Reader, marked bool) {
	mark, _ := b.Peek(3)
	order := unicode.LittleEndian
	switch {
	case bytes.HasPrefix(mark, []byte("\xef\xbb\xbf")):
		b.Discard(3)
		return b, true
	case bytes.HasPrefix(mark, []byte("\xff\xfe")):
	case bytes.HasPrefix(mark, []byte("\xfe\xff")):
		order = unicode.BigEndian
	default:
		return b, false
	}
	utf16 := unicode.UTF16(order, unicode.UseBOM).NewDecoder()
	return bufio.NewReader(transform.NewReader(b, utf16)), true
}

// characters gives the characters of an XML document as the xml package wants
// them: UTF-8, nothing that XML forbids. It reads the XML declaration, which is
// not given on: it names the charset, unless a byte order mark has decided it.
func characters(b *bufio.Reader, marked bool) io.Reader {
	var r io.Reader = b
	if charset := declaredCharset(b); charset != nil && !marked {
		r = transform.NewReader(r, charset.NewDecoder())
	}
	return transform.NewReader(r, legible{})
}

// declaredCharset reads past the XML declaration (XML 1.0, 2.8) at the start of
// b and gives the charset it names. It is nil for UTF-8, for none, for one that
// nobody knows, and for UTF-16, which a declaration in single bytes disproves.
func declaredCharset(b *bufio.Reader) encoding.Encoding {
	start, _ := b.Peek(1024)
	if !bytes.HasPrefix(start, []byte("<?xml")) {
		return nil
	}
	end := bytes.Index(start, []byte("?>"))
	if end < 0 {
		return nil
	}
	declaration := string(start[:end])
	b.Discard(end + len("?>"))
	_, value, _ := strings.Cut(declaration, "encoding")
	value = strings.TrimLeft(value, "= \t\r\n")
	if value == "" {
		return nil
	}
	label, _, _ := strings.Cut(value[1:], value[:1])
	charset, err := htmlindex.Get(label)
	if err != nil {
		return nil
	}
	switch name, _ := htmlindex.Name(charset); name {
	case "utf-8", "utf-16be", "utf-16le", "replacement", "x-user-defined":
		return nil
	}
	return charset
}

// legible makes every text one that the xml package reads to its end: a stray
// byte in a title must not cost the points. A byte that is no UTF-8 is read as
// windows-1252, the charset of most files that claim UTF-8 and are not;
// characters that XML forbids (XML 1.0, 2.2) are dropped, and so are references
// to them.
type legible struct{ transform.NopResetter }

func (legible) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		c := src[nSrc]
		r, size, keep := rune(c), 1, true
		switch {
		case c == '&':
			if size, err = forbiddenReference(src[nSrc:], atEOF); err != nil {
				return nDst, nSrc, err
			}
			keep = size == 0
			size = max(size, 1)
		case c >= utf8.RuneSelf:
			if !atEOF && !utf8.FullRune(src[nSrc:]) {
				return nDst, nSrc, transform.ErrShortSrc
			}
			r, size = decodeRune(src[nSrc:])
			keep = xmlAllows(r)
		case c < ' ':
			keep = xmlAllows(r)
		}
		if keep {
			if nDst+utf8.RuneLen(r) > len(dst) {
				return nDst, nSrc, transform.ErrShortDst
			}
			nDst += utf8.EncodeRune(dst[nDst:], r)
		}
		nSrc += size
	}
	return nDst, nSrc, nil
}

// decodeRune is the first character of b, whose first byte stands for itself in
// windows-1252 where it begins no UTF-8.
func decodeRune(b []byte) (r rune, size int) {
	r, size = utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 {
		r = charmap.Windows1252.DecodeByte(b[0])
	}
	return r, size
}

// xmlAllows says whether XML 1.0 has the character (2.2, Char).
func xmlAllows(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r != 0xFFFE && r != 0xFFFF
}

// forbiddenReference is the length of the character reference (XML 1.0, 4.1) at
// the start of b if it names a character XML forbids, else 0. The error is
// transform.ErrShortSrc where more of the text is needed to tell.
func forbiddenReference(b []byte, atEOF bool) (int, error) {
	const longest = len("&#x0010FFFF;")
	end := bytes.IndexByte(b[:min(len(b), longest)], ';')
	if end < 0 {
		if len(b) < longest && !atEOF {
			return 0, transform.ErrShortSrc
		}
		return 0, nil
	}
	digits, ok := strings.CutPrefix(string(b[:end]), "&#")
	if !ok {
		return 0, nil
	}
	base := 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n > utf8.MaxRune || xmlAllows(rune(n)) {
		return 0, nil
	}
	return end + 1, nil
}
