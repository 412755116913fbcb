package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// --groups gives one role, and says which command gives the others.
func TestGroupsWithARole(t *testing.T) {
	t.Parallel()
	_, err := (&rights{Groups: []string{"kitchen=viewer"}}).input(t.Context(), nil)
	assert.ErrorContains(t, err, "user grant NAME kitchen viewer")
	assert.ErrorAs(t, err, new(cli.UsageError))
}
