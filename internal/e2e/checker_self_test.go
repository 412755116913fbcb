//go:build linux

package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// goodHistory is one in which all promises are kept: trigger 1 ran, 2 was cut
// off after its mark, 3 was refused, 4 got no answer and ran, 5 got none and
// was not taken, 6 waited at the kill and has been delivered twice.
func goodHistory() history {
	result := func(id int64, code int32, msg string, acked bool) delivery {
		return delivery{item: wire.CallbackItem{LogID: id, Code: code, Msg: wire.Str(msg)}, acked: acked}
	}
	mark := func(id int64, accepted, unknown bool) sent {
		return sent{
			logID: id, accepted: accepted, unknown: unknown, marks: true,
			wantCode: wire.CodeSuccess, wantMsg: "marked",
		}
	}
	return history{
		sent: []sent{
			mark(1, true, false), mark(2, true, false), mark(3, false, false), mark(4, false, true),
			mark(5, false, true), mark(6, true, true),
		},
		marks: []int64{1, 2, 4},
		results: []delivery{
			result(1, wire.CodeSuccess, "marked", true),
			result(2, wire.CodeFail, prefixCutOff+": …", true),
			result(4, wire.CodeSuccess, "marked", true),
			result(6, wire.CodeFail, prefixNeverStarted+": …", false),
			result(6, wire.CodeFail, prefixNeverStarted+": …", true),
		},
	}
}

func TestCheckerFindsEveryBreach(t *testing.T) {
	t.Parallel()
	require.Empty(t, check(goodHistory()))
	tests := []struct {
		name  string
		spoil func(h *history)
		want  string // part of the only breach
	}{
		{
			name:  "dropped result",
			spoil: func(h *history) { h.results = h.results[1:] },
			want:  "trigger 1 was accepted and has no acknowledged result",
		},
		{
			name:  "result that was never acknowledged",
			spoil: func(h *history) { h.results = h.results[:4] },
			want:  "trigger 6 was accepted and has no acknowledged result (1 unacknowledged)",
		},
		{
			name:  "run twice",
			spoil: func(h *history) { h.marks = append(h.marks, 4) },
			want:  "trigger 4 ran 2 times",
		},
		{
			name:  "changed code at the resend",
			spoil: func(h *history) { h.results[4].item.Code = 502 },
			want:  "trigger 6 has two results",
		},
		{
			name:  "changed message at the resend",
			spoil: func(h *history) { h.results[4].item.Msg = wire.Str("other") },
			want:  "trigger 6 has two results",
		},
		{
			name: "result for a refused trigger",
			spoil: func(h *history) {
				h.results = append(h.results, delivery{item: wire.CallbackItem{LogID: 3, Code: 500, Msg: wire.Str(prefixCutOff)}})
			},
			want: "trigger 3 was refused and has a result",
		},
		{
			name:  "run of a refused trigger",
			spoil: func(h *history) { h.marks = append(h.marks, 3) },
			want:  "trigger 3 was refused and ran",
		},
		{
			name: "result from nowhere",
			spoil: func(h *history) {
				h.results = append(h.results, delivery{item: wire.CallbackItem{LogID: 99, Code: 200}})
			},
			want: "result for trigger 99, which was never sent",
		},
		{
			name:  "mark from nowhere",
			spoil: func(h *history) { h.marks = append(h.marks, 99) },
			want:  "mark of trigger 99, which was never sent",
		},
		{
			name:  "result of another trigger",
			spoil: func(h *history) { h.results[0].item.Msg = wire.Str("slept") },
			want:  "trigger 1 has a result that is neither its handler's nor a reason",
		},
		{
			name:  "success without a run",
			spoil: func(h *history) { h.marks = []int64{2, 4} },
			want:  "trigger 1 is reported as run and left no mark",
		},
		{
			name:  "run that is denied",
			spoil: func(h *history) { h.marks = append(h.marks, 6) },
			want:  "trigger 6 is reported as not begun and ran",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := goodHistory()
			tt.spoil(&h)
			breaches := check(h)
			require.Len(t, breaches, 1)
			assert.Contains(t, breaches[0], tt.want)
		})
	}
}
