package replica

import (
	"fmt"
	"time"
)

const (
	// unhealthyAfter is the shortest time without a sync that is worth telling.
	unhealthyAfter = 5 * time.Second
	// mostWAL is the size of the log, in bytes, above which something keeps it
	// from going into the file: SQLite brings it there at about 40 MB where
	// Litestream does not at 4.
	mostWAL = 64 << 20
)

// A Health is how the replica is doing.
type Health struct {
	OK       bool
	Reason   string        // what is wrong, for whoever runs the server, the same as long as that is; "" while OK
	LastSync time.Time     // when the replica last had everything, zero for not since Open
	Lag      time.Duration // time since LastSync, or since Open: how much may be lost with the machine
	WALBytes int64         // size of the write-ahead log beside the file
}

// Health is how the replica was doing at the last attempt. It asks nothing of
// the replica. It is OK at first, until a sync has failed or is overdue.
func (r *Replica) Health(now time.Time) Health {
	r.mu.Lock()
	h := Health{LastSync: r.lastSync}
	closed, err := r.closed, r.err
	r.mu.Unlock()
	h.WALBytes = fileSize(r.path + "-wal")
	since := h.LastSync
	if since.IsZero() {
		since = r.opened
	}
	h.Lag = max(now.Sub(since), 0)
	limit := max(unhealthyAfter, 3*(r.config.monitor+r.config.sync))
	switch {
	case closed:
		h.Reason = ErrClosed.Error()
	case err != nil && h.LastSync.IsZero():
		h.Reason = "nothing has reached the replica: " + err.Error()
	case h.Lag > limit && err != nil:
		h.Reason = "nothing reaches the replica: " + err.Error()
	case h.Lag > limit:
		h.Reason = "nothing reaches the replica, and the last try has not ended"
	case h.WALBytes > mostWAL:
		h.Reason = fmt.Sprintf("the write-ahead log is larger than %d MB", mostWAL>>20)
	default:
		h.OK = true
	}
	return h
}
