package completion

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/internal/wire"
)

func TestEndOf(t *testing.T) {
	t.Parallel()
	trigger := func(code int32, end model.EndKind) *model.TriggerResult {
		return &model.TriggerResult{Code: code, End: end}
	}
	handle := func(code int32, end model.EndKind, msg string) *model.HandleResult {
		return &model.HandleResult{Code: code, End: end, Msg: model.T(msg)}
	}
	tests := []struct {
		name string
		give model.Outcome
		want model.EndKind
	}{
		{name: "taken", give: model.Outcome{Trigger: trigger(200, 0)}, want: model.EndOpen},
		{name: "refused", give: model.Outcome{Trigger: trigger(500, 0)}, want: model.EndUnsent},
		{name: "discarded", give: model.Outcome{Trigger: trigger(500, model.EndSkipped)}, want: model.EndSkipped},
		{name: "in doubt for good", give: model.Outcome{Trigger: trigger(500, model.EndLost)}, want: model.EndLost},
		{name: "done", give: model.Outcome{Handle: handle(200, 0, "")}, want: model.EndOK},
		{
			name: "done, although its trigger was refused",
			give: model.Outcome{Trigger: trigger(500, model.EndLost), Handle: handle(200, 0, "")}, want: model.EndOK,
		},
		{name: "failed", give: model.Outcome{Handle: handle(500, 0, "no ledger")}, want: model.EndFailed},
		{name: "failed by a code of its own", give: model.Outcome{Handle: handle(7, 0, "")}, want: model.EndFailed},
		{name: "out of time", give: model.Outcome{Handle: handle(502, 0, "")}, want: model.EndTimeout},
		{name: "killed", give: model.Outcome{Handle: handle(500, model.EndKilled, "")}, want: model.EndKilled},
		{
			name: "killed, in the executor's words",
			give: model.Outcome{Handle: handle(500, 0, wire.ReasonKilled+" [job running, killed]")}, want: model.EndKilled,
		},
		{
			name: "words about a kill",
			give: model.Outcome{Handle: handle(500, 0, "it said: "+wire.ReasonKilled)}, want: model.EndFailed,
		},
		{
			name: "replaced",
			give: model.Outcome{Handle: handle(500, 0, wire.ReasonCovered+" [job running, killed]")}, want: model.EndReplaced,
		},
		{name: "given up", give: model.Outcome{Handle: handle(500, model.EndLost, "")}, want: model.EndLost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, endOf(&tt.give))
		})
	}
}

// What a person has ended, or a later run has replaced, is neither retried nor
// alarmed.
func TestWhatWasWantedIsNoFault(t *testing.T) {
	t.Parallel()
	f := follow{w: &Writer{cfg: Config{Alarms: true}}}
	for _, kind := range []model.EndKind{model.EndKilled, model.EndReplaced} {
		e := &store.Ending{
			Ends: true, Job: &model.Job{ID: 1}, Run: &model.Run{JobID: 1, RetriesLeft: 3},
			Outcome: &model.Outcome{Handle: &model.HandleResult{Code: 500, End: kind}},
		}
		assert.NoError(t, f.decide(t.Context(), []*store.Ending{e}))
		assert.Equal(t, kind, e.Kind)
		assert.Equal(t, model.AlarmNone, e.AlarmStatus)
		assert.Empty(t, e.NewRuns)
	}
}
