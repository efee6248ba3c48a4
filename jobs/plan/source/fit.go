package source

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/muktihari/fit/decoder"
	"github.com/muktihari/fit/kit/hash/crc16"
	"github.com/muktihari/fit/kit/semicircles"
	"github.com/muktihari/fit/profile/basetype"
	"github.com/muktihari/fit/profile/typedef"
	"github.com/muktihari/fit/profile/untyped/fieldnum"
	"github.com/muktihari/fit/profile/untyped/mesgnum"
	"github.com/muktihari/fit/proto"
)

const (
	// fitHeaderSize is the shorter header of a FIT file in bytes (FIT protocol,
	// File Header); the longer one has a checksum of its own after it.
	fitHeaderSize     = 12
	fitLongHeaderSize = 14
	// fitChecksumSize is the size in bytes of the checksum after the messages.
	fitChecksumSize = 2
	// maxDescriptions is how many field_description messages are read: the
	// decoder keeps each, and looks every developer field up among them.
	maxDescriptions = 256
)

// isFIT says whether a file begins with the header of a FIT file.
func isFIT(head []byte) bool {
	return len(head) >= fitHeaderSize && string(head[8:12]) == proto.DataTypeFIT
}

// fitReader reads the files of a chain; it listens to the messages of the
// decoder (FIT profile, Messages).
type fitReader struct {
	line         gatherer
	title        string
	file         typedef.File // what the first file says it is
	descriptions int
	stop         error // why no more is read
	damaged      bool
	miscounted   bool // a checksum does not match
}

// readFIT reads a FIT file: a course or an activity, or several chained, each a
// segment of its own.
func readFIT(in *input, b *bufio.Reader) (Route, error) {
	f := &fitReader{file: typedef.FileInvalid}
	for more := true; more && !f.damaged; {
		f.readOne(b)
		f.line.split()
		head, _ := b.Peek(fitHeaderSize)
		more = isFIT(head)
	}
	appended := !f.damaged && !isPadding(b)
	switch {
	case in.err != nil:
		return Route{}, in.err
	case errors.Is(f.stop, ErrTooLarge):
		return Route{}, f.stop
	}
	r := reading{title: f.title, line: f.line.line(), points: f.line.points, omitted: f.line.omitted, damaged: f.damaged}
	if f.miscounted {
		r.warnings = append(r.warnings, "The checksum of the file does not match what is in it; some points may be wrong.")
	}
	if appended {
		r.warnings = append(r.warnings, "After its end the file goes on with something else, which was not read.")
	}
	return r.route(f.instead())
}

// isPadding reads the rest of b and says whether it is nothing: zeros and line
// ends, which some programs append.
func isPadding(b *bufio.Reader) bool {
	for {
		switch c, err := b.ReadByte(); {
		case err != nil:
			return true
		case c != 0 && c != '\n' && c != '\r':
			return false
		}
	}
}

// readOne reads one file of the chain.
func (f *fitReader) readOne(b *bufio.Reader) {
	head, _ := b.Peek(fitHeaderSize)
	if head[0] != fitHeaderSize && head[0] != fitLongHeaderSize {
		f.damaged = true
		return
	}
	head = make([]byte, head[0])
	if _, err := io.ReadFull(b, head); err != nil {
		f.damaged = true
		return
	}
	sum := crc16.New()
	sum.Write(head)
	size := binary.LittleEndian.Uint32(head[4:8])
	if size == 0 {
		// A device that lost power has not filled the size in: its messages
		// go on to the end of the file.
		size = math.MaxUint32
		binary.LittleEndian.PutUint32(head[4:8], size)
	}
	messages := io.TeeReader(io.LimitReader(b, int64(size)+fitChecksumSize), sum)
	err := decode(io.MultiReader(bytes.NewReader(head), stopper{messages, f}), f)
	if err != nil || f.stop != nil {
		f.damaged = true
	} else if sum.Sum16() != 0 {
		// The checksum of all before it and itself is 0 (FIT protocol, CRC).
		f.miscounted = true
	}
}

// decode reads one file and tells the listener its messages. The decoder checks
// no checksum: it leaves the header out of it, which holds only for headers
// with a checksum of their own. A panic of the decoder is an error.
func decode(r io.Reader, listener decoder.MesgListener) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("FIT decoder: %v", p)
		}
	}()
	_, err = decoder.New(r, decoder.WithMesgListener(listener), decoder.WithBroadcastOnly(),
		decoder.WithIgnoreChecksum(), decoder.WithNoComponentExpansion()).Decode()
	return err
}

// stopper ends reading where the listener wants no more, which the decoder
// cannot be told otherwise.
type stopper struct {
	io.Reader
	fit *fitReader
}

func (s stopper) Read(p []byte) (int, error) {
	if s.fit.stop != nil {
		return 0, s.fit.stop
	}
	return s.Reader.Read(p)
}

// OnMesg takes what a message says of the route.
func (f *fitReader) OnMesg(m proto.Message) {
	if f.stop != nil {
		return
	}
	switch m.Num {
	case mesgnum.FileId:
		if f.file == typedef.FileInvalid {
			f.file = typedef.File(m.FieldValueByNum(fieldnum.FileIdType).Uint8())
		}
	case mesgnum.Course:
		f.title = cmp.Or(f.title, cleanTitle(m.FieldValueByNum(fieldnum.CourseName).String()))
	case mesgnum.Record:
		f.record(m)
	case mesgnum.FieldDescription:
		if f.descriptions++; f.descriptions > maxDescriptions {
			f.stop = damagedFile()
		}
	}
}

// record takes the position of a record, if it has one, and its height.
func (f *fitReader) record(m proto.Message) {
	lat := m.FieldValueByNum(fieldnum.RecordPositionLat).Int32()
	lon := m.FieldValueByNum(fieldnum.RecordPositionLong).Int32()
	if lat == basetype.Sint32Invalid || lon == basetype.Sint32Invalid {
		return
	}
	f.stop = f.line.add(semicircles.ToDegrees(lat), semicircles.ToDegrees(lon), altitude(m))
}

// altitude is the height of a record in metres, NaN for none.
func altitude(m proto.Message) float64 {
	const scale, offset = 5, 500 // FIT profile, record, altitude
	if a := m.FieldValueByNum(fieldnum.RecordEnhancedAltitude).Uint32(); a != basetype.Uint32Invalid {
		return float64(a)/scale - offset
	}
	if a := m.FieldValueByNum(fieldnum.RecordAltitude).Uint16(); a != basetype.Uint16Invalid {
		return float64(a)/scale - offset
	}
	return math.NaN()
}

// instead says what the file is where it has no line (FIT profile, file).
func (f *fitReader) instead() string {
	switch {
	case f.line.points > 0:
		return "the file has " + count(f.line.points, "point") + ", but stays in one place, as an indoor ride does; choose a course, or an activity recorded outdoors"
	case f.line.omitted > 0:
		return "the file has " + count(f.line.omitted, "point") + ", none with a usable position; export the route again"
	}
	return "this is " + fitKind(f.file) + "; choose a course, or an activity recorded outdoors"
}

// fitKind names what a file without positions is.
func fitKind(file typedef.File) string {
	switch file {
	case typedef.FileActivity:
		return "an activity without positions, such as an indoor ride"
	case typedef.FileCourse:
		return "a course without positions"
	case typedef.FileSegment, typedef.FileSegmentList:
		return "a segment, not a route"
	case typedef.FileWorkout, typedef.FileSchedules:
		return "a workout, which has no positions"
	case typedef.FileSettings, typedef.FileDevice, typedef.FileSport:
		return "a file of device settings"
	case typedef.FileMonitoringA, typedef.FileMonitoringB, typedef.FileMonitoringDaily:
		return "a file of daily monitoring"
	case typedef.FileWeight, typedef.FileBloodPressure, typedef.FileTotals, typedef.FileGoals:
		return "a FIT file of " + strings.ReplaceAll(file.String(), "_", " ")
	}
	return "a FIT file without positions"
}
