package completion

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// What an operator has ended is not retried, also where the executor's own
// report of it comes before that of the kill.
func TestKilled(t *testing.T) {
	t.Parallel()
	for msg, want := range map[string]bool{
		wire.ReasonKilled + " [job running, killed]":                         true,
		wire.ReasonKilled + " [job not executed, in the job queue, killed.]": true,
		"exception: somebody wrote " + wire.ReasonKilled:                     false,
		"": false,
	} {
		assert.Equal(t, want, killed(&model.HandleResult{Code: model.CodeFail, Msg: model.T(msg)}), msg)
	}
}

// The operator's own record of a kill wins over what the executor says of it,
// whichever comes first.
func TestTheOperatorsTextStands(t *testing.T) {
	for name, executorFirst := range map[string]bool{"executor first": true, "operator first": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.open(1)
				told := make(chan error, 1)
				executor := []*model.Outcome{result(1, 500, wire.ReasonKilled+" [job running, killed]")}
				tell := func() { told <- w.Results(t.Context(), executor) }
				operator := result(1, 500, "Manual operation, kill job:")
				operator.Handle.NoRetry = true
				if executorFirst {
					go tell()
					wait(100 * time.Millisecond)
				}
				assert.NoError(t, w.Results(t.Context(), []*model.Outcome{operator}))
				if !executorFirst {
					go tell()
				}
				assert.NoError(t, <-told)
				assert.Equal(t, "Manual operation, kill job:", w.store.ended[1].HandleMsg.S)
			})
		})
	}
}
