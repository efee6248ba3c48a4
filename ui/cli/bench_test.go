package cli

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// BenchmarkStart is the time from the start of the process on an existing file
// to its first answer.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	openDesk(b, dbIn(dir))
	for b.Loop() {
		s := startServer(b, dir, nil)
		if status, _ := s.get("/healthz"); status != 200 {
			b.Fatal(status)
		}
		b.StopTimer()
		s.kill()
		b.StartTimer()
	}
}

// BenchmarkIdle is what a server holds of memory that has nothing to do, while
// it replicates its file.
func BenchmarkIdle(b *testing.B) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		b.Skip("memory is only known on Linux")
	}
	dir := b.TempDir()
	s := startServer(b, dir, []string{"BIKETRIP_REPLICA=file://" + b.TempDir()}, "--litestream", repositoryFile(b, "litestream.yml"))
	for b.Loop() {
		time.Sleep(10 * time.Second)
		status, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/status")
		if err != nil {
			b.Fatal(err)
		}
		kb, err := strconv.Atoi(string(regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)[1]))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(kb)/1000, "MB-resident")
	}
}
