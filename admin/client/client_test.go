package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"go.yaml.in/yaml/v3"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reply is an answer of the network.
type reply struct {
	status     int
	kind, body string
	header     []string
	err        error
	check      func(*http.Request)
}

// answers is a network that gives one answer after the other, the last one again
// and again, and keeps what was asked.
type answers struct {
	list   []reply
	stream string // instead of these for addresses that end in /stream
	seen   []string
	keys   []string
}

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	body := ""
	if req.Body != nil {
		raw, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		body = string(raw)
	}
	a.seen = append(a.seen, strings.TrimSpace(req.Method+" "+req.URL.RequestURI()+" "+body))
	a.keys = append(a.keys, req.Header.Get("Idempotency-Key"))
	next := a.list[min(len(a.seen), len(a.list))-1]
	if a.stream != "" && strings.HasSuffix(req.URL.Path, "/stream") {
		next = says(200, "text/event-stream", a.stream)
	}
	if next.check != nil {
		next.check(req)
	}
	if next.err != nil {
		return nil, next.err
	}
	h := http.Header{"Content-Type": {next.kind}}
	for i := 0; i < len(next.header); i += 2 {
		h.Set(next.header[i], next.header[i+1])
	}
	return &http.Response{
		StatusCode: next.status, Header: h, Body: io.NopCloser(strings.NewReader(next.body)), Request: req,
	}, nil
}

func says(status int, kind, body string, header ...string) reply {
	return reply{status: status, kind: kind, body: body, header: header}
}

func ok(body string) reply { return says(200, "application/json", body) }

func problem(status int, body string, header ...string) reply {
	return says(status, "application/problem+json", body, header...)
}

var broken = reply{err: errors.New("connection reset")}

func newClient(t *testing.T, list ...reply) (*Client, *answers) {
	t.Helper()
	a := &answers{list: list}
	c, err := New(Config{BaseURL: "http://admin:8080/xxl-job-admin/", Key: "xja_secret", HTTPClient: &http.Client{Transport: a}})
	require.NoError(t, err)
	c.random = func(d time.Duration) time.Duration { return d }
	return c, a
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "admin:8080", "ftp://admin", "http://u:pw@admin", "http://admin?x=1", "http://%zz"} {
		_, err := New(Config{BaseURL: address})
		assert.ErrorContains(t, err, "BaseURL", address)
	}
	c, err := New(Config{BaseURL: "https://admin"})
	require.NoError(t, err)
	c.Close()
}

// drain reads a list to its end.
func drain[T any](list iter.Seq2[*T, error]) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestEveryOperation: the client has a method for each operation of the API but
// for the document itself, with its address and with a body whose fields the
// document knows.
func TestEveryOperation(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../internal/rest/openapi.yaml")
	require.NoError(t, err)
	var doc struct {
		Paths map[string]map[string]any `yaml:"paths"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &doc))
	var want []string
	for path, operations := range doc.Paths {
		for method := range operations {
			if !strings.HasPrefix(path, "/v1/openapi.") {
				want = append(want, strings.ToUpper(method)+" "+regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "7"))
			}
		}
	}
	c, a := newClient(t, ok("{}"))
	a.stream = "event: end\ndata: {}\n\n"
	ctx, now := t.Context(), time.Now()
	calls := []func() error{
		func() error { return drain(c.Jobs(ctx, JobFilter{})) },
		func() error { return drain(c.Groups(ctx, "")) },
		func() error { return drain(c.Runs(ctx, RunFilter{From: now, MinTook: time.Second})) },
		func() error { _, _, err := c.UnknownGroups(ctx); return err },
		func() error { _, _, err := c.RefusedExecutors(ctx); return err },
		func() error { return drain(c.Users(ctx, UserFilter{})) },
		func() error { return drain(c.Members(ctx, 7)) },
		second(c.SetMember(ctx, 7, "anna", RoleViewer)),
		func() error { return c.RemoveMember(ctx, 7, "anna") },
		func() error { return drain(c.Keys(ctx, KeyFilter{})) },
		func() error { return drain(c.Audit(ctx, AuditFilter{})) },
		func() error { return drain(c.JobChanges(ctx, 7)) },
		func() error { return drain(c.GroupChanges(ctx, 7)) },
		func() error { return drain(c.DeletedJobs(ctx, DeletedFilter{})) },
		func() error { return drain(c.DeletedGroups(ctx, DeletedFilter{})) },
		func() error { return drain(c.Follow(ctx, 7, 0)) },
		func() error { return drain(c.Alarms(ctx, AlarmFilter{})) },
		func() error { return drain(c.Logins(ctx, LoginFilter{})) },
		func() error { return c.DeleteJob(ctx, 7, "*") },
		func() error { return c.DeleteGroup(ctx, 7, "*") },
		func() error { return c.DeleteUser(ctx, 7) },
		func() error { return c.RevokeKey(ctx, 7) },
		func() error { return c.ExportAudit(ctx, AuditFilter{}, "csv", io.Discard) },
		func() error { return c.SaveView(ctx, View{}) },
		func() error { return c.DeleteView(ctx, PageJobs, "mine") },
		func() error { return c.TestAlarm(ctx, "ding") },
		func() error { return c.SetRule(ctx, RuleInput{}) },
		func() error { return c.DeleteRule(ctx, KindJob, 7, AlarmLate) },
		func() error { return c.SetMute(ctx, MuteInput{}) },
		func() error { return c.DeleteMute(ctx, KindJob, 7) },
		func() error { return c.EndLogin(ctx, "7") },
		second(c.Job(ctx, 7)), second(c.CreateJob(ctx, JobCreate{})), second(c.UpdateJob(ctx, 7, "*", JobInput{})),
		second(c.StartJob(ctx, 7)), second(c.StopJob(ctx, 7)), second(c.RunJob(ctx, 7, RunInput{})),
		second(c.CloneJob(ctx, 7, "")), second(c.NextTimes(ctx, 7, 0)), second(c.PreviewSchedule(ctx, Schedule{}, 0)),
		second(c.Code(ctx, 7)), second(c.SaveCode(ctx, 7, "", "")), second(c.Change(ctx, 7)),
		second(c.Deletion(ctx, 7)), second(c.DeletedJob(ctx, 7)), second(c.RestoreJob(ctx, 7)),
		second(c.RestoreGroup(ctx, 7)),
		second(c.UndoChange(ctx, 7, true)), second(c.Group(ctx, 7)), second(c.CreateGroup(ctx, GroupInput{})),
		second(c.UpdateGroup(ctx, 7, "*", GroupInput{})), second(c.Addresses(ctx, 7)), second(c.Probe(ctx, 7, "")),
		second(c.Address(ctx, 7, "http://x/")),
		second(c.RotateToken(ctx, 7)), second(c.Run(ctx, 7)), second(c.RunLog(ctx, 7, 0)), second(c.KillRun(ctx, 7)),
		second(c.RetryRun(ctx, 7)), second(c.KillRuns(ctx, []int64{7})), second(c.RetryRuns(ctx, []int64{7})),
		second(c.ClearRuns(ctx, ClearInput{})), second(c.User(ctx, 7)), second(c.CreateUser(ctx, UserCreate{})),
		second(c.UpdateUser(ctx, 7, UserInput{})), second(c.Key(ctx, 7)), second(c.CreateKey(ctx, KeyInput{})),
		second(c.Session(ctx)), second(c.Overview(ctx, now, now)), second(c.Cluster(ctx)), second(c.Health(ctx)),
		second(c.ValidateJobs(ctx, []JobDraft{{}})),
		second(c.MoveJobs(ctx, []int32{7}, 8)), second(c.Tags(ctx)), second(c.Views(ctx, "")), second(c.Channels(ctx)),
		second(c.AckAlarm(ctx, 7)), second(c.UnackAlarm(ctx, 7)),
		second(c.Rules(ctx)), second(c.Mutes(ctx)), second(c.EndLogins(ctx, 7)), second(c.Retention(ctx)),
		second(c.SetRetention(ctx, RetentionInput{})), second(c.PreviewRetention(ctx, &RetentionInput{})),
		second(c.PreviewClear(ctx, ClearInput{})), second(c.ResetRetention(ctx)), second(c.About(ctx)),
	}
	for _, call := range calls {
		require.NoError(t, call())
	}
	var got []string
	for i, line := range a.seen {
		method, rest, _ := strings.Cut(line, " ")
		path, _, _ := strings.Cut(strings.TrimPrefix(rest, "/xxl-job-admin"), " ")
		path, _, _ = strings.Cut(path, "?")
		got = append(got, method+" "+path)
		assert.Equal(t, method == http.MethodPost, a.keys[i] != "", line)
	}
	assert.ElementsMatch(t, want, got)
}

func second[T any](_ T, err error) func() error { return func() error { return err } }

// TestRetries: what may be sent again is sent again, with the same key, and
// nothing else.
func TestRetries(t *testing.T) {
	t.Parallel()
	patience := problem(429, `{"title":"slow down","status":429}`, "Retry-After", "3")
	tests := []struct {
		name      string
		list      []reply
		call      func(ctx context.Context, c *Client) error
		wantTries int
		wantWait  time.Duration
		wantErr   string
	}{
		{name: "read, connection lost", list: []reply{broken, broken, ok(`{}`)}, call: readJob, wantTries: 3, wantWait: 750 * time.Millisecond},
		{name: "read, lost for good", list: []reply{broken}, call: readJob, wantTries: 4, wantWait: 1750 * time.Millisecond, wantErr: "GET /xxl-job-admin/v1/jobs/7: connection reset"},
		{name: "read, cut off", list: []reply{ok(`{"id":`), ok(`{}`)}, call: readJob, wantTries: 2, wantWait: 250 * time.Millisecond},
		{name: "post, connection lost", list: []reply{broken, ok(`{"run_ids":[1]}`)}, call: runJob, wantTries: 2, wantWait: 250 * time.Millisecond},
		{name: "post, the first is under way", list: []reply{problem(409, `{"type":"urn:xxl-job:problem:key-busy"}`), ok(`{}`)}, call: runJob, wantTries: 2, wantWait: 250 * time.Millisecond},
		{name: "post, conflict", list: []reply{problem(409, `{"type":"urn:xxl-job:problem:conflict","title":"it runs"}`)}, call: runJob, wantTries: 1, wantErr: "409 it runs"},
		{name: "test of a channel, refused by its service", list: []reply{problem(503, `{"title":"no","detail":"HTTP 500"}`)}, call: testAlarm, wantTries: 1, wantErr: "503 no: HTTP 500"},
		{name: "test of a channel, connection lost", list: []reply{broken, ok(`{}`)}, call: testAlarm, wantTries: 1, wantErr: "connection reset"},
		{name: "put, connection lost", list: []reply{broken, ok(`{}`)}, call: updateJob, wantTries: 1, wantErr: "connection reset"},
		{name: "put, patience", list: []reply{patience, ok(`{}`)}, call: updateJob, wantTries: 2, wantWait: 3 * time.Second},
		{name: "put, proxy", list: []reply{says(502, "text/html", "<h1>"), ok(`{}`)}, call: updateJob, wantTries: 1, wantErr: "502 Bad Gateway"},
		{name: "read, proxy", list: []reply{says(504, "text/html", "<h1>"), ok(`{}`)}, call: readJob, wantTries: 2, wantWait: 250 * time.Millisecond},
		{name: "too long a wait", list: []reply{problem(503, `{}`, "Retry-After", "3600")}, call: readJob, wantTries: 1, wantErr: "503"},
		{name: "fault of the server", list: []reply{problem(500, `{"detail":"see the log"}`)}, call: readJob, wantTries: 1, wantErr: "500 Internal Server Error: see the log"},
		{name: "no admin", list: []reply{says(200, "text/html", "<h1>")}, call: readJob, wantTries: 4, wantWait: 1750 * time.Millisecond, wantErr: `"text/html" and no JSON`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, a := newClient(t, tt.list...)
				start := time.Now()
				err := tt.call(t.Context(), c)
				if tt.wantErr == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, tt.wantErr)
				}
				assert.Len(t, a.seen, tt.wantTries)
				assert.Equal(t, tt.wantWait, time.Since(start))
				assert.Len(t, slices.Compact(slices.Clone(a.keys)), 1, "one key for all tries")
			})
		})
	}
}

func readJob(ctx context.Context, c *Client) error {
	_, err := c.Job(ctx, 7)
	return err
}

func runJob(ctx context.Context, c *Client) error {
	_, err := c.RunJob(ctx, 7, RunInput{})
	return err
}

func updateJob(ctx context.Context, c *Client) error {
	_, err := c.UpdateJob(ctx, 7, `"1"`, JobInput{})
	return err
}

func testAlarm(ctx context.Context, c *Client) error { return c.TestAlarm(ctx, "ding") }

func TestErrors(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]error{
		400: ErrInvalid, 401: ErrUnauthenticated, 403: ErrForbidden, 404: ErrNotFound, 409: ErrConflict, 412: ErrStale,
		422: ErrInvalid,
	} {
		c, _ := newClient(t, problem(status, `{"type":"urn:xxl-job:problem:x","title":"no","detail":"why","errors":[{"pointer":"/name","detail":"too long"}]}`))
		err := readJob(t.Context(), c)
		require.ErrorIs(t, err, want)
		assert.Contains(t, err.Error(), "no: why; /name: too long")
		assert.NotContains(t, err.Error(), "xja_secret")
		assert.Equal(t, status == 404, errors.Is(err, ErrNotFound))
		refused := new(Error)
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, "/name", refused.Errors[0].Pointer)
	}
	assert.NotErrorIs(t, &Error{Status: 500}, ErrNotFound)
	twice := &Error{
		Type: "t", Status: 409, Method: "POST", Path: "/v1/x", Title: "It is there", Detail: "it is there",
		Errors: []FieldError{{Pointer: "/name", Detail: "it is there"}},
	}
	assert.Equal(t, "POST /v1/x: 409 It is there (/name)", twice.Error(), "nothing is said twice")
	proxy := &Error{Status: 404, Method: "GET", Path: "/x/v1/jobs/7"}
	assert.NotErrorIs(t, proxy, ErrNotFound, "a wrong address does not say that the job is gone")
	assert.Contains(t, proxy.Error(), "no answer of an xxl-job-admin")
	assert.ErrorIs(t, &Error{Status: 401}, ErrUnauthenticated)
}

func TestPages(t *testing.T) {
	t.Parallel()
	c, a := newClient(t, ok(`{"items":[{"id":1},{"id":2}],"next_cursor":"abc"}`), ok(`{"items":[{"id":3}],"next_cursor":null}`))
	var got []int32
	for job, err := range c.Jobs(t.Context(), JobFilter{GroupID: 5, Tag: "x y"}) {
		require.NoError(t, err)
		got = append(got, job.ID)
	}
	assert.Equal(t, []int32{1, 2, 3}, got)
	assert.Equal(t, []string{
		"GET /xxl-job-admin/v1/jobs?group_id=5&limit=200&tag=x+y", "GET /xxl-job-admin/v1/jobs?cursor=abc&group_id=5&limit=200&tag=x+y",
	}, a.seen)
	for job, err := range c.Jobs(t.Context(), JobFilter{}) {
		require.NoError(t, err)
		assert.Equal(t, int32(3), job.ID)
		break
	}
	c, _ = newClient(t, problem(403, `{}`))
	require.ErrorIs(t, drain(c.Jobs(t.Context(), JobFilter{})), ErrForbidden)
}

// TestFollow: connections that end are followed by another one behind the last
// line.
func TestFollow(t *testing.T) {
	t.Parallel()
	stream := func(body string) reply {
		return says(200, "text/event-stream; charset=utf-8", body)
	}
	part := func(line int, text string) string {
		raw, err := json.Marshal(RunLog{FromLine: int32(line), ToLine: int32(line), Text: text}) //nolint:gosec // small
		require.NoError(t, err)
		return fmt.Sprintf(": ping\n\nid: %d\nevent: log\ndata: %s\n\n", line, raw)
	}
	last := func(next reply, id string) reply {
		next.check = func(req *http.Request) {
			assert.Equal(t, id, req.Header.Get("Last-Event-ID"))
			assert.Equal(t, "text/event-stream", req.Header.Get("Accept"))
		}
		return next
	}
	long := strings.Repeat("x", 100_000)
	tests := []struct {
		name    string
		list    []reply
		want    string
		wantErr string
	}{
		{name: "to the end", list: []reply{last(stream(part(1, "a\n")+part(2, long)+"event: end\ndata: {}\n\n"), "")}, want: "a\n" + long},
		{name: "cut off", list: []reply{stream(part(1, "a\n") + part(2, "b\n")), last(stream(""), "2"), last(broken, "2"), last(stream(part(3, "c\n")+"event: end\ndata: {}\n\n"), "2")}, want: "a\nb\nc\n"},
		{name: "refused", list: []reply{problem(404, `{"title":"no such run"}`)}, wantErr: "404 no such run"},
		{name: "fault", list: []reply{stream(part(1, "a\n") + "event: fault\ndata: {\"title\":\"the executor is gone\",\"status\":502}\n\n")}, want: "a\n", wantErr: "the executor is gone"},
		{name: "nothing ever", list: []reply{broken}, wantErr: "connection reset"},
		{name: "a proxy", list: []reply{says(200, "text/html", "<h1>")}, wantErr: "no stream of events"},
		{name: "no JSON", list: []reply{stream("event: log\ndata: {\n\n")}, wantErr: "read the stream"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, _ := newClient(t, tt.list...)
				var got bytes.Buffer
				var fault error
				for part, err := range c.Follow(t.Context(), 7, 1) {
					if fault = err; err == nil {
						got.WriteString(part.Text)
					}
				}
				assert.Equal(t, tt.want, got.String())
				if tt.wantErr == "" {
					require.NoError(t, fault)
				} else {
					require.ErrorContains(t, fault, tt.wantErr)
				}
			})
		})
	}
}

// TestLight: whoever imports the client gets no database driver, and nothing else
// but the standard library.
func TestLight(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	require.NoError(t, err)
	assert.Equal(t, "github.com/xxljob-go/xxljob/admin/client", strings.TrimSpace(string(out)))
}
