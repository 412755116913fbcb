//go:build databases

package dbtest

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv("DBTEST_VICTIM"); kind != "" {
		victim(kind)
	}
	goleak.VerifyTestMain(m)
}

// victim is the process that TestWatchdog kills: it starts a server and waits.
func victim(kind string) {
	s, err := Start(context.Background(), kind)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println(s.Pid(), s.dir)
	select {}
}
