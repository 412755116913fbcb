package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// declarations keeps what is declared.
type declarations struct {
	groups []int32
	apps   []string
	jobs   []wire.DeclaredJob
	err    error
}

func (*declarations) Policy() string { return wire.DeclareUpdate }

func (d *declarations) Declare(
	_ context.Context, group int32, app string, list []wire.DeclaredJob,
) (wire.DeclareResult, error) {
	d.groups, d.apps, d.jobs = append(d.groups, group), append(d.apps, app), append(d.jobs, list...)
	return wire.DeclareResult{
		Policy: d.Policy(), Jobs: []wire.Declared{{Name: "n", Outcome: wire.OutcomeCreated, ID: 7}},
	}, d.err
}

const declareOne = `{"jobs":[{"name":"n","executorHandler":"h"}]}`

// TestDeclareJobs: jobs are declared for the group of the app that is named, by
// who has its token, and for no other.
func TestDeclareJobs(t *testing.T) {
	t.Parallel()
	w, d := newWorld(), &declarations{}
	h := w.serve(t, func(c *Config) { c.Declarer = d })
	for _, path := range []string{wire.PathDeclareJobs, "/xxl-job-admin" + wire.PathDeclareJobs} {
		res := post(t, h, path, declareOne, wire.HeaderAppName, "stock")
		require.Equal(t, wire.CodeSuccess, res.Code, res.Msg.String)
		var result wire.DeclareResult
		require.NoError(t, json.Unmarshal([]byte(res.Payload.String), &result))
		assert.Equal(t, wire.DeclareResult{
			Policy: wire.DeclareUpdate, Jobs: []wire.Declared{{Name: "n", Outcome: wire.OutcomeCreated, ID: 7}},
		}, result)
	}
	assert.Equal(t, []int32{3, 3}, d.groups)
	res := post(t, h, wire.PathDeclareJobs, declareOne, wire.HeaderAppName, "billing", wire.HeaderToken, ownToken)
	assert.Equal(t, wire.CodeSuccess, res.Code)
	assert.Equal(t, []int32{3, 3, 2}, d.groups)

	for name, header := range map[string][]string{
		"no app":               {},
		"an unknown app":       {wire.HeaderAppName, "nobody"},
		"a wrong token":        {wire.HeaderAppName, "stock", wire.HeaderToken, "wrong"},
		"a group of its own":   {wire.HeaderAppName, "billing"},
		"the token of another": {wire.HeaderAppName, "stock", wire.HeaderToken, ownToken},
	} {
		res := post(t, h, wire.PathDeclareJobs, declareOne, header...)
		assert.Equal(t, wire.CodeFail, res.Code, name)
	}
	res = post(t, h, wire.PathDeclareJobs, declareOne, wire.HeaderAppName, "new")
	assert.Contains(t, res.Msg.String, "no executor group with this app name")
	res = post(t, h, wire.PathDeclareJobs, declareOne, wire.HeaderAppName, "new", wire.HeaderToken, ownToken)
	assert.Equal(t, wire.TextTokenInvalid, res.Msg.String, "not for the token of one group")
	res = post(t, h, wire.PathDeclareJobs, `{"jobs":7}`, wire.HeaderAppName, "stock")
	assert.Contains(t, res.Msg.String, "Expected BEGIN_ARRAY")
	assert.Len(t, d.groups, 3, "none of them arrived")

	d.err = &ops.Error{Kind: ops.Forbidden, Detail: "start it with --jobs-from-code=create"}
	res = post(t, h, wire.PathDeclareJobs, declareOne, wire.HeaderAppName, "stock")
	assert.Contains(t, res.Msg.String, "--jobs-from-code=create")
	d.err = errors.New("SELECT secret")
	res = post(t, h, wire.PathDeclareJobs, declareOne, wire.HeaderAppName, "stock")
	assert.Equal(t, wire.CodeFail, res.Code)
	assert.NotContains(t, res.Msg.String, "secret")

	res = post(t, w.serve(t), wire.PathDeclareJobs, declareOne, wire.HeaderAppName, "stock")
	assert.Equal(t, wire.NotFoundText("declareJobs"), res.Msg.String, "nobody takes them")
}

// TestDeclareHeader: only our executor is told, and only at its registration.
func TestDeclareHeader(t *testing.T) {
	t.Parallel()
	w := newWorld()
	h := w.serve(t, func(c *Config) { c.Declarer = &declarations{} })
	told := func(path, agent string) string {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(beatOf("orders")))
		r.Header.Set(wire.HeaderToken, common)
		r.Header.Set("User-Agent", agent)
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		return rec.Header().Get(wire.HeaderDeclare)
	}
	assert.Equal(t, wire.DeclareUpdate, told(wire.PathRegistry, wire.Native))
	assert.Empty(t, told(wire.PathRegistry, "Java/17"))
	assert.Empty(t, told(wire.PathRegistryRemove, wire.Native))
}
