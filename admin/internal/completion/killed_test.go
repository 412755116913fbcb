package completion

import (
	"testing"

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
