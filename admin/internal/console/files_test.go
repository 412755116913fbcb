package console_test

import (
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
)

// TestImportsAreServed: no module of the console imports a name that nobody has.
func TestImportsAreServed(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(nil)
	modules, err := fs.Glob(console.Files, "static/*.js")
	require.NoError(t, err)
	specifier := regexp.MustCompile(`(?m)^(?:import|\}) .*["']\./([^"']+)["'];`)
	found := 0
	for _, module := range modules {
		body := v.Get("/static/" + w.Server.Assets.Name(path.Base(module))).Body.String()
		for _, m := range specifier.FindAllStringSubmatch(body, -1) {
			found++
			assert.Equal(t, http.StatusOK, v.Get("/static/"+m[1]).Code, "%s imports %s", module, m[1])
		}
	}
	assert.NotZero(t, found)
}
