//go:build linux

package main

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	const rest = " S 1 71 71 0 -1 4194560 9 0 0 0 150 25 0 0 20 0 12 0 88 7 5 18446744073709551615 1"
	tests := []struct {
		name    string
		stat    string
		want    time.Duration
		wantErr string
	}{
		{name: "plain", stat: "71 (java)" + rest, want: 1750 * time.Millisecond},
		{name: "blanks and brackets in the name", stat: "71 (a) R 9 (b c)" + rest, want: 1750 * time.Millisecond},
		{name: "empty", wantErr: "too few fields"},
		{name: "cut off", stat: "71 (java) S 1 71 71", wantErr: "too few fields"},
		{name: "no number", stat: "71 (x) S 1 2 3 4 5 6 7 8 9 10 xx 25 0", wantErr: "user time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseStat(tt.stat)
			if tt.wantErr != "" {
				require.ErrorContains(t, err, tt.wantErr)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("71 (a b) S 1 71 71 0 -1 4194560 9 0 0 0 150 25 0 0")
	f.Add(")")
	f.Fuzz(func(t *testing.T, stat string) {
		if d, err := parseStat(stat); err != nil && d != 0 {
			t.Errorf("parseStat(%q) = %v and an error", stat, d)
		}
	})
}

func TestParseStatus(t *testing.T) {
	t.Parallel()
	got, err := parseStatus("Name:\tx\nVmHWM:\t   81234 kB\nVmRSS:\t   1024 kB\n")
	require.NoError(t, err)
	assert.Equal(t, memory{now: 1 << 20, peak: 81234 << 10}, got)

	for name, status := range map[string]string{
		"a zombie has no memory": "Name:\tx\nState:\tZ\n",
		"no number":              "VmRSS:\t many kB\nVmHWM:\t 1 kB\n",
		"another unit":           "VmRSS:\t 12 MB\nVmHWM:\t 1 kB\n",
	} {
		_, err := parseStatus(status)
		require.Error(t, err, name)
	}
}

// TestOwnProcess reads what the kernel really writes.
func TestOwnProcess(t *testing.T) {
	t.Parallel()
	cpu, err := cpuTime(os.Getpid())
	require.NoError(t, err)
	assert.Less(t, cpu, time.Hour)
	mem, err := memoryOf(os.Getpid())
	require.NoError(t, err)
	assert.Positive(t, mem.now)
	assert.GreaterOrEqual(t, mem.peak, mem.now)
	_, err = cpuTime(1 << 30)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestFileSystem(t *testing.T) {
	t.Parallel()
	const mounts = `22 1 253:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:25 / /dev/shm rw,nosuid - tmpfs tmpfs rw
31 22 0:26 / /data rw - xfs /dev/vdb rw
32 22 0:27 / /data/deep rw shared:7 master:2 - btrfs /dev/vdc rw
a line that is none
`
	tests := []struct{ path, want string }{
		{path: "/var/tmp", want: "ext4"},
		{path: "/dev/shm", want: "tmpfs"},
		{path: "/dev/shm/x", want: "tmpfs"},
		{path: "/dev/shmx", want: "ext4"},
		{path: "/data/a", want: "xfs"},
		{path: "/data/deep/a", want: "btrfs"},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, fileSystem(mounts, tt.path), tt.path)
	}
	assert.Equal(t, "unknown", fileSystem("", "/"))
}

func TestMeasureFloor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := measureFloor(dir, 20)
	require.NoError(t, err)
	assert.Equal(t, 20, f.files)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 20)
	info, err := entries[19].Info()
	require.NoError(t, err)
	assert.Equal(t, int64(floorFirstWrite+floorSecondWrite), info.Size())
	_, err = measureFloor(dir, 1)
	assert.ErrorIs(t, err, os.ErrExist, "a file that was there is no file created")
}

func TestCPUModel(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "AMD EPYC", cpuModel("processor\t: 0\nmodel name\t: AMD EPYC\nmodel name\t: other\n"))
	assert.NotEmpty(t, cpuModel("no such line"))
}
