//go:build linux

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// segments returns the journal's segment files that hold records, oldest first.
func segments(t *testing.T, p *process) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.journalDir(), "segment-*"))
	require.NoError(t, err)
	slices.Sort(files)
	return slices.DeleteFunc(files, func(path string) bool { return len(written(t, path)) < 100 })
}

// written returns the bytes of a segment without the room behind its records.
func written(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return bytes.TrimRight(data, "\x00")
}

// TestDamagedJournal damages the files of a journal between two processes: the
// second starts all the same, says what it found, and delivers the rest.
func TestDamagedJournal(t *testing.T) {
	t.Parallel()
	const triggers = 100
	tests := []struct {
		name     string
		damage   func(t *testing.T, files []string)
		wantText string
		maxLost  int // results that the damaged bytes may have held
	}{
		{
			name: "torn tail",
			damage: func(t *testing.T, files []string) {
				last := files[len(files)-1]
				require.NoError(t, os.Truncate(last, int64(len(written(t, last))-5)))
			},
			wantText: "truncated",
			maxLost:  1,
		},
		{
			name: "flipped byte",
			damage: func(t *testing.T, files []string) {
				data := written(t, files[0])
				data[len(data)/2] ^= 0x10
				require.NoError(t, os.WriteFile(files[0], data, 0o600))
			},
			wantText: "damaged",
			maxLost:  1,
		},
		{
			name: "garbage of one kilobyte in the middle",
			damage: func(t *testing.T, files []string) {
				data := written(t, files[0])
				copy(data[len(data)/2:], bytes.Repeat([]byte{0xA7, 0x5A, 3, 0}, 256))
				require.NoError(t, os.WriteFile(files[0], data, 0o600))
			},
			wantText: "damaged",
			maxLost:  1024/50 + 2,
		},
		{
			name: "segment missing",
			damage: func(t *testing.T, files []string) {
				require.GreaterOrEqual(t, len(files), 3)
				require.NoError(t, os.Remove(files[1]))
			},
			wantText: "missing",
			maxLost:  triggers,
		},
		{
			name: "empty segment",
			damage: func(t *testing.T, files []string) {
				require.NoError(t, os.Truncate(files[1], 0))
			},
			wantText: "truncated",
			maxLost:  triggers,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, l := newAdmin(t), newLedger(t)
			a.set(t, down)
			p := start(t, setup{Admin: a.url()})
			for range 3 { // each process begins a segment
				l.sendMany(t, p.client, triggers, 10, "echo", "before the damage")
				waitIdle(t, p.client, 10)
				p.kill()
				p = p.again(t)
			}
			p.kill()
			tt.damage(t, segments(t, p))

			p = p.again(t)
			assert.Contains(t, p.output(), "journal: ")
			assert.Contains(t, p.output(), tt.wantText)
			l.mustSend(t, p.client, trigger(1, "echo", "after the damage"))
			a.set(t, up)
			waitFor(t, time.Minute, "the undamaged results", func() bool { return l.missing(a) <= tt.maxLost })
			p.terminate(t, 15*time.Second) // which delivers what is left
			assert.LessOrEqual(t, l.missing(a), tt.maxLost)
			for _, breach := range check(l.history(t, a)) {
				assert.Contains(t, breach, "has no acknowledged result", "other than a lost result")
			}
			t.Logf("%d results lost with the damaged bytes; %s", l.missing(a), l.figures(a))

			p = p.again(t)
			assert.NotContains(t, p.output(), tt.wantText, "told again at the next start")
		})
	}
}

// TestLostTailKeepsRepeatsAway damages the record of a result that was
// delivered: the trigger must not run again.
func TestLostTailKeepsRepeatsAway(t *testing.T) {
	t.Parallel()
	a, l := newAdmin(t), newLedger(t)
	p := start(t, setup{Admin: a.url()})
	tr := l.mustSend(t, p.client, trigger(1, "mark", l.marks))
	a.waitResult(t, tr.LogID, 30*time.Second)
	p.kill()
	files := segments(t, p)
	last := files[len(files)-1]
	require.NoError(t, os.Truncate(last, int64(len(written(t, last))-5)))
	p = p.again(t)
	res, err := l.send(p.client, tr)
	require.NoError(t, err)
	assert.True(t, wire.IsRepeatText(res.Msg.String), "answer to the repeat: %d %q", res.Code, res.Msg.String)
	h := l.history(t, a)
	assert.Equal(t, []int64{tr.LogID}, h.marks)
}
