// Package replica keeps a second copy of the database file, in a folder or in
// an S3 bucket, about a second behind the first. Litestream does it; nothing
// of Litestream shows outside of this package.
package replica

import (
	"net/url"
	"strings"
	"time"
)

// A Config is what litestream.yml says about the one database. The zero Config
// is off.
type Config struct {
	url string // where the copy lies, a file or s3 URL of Litestream's; "" for off

	monitor    time.Duration // between two looks at the log
	sync       time.Duration // between two uploads of what was found there
	checkpoint time.Duration // the log goes into the file at least this often, where anything was written

	snapshotInterval  time.Duration // between two whole copies
	snapshotRetention time.Duration // for which the file can be restored as it was
	l0Retention       time.Duration // for which the smallest pieces stay once they are part of larger ones
	levels            []time.Duration
	validation        time.Duration // between two checks that the copy has no gap
	verifyCompaction  bool          // check for gaps whenever pieces are joined, too

	shutdown time.Duration // how long Close tries to bring the copy up to date
}

// Defaults: whoever loses the machine loses about a second, and can go back a
// week.
const (
	defaultMonitor           = time.Second
	defaultSync              = time.Second
	defaultCheckpoint        = time.Minute
	defaultSnapshotInterval  = 6 * time.Hour
	defaultSnapshotRetention = 7 * 24 * time.Hour
	defaultL0Retention       = 5 * time.Minute
	defaultValidation        = 5 * time.Minute
	defaultShutdown          = 10 * time.Second
)

// defaults is a Config that is off and otherwise as the file leaves it that
// says no more than a url.
func defaults() Config {
	return Config{
		monitor: defaultMonitor, sync: defaultSync, checkpoint: defaultCheckpoint,
		snapshotInterval: defaultSnapshotInterval, snapshotRetention: defaultSnapshotRetention,
		l0Retention: defaultL0Retention, validation: defaultValidation, verifyCompaction: true,
		shutdown: defaultShutdown,
	}
}

// On says whether there is a replica at all: not without a dbs entry, and not
// with an empty url.
func (c Config) On() bool { return c.url != "" }

// String is where the copy lies, fit for a log: without credentials and
// without any parameter but endpoint and region. It is "off" where there is
// none.
func (c Config) String() string {
	if !c.On() {
		return "off"
	}
	u, err := url.Parse(c.url)
	if err != nil {
		return "unreadable"
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	var query string
	if endpoint := u.Query().Get("endpoint"); endpoint != "" {
		query = "endpoint=" + bare(endpoint)
	}
	if region := u.Query().Get("region"); region != "" {
		if query != "" {
			query += "&"
		}
		query += "region=" + url.QueryEscape(region)
	}
	shown.RawQuery = query
	return shown.String()
}

// bare is the scheme and host of an endpoint, which may be written without its
// scheme.
func bare(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		if u, err = url.Parse("//" + endpoint); err != nil {
			return "unreadable"
		}
	}
	return strings.TrimPrefix((&url.URL{Scheme: u.Scheme, Host: u.Host}).String(), "//")
}
