package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/client"
)

// A table says why a run was not sent, not how it was triggered.
func TestMessageOfARunInATable(t *testing.T) {
	t.Parallel()
	sent := "Job trigger type：Schedule trigger\nNode：node-a\n\n >>>>>>>>>>>run<<<<<<<<<<< \n" +
		"Executor address：address route fail.\nTrigger Msg：error, no address"
	assert.Equal(t, "no address", oneLine(&client.Run{TriggerCode: 500, TriggerMessage: sent}))
	assert.Equal(t, "-", oneLine(&client.Run{TriggerCode: 200, TriggerMessage: sent}))
	assert.Equal(t, "boom", oneLine(&client.Run{TriggerCode: 200, TriggerMessage: sent, ResultMessage: "boom"}))
}

// A run says where it comes from, and what comes from it.
func TestCauseOfARun(t *testing.T) {
	t.Parallel()
	parent := int64(7)
	assert.Equal(t, "-", causeOf(&client.Run{}))
	assert.Equal(t, "retry of 7", causeOf(&client.Run{Cause: client.CauseRetry, Parent: &parent}))
	assert.Equal(t, "manual by ann", causeOf(&client.Run{Cause: client.CauseManual, StartedBy: "ann"}))
	assert.Equal(t, "again of 7 by key:ci", causeOf(&client.Run{Cause: client.CauseAgain, Parent: &parent, StartedBy: "key:ci"}))
	assert.Equal(t, "8 (retry), 9 (child)", follows(&client.Run{FollowedBy: []client.RunLink{
		{ID: 8, Cause: client.CauseRetry}, {ID: 9, Cause: client.CauseChild},
	}}))
}

// A run that waits at its executor is told from one that runs.
func TestStatusOfARunInATable(t *testing.T) {
	t.Parallel()
	first := int64(7)
	assert.Equal(t, "running", statusOf(&client.Run{Status: client.RunRunning}))
	assert.Equal(t, "waiting behind 7", statusOf(&client.Run{Status: client.RunRunning, WaitingBehind: &first}))
}
