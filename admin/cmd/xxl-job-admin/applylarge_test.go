package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// TestApplyInParts: a plan that is too large for one request is checked beside all
// that it changes of children: a child may become the parent of its parent, whichever
// parts they are in.
func TestApplyInParts(t *testing.T) {
	t.Parallel()
	k := newKitchen(t)
	defer k.close()
	k.boss(t)
	k.must(t, "executor", "create", "kitchen")
	file := func(name, child string, param int) string {
		return fmt.Sprintf("group: kitchen\nname: %s\nauthor: me\nhandler: echo\nparam: %s\n%s---\n", name,
			strings.Repeat("x", param), child)
	}
	// between is above what one request holds.
	between := func(param int) (text string) {
		for i := range 12 {
			text += file(fmt.Sprintf("job %d", i), "", param)
		}
		return text
	}
	k.write(t, "was.yaml", file("first", "", 1)+between(1)+file("last", "children: [first]\n", 1))
	k.must(t, "job", "apply", "-f", "was.yaml", "--yes")
	k.write(t, "turned.yaml", file("first", "children: [last]\n", 2)+between(60_000)+file("last", "", 2))
	k.must(t, "job", "apply", "-f", "turned.yaml", "--yes")
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "apply", "-f", "turned.yaml", "--dry-run"), "nothing is left to do")
}
