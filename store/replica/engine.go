package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/benbjohnson/litestream"
	"github.com/benbjohnson/litestream/file"
	"github.com/benbjohnson/litestream/s3"
)

// maxLevels is the number of levels between the raw pieces, 0, and the whole
// copies, which Litestream keeps as level 9.
const maxLevels = litestream.SnapshotLevel - 1

// An engine is Litestream at work on one file. Its own clocks for reading the
// log and for sending it are off: they wait up to five minutes after an error,
// and tell of errors only in the log.
type engine struct {
	db      *litestream.DB
	store   *litestream.Store
	reached bool // the replica has answered once
}

// startEngine starts what runs beside the syncing: joining pieces, whole
// copies, forgetting old ones. It asks nothing of the replica.
func startEngine(ctx context.Context, c Config, path string, log *slog.Logger) (*engine, error) {
	client, err := newClient(c, log)
	if err != nil {
		return nil, err
	}
	db := litestream.NewDB(path)
	db.MonitorInterval = 0
	db.CheckpointInterval = c.checkpoint
	r := litestream.NewReplicaWithClient(db, client)
	r.MonitorEnabled = false
	if folder, ok := client.(*file.ReplicaClient); ok {
		folder.Replica = r // its files are then as private as the database
	}
	db.Replica = r

	levels := litestream.CompactionLevels{{Level: 0}}
	for i, interval := range c.levels {
		levels = append(levels, &litestream.CompactionLevel{Level: i + 1, Interval: interval})
	}
	if len(c.levels) == 0 {
		levels = litestream.DefaultCompactionLevels
	}
	quiet := quietLogger(log)
	s := litestream.NewStore([]*litestream.DB{db}, levels)
	s.Logger = quiet // the constructor has taken the default logger
	db.SetLogger(quiet)
	s.SnapshotInterval = c.snapshotInterval
	s.SnapshotRetention = c.snapshotRetention
	s.ValidationInterval = c.validation
	s.SetL0Retention(c.l0Retention)
	s.SetVerifyCompaction(c.verifyCompaction)
	s.SetShutdownSyncTimeout(0) // one try: Close has tried before
	if err := s.Open(ctx); err != nil {
		return nil, err
	}
	return &engine{db: db, store: s}, nil
}

// newClient is the replica that the url names. The S3 library fails on
// AWS_CA_BUNDLE, which is meant for other programs, so this process forgets
// it before the library looks.
func newClient(c Config, log *slog.Logger) (litestream.ReplicaClient, error) {
	client, err := litestream.NewReplicaClientFromURL(c.url)
	var quoted *url.Error
	if errors.As(err, &quoted) {
		err = quoted.Err // without the URL and what is in it
	}
	if err != nil {
		return nil, fmt.Errorf("replica: url: %w", err)
	}
	bucket, ok := client.(*s3.ReplicaClient)
	if !ok {
		return client, nil
	}
	if bucket.Region == "" && bucket.Endpoint == "" {
		return nil, errors.New("replica: url names neither region nor endpoint: write url: s3://bucket/path?region=…")
	}
	if bucket.Endpoint != "" && !keysKnown() {
		// The library would look for them on the network, and say that it did.
		return nil, errNoKeys
	}
	if os.Getenv(caBundle) != "" {
		if err := os.Unsetenv(caBundle); err != nil {
			return nil, err
		}
		log.Warn(caBundle + " is ignored: put further authorities into SSL_CERT_FILE")
	}
	return client, nil
}

const caBundle = "AWS_CA_BUNDLE"

// keysKnown says whether there is anything on this machine that tells the keys
// of a bucket.
func keysKnown() bool {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "LITESTREAM_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_SHARED_CREDENTIALS_FILE",
		"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		if os.Getenv(name) != "" {
			return true
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(home, ".aws", "credentials"))
	return err == nil
}

// What one try may take: a replica that has stopped answering must not be
// waited for forever, and a slow one be given the time that its share takes.
const (
	patience       = 30 * time.Second
	slowestDisk    = 4 << 20  // bytes a second
	slowestNetwork = 64 << 10 // bytes a second
)

// read brings what was written to the file since the last time into a piece of
// its own beside the file.
//
// Litestream begins by asking the replica how far it is, and keeps the log from
// going into the file while it waits for the answer. With a replica that is
// down the log would grow without end, so it is asked before that.
func (e *engine) read(ctx context.Context) error {
	if !e.reached {
		if _, err := ask(ctx, e.db.Replica.Client, 0); err != nil {
			return err
		}
		e.reached = true
	}
	ctx, cancel := context.WithTimeout(ctx, allowance(fileSize(e.db.Path()), slowestDisk))
	defer cancel()
	return e.db.Sync(ctx)
}

// ask asks the replica whether it holds any piece of a level. A folder on a disk
// that is not there would look empty, so the folder above must be there.
func ask(ctx context.Context, client litestream.ReplicaClient, level int) (found bool, err error) {
	if folder, ok := client.(*file.ReplicaClient); ok {
		if _, err := os.Stat(filepath.Dir(folder.Path())); err != nil {
			return false, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	pieces, err := client.LTXFiles(ctx, level, 0, false)
	if err != nil {
		return false, err
	}
	found = pieces.Next()
	return found, errors.Join(pieces.Err(), pieces.Close())
}

// send brings the pieces that the replica lacks to it, and holds it to have
// them.
func (e *engine) send(ctx context.Context) error {
	before, err := e.db.Pos()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, allowance(folderSize(e.db.LTXLevelDir(0)), slowestNetwork))
	defer cancel()
	if err := e.db.Replica.Sync(ctx); err != nil {
		return err
	}
	after, err := e.db.Pos()
	if err != nil {
		return err
	}
	there := e.db.Replica.Pos().TXID
	if there < before.TXID {
		return fmt.Errorf("the replica has got to %d of %d", there, before.TXID)
	}
	if there > after.TXID {
		return fmt.Errorf("%w: %d of %d", errOtherHistory, there, after.TXID)
	}
	return nil
}

// The time between two looks at whether the file could be made from what the
// replica holds. A bucket is paid by the look.
const (
	verifyFolderEvery = 10 * time.Second
	verifyBucketEvery = 5 * time.Minute
)

// verifyEvery is which of them it is.
func (e *engine) verifyEvery() time.Duration {
	if e.db.Replica.Client.Type() == file.ReplicaClientType {
		return verifyFolderEvery
	}
	return verifyBucketEvery
}

// verify fails where the file could not be made from what the replica holds, up
// to where it was sent: somebody has removed a part of it, or put another in its
// place. Litestream remembers what it has sent and does not look again.
func (e *engine) verify(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	sent := e.db.Replica.Pos().TXID
	if sent == 0 {
		return nil
	}
	plan, err := litestream.CalcRestorePlan(ctx, e.db.Replica.Client, 0, time.Time{}, slog.New(slog.DiscardHandler))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: %w", errIncomplete, err)
	case len(plan) == 0 || plan[len(plan)-1].MaxTXID < sent:
		return errIncomplete
	case plan[len(plan)-1].MaxTXID > sent:
		return errOtherHistory
	}
	return nil
}

// complete sends a whole copy, from which the file can be made whatever else the
// replica has.
func (e *engine) complete(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, allowance(fileSize(e.db.Path()), slowestNetwork))
	defer cancel()
	_, err := e.db.Snapshot(ctx)
	return err
}

// lost says whether err comes of Litestream's own files beside the database
// having gone or gone bad. Everything else mends itself.
func (e *engine) lost(err error) bool {
	if errors.Is(err, errOtherHistory) {
		return true
	}
	var piece *litestream.LTXError
	if errors.As(err, &piece) && piece.IsAutoRecoverable() {
		return true
	}
	_, statErr := os.Stat(e.db.LTXDir())
	pos, posErr := e.db.Pos()
	return os.IsNotExist(statErr) && posErr == nil && !pos.IsZero()
}

// close ends the engine. It tries once to bring the replica up to date, unless
// ctx is over.
func (e *engine) close(ctx context.Context) error { return e.store.Close(ctx) }

// allowance is the time that so many bytes may take.
func allowance(bytes, perSecond int64) time.Duration {
	return patience + time.Duration(bytes/perSecond)*time.Second
}

// fileSize is the size of a file, 0 where there is none.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// folderSize is the size of the files in a folder, 0 where there is none.
func folderSize(path string) (size int64) {
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
	}
	return size
}
