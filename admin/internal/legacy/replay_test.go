package legacy

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// exchange is a request and what a Java admin answered to it.
type exchange struct {
	Case     string            `json:"case"`
	Endpoint string            `json:"endpoint"`
	Method   string            `json:"request_method"`
	Header   map[string]string `json:"request_headers"`
	Body     *string           `json:"request_body"`
	Status   int               `json:"status"`
	Type     *string           `json:"content_type"`
	Answer   *string           `json:"response_body"`
	HTML     bool              `json:"html"`
	Location string            `json:"location"`
	Cookies  []string          `json:"set_cookie"`
}

func readExchanges(t *testing.T, file string) []exchange {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", file))
	require.NoError(t, err)
	defer f.Close()
	var list []exchange
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var e exchange
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &e))
		list = append(list, e)
	}
	require.NoError(t, scanner.Err())
	return list
}

// difference is what we answer on purpose where Java answers something else.
type difference struct {
	why    string
	status int    // 0 is Java's
	kind   string // content type; "" is Java's
	body   string // "" is Java's, "*" is not compared
	seen   bool
}

// replay sends the exchanges in their order to a world and compares.
type replay struct {
	t       *testing.T
	w       *world
	def     Dialect
	dead    string            // address at which nobody listens
	cookies map[string]string // recorded cookie values, and ours in their place
	differ  map[string]*difference

	same, other, api int
}

// TestReplay sends every recorded exchange of the console to ours and compares
// status, content type, redirects, cookies and body, key order included. What
// is different on purpose stands in a table with its reason and our answer;
// the executor API (/api/…) is package api's and only takes effect here. The
// text of trigger_msg is package dispatch's, and is left out.
func TestReplay(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file             string
		def              Dialect
		groups, jobs     int // seed rows before the recording began
		dead             string
		differ           map[string]*difference
		same, other, api int
	}{
		{
			file: "admin_A_2.5.0.jsonl", def: A, groups: 1, jobs: 1, dead: "http://127.0.0.1" + deadPortA + "/",
			differ: differencesA(), same: 103, other: 13, api: 31,
		},
		{
			file: "admin_C_3.4.2.jsonl", def: C, groups: 2, jobs: 4, dead: "http://127.0.0.1" + deadPortC + "/",
			differ: differencesC(), same: 113, other: 6, api: 31,
		},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			r := &replay{t: t, w: newWorld(t, tt.def), def: tt.def, dead: tt.dead, cookies: map[string]string{}, differ: tt.differ}
			for i := range tt.groups {
				r.w.addGroup(t, "xxl-job-executor-sample"+strings.Repeat("-ai", i), "")
			}
			for range tt.jobs {
				r.w.addJob(t, 1, "测试任务1")
			}
			admin := r.w.addUser(t, "admin", true, "")
			require.NoError(t, r.w.auth.SetPassword(t.Context(), admin.ID, "123456"))
			list := readExchanges(t, tt.file)
			for _, e := range list {
				r.one(e)
			}
			for name, d := range tt.differ {
				assert.True(t, d.seen, "no exchange is called %q", name)
			}
			assert.Equal(t, [3]int{tt.same, tt.other, tt.api}, [3]int{r.same, r.other, r.api}, "same, different on purpose, executor API")
			assert.Len(t, list, tt.same+tt.other+tt.api, "none is left out")
		})
	}
}

// one replays one exchange.
func (r *replay) one(e exchange) {
	if strings.HasPrefix(e.Endpoint, "/api/") {
		r.api++
		r.callback(e)
		return
	}
	r.t.Run(e.Case, func(t *testing.T) {
		var header []string
		for name, value := range e.Header {
			if name == "Cookie" {
				value = r.ours(value)
			}
			header = append(header, name, value)
		}
		body := ""
		if e.Body != nil {
			body = *e.Body
		}
		got := r.w.do(t, e.Method, "/xxl-job-admin"+e.Endpoint, body, header...)
		r.remember(e, got.Result().Cookies())

		want := e
		if d := r.differ[e.Case]; d != nil {
			d.seen = true
			r.other++
			require.NotEmpty(t, d.why)
			want = d.apply(e)
			require.False(t, r.equal(e, got.Code, got.Header(), got.Body.String()), "it does not differ")
		} else {
			r.same++
		}
		assert.Equal(t, want.Status, got.Code, "status; body %s", got.Body)
		assert.Equal(t, deref(want.Type), got.Header().Get("Content-Type"), "content type")
		assert.Equal(t, locationPath(want.Location), locationPath(got.Header().Get("Location")), "location")
		assert.Equal(t, cookieShapes(e.Cookies), cookieShapes(got.Header().Values("Set-Cookie")), "cookies")
		if !want.HTML && deref(want.Answer) != "*" {
			assert.Equal(t, normal(deref(want.Answer)), normal(got.Body.String()), "body")
		}
	})
	r.after(e)
}

// after does what the exchanges that follow count on: what ours has refused on
// purpose, and what the recording did without a record.
func (r *replay) after(e exchange) {
	ctx := r.t.Context()
	switch {
	case e.Case == "run once, override to a dead address":
		j, err := r.w.store.Job(ctx, map[Dialect]int32{A: 2, C: 5}[r.def])
		require.NoError(r.t, err)
		_, err = r.w.parts.run(ctx, j, "x", r.dead)
		require.NoError(r.t, err)
	case e.Case == "glue save, no source" && r.def == A:
		require.NoError(r.t, r.w.store.SaveGlue(ctx, &model.GlueVersion{
			JobID: 4, GlueType: "GLUE_SHELL", Source: model.T(""), Remark: "version 2", AddTime: recordedAt, Updated: recordedAt,
		}))
	case e.Case == "user delete":
		for _, id := range []int32{2, 4, 5, 7} { // those of the recording; the seeds of group 1 stay
			if j, err := r.w.store.Job(ctx, id); err == nil && j.GroupID != 1 {
				require.NoError(r.t, r.w.store.DeleteJob(ctx, id))
			}
		}
	}
}

// apply returns the exchange with what we answer.
func (d *difference) apply(e exchange) exchange {
	if d.status != 0 {
		e.Status = d.status
	}
	if d.kind != "" {
		e.Type = &d.kind
	}
	if d.body != "" {
		e.Answer, e.HTML = &d.body, false
	}
	return e
}

// equal reports whether an answer is Java's.
func (r *replay) equal(e exchange, status int, header http.Header, body string) bool {
	return status == e.Status && header.Get("Content-Type") == deref(e.Type) &&
		normal(deref(e.Answer)) == normal(body)
}

// callback lets a recorded callback take effect.
func (r *replay) callback(e exchange) {
	if e.Case != "callback" && e.Case != "callback, repeated" {
		return
	}
	var items []struct {
		LogID int64  `json:"logId"`
		Code  int32  `json:"handleCode"`
		Msg   string `json:"handleMsg"`
	}
	require.NoError(r.t, json.Unmarshal([]byte(*e.Body), &items))
	for _, it := range items {
		require.NoError(r.t, r.w.parts.Results(r.t.Context(), []*model.Outcome{{
			LogID: it.LogID, Handle: &model.HandleResult{Code: it.Code, Msg: model.T(it.Msg), AtMs: recordedAt.UnixMilli()},
		}}))
	}
}

// remember notes which cookie of ours stands for a recorded one.
func (r *replay) remember(e exchange, ours []*http.Cookie) {
	for _, line := range e.Cookies {
		recorded, err := http.ParseSetCookie(line)
		require.NoError(r.t, err)
		for _, c := range ours {
			if c.Name == recorded.Name && c.Value != "" {
				r.cookies[recorded.Value] = c.Value
			}
		}
	}
}

// ours replaces the recorded value in a Cookie header.
func (r *replay) ours(header string) string {
	name, value, _ := strings.Cut(header, "=")
	if own, ok := r.cookies[value]; ok {
		value = own
	}
	return name + "=" + value
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// locationPath leaves the host of a redirect out.
func locationPath(s string) string {
	return regexp.MustCompile(`^https?://[^/]+`).ReplaceAllString(s, "")
}

// cookieShapes are name and purpose of the cookies that an answer sets.
func cookieShapes(lines []string) []string {
	var shapes []string
	for _, line := range lines {
		c, err := http.ParseSetCookie(line)
		if err != nil {
			return []string{err.Error()}
		}
		shape := c.Name + " path " + c.Path
		switch {
		case c.Value == "":
			shape += " deleted"
		case c.MaxAge > 0:
			shape += " kept"
		}
		if c.HttpOnly {
			shape += " HttpOnly"
		}
		shapes = append(shapes, shape)
	}
	return shapes
}

var (
	clockTimes  = regexp.MustCompile(`(2026-11-2\d)[T ]11:4\d:\d\d(\.\d{3}\+00:00)?`)
	timestamps  = regexp.MustCompile(`"timestamp":"[^"]*"`)
	triggerMsgs = regexp.MustCompile(`"triggerMsg":"(?:[^"\\]|\\.)*"`)
)

// normal leaves out of a body what differs from run to run: the time of day,
// keeping its format, and trigger_msg.
func normal(body string) string {
	body = timestamps.ReplaceAllString(body, `"timestamp":"T"`)
	body = clockTimes.ReplaceAllStringFunc(body, func(s string) string {
		if strings.HasSuffix(s, "+00:00") {
			return s[:10] + "T<ISO>"
		}
		return s[:10] + " <time>"
	})
	return triggerMsgs.ReplaceAllString(body, `"triggerMsg":"M"`)
}
