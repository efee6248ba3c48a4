// Biketrip plans multi-day bicycle trips.
package main

import (
	"os"

	"biketrip/ui/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
