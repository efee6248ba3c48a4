package replica

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/benbjohnson/litestream"
)

// urlForms are the two kinds of replica.
const urlForms = "write url: file:///folder or url: s3://bucket/path?endpoint=…&region=…"

// s3Parameters are the parameters of an s3 URL, in small letters and without
// hyphens: Litestream reads each of them in either spelling and ignores what it
// does not know (its s3/replica_client.go).
const s3Parameters = " endpoint region forcepathstyle skipverify signpayload signacceptencoding" +
	" requirecontentmd5 putobjectcontentmd5 concurrency partsize storageclass" +
	" ssecustomeralgorithm ssecustomerkey ssecustomerkeymd5 ssekmskeyid "

// checkURL refuses a replica that would not work, that Litestream would
// understand otherwise, or that would overwrite the database.
func checkURL(raw, db string) error {
	if strings.ContainsAny(db, "?#%") {
		return fmt.Errorf("%w: rename %s", errName, db)
	}
	u, err := url.Parse(raw)
	if err != nil {
		// The error of url.Parse repeats the URL with all that is in it.
		return errors.New("replica: url cannot be read: " + urlForms)
	}
	switch u.Scheme {
	case "file":
		return checkFolder(u, raw, db)
	case "s3":
		return checkBucket(u)
	case "":
		return errors.New("replica: url has no scheme: " + urlForms)
	}
	return fmt.Errorf("replica: url has the scheme %s, and only file and s3 are built in: %s", u.Scheme, urlForms)
}

// checkFolder looks at a file URL.
func checkFolder(u *url.URL, raw, db string) error {
	switch {
	case u.Host != "" || u.Opaque != "" || !filepath.IsAbs(u.Path):
		return errors.New("replica: url must name a folder from the root on: write url: file:///folder, with three slashes")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("replica: url of a folder takes no parameters: write url: file:///folder")
	}
	// Litestream takes the folder's name as it is written, escapes and all, so
	// that two readers of the file could mean two folders.
	_, _, taken, err := litestream.ParseReplicaURL(raw)
	if err != nil || taken != path.Clean(u.Path) {
		return errors.New("replica: url has a space, a % or another escaped letter in it: choose a folder without")
	}
	folder, file := resolved(taken), resolved(db)
	meta := metaPath(file)
	if folder == filepath.Dir(file) || folder == filepath.Dir(folder) {
		return fmt.Errorf("replica: url names %s itself: choose a folder of its own, best on another disk", folder)
	}
	for _, own := range []string{file, file + "-wal", file + "-shm", file + ".lock", meta, restorePath(file)} {
		if folder == own || strings.HasPrefix(folder, own+string(filepath.Separator)) {
			return fmt.Errorf("replica: url points at the database itself, %s: choose a folder of its own, best on another disk", own)
		}
	}
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return fmt.Errorf("replica: url names %s, which is a file: choose a folder", folder)
	}
	return nil
}

// checkBucket looks at an s3 URL.
func checkBucket(u *url.URL) error {
	switch {
	case u.User != nil:
		return errors.New("replica: url has credentials in it: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment instead")
	case u.Host == "":
		return errors.New("replica: url names no bucket: write url: s3://bucket/path?endpoint=…&region=…")
	case u.Fragment != "":
		return errors.New("replica: url has a # in it, which ends it: write %23")
	}
	for name := range u.Query() {
		known := strings.ToLower(strings.ReplaceAll(name, "-", ""))
		if !strings.Contains(s3Parameters, " "+known+" ") {
			return fmt.Errorf("replica: url has the parameter %q, which Litestream does not know", name)
		}
	}
	return nil
}

// metaPath is the folder in which Litestream keeps its own state of the file.
func metaPath(db string) string {
	return filepath.Join(filepath.Dir(db), "."+filepath.Base(db)+litestream.MetaDirSuffix)
}
