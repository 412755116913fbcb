//go:build xxljob_failpoint

package xxljob

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// failpointFromEnv reads XXLJOB_FAILPOINT, of the form name:n, and returns a
// function that kills the process, without any chance to clean up, when the
// place called name is passed for the nth time.
func failpointFromEnv() func(string) {
	want, count, _ := strings.Cut(os.Getenv("XXLJOB_FAILPOINT"), ":")
	if want == "" {
		return nil
	}
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil || n < 1 {
		n = 1
	}
	var passed atomic.Int64
	return func(name string) {
		if name == want && passed.Add(1) == n {
			killSelf()
		}
	}
}

// killSelf ends the process as SIGKILL does.
func killSelf() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		os.Exit(137)
	}
	select {} // until the signal arrives
}
