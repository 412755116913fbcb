package rest_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// caller is somebody who asks, as a column of the matrix.
type caller struct {
	name              string
	key, cookie, csrf string
}

// TestMatrix asks every operation as everybody, of an object of the group orders:
// what is answered is compared with a golden file. Requests are such that they
// are refused with another status once the caller was let through, so that
// nothing changes for the next one.
func TestMatrix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := readContract(t)
	o := w.objects(t)
	run := w.run(t, o.job)
	w.end(t, run, http.StatusOK)
	w.await(t, run, "success")
	changes, _ := w.must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/jobs/%d/changes", o.job), nil)["items"].([]any)
	change, _ := changes[0].(map[string]any)
	values := strings.NewReplacer("{job_id}", strconv.FormatInt(o.job, 10), "{group_id}", strconv.FormatInt(o.group, 10),
		"{run_id}", strconv.FormatInt(run, 10), "{change_id}", strconv.FormatInt(id(t, change), 10),
		"{user_id}", "999999", "{key_id}", "999999", "{session_id}", "0123456789abcdef")
	callers := w.callers(t, o)

	var b strings.Builder
	for _, who := range callers {
		b.WriteString("\t" + who.name)
	}
	b.WriteString("\n")
	paths := c.doc.Paths.Map()
	var rows []string
	for path, item := range paths {
		for method, op := range item.Operations() {
			var row strings.Builder
			row.WriteString(method + " " + path)
			for _, who := range callers {
				q := request{
					method: method, path: values.Replace(path), key: who.key, cookie: who.cookie, csrf: who.csrf,
					body: harmless(op.OperationID, o), header: map[string]string{"If-Match": `"stale"`},
				}
				row.WriteString("\t" + strconv.Itoa(w.send(t, q).Code))
			}
			rows = append(rows, row.String())
		}
	}
	slices.Sort(rows)
	b.WriteString(strings.Join(rows, "\n") + "\n")
	golden(t, "matrix.txt", b.String())
}

func (w *world) callers(t *testing.T, o objects) []caller {
	t.Helper()
	list := []caller{{name: "anonymous"}}
	for _, verb := range []string{"read", "run", "edit", "admin"} {
		list = append(list, caller{name: verb, key: w.key(t, "all "+verb, []string{verb})})
	}
	for _, scope := range []struct {
		name  string
		group int64
	}{{"in", o.group}, {"out", o.other}} {
		list = append(list, caller{
			name: "all but admin, " + scope.name, key: w.key(t, scope.name, []string{"read", "run", "edit"}, scope.group),
		})
		name := "user" + scope.name
		w.must(t, http.StatusCreated, "POST", "/v1/users", map[string]any{
			"username": name, "password": password, "role": "user", "group_ids": []int64{scope.group},
		})
		cookie, csrf := w.login(t, name, password)
		list = append(list, caller{name: "session, " + scope.name, cookie: cookie, csrf: csrf})
	}
	for _, role := range []string{"viewer", "operator", "admin"} { // "session, in" is an editor
		name := role + "-in"
		w.must(t, http.StatusCreated, "POST", "/v1/users", map[string]any{
			"username": name, "password": password, "role": "user",
			"roles": []any{map[string]any{"group_id": o.group, "role": role}},
		})
		cookie, csrf := w.login(t, name, password)
		list = append(list, caller{name: "session, " + role + " in", cookie: cookie, csrf: csrf})
	}
	w.must(t, http.StatusCreated, "POST", "/v1/users", map[string]any{"username": "lonely", "password": password, "role": "user"})
	cookie, csrf := w.login(t, "lonely", password)
	list = append(list, caller{name: "session, no group", cookie: cookie, csrf: csrf})
	return append(list,
		caller{name: "session, admin", cookie: w.cookie, csrf: w.csrf},
		caller{name: "session without CSRF token", cookie: w.cookie},
		caller{name: "wrong key", key: "xja_" + strings.Repeat("0", 64)})
}

// harmless is a body that is refused for what it says, or does nothing.
func harmless(op string, o objects) any {
	switch op {
	case "createJob", "updateJob":
		return with(job(o.group, "x"), "author", "")
	case "validateJobs":
		return map[string]any{"jobs": []any{}}
	case "runJob":
		return map[string]any{"addresses": []string{"http://10.1.2.3:1/"}}
	case "cloneJob":
		return map[string]any{"name": strings.Repeat("x", 256)}
	case "saveCode":
		return map[string]any{"code": "x", "remark": "x"}
	case "probeGroup":
		return map[string]any{"address": "http://10.1.2.3:1/"}
	case "clearRuns":
		return map[string]any{"group_id": o.group, "job_id": 999_999, "what": "all"}
	case "killRuns", "retryRuns":
		return map[string]any{"ids": []int64{1 << 40}}
	case "previewSchedule":
		return map[string]any{"schedule": map[string]any{"type": "none"}}
	case "moveJobs":
		return map[string]any{"ids": []int64{}, "group_id": o.group}
	case "saveView":
		return map[string]any{"page": "jobs", "name": "", "query": ""}
	case "testAlarm":
		return map[string]any{"channel": "none"}
	case "setRule":
		return map[string]any{"kind": "group", "object_id": o.group, "what": "late", "limit_ms": 0}
	case "setMute":
		return map[string]any{"kind": "job", "object_id": o.job, "until": "2020-01-01T00:00:00Z"}
	case "setRetention":
		return map[string]any{"run_days": 1}
	case "setMember":
		return map[string]any{"username": "nobody-at-all", "role": "viewer"}
	case "createGroup", "updateGroup", "createUser", "updateUser", "createKey":
		return map[string]any{}
	}
	return nil
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o750))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file) //nolint:gosec // our own file
	require.NoError(t, err, "write it with -update")
	assert.Equal(t, string(want), got, "run with -update if this is meant")
}
