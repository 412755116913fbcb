package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/client"
)

// A job that nobody can run is told from others of its state.
func TestStateOfAJobWithoutExecutors(t *testing.T) {
	t.Parallel()
	here := &client.Group{ID: 1, GroupInput: client.GroupInput{Addresses: []string{"http://127.0.0.1:1/"}}}
	groups := map[int32]*client.Group{1: here, 2: {ID: 2}}
	for group, want := range map[int32]string{1: "started", 2: "started, no address", 3: "started"} {
		j := &client.Job{State: "started", JobInput: client.JobInput{GroupID: group}}
		assert.Equal(t, want, stateOf(j, groups))
	}
}
