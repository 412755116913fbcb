package model

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestKindAndTook(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)
	ms := at.UnixMilli()
	tests := []struct {
		name  string
		give  Recent
		kind  EndKind
		took  time.Duration
		exact bool
	}{
		{name: "waiting", give: Recent{TriggerTime: at}, kind: EndOpen},
		{name: "running", give: Recent{TriggerTime: at, TriggerCode: 200}, kind: EndOpen, took: time.Minute},
		{
			name: "running, with the end of another run that had its id",
			give: Recent{TriggerTime: at, TriggerCode: 200, End: End{EndedMs: ms, Kind: EndKilled}},
			kind: EndOpen, took: time.Minute,
		},
		{
			name: "of a Java admin",
			give: Recent{TriggerTime: at, TriggerCode: 200, HandleCode: 502, HandleTime: at.Add(3 * time.Second)},
			kind: EndTimeout, took: 3 * time.Second,
		},
		{
			name: "exact",
			give: Recent{
				TriggerTime: at, TriggerCode: 200, HandleCode: 200, HandleTime: at.Add(time.Second),
				End: End{SentMs: ms + 200, EndedMs: ms + 1440, Kind: EndOK},
			},
			kind: EndOK, took: 1240 * time.Millisecond, exact: true,
		},
		{
			name: "planned, and nobody knows when it was taken",
			give: Recent{
				TriggerTime: at, TriggerCode: 200, HandleCode: 500, HandleTime: at.Add(time.Second),
				End: End{PlannedMs: ms, EndedMs: ms + 1440, Kind: EndKilled},
			},
			kind: EndKilled, took: 1440 * time.Millisecond, exact: true,
		},
		{
			name: "asked for, and nobody knows when it was taken",
			give: Recent{
				TriggerTime: at, TriggerCode: 200, HandleCode: 200, HandleTime: at,
				End: End{EndedMs: ms + 822, Kind: EndOK},
			},
			kind: EndOK,
		},
		{
			name: "changed by a Java admin since",
			give: Recent{
				TriggerTime: at, TriggerCode: 200, HandleCode: 200, HandleTime: at.Add(time.Second),
				End: End{SentMs: ms, EndedMs: ms + 900, Kind: EndLost},
			},
			kind: EndOK, took: 900 * time.Millisecond, exact: true,
		},
		{
			name: "never taken",
			give: Recent{TriggerTime: at, TriggerCode: 500, End: End{EndedMs: ms + 900, Kind: EndSkipped}},
			kind: EndSkipped,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.kind, tt.give.Kind())
			assert.Equal(t, tt.took, tt.give.Took(at.Add(time.Minute)))
			assert.Equal(t, tt.exact, tt.give.Exact())
		})
	}
	for kind, want := range map[EndKind]bool{
		EndOpen: false, EndOK: false, EndFailed: true, EndTimeout: true, EndKilled: false, EndSkipped: false,
		EndLost: true, EndUnsent: true, EndReplaced: false,
	} {
		assert.Equal(t, want, kind.Fault(), kind)
		assert.Equal(t, kind == EndKilled || kind == EndReplaced, kind.Wanted(), kind)
	}
}

// Whoever is offered a result can ask for it.
func TestRunResults(t *testing.T) {
	t.Parallel()
	kinds := map[EndKind]bool{}
	for _, r := range RunResults() {
		assert.True(t, r.Valid(), r)
		if k := r.Kind(); k != EndOpen {
			assert.False(t, kinds[k], r)
			kinds[k] = true
		}
	}
	assert.Len(t, kinds, 6)
	assert.True(t, RunAny.Valid())
	assert.False(t, RunResult("strange").Valid())
}
