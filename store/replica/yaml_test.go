package replica

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestCommittedFile reads the file at the top of the repository.
func TestCommittedFile(t *testing.T) {
	db := filepath.Join(t.TempDir(), "not: a trip.db")
	t.Setenv("BIKETRIP_REPLICA", "")
	c, err := committed(db)
	if err != nil || c.On() || c.String() != "off" {
		t.Errorf("without a replica: %v, %v", c, err)
	}
	t.Setenv("BIKETRIP_REPLICA", "file:///mnt/backup/biketrip")
	if c, err = committed(db); err != nil {
		t.Fatal(err)
	}
	// What the file writes out is what goes without saying.
	want := defaults()
	want.url = "file:///mnt/backup/biketrip"
	want.levels = []time.Duration{30 * time.Second, 5 * time.Minute, time.Hour}
	if d := cmp.Diff(want, c, cmp.AllowUnexported(Config{})); d != "" {
		t.Errorf("settings (-want +got):\n%s", d)
	}
}

func TestReadConfig(t *testing.T) {
	const text = `
dbs:
  - path: trips.db
    monitor-interval: 2s
    checkpoint-interval: 3m
    replica:
      url: s3://$BUCKET/trips?endpoint=http://127.0.0.1:9000&region=us-east-1
      sync-interval: 4s
levels: [{interval: 10s}, {interval: 1m}]
snapshot: {interval: 5h, retention: 6h}
validation: {interval: 7m}
l0-retention: 8m
verify-compaction: false
shutdown-sync-timeout: 9s
`
	t.Chdir(t.TempDir())
	write(t, "litestream.yml", text)
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadConfig("litestream.yml", filepath.Join(wd, "trips.db"), func(name string) string {
		return map[string]string{"BUCKET": "mine"}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		url: "s3://mine/trips?endpoint=http://127.0.0.1:9000&region=us-east-1", monitor: 2 * time.Second,
		sync: 4 * time.Second, checkpoint: 3 * time.Minute, snapshotInterval: 5 * time.Hour, snapshotRetention: 6 * time.Hour,
		l0Retention: 8 * time.Minute, levels: []time.Duration{10 * time.Second, time.Minute}, validation: 7 * time.Minute,
		shutdown: 9 * time.Second,
	}
	if d := cmp.Diff(want, c, cmp.AllowUnexported(Config{})); d != "" {
		t.Errorf("settings (-want +got):\n%s", d)
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOff(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "dbs: []\n", "dbs:\n- path: $BIKETRIP_DB\n", "dbs:\n- path: ${BIKETRIP_DB}\n  replica: {url: $BIKETRIP_REPLICA}\n"} {
		c, err := parse([]byte(text), "/srv/trips.db", func(string) string { return "" })
		if err != nil || c.On() {
			t.Errorf("%q: %v, %v", text, c, err)
		}
	}
	if _, err := ReadConfig(filepath.Join(t.TempDir(), "none.yml"), "/srv/trips.db", os.Getenv); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// inDB and inReplica are the two places of a key of a database's.
func inDB(line string) string { return "dbs:\n- path: /srv/trips.db\n  " + line + "\n" }

func inReplica(line string) string { return inDB("replica:\n    " + line) }

func atURL(url string) string { return inReplica("url: " + url) }

// TestRefusedSettings: what is wrong, where, and what to write instead.
func TestRefusedSettings(t *testing.T) {
	db := func(s string) string { return strings.ReplaceAll(s, "/srv/trips.db", "/srv/100%.db") }
	for name, c := range map[string]struct{ text, want string }{
		"no YAML":                 {"dbs: [\n", "line 1: did not find"},
		"an unknown key":          {"dbs: []\nretention-days: 3\n", "line 2: retention-days: this key is not read: leave it out"},
		"a key of the CLI":        {"dbs: []\naddr: ':9090'\n", "line 2: addr: this key is not read"},
		"an unknown key of a db":  {inDB("meta-path: /x"), "line 3: meta-path: only path, monitor-interval"},
		"replicas":                {inDB("replicas: [{url: 'file:///x'}]"), "line 3: replicas: Litestream knows one replica a database: write replica:"},
		"age":                     {inReplica("age: {recipients: [x]}"), "line 4: age: Litestream 0.5 does not encrypt"},
		"a bucket by key":         {inReplica("bucket: trips"), "line 4: bucket: only url and sync-interval are read here: write it as url: s3://bucket/path?endpoint=…&region=…"},
		"a type":                  {inReplica("type: s3"), "write it as url: s3://bucket/path?endpoint=…&region=…"},
		"a key of S3":             {inReplica("access-key-id: AKIA"), "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment"},
		"a key of S3 for all":     {"secret-access-key: x\n", "line 1: secret-access-key: keys do not belong in this file"},
		"a key twice":             {"dbs: []\ndbs: []\n", "line 2: "},
		"two databases":           {"dbs: [{path: /srv/trips.db}, {path: /srv/b.db}]", "dbs has 2 entries: there is one database, so keep one"},
		"no path":                 {"dbs: [{replica: {url: 'file:///x'}}]", "write path: '${BIKETRIP_DB}'"},
		"another path":            {"dbs: [{path: /srv/other.db}]", "path is /srv/other.db, but the server's file is /srv/trips.db: write path: '${BIKETRIP_DB}'"},
		"a negative time":         {inReplica("sync-interval: -1s"), "sync-interval: -1s is out of range: write a time such as 1s"},
		"no time":                 {inDB("monitor-interval: 0s"), "monitor-interval: 0s is out of range"},
		"a time without unit":     {inDB("checkpoint-interval: 60"), "checkpoint-interval: 60ns is out of range: write a time such as 1m0s, with its unit"},
		"a word for a time":       {inDB("monitor-interval: often"), "write a time with its unit, such as 30s"},
		"an age of a time":        {"dbs: [{path: /srv/trips.db}]\nshutdown-sync-timeout: 1h\n", "shutdown-sync-timeout: 1h0m0s is out of range"},
		"levels that shrink":      {inDB("replica: {url: 'file:///x'}") + "levels: [{interval: 1m}, {interval: 30s}]", "levels: entry 2: each interval must be longer"},
		"a level without length":  {inDB("replica: {url: 'file:///x'}") + "levels: [{}]", "levels: entry 1 has no interval"},
		"too many levels":         {inDB("replica: {}") + "levels: [{interval: 1s}, {interval: 2s}, {interval: 3s}, {interval: 4s}, {interval: 5s}, {interval: 6s}, {interval: 7s}, {interval: 8s}, {interval: 9s}]", "keep at most 8"},
		"nothing to restore from": {inDB("replica: {}") + "snapshot: {interval: 24h, retention: 1h}", "retention 1h0m0s is shorter than interval 24h0m0s"},
		"another scheme":          {atURL("gs://bucket/x"), "only file and s3 are built in: write url: file:///folder or url: s3://bucket"},
		"no scheme":               {atURL("/mnt/backup"), "url has no scheme: write url: file:///folder"},
		"a relative folder":       {atURL("file:backup"), "with three slashes"},
		"a folder for a host":     {atURL("file://mnt/backup"), "with three slashes"},
		"no folder":               {atURL("file://"), "with three slashes"},
		"a folder with a space":   {atURL("file:///mnt/my backup"), "choose a folder without"},
		"a folder with an escape": {atURL("file:///mnt/my%20backup"), "choose a folder without"},
		"a folder with a query":   {atURL("file:///mnt/backup?x=1"), "takes no parameters"},
		"the database itself":     {atURL("file:///srv/trips.db"), "url points at the database itself, /srv/trips.db"},
		"the database by a turn":  {atURL("file:///srv/x/../trips.db"), "url points at the database itself"},
		"below the database":      {atURL("file:///srv/trips.db/copy"), "url points at the database itself"},
		"the log":                 {atURL("file:///srv/trips.db-wal"), "url points at the database itself, /srv/trips.db-wal"},
		"Litestream's own folder": {atURL("file:///srv/.trips.db-litestream/ltx"), "url points at the database itself"},
		"no bucket":               {atURL("s3:///trips"), "url names no bucket"},
		"credentials":             {atURL("s3://AKIA:topsecret@bucket/trips"), "url has credentials in it"},
		"a misspelled parameter":  {atURL("s3://bucket/x?endpiont=http://127.0.0.1"), `the parameter "endpiont", which Litestream does not know`},
		"a fragment":              {atURL("s3://bucket/x#topsecret"), "write %23"},
		"no URL":                  {atURL("'s3://bu cket/topsecret'"), "url cannot be read"},
		"a database with a %":     {db(atURL("file:///x")), "a database whose name has ?, # or % in it cannot be replicated: rename /srv/100%.db"},
	} {
		path := "/srv/trips.db"
		if strings.Contains(c.text, "100%") {
			path = "/srv/100%.db"
		}
		got, err := parse([]byte(c.text), path, func(string) string { return "" })
		if err == nil || got.On() {
			t.Errorf("%s: read as %v", name, got)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", name, err, c.want)
		}
		if strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%s: the error tells a secret: %v", name, err)
		}
	}
}

// TestPathByAnotherName: two names of one file are one path.
func TestPathByAnotherName(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "real"), link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	c, err := parse([]byte("dbs: [{path: '"+link+"/trips.db', replica: {url: 'file:///x'}}]"),
		filepath.Join(dir, "real", "trips.db"), os.Getenv)
	if err != nil || !c.On() {
		t.Errorf("by a link: %v, %v", c, err)
	}
}

// TestString shows where the copy lies and nothing that opens it.
func TestString(t *testing.T) {
	for url, want := range map[string]string{
		"":                     "off",
		"file:///mnt/backup":   "file:///mnt/backup",
		"s3://b/p?region=eu":   "s3://b/p?region=eu",
		"s3://u:topsecret@b/p": "s3://b/p",
		"s3://b/p?sseCustomerKey=topsecret&endpoint=http://u:topsecret@h:9000/x%3Ftopsecret&region=r": "s3://b/p?endpoint=http://h:9000&region=r",
		"s3://b/p?endpoint=h.example:9000": "s3://b/p?endpoint=h.example:9000",
		"s3://b c/topsecret":               "unreadable",
	} {
		if got := (Config{url: url}).String(); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

// FuzzParse: no settings make it panic, and none that are off have a replica.
func FuzzParse(f *testing.F) {
	f.Add(atURL("s3://bucket/x?region=eu"))
	f.Add(inDB("replicas: [{}]") + "levels: [{interval: 1s}]")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parse([]byte(text), "/srv/trips.db", func(string) string { return "" })
		if err != nil && c.On() {
			t.Errorf("%v and %v", c, err)
		}
		_ = c.String()
	})
}
