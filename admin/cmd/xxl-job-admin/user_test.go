package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// numbered gives groups their ids in the order in which they are asked for.
type numbered struct{ cli.Users }

func (numbered) Groups(_ context.Context, names []string) ([]int32, error) {
	ids := make([]int32, len(names))
	for i := range names {
		ids[i] = int32(i + 1)
	}
	return ids, nil
}

// TestGroupsWithARole: --groups gives the role behind the name, editor without
// one, and refuses what is none.
func TestGroupsWithARole(t *testing.T) {
	t.Parallel()
	in, err := (&rights{Groups: []string{"kitchen=viewer", "bar", "hall=admin"}}).input(t.Context(), numbered{})
	require.NoError(t, err)
	assert.Equal(t, []client.GroupRole{
		{GroupID: 1, Role: "viewer"}, {GroupID: 2, Role: "editor"}, {GroupID: 3, Role: "admin"},
	}, in.Roles)
	_, err = (&rights{Groups: []string{"kitchen=cook"}}).input(t.Context(), numbered{})
	assert.ErrorContains(t, err, "use one of viewer, operator, editor, admin")
	assert.ErrorAs(t, err, new(cli.UsageError))
}
