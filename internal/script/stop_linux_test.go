package script

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// In a container the executor is often process 1, which inherits orphans and has
// to reap them. A child subreaper (prctl 36) is in the same place.
func TestStopReapsInheritedOrphans(t *testing.T) {
	subreaper := func(on uintptr) {
		_, _, errno := syscall.Syscall(syscall.SYS_PRCTL, 36, on, 0)
		require.Zero(t, errno)
	}
	subreaper(1)
	defer subreaper(0)

	const grace = 10 * time.Second
	got := runAndStop(t, Options{KillGrace: grace},
		"echo group $$; (sleep 1000 &); (sleep 1000 >/dev/null 2>&1 &); echo ready; sleep 1000", Args{})
	assert.ErrorIs(t, got.err, errStopped)
	assert.Less(t, got.elapsed, grace, "zombies were waited for")

	_, err := syscall.Wait4(-got.out.pid(t, "group"), nil, syscall.WNOHANG, nil)
	assert.Equal(t, syscall.ECHILD, err, "a zombie is left")
}

func TestParseStat(t *testing.T) {
	tests := []struct {
		name      string
		stat      string
		wantState byte
		wantGroup string
		wantOK    bool
	}{
		{"usual", "12 (bash) S 1 34 12 0 -1", 'S', "34", true},
		{"name made to deceive", "12 (a) Z 9 99) (b) R 1 34 12 0", 'R', "34", true},
		{"empty", "", 0, "", false},
		{"cut", "12 (bash) S 1", 0, "", false},
		{"no name", "12", 0, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			state, group, ok := parseStat([]byte(tt.stat))
			assert.Equal(t, tt.wantOK, ok)
			assert.Equal(t, tt.wantState, state)
			assert.Equal(t, tt.wantGroup, string(group))
		})
	}
}
