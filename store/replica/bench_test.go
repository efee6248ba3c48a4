package replica

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// childIdle opens a replica, writes a little, and then only waits. It prints
// what memory it takes after 20 seconds.
func childIdle(path string) error {
	c, err := committed(path)
	if err != nil {
		return err
	}
	db, err := openFile(path)
	if err != nil {
		return err
	}
	if c.On() {
		if _, err := Open(context.Background(), c, path, slog.New(slog.DiscardHandler)); err != nil {
			return err
		}
	}
	if _, err := db.Exec(schema); err != nil {
		return err
	}
	if err := writeOnce(db, 1, 1000); err != nil {
		return err
	}
	time.Sleep(20 * time.Second)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "VmRSS:") {
			fmt.Print(line)
		}
	}
	return nil
}

// BenchmarkIdleMemory is the memory of a process that replicates and has
// nothing to do, and of one that does not replicate.
func BenchmarkIdleMemory(b *testing.B) {
	bucket := startBucket(b)
	for name, url := range map[string]string{"off": "", "folder": folderURL(b), "bucket": bucket.url} {
		b.Run(name, func(b *testing.B) {
			var kb float64
			for b.Loop() {
				c := startChild(b, "idle", filepath.Join(b.TempDir(), "trips.db"), url)
				fmt.Sscanf(c.line(b), "VmRSS: %f", &kb)
				c.kill()
			}
			b.ReportMetric(kb/1024, "MB")
		})
	}
}

func BenchmarkSync(b *testing.B) {
	bucket := startBucket(b)
	for name, url := range map[string]string{"folder": folderURL(b), "bucket": bucket.url} {
		b.Run(name, func(b *testing.B) {
			f := newFile(b, url)
			var took []time.Duration
			for b.Loop() {
				f.write(b, 1, 3000)
				begun := time.Now()
				if err := f.replica.Sync(b.Context()); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkOpenClose is the time of Open and of Close with one transaction to
// send.
func BenchmarkOpenClose(b *testing.B) {
	bucket := startBucket(b)
	for name, url := range map[string]string{"folder": folderURL(b), "bucket": bucket.url} {
		b.Run(name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "trips.db")
			var opening, closing time.Duration
			for b.Loop() {
				db, err := openFile(path)
				if err != nil {
					b.Fatal(err)
				}
				c := config(b, path, url)
				begun := time.Now()
				r, err := Open(b.Context(), c, path, slog.New(slog.DiscardHandler))
				if err != nil {
					b.Fatal(err)
				}
				opening += time.Since(begun)
				if _, err := db.Exec(schema + "INSERT INTO trip (version, body) VALUES (1, randomblob(3000))"); err != nil {
					b.Fatal(err)
				}
				db.Close()
				begun = time.Now()
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
				closing += time.Since(begun)
			}
			b.ReportMetric(float64(opening.Microseconds())/float64(b.N), "open-µs")
			b.ReportMetric(float64(closing.Microseconds())/float64(b.N), "close-µs")
		})
	}
}

// BenchmarkRestore makes a file of 8 MB.
func BenchmarkRestore(b *testing.B) {
	bucket := startBucket(b)
	for name, url := range map[string]string{"folder": folderURL(b), "bucket": bucket.url} {
		b.Run(name, func(b *testing.B) {
			f := newFile(b, url)
			f.write(b, 500, 12_000)
			if err := f.close(b); err != nil {
				b.Fatal(err)
			}
			dir := b.TempDir()
			n := 0
			for b.Loop() {
				n++
				if restored, err := Restore(b.Context(), f.config, filepath.Join(dir, fmt.Sprint(n)), slog.New(slog.DiscardHandler)); !restored || err != nil {
					b.Fatal(restored, err)
				}
			}
			b.ReportMetric(float64(fileSize(filepath.Join(dir, "1")))/1e6, "MB")
		})
	}
}
