package cli

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"biketrip/jobs/plan/world"
)

var update = flag.Bool("update", false, "write the golden files anew")

// childMode makes the test binary, started as a process of its own, the program
// in a made-up world.
const childMode = "BIKETRIP_CLI_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childMode) == "" {
		os.Exit(m.Run())
	}
	os.Unsetenv(childMode)
	os.Exit(run(os.Args[1:], &streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, transport: world.New().Transport()}))
}

// golden compares with a golden file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}
