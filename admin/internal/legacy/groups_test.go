package legacy

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAddressTexts: an address is refused in all dialects, in the words of each.
func TestAddressTexts(t *testing.T) {
	t.Parallel()
	w := loginWorld(t, A)
	cookie := map[string]string{}
	for path, name := range map[string]string{"/login": cookieA, "/auth/doLogin": cookieC} {
		c := cookieOf(t, w.do(t, http.MethodPost, path, goodLogin).Header(), name)
		require.NotNil(t, c)
		cookie[name] = name + "=" + c.Value
	}
	tests := []struct {
		list, wantA, wantC string
	}{
		{"a%3A1", "registry machine address is illegal", "registry machine address is illegal[2]"},
		{"%3C", "machine addressillegal", "registry machine address is illegal[2]"},
		{
			"http%3A%2F%2Fa%3Cb%3E%2F", "machine addressillegal",
			"registry machine address is illegal(http://a<b>/)",
		},
		{"http%3A%2F%2Fa%2F%2C%2C", "registry machine address is illegal", "registry machine address is illegal"},
		{"+", "Manually registration type, the machine address must not be empty", "Manually registration type, the machine address must not be empty"},
	}
	for _, tt := range tests {
		for _, call := range []struct{ path, id string }{{"save", ""}, {"insert", ""}, {"update", "&id=1"}} {
			form := "appname=abcd&title=x&addressType=1&addressList=" + tt.list + call.id
			if call.path != "insert" {
				rec := w.do(t, http.MethodPost, "/jobgroup/"+call.path, form, "Cookie", cookie[cookieA])
				assert.Equal(t, failA(tt.wantA), rec.Body.String(), "%s %s", call.path, tt.list)
			}
			if call.path == "insert" {
				rec := w.do(t, http.MethodPost, "/jobgroup/"+call.path, form, "Cookie", cookie[cookieC])
				assert.Equal(t, failC(tt.wantC), rec.Body.String(), "%s %s", call.path, tt.list)
			}
		}
	}
}
