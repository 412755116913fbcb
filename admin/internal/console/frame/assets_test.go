package frame

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNameAssets: modules import each other by the names under which they are
// served, which change with what is imported.
func TestNameAssets(t *testing.T) {
	t.Parallel()
	name := func(base string) Assets {
		a, err := nameAssets(map[string][]byte{
			"a.js":    []byte("import { f } from './base.js';\nimport './mid.js';\nf('./base.js');"),
			"base.js": []byte(base),
			"mid.js":  []byte("import {\n  f,\n} from './base.js';\n"),
			"own.js":  []byte("f('from here');"),
		})
		require.NoError(t, err)
		return a
	}
	old, fresh := name("export const f = 1;"), name("export const f = 2;")
	body := string(old.files[old.names["a.js"]].body)
	assert.Equal(t, "import { f } from './"+old.names["base.js"]+"';\nimport './"+old.names["mid.js"]+"';\nf('./base.js');", body)
	for _, plain := range []string{"a.js", "mid.js", "base.js"} {
		assert.NotEqual(t, old.names[plain], fresh.names[plain], plain)
	}
	assert.Equal(t, old.names["own.js"], fresh.names["own.js"])
	assert.Equal(t, old, name("export const f = 1;"), "the same files have the same names")

	for wrong, files := range map[string]map[string][]byte{
		"there is no gone.js": {"a.js": []byte("import './gone.js';")},
		"a.js imports itself": {"a.js": []byte("import './b.js';"), "b.js": []byte("import './a.js';")},
		"has no content type": {"a.wasm": nil},
	} {
		_, err := nameAssets(files)
		assert.ErrorContains(t, err, wrong)
	}
}
