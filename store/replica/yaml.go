package replica

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v2"
)

// yamlFile is the part of the litestream CLI's file that is understood, by the
// CLI's names.
type yamlFile struct {
	DBs                 []yamlDB       `yaml:"dbs"`
	Levels              []yamlLevel    `yaml:"levels"`
	Snapshot            yamlSnapshot   `yaml:"snapshot"`
	Validation          yamlValidation `yaml:"validation"`
	L0Retention         *time.Duration `yaml:"l0-retention"`
	VerifyCompaction    *bool          `yaml:"verify-compaction"`
	ShutdownSyncTimeout *time.Duration `yaml:"shutdown-sync-timeout"`
}

type yamlDB struct {
	Path               string         `yaml:"path"`
	MonitorInterval    *time.Duration `yaml:"monitor-interval"`
	CheckpointInterval *time.Duration `yaml:"checkpoint-interval"`
	Replica            yamlReplica    `yaml:"replica"`
}

type yamlReplica struct {
	URL          string         `yaml:"url"`
	SyncInterval *time.Duration `yaml:"sync-interval"`
}

type yamlLevel struct {
	Interval *time.Duration `yaml:"interval"`
}

type yamlSnapshot struct {
	Interval  *time.Duration `yaml:"interval"`
	Retention *time.Duration `yaml:"retention"`
}

type yamlValidation struct {
	Interval *time.Duration `yaml:"interval"`
}

// ReadConfig reads the litestream.yml at path for the database at db, an
// absolute path. $NAME and ${NAME} are expanded by env as the CLI does it, and
// ${BIKETRIP_DB} is db. Its error names the file, the line where it is known,
// what is wrong and what to write instead; it wraps fs.ErrNotExist where there
// is no such file.
func ReadConfig(path, db string, env func(string) string) (Config, error) {
	content, err := readSmall(path)
	if err != nil {
		return Config{}, fmt.Errorf("read the replica's settings: %w", err)
	}
	c, err := parse(content, db, env)
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// maxFile is more than anybody writes, in bytes.
const maxFile = 1 << 20

// readSmall reads a regular file: any other might never end.
func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	return os.ReadFile(path)
}

// parse is ReadConfig with the content of the file.
func parse(content []byte, db string, env func(string) string) (Config, error) {
	v := values{db: db, env: env}
	text := os.Expand(string(content), v.expand)
	var f yamlFile
	d := yaml.NewDecoder(strings.NewReader(text))
	d.SetStrict(true)
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return Config{}, explain(err)
	}
	if err := d.Decode(new(yamlFile)); !errors.Is(err, io.EOF) {
		return Config{}, errors.New("there is more than one document in it: keep what stands before the second ---")
	}
	for i := range f.DBs {
		f.DBs[i].Path, f.DBs[i].Replica.URL = v.fill(f.DBs[i].Path), v.fill(f.DBs[i].Replica.URL)
	}
	switch len(f.DBs) {
	case 0:
		return Config{}, nil
	case 1:
	default:
		return Config{}, fmt.Errorf("dbs has %d entries: there is one database, so keep one", len(f.DBs))
	}
	if err := checkPath(f.DBs[0].Path, db); err != nil {
		return Config{}, err
	}
	c, err := f.config()
	if err != nil || f.DBs[0].Replica.URL == "" {
		return Config{}, err
	}
	if err := checkURL(f.DBs[0].Replica.URL, db); err != nil {
		return Config{}, err
	}
	c.url = f.DBs[0].Replica.URL
	return c, nil
}

// values are those of the variables of a file.
type values struct {
	db   string
	env  func(string) string
	held []string // those that stand in the text as a mark
}

// plain is what means the same in every kind of YAML scalar.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@%?&=+,~-]*$`)

// expand is the value of a variable as it stands in the text: a mark where YAML
// might read it as anything but itself, such as a quote in the name of a folder.
func (v *values) expand(name string) string {
	value := ""
	switch name {
	case "BIKETRIP_DB":
		value = v.db
	case "PID":
		value = strconv.Itoa(os.Getpid())
	default:
		value = v.env(name)
	}
	if plain.MatchString(value) {
		return value
	}
	v.held = append(v.held, value)
	return v.mark(len(v.held) - 1)
}

// mark stands for a value that is held.
func (v *values) mark(i int) string { return fmt.Sprintf("BIKETRIP_VALUE_%d_", i) }

// fill puts the values in the place of their marks.
func (v *values) fill(text string) string {
	for i, value := range v.held {
		text = strings.ReplaceAll(text, v.mark(i), value)
	}
	return text
}

// checkPath holds the path of the file against the database of the server.
func checkPath(path, db string) error {
	if path == "" {
		return errors.New("dbs: the entry has no path: write path: '${BIKETRIP_DB}'")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("dbs: path: %w", err)
	}
	if resolved(abs) != resolved(db) {
		return fmt.Errorf("dbs: path is %s, but the server's file is %s: write path: '${BIKETRIP_DB}'", abs, db)
	}
	return nil
}

// resolved is path without symbolic links, as far as it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir := filepath.Dir(path)
	if dir == path {
		return filepath.Clean(path)
	}
	return filepath.Join(resolved(dir), filepath.Base(path))
}

// config takes over what the file sets and leaves the rest as it is. The url is
// left out.
func (f *yamlFile) config() (Config, error) {
	c := defaults()
	const day = 24 * time.Hour
	var problems []error
	set := func(name string, to *time.Duration, from *time.Duration, most time.Duration) {
		switch {
		case from == nil:
		case *from < time.Millisecond || *from > most:
			problems = append(problems, fmt.Errorf("%s: %v is out of range: write a time such as %v, with its unit, of at most %v", name, *from, *to, most))
		default:
			*to = *from
		}
	}
	d := f.DBs[0]
	set("monitor-interval", &c.monitor, d.MonitorInterval, time.Hour)
	set("checkpoint-interval", &c.checkpoint, d.CheckpointInterval, day)
	set("sync-interval", &c.sync, d.Replica.SyncInterval, day)
	set("snapshot: interval", &c.snapshotInterval, f.Snapshot.Interval, 366*day)
	set("snapshot: retention", &c.snapshotRetention, f.Snapshot.Retention, 3660*day)
	set("validation: interval", &c.validation, f.Validation.Interval, 366*day)
	set("l0-retention", &c.l0Retention, f.L0Retention, 366*day)
	set("shutdown-sync-timeout", &c.shutdown, f.ShutdownSyncTimeout, 5*time.Minute)
	if f.VerifyCompaction != nil {
		c.verifyCompaction = *f.VerifyCompaction
	}
	for i, l := range f.Levels {
		interval := 30 * time.Second
		if l.Interval == nil {
			problems = append(problems, fmt.Errorf("levels: entry %d has no interval: write interval: 30s", i+1))
		}
		set(fmt.Sprintf("levels: entry %d: interval", i+1), &interval, l.Interval, 366*day)
		if i > 0 && interval <= c.levels[i-1] {
			problems = append(problems, fmt.Errorf("levels: entry %d: each interval must be longer than the one before", i+1))
		}
		c.levels = append(c.levels, interval)
	}
	if len(c.levels) > maxLevels {
		problems = append(problems, fmt.Errorf("levels has %d entries: keep at most %d", len(c.levels), maxLevels))
	}
	if c.snapshotRetention < c.snapshotInterval {
		problems = append(problems, fmt.Errorf("snapshot: retention %v is shorter than interval %v: then nothing is left to restore from", c.snapshotRetention, c.snapshotInterval))
	}
	return c, errors.Join(problems...)
}

// unknownKey is how yaml.v2 words a key that the struct has no field for.
var unknownKey = regexp.MustCompile(`^line (\d+): field (.+) not found in type replica\.(\w+)$`)

// explain words an error of the YAML reader for whoever wrote the file.
func explain(err error) error {
	var types *yaml.TypeError
	if !errors.As(err, &types) {
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var problems []error
	for _, text := range types.Errors {
		if m := unknownKey.FindStringSubmatch(text); m != nil {
			text = fmt.Sprintf("line %s: %s: %s", m[1], m[2], advice(m[2], m[3]))
		} else if line, ok := strings.CutSuffix(text, " into time.Duration"); ok {
			text = line + ": write a time with its unit, such as 30s, 5m or 6h"
		}
		problems = append(problems, errors.New(text))
	}
	return errors.Join(problems...)
}

// advice is what to write instead of a key that is not read.
func advice(key, within string) string {
	switch {
	case key == "replicas":
		return "Litestream knows one replica a database: write replica: with a url below it"
	case key == "age":
		return "Litestream 0.5 does not encrypt: leave it out and let the bucket encrypt, or the disk"
	case key == "access-key-id" || key == "secret-access-key":
		return "keys do not belong in this file: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment"
	case within == "yamlReplica":
		return "only url and sync-interval are read here: write it as url: s3://bucket/path?endpoint=…&region=… or url: file:///folder"
	case within == "yamlDB":
		return "only path, monitor-interval, checkpoint-interval and replica are read here: leave it out"
	}
	return "this key is not read: leave it out"
}
