package console

import (
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImportsAreServed: no module of the console imports a name that nobody has.
func TestImportsAreServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.as(nil)
	modules, err := fs.Glob(files, "static/*.js")
	require.NoError(t, err)
	specifier := regexp.MustCompile(`(?m)^(?:import|\}) .*["']\./([^"']+)["'];`)
	found := 0
	for _, module := range modules {
		body := v.get("/static/" + w.server.assets.Name(path.Base(module))).Body.String()
		for _, m := range specifier.FindAllStringSubmatch(body, -1) {
			found++
			assert.Equal(t, http.StatusOK, v.get("/static/"+m[1]).Code, "%s imports %s", module, m[1])
		}
	}
	assert.NotZero(t, found)
}
