package api

import (
	"bufio"
	"encoding/json"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// recorded is a call of a real client of a Java admin.
type recorded struct {
	Case     string            `json:"case"`
	Path     string            `json:"endpoint"`
	Method   string            `json:"request_method"`
	Headers  map[string]string `json:"request_headers"`
	Body     string            `json:"request_body"`
	Status   int               `json:"status"`
	Response string            `json:"response_body"`
}

// different are the calls that we answer otherwise, each with its reason and
// our code and text (its beginning). A key without a release is for both.
var different = map[string]struct {
	why  string
	code int32
	msg  string
}{
	"registry: wrong token": {
		"the request names an app, as clients of master do, and gets master's text", 500, wire.TextTokenInvalid,
	},
	"registryRemove: wrong token": {"as above", 500, wire.TextTokenInvalid},
	"callback: wrong token":       {"as above", 500, wire.TextTokenInvalid},
	"unknown uri, wrong token":    {"as above", 500, wire.TextTokenInvalid},
	"registry: no token":          {"as above", 500, wire.TextTokenEmpty},
	"registry: broken JSON":       {"our own words, no class of a Java library", 500, wire.PrefixInvokeError},
	"registry: literal null":      {"as above", 500, wire.PrefixInvokeError},
	"registry: array instead of object": {
		"our own words behind those that executors look for", 500,
		wire.PrefixInvokeError + "com.google.gson.JsonSyntaxException: Expected BEGIN_OBJECT but was BEGIN_ARRAY",
	},
	"callback: broken JSON":                      {"our own words", 500, wire.PrefixInvokeError},
	"callback: word as number":                   {"our own words", 500, wire.PrefixInvokeError},
	"callback: object instead of array":          {"master's form is taken from everybody", 200, "Success"},
	"2.5.0 registry: empty body":                 {"refused before anything else, as since 3.3.0", 500, wire.TextBodyEmpty},
	"2.5.0 callback: empty body":                 {"as above; 2.5.0 said success and failed afterwards", 500, wire.TextBodyEmpty},
	"2.5.0 unknown uri, empty body, wrong token": {"as above", 500, wire.TextBodyEmpty},
}

func TestRecorded(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, release := range []string{"2.5.0", "3.4.2"} {
		calls := readRecorded(t, "testdata/executor_api_"+release+".jsonl")
		require.Len(t, calls, 31, "every recorded call")
		for _, rec := range calls {
			w := newWorld()
			h := w.serve(t, func(c *Config) { c.Token = "default_token" })
			r := httptest.NewRequestWithContext(t.Context(), rec.Method, rec.Path, strings.NewReader(rec.Body))
			for name, value := range rec.Headers {
				r.Header.Set(name, value)
			}
			got := httptest.NewRecorder()
			h.ServeHTTP(got, r)
			assert.Equal(t, rec.Status, got.Code, rec.Case)
			ours, err := wire.DecodeResponse(got.Body.Bytes())
			require.NoError(t, err)

			key := release + " " + rec.Case
			diff, ok := different[key]
			if !ok {
				key = rec.Case
				diff, ok = different[key]
			}
			if ok {
				used[key] = true
				assert.Equal(t, diff.code, ours.Code, "%s: %s", release, rec.Case)
				assert.True(t, strings.HasPrefix(ours.Msg.String, diff.msg), "%s: %s: %s", release, rec.Case, ours.Msg.String)
				continue
			}
			java, err := wire.DecodeResponse([]byte(rec.Response))
			require.NoError(t, err)
			assert.Equal(t, java.Code, ours.Code, "%s: %s", release, rec.Case)
			assert.Equal(t, java.Msg.Or("Success"), ours.Msg.String, "%s: %s", release, rec.Case)
			assert.Equal(t, java.Payload, ours.Payload, "%s: %s", release, rec.Case)
		}
	}
	for key := range different {
		assert.True(t, used[key], "the difference %q is not in the recordings", key)
	}
}

func readRecorded(t *testing.T, path string) []recorded {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	var list []recorded
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var rec recorded
		require.NoError(t, json.Unmarshal(lines.Bytes(), &rec))
		list = append(list, rec)
	}
	return list
}
