package legacy

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

var update = flag.Bool("update", false, "write the golden files")

// roles are who asks. The object of every request belongs to group 1.
var roles = []string{
	"anonymous", "no group", "other group", "viewer", "operator", "group", "group admin", "admin",
}

// held is what the roles are in group 1; "group" is what Java has.
var held = map[string]model.Role{
	"viewer": model.RoleViewer, "operator": model.RoleOperator, "group": model.RoleEditor, "group admin": model.RoleAdmin,
	"admin": model.RoleAdmin,
}

// form is what a request of the matrix sends: a valid one, about job 1, log 1,
// user 1 and group 1 (or group 3, which has no jobs, where a group goes).
var form = map[string]string{
	"/login":                   "userName=nobody&password=wrong-one",
	"/auth/doLogin":            "userName=nobody&password=wrong-one",
	"/user/updatePwd":          "oldPassword=not-the-one&password=newpass1",
	"/auth/updatePwd":          "oldPassword=not-the-one&password=newpass1",
	"/chartInfo":               "startDate=2026-11-21+00:00:00&endDate=2026-11-21+23:59:59",
	"/jobinfo/pageList":        "jobGroup=1&triggerStatus=-1&jobDesc=&executorHandler=&author=&offset=0&pagesize=10",
	"/jobinfo/add":             jobForm + "&jobGroup=1",
	"/jobinfo/insert":          jobForm + "&jobGroup=1",
	"/jobinfo/update":          jobForm + "&jobGroup=1&id=1",
	"/jobinfo/remove":          "id=1",
	"/jobinfo/delete":          "ids[]=1",
	"/jobinfo/start":           "ids[]=1",
	"/jobinfo/stop":            "ids[]=2",
	"/jobinfo/trigger":         "id=1&executorParam=&addressList=",
	"/jobinfo/nextTriggerTime": "scheduleType=CRON&scheduleConf=0+0+0+*+*+?",
	"/jobcode/save":            "id=2&glueSource=echo+2&glueRemark=version+2",
	"/joblog/getJobsByGroup":   "jobGroup=1",
	"/joblog/pageList":         "jobGroup=1&jobId=0&logStatus=-1&filterTime=&offset=0&pagesize=10",
	"/joblog/logDetailCat":     "logId=1&fromLineNum=1",
	"/joblog/logKill":          "id=1",
	"/joblog/clearLog":         "jobGroup=1&jobId=1&type=9",
	"/jobgroup/pageList":       "appname=&title=&offset=0&pagesize=10",
	"/jobgroup/save":           "appname=some-app&title=some&addressType=0",
	"/jobgroup/insert":         "appname=some-app&title=some&addressType=0",
	"/jobgroup/update":         "id=1&appname=some-app&title=some&addressType=0",
	"/jobgroup/remove":         "id=3",
	"/jobgroup/delete":         "ids[]=3",
	"/jobgroup/loadById":       "id=1",
	"/user/pageList":           "username=&role=-1&offset=0&pagesize=10",
	"/user/add":                "username=somebody&password=pass1234&role=0&permission=1",
	"/user/insert":             "username=somebody&password=pass1234&role=0&permission=1",
	"/user/update":             "id=1&username=target&password=&role=0&permission=1,2",
	"/user/remove":             "id=1",
	"/user/delete":             "ids[]=1",
}

const jobForm = "jobDesc=some&author=some&scheduleType=CRON&scheduleConf=0+0+0+*+*+?&misfireStrategy=DO_NOTHING&" +
	"executorRouteStrategy=FIRST&executorHandler=h&executorParam=&executorBlockStrategy=SERIAL_EXECUTION&" +
	"executorTimeout=0&executorFailRetryCount=0&glueType=BEAN&glueSource=&glueRemark=init&childJobId=&alarmEmail="

// populate fills a world with the objects that the matrix asks about and a
// session for each role, which it returns.
func populate(t *testing.T, w *world) map[string]string {
	t.Helper()
	const address = "http://127.0.0.1:1/"
	w.addGroup(t, "app-of-group", address)
	w.addGroup(t, "other-app", address)
	w.addGroup(t, "empty-app", "")
	bean := w.addJob(t, 1, "a job")
	code := *bean
	code.GlueType, code.GlueSource = "GLUE_SHELL", model.T("echo 1")
	code.Running, code.NextMs = true, recordedAt.Add(time.Hour).UnixMilli()
	require.NoError(t, w.store.CreateJob(t.Context(), &code))
	_, err := w.parts.run(t.Context(), bean, "p", address)
	require.NoError(t, err)
	w.parts.kills = 1 // the first one would be refused
	w.addUser(t, "target", false, "1")
	sessions := map[string]string{}
	for role, permission := range map[string]string{
		"no group": "", "other group": "2", "viewer": "", "operator": "", "group": "1", "group admin": "", "admin": "",
	} {
		u := w.addUser(t, strings.ReplaceAll(role, " ", "-"), role == "admin", permission)
		if permission == "" && role != "admin" {
			u.Grant(1, held[role])
		}
		u.Code = true // which Java does not know of
		require.NoError(t, w.store.UpdateUser(t.Context(), u))
		sessions[role] = w.session(t, u)
	}
	return sessions
}

// session begins a session for a user without a password being looked at.
func (w *world) session(t testing.TB, u *model.User) string {
	t.Helper()
	raw := make([]byte, 32)
	binary.BigEndian.PutUint32(raw, uint32(u.ID))
	id := base64.RawURLEncoding.EncodeToString(raw)
	require.True(t, auth.WellFormed(id))
	key := sha256.Sum256([]byte(id))
	require.NoError(t, w.store.CreateSession(t.Context(), &model.Session{
		Key: hex.EncodeToString(key[:]), UserID: u.ID, Created: recordedAt, Seen: recordedAt, Expires: recordedAt.Add(24 * time.Hour),
	}))
	return id
}

// brief is an answer in some words.
func brief(rec *httptest.ResponseRecorder) string {
	if loc := rec.Header().Get("Location"); loc != "" {
		return fmt.Sprintf("%d to %s", rec.Code, loc)
	}
	var e struct {
		Code int             `json:"code"`
		Msg  *string         `json:"msg"`
		Rows json.RawMessage `json:"data"`
	}
	if json.Unmarshal(rec.Body.Bytes(), &e) != nil {
		return fmt.Sprintf("%d page", rec.Code)
	}
	if e.Code == 200 || (e.Code == 0 && e.Rows != nil) {
		return fmt.Sprintf("%d ok", rec.Code)
	}
	if e.Code == 0 {
		return fmt.Sprintf("%d %s", rec.Code, strings.TrimSpace(rec.Body.String()))
	}
	msg := "null"
	if e.Msg != nil {
		msg = strings.TrimSpace(*e.Msg)
	}
	return fmt.Sprintf("%d code %d %s", rec.Code, e.Code, msg)
}

// TestMatrix asks every route as every role about objects of group 1, in an
// admin where nothing was changed before, and compares with the golden file.
func TestMatrix(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	endpoints := newWorld(t, C).server.endpoints()
	for _, e := range endpoints {
		method := e.methods()[len(e.methods())-1]
		fmt.Fprintf(&b, "%s %s (%s)\n", method, e.path, e.permission)
		var w *world
		var sessions map[string]string
		for _, role := range roles {
			if w == nil {
				w = newWorld(t, C)
				sessions = populate(t, w)
			}
			session, calls := sessions[role], len(w.parts.calls)
			var header []string
			if session != "" {
				header = []string{"Cookie", dialectOf(e).cookie() + "=" + session}
			}
			target, body := e.path, form[e.path]
			if method == http.MethodGet {
				target, body = target+"?"+body, ""
			}
			before := w.dump(t)
			rec := w.do(t, method, target, body, header...)
			changed := before != w.dump(t)
			answer := brief(rec)
			if changed {
				answer += " *changed*"
			}
			fmt.Fprintf(&b, "    %-12s %s\n", role, answer)
			allowed := allowed(e, role)
			assert.Equal(t, allowed && e.kind == change && e.permission != httpx.Anonymous && !strings.Contains(e.path, "updatePwd"),
				changed, "%s as %s changes the database: %s", e.path, role, rec.Body)
			if !allowed {
				assert.NotContains(t, answer, " ok", "%s as %s", e.path, role)
				assert.Len(t, w.parts.calls, calls, "%s as %s asks an executor", e.path, role)
			}
			assert.NotContains(t, rec.Body.String(), "s3cret", "%s as %s", e.path, role)
			assert.NotContains(t, rec.Body.String(), "argon2", "%s as %s", e.path, role)
			if changed {
				w = nil // the next one finds the objects as they were
			}
		}
	}
	golden(t, "matrix.golden", b.String())
	for path := range form {
		assert.True(t, slices.ContainsFunc(endpoints, func(e endpoint) bool { return e.path == path }), "no route %s", path)
	}
}

// dialectOf is the dialect in which the matrix speaks to a route.
func dialectOf(e endpoint) Dialect {
	if onlyA[e.path] {
		return A
	}
	return C
}

// allowed reports whether a role may use a route for objects of group 1.
func allowed(e endpoint, role string) bool {
	switch e.permission {
	case httpx.Anonymous:
		return true
	case httpx.LoggedIn:
		return role != "anonymous"
	case httpx.Admin:
		return role == "admin"
	}
	need := e.permission.Role()
	return need != model.RoleNone && held[role] >= need || (e.kind == page && role != "anonymous")
}

// dump is the state of the database that requests of the matrix may change.
func (w *world) dump(t *testing.T) string {
	t.Helper()
	ctx := t.Context()
	jobs, _, err := w.store.Jobs(ctx, model.JobFilter{Limit: 100})
	require.NoError(t, err)
	groups, err := w.store.AllGroups(ctx)
	require.NoError(t, err)
	logs, _, err := w.store.Logs(ctx, model.LogFilter{Limit: 100})
	require.NoError(t, err)
	users, _, err := w.store.Users(ctx, model.UserFilter{Limit: 100})
	require.NoError(t, err)
	body, err := json.Marshal([]any{jobs, groups, logs, users})
	require.NoError(t, err)
	return string(body)
}

// TestForeignIDs asks as a user of another group about the objects of group 1
// by their ids, with the own group as the parameter where one is taken.
func TestForeignIDs(t *testing.T) {
	t.Parallel()
	tests := []struct{ path, form string }{
		{"/jobinfo/update", jobForm + "&jobGroup=2&id=1"}, // pull it into the own group
		{"/jobinfo/update", jobForm + "&jobGroup=1&id=3"}, // push one's own into a foreign group
		{"/jobinfo/update", strings.Replace(jobForm, "childJobId=", "childJobId=1", 1) + "&jobGroup=2&id=3"},
		{"/jobinfo/insert", strings.Replace(jobForm, "childJobId=", "childJobId=1", 1) + "&jobGroup=2"},
		{"/jobinfo/delete", "ids[]=1"},
		{"/jobinfo/remove", "id=1"},
		{"/jobinfo/start", "id=1"},
		{"/jobinfo/stop", "id=1"},
		{"/jobinfo/trigger", "id=1&executorParam=&addressList="},
		{"/jobinfo/trigger", "id=3&executorParam=&addressList=http://169.254.169.254/"},
		{"/jobinfo/trigger", "id=3&executorParam=&addressList=http://127.0.0.1:22/"},
		{"/jobinfo/trigger", "id=3&executorParam=&addressList=http://127.0.0.1:1/,http://attacker.example/"},
		{"/jobcode/save", "id=2&glueSource=echo+2&glueRemark=version+2"},
		{"/joblog/logDetailCat", "logId=1&fromLineNum=1&executorAddress=http://attacker.example/"},
		{"/joblog/logKill", "id=1"},
		{"/joblog/clearLog", "jobGroup=1&jobId=0&type=9"},
		{"/joblog/clearLog", "jobGroup=0&jobId=1&type=9"},
		{"/jobgroup/loadById", "id=1"},
		{"/joblog/getJobsByGroup", "jobGroup=1"},
	}
	for _, tt := range tests {
		t.Run(tt.path+"?"+tt.form, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, C)
			session := populate(t, w)["other group"]
			own := w.addJob(t, 2, "own")
			require.Equal(t, int32(3), own.ID)
			before, calls := w.dump(t), len(w.parts.calls)
			rec := w.do(t, http.MethodPost, tt.path, tt.form, "Cookie", cookieC+"="+session)
			assert.Equal(t, http.StatusOK, rec.Code)
			assert.Contains(t, rec.Body.String(), `"code":500`)
			assert.Equal(t, before, w.dump(t), "nothing changes; answer %s", rec.Body)
			assert.Len(t, w.parts.calls, calls, "no executor is asked")
		})
	}
	t.Run("lists", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, C)
		session := populate(t, w)["other group"]
		for path, f := range map[string]string{
			"/jobinfo/pageList": "jobGroup=0&triggerStatus=-1&jobDesc=&executorHandler=&author=&offset=0&pagesize=10",
			"/joblog/pageList":  "jobGroup=2&jobId=1&logStatus=-1&filterTime=&offset=0&pagesize=10",
		} {
			rec := w.do(t, http.MethodPost, path, f, "Cookie", cookieC+"="+session)
			assert.Contains(t, rec.Body.String(), `"data":[],"offset":0,"pagesize":0,"total":0`, path)
		}
	})
}

// TestCrossOrigin sends to every route that changes something what a foreign
// page could make a browser send.
func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, C)
	session := populate(t, w)["admin"]
	before := w.dump(t)
	n := 0
	for _, e := range w.server.endpoints() {
		if e.kind != change {
			continue
		}
		n++
		cookie := dialectOf(e).cookie() + "=" + session
		for _, header := range [][]string{
			{"Sec-Fetch-Site", "cross-site"},
			{"Sec-Fetch-Site", "same-site"},
			{"Origin", "http://evil.example"},
			{"Origin", "null"},
			{"Referer", "http://evil.example/page"},
		} {
			for _, prefix := range httpx.Prefixes() {
				rec := w.do(t, http.MethodPost, "http://example.com"+prefix+e.path, form[e.path], append(header, "Cookie", cookie)...)
				assert.Equal(t, http.StatusForbidden, rec.Code, "%s with %v", e.path, header)
			}
		}
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete, http.MethodOptions} {
			rec := w.do(t, method, e.path+"?"+form[e.path], "", "Cookie", cookie)
			assert.Equal(t, http.StatusMethodNotAllowed, rec.Code, "%s %s", method, e.path)
			assert.Equal(t, "POST", rec.Header().Get("Allow"), "%s %s", method, e.path)
		}
	}
	assert.Equal(t, 27, n, "routes that change something")
	assert.Equal(t, before, w.dump(t), "nothing changes")
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	got = regexp.MustCompile(`[ \t]+\n`).ReplaceAllString(got, "\n")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file) //nolint:gosec // a file of this test
	require.NoError(t, err, "write it with -update")
	assert.Equal(t, string(want), got)
}
