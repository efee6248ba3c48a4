package source

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/muktihari/fit/decoder"
	"github.com/muktihari/fit/encoder"
	"github.com/muktihari/fit/kit/hash/crc16"
	"github.com/muktihari/fit/profile/basetype"
	"github.com/muktihari/fit/profile/mesgdef"
	"github.com/muktihari/fit/profile/typedef"
	"github.com/muktihari/fit/profile/untyped/fieldnum"
	"github.com/muktihari/fit/proto"

	"biketrip/store/track"
)

// fitFile is a FIT file of the kind with the messages.
func fitFile(t testing.TB, kind typedef.File, messages ...proto.Message) []byte {
	t.Helper()
	id := mesgdef.NewFileId(nil).SetType(kind).SetManufacturer(typedef.ManufacturerDevelopment).ToMesg(nil)
	fit := proto.FIT{Messages: append([]proto.Message{id}, messages...)}
	var b bytes.Buffer
	invalidToo := encoder.NewMessageValidator(encoder.ValidatorWithPreserveInvalidValues())
	if err := encoder.New(&b, encoder.WithMessageValidator(invalidToo)).Encode(&fit); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// record is a record of a position in semicircles.
func record(lat, lon int32) *mesgdef.Record {
	return mesgdef.NewRecord(nil).SetPositionLat(lat).SetPositionLong(lon)
}

// records are the records of the points, a second apart.
func records(points []track.Point) []proto.Message {
	out := make([]proto.Message, len(points))
	for i, p := range points {
		r := mesgdef.NewRecord(nil).SetTimestamp(time.Date(2026, 7, 1, 8, 0, i, 0, time.UTC)).
			SetPositionLatDegrees(p.Lat).SetPositionLongDegrees(p.Lon)
		if p.HasEle() {
			r.SetEnhancedAltitudeScaled(p.Ele)
		}
		out[i] = r.ToMesg(nil)
	}
	return out
}

// fitCourse is a course of the name and the points.
func fitCourse(t testing.TB, name string, points []track.Point) []byte {
	t.Helper()
	course := mesgdef.NewCourse(nil).SetName(name).ToMesg(nil)
	return fitFile(t, typedef.FileCourse, append([]proto.Message{course}, records(points)...)...)
}

// wantFIT checks the line to a semicircle, 8.4e-8 degrees, and 0.2 m of height.
func wantFIT(t *testing.T, r Route, segments ...[]track.Point) {
	t.Helper()
	got := r.Line.Segments()
	if len(got) != len(segments) {
		t.Fatalf("%d segments, want %d", len(got), len(segments))
	}
	for i, want := range segments {
		if len(got[i]) != len(want) {
			t.Fatalf("segment %d has %d points, want %d", i, len(got[i]), len(want))
		}
		for j, p := range got[i] {
			q := want[j]
			if math.Abs(p.Lat-q.Lat) > 1e-7 || math.Abs(p.Lon-q.Lon) > 1e-7 || p.HasEle() != q.HasEle() || math.Abs(p.Ele-q.Ele) > 0.2 {
				t.Fatalf("point %d of segment %d is %v, want %v", j, i, p, q)
			}
		}
	}
}

func TestFITCourse(t *testing.T) {
	points := trackOf(300, 100)
	points[7].Ele = unknown
	r, err := ReadFile(bytes.NewReader(fitCourse(t, " Loire à vélo\u202e\n", points)), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantFIT(t, r, points)
	wantWarnings(t, r)
	if r.Title != "Loire à vélo" {
		t.Errorf("title %q", r.Title)
	}
}

func TestFITAltitude(t *testing.T) {
	messages := []proto.Message{
		record(0, 0).SetAltitudeScaled(312.4).ToMesg(nil),
		record(0, 1<<20).SetEnhancedAltitudeScaled(100.2).ToMesg(nil),
		record(0, 2<<20).SetAltitudeScaled(1).SetEnhancedAltitudeScaled(2).ToMesg(nil),
		record(0, 3<<20).ToMesg(nil),
		record(0, 4<<20).SetEnhancedAltitudeScaled(9100).ToMesg(nil),
		record(0, 5<<20).SetAltitudeScaled(-430).ToMesg(nil),
	}
	r, err := ReadFile(bytes.NewReader(fitFile(t, typedef.FileActivity, messages...)), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{312.4, 100.2, 2, unknown, unknown, -430}
	for i, p := range r.Line.Segments()[0] {
		if p.HasEle() == math.IsNaN(want[i]) || p.HasEle() && math.Abs(p.Ele-want[i]) > 0.01 {
			t.Errorf("height %d is %v, want %v", i, p.Ele, want[i])
		}
	}
}

func TestFITPositions(t *testing.T) {
	unset := func(nums ...byte) proto.Message {
		m := record(1<<28, 1<<28).ToMesg(nil)
		for _, num := range nums {
			m.FieldByNum(num).Value = proto.Int32(basetype.Sint32Invalid)
		}
		return m
	}
	messages := []proto.Message{
		record(1<<28, 1<<28).ToMesg(nil),
		unset(fieldnum.RecordPositionLat, fieldnum.RecordPositionLong), // no satellite yet
		unset(fieldnum.RecordPositionLat),
		unset(fieldnum.RecordPositionLong),
		mesgdef.NewRecord(nil).SetHeartRate(120).ToMesg(nil),
		record(1<<30+1, 1<<28).ToMesg(nil), // north of the pole
		record(-1<<30, -1<<31).ToMesg(nil),
	}
	r, err := ReadFile(bytes.NewReader(fitFile(t, typedef.FileActivity, messages...)), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantFIT(t, r, []track.Point{at(22.5, 22.5), at(-90, -180)})
	wantWarnings(t, r, "1 point without a usable position")
}

func TestFITChain(t *testing.T) {
	one, two := trackOf(20, 100), trackOf(30, 500)
	chain := append(fitCourse(t, "One", one), fitCourse(t, "Two", two)...)
	r, err := ReadFile(bytes.NewReader(chain), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantFIT(t, r, one, two)
	wantWarnings(t, r)
	if r.Title != "One" {
		t.Errorf("title %q", r.Title)
	}

	t.Run("one checksum wrong", func(t *testing.T) {
		wrong := append(damageChecksum(fitCourse(t, "One", one)), fitCourse(t, "Two", two)...)
		r, err := ReadFile(bytes.NewReader(wrong), nil)
		if err != nil {
			t.Fatal(err)
		}
		wantFIT(t, r, one, two)
		wantWarnings(t, r, "checksum")
	})
	t.Run("bytes after", func(t *testing.T) {
		for extra, warnings := range map[string][]string{
			"\x00": nil, "\r\n": nil, strings.Repeat("\x00", 50): nil,
			"\x0e\x20\x00": {"After its end"}, "x": {"After its end"},
		} {
			r, err := ReadFile(strings.NewReader(string(chain)+extra), nil)
			if err != nil {
				t.Fatal(err)
			}
			wantFIT(t, r, one, two)
			wantWarnings(t, r, warnings...)
		}
	})
}

func damageChecksum(file []byte) []byte {
	file[len(file)-1] ^= 0xff
	return file
}

// TestFITHeaders has the headers of devices: that of 12 bytes, that of 14
// without a checksum of its own, and that which was never finished.
func TestFITHeaders(t *testing.T) {
	points := trackOf(50, 100)
	file := fitCourse(t, "x", points)
	messages := file[fitLongHeaderSize : len(file)-fitChecksumSize]
	short := append([]byte{fitHeaderSize}, file[1:12]...)
	bare := append(append([]byte{}, file[:12]...), 0, 0)
	wrong := append(append([]byte{}, file[:12]...), 1, 1)
	unfinished := append(append([]byte{}, file[:4]...), 0, 0, 0, 0)
	unfinished = append(unfinished, file[8:14]...)
	for _, c := range []struct {
		name     string
		header   []byte
		checksum bool
		warnings []string
	}{
		{"short", short, true, nil},
		{"without a checksum", bare, true, nil},
		{"with a wrong checksum", wrong, true, nil},
		{"with a wrong checksum, and the old one after", wrong, false, []string{"checksum"}},
		{"unfinished", unfinished, false, []string{"(50 points)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			content := append(append([]byte{}, c.header...), messages...)
			if c.checksum {
				sum := crc16.New()
				sum.Write(content)
				content = binary.LittleEndian.AppendUint16(content, sum.Sum16())
			} else if c.name != "unfinished" {
				content = append(content, file[len(file)-2:]...)
			}
			r, err := ReadFile(bytes.NewReader(content), nil)
			if err != nil {
				t.Fatal(err)
			}
			wantFIT(t, r, points)
			wantWarnings(t, r, c.warnings...)
		})
	}
	_, err := readString("\x0d" + string(file[1:]))
	wantProblem(t, err, ErrDamaged, "")
}

func TestFITDamage(t *testing.T) {
	points := trackOf(50, 100)
	file := fitCourse(t, "Cut", points)
	for at := fitHeaderSize; at < len(file); at++ {
		r, err := ReadFile(bytes.NewReader(file[:at]), nil)
		if err != nil {
			wantProblem(t, err, ErrDamaged, "")
			continue
		}
		wantFIT(t, r, points[:r.Line.Len()])
		wantWarnings(t, r, "damaged or cut short")
	}
	r, err := ReadFile(bytes.NewReader(damageChecksum(fitCourse(t, "Sum", points))), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantFIT(t, r, points)
	wantWarnings(t, r, "checksum")

	// A message that was never defined, in the middle.
	broken := bytes.Clone(file)
	broken[len(broken)-200] = 0x0f
	if r, err := ReadFile(bytes.NewReader(broken), nil); err != nil || len(r.Warnings) == 0 {
		t.Errorf("a broken message: warnings %q, %v", r.Warnings, err)
	}
}

func TestFITWithoutPositions(t *testing.T) {
	heart := mesgdef.NewRecord(nil).SetHeartRate(120).ToMesg(nil)
	for kind, words := range map[typedef.File]string{
		typedef.FileActivity:    "an activity without positions, such as an indoor ride",
		typedef.FileCourse:      "a course without positions",
		typedef.FileWorkout:     "a workout",
		typedef.FileSettings:    "device settings",
		typedef.FileMonitoringB: "daily monitoring",
		typedef.FileWeight:      "a FIT file of weight",
		typedef.FileSegment:     "a segment",
		200:                     "a FIT file without positions",
	} {
		_, err := ReadFile(bytes.NewReader(fitFile(t, kind, heart)), nil)
		wantProblem(t, err, ErrNoRoute, words)
	}
	chain := append(fitFile(t, typedef.FileWorkout), fitFile(t, typedef.FileSettings)...)
	_, err := ReadFile(bytes.NewReader(chain), nil)
	wantProblem(t, err, ErrNoRoute, "a workout")
	still := record(1<<28, 1<<28).ToMesg(nil)
	_, err = ReadFile(bytes.NewReader(fitFile(t, typedef.FileActivity, still, still, still)), nil)
	wantProblem(t, err, ErrNoRoute, "3 points, but stays in one place")
	lost := record(1<<30+1, 0).ToMesg(nil)
	_, err = ReadFile(bytes.NewReader(fitFile(t, typedef.FileActivity, lost)), nil)
	wantProblem(t, err, ErrNoRoute, "none with a usable position")
}

func TestFITPointsAreLimited(t *testing.T) {
	points := trackOf(maxPoints+1, 100)
	_, err := ReadFile(bytes.NewReader(fitCourse(t, "x", points)), nil)
	wantProblem(t, err, ErrTooLarge, "more than 300000 points")
	r, err := ReadFile(bytes.NewReader(fitCourse(t, "x", points[:maxPoints])), nil)
	if err != nil || r.Line.Len() != maxPoints {
		t.Errorf("%d points, %v", r.Line.Len(), err)
	}
}

// TestFITDescriptionsAreLimited has a file whose field descriptions, which the
// decoder keeps, would take a hundred times its size.
func TestFITDescriptionsAreLimited(t *testing.T) {
	description := mesgdef.NewFieldDescription(nil).SetDeveloperDataIndex(1).SetFieldDefinitionNumber(1).
		SetFitBaseTypeId(basetype.Uint8).ToMesg(nil)
	messages := records(trackOf(10, 100))
	for range maxDescriptions {
		messages = append(messages, description)
	}
	r, err := ReadFile(bytes.NewReader(fitFile(t, typedef.FileActivity, messages...)), nil)
	if err != nil || len(r.Warnings) != 0 {
		t.Fatalf("warnings %q, %v", r.Warnings, err)
	}
	for range 100_000 {
		messages = append(messages, description)
	}
	messages = append(messages, records(trackOf(20, 100))...)
	file := fitFile(t, typedef.FileActivity, messages...)
	done := int64(0)
	r, err = ReadFile(bytes.NewReader(file), func(n int64) { done = n })
	if err != nil {
		t.Fatal(err)
	}
	if done > int64(len(file)/2) {
		t.Errorf("%d bytes of %d were read", done, len(file))
	}
	wantWarnings(t, r, "(10 points)")
}

// panics is a listener that fails as a fault of the decoder would.
type panics struct{}

func (panics) OnMesg(proto.Message) { panic("index out of range") }

func TestFITDecoderPanicIsAnError(t *testing.T) {
	var listener decoder.MesgListener = panics{}
	err := decode(bytes.NewReader(fitCourse(t, "x", trackOf(5, 0))), listener)
	if err == nil || !strings.Contains(err.Error(), "index out of range") {
		t.Errorf("got %v", err)
	}
}

func FuzzFIT(f *testing.F) {
	course := fitCourse(f, "Course", trackOf(5, 100))
	f.Add(string(course))
	f.Add(string(course[:len(course)-20]))
	f.Add(string(course) + string(fitFile(f, typedef.FileActivity, records(trackOf(3, 1))...)))
	f.Add(string(fitFile(f, typedef.FileWorkout)))
	f.Add(string(fitFile(f, typedef.FileActivity, record(1<<30+1, 5).SetAltitudeScaled(3).ToMesg(nil),
		mesgdef.NewFieldDescription(nil).SetDeveloperDataIndex(1).SetFieldDefinitionNumber(1).SetFitBaseTypeId(basetype.Uint8).ToMesg(nil))))
	f.Fuzz(func(t *testing.T, text string) {
		// Only what goes to the FIT decoder is of interest here.
		if len(text) > fitHeaderSize {
			text = text[:8] + proto.DataTypeFIT + text[fitHeaderSize:]
		}
		checkOutcome(t, text)
	})
}

func BenchmarkFIT(b *testing.B) {
	content := fitCourse(b, "Bench", trackOf(100_000, 200))
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if r, err := ReadFile(bytes.NewReader(content), nil); err != nil || r.Line.Len() != 100_000 {
			b.Fatal(r.Line.Len(), err)
		}
	}
}
