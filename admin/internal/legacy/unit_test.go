package legacy

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	const a, c = cookieA + "=x", cookieC + "=x"
	tests := []struct {
		path, form, cookie string
		def, want          Dialect
	}{
		{path: "/login", def: C, want: A},
		{path: "/auth/doLogin", def: A, want: C},
		{path: "/auth/updatePwd", cookie: a, def: A, want: C},
		{path: "/jobinfo/add", cookie: a, def: C, want: A},
		{path: "/jobinfo/add", cookie: c, def: A, want: B},
		{path: "/jobinfo/add", cookie: a + "; " + c, def: C, want: A},
		{path: "/jobinfo/add", def: C, want: A},
		{path: "/jobinfo/insert", cookie: a, def: A, want: C},
		{path: "/user/updatePwd", cookie: c, def: A, want: B},
		{path: "/jobinfo/pageList", form: "start=0&length=1", def: C, want: A},
		{path: "/jobinfo/pageList", form: "start=0", cookie: c, def: C, want: B},
		{path: "/jobinfo/pageList", form: "offset=0", cookie: a, def: A, want: C},
		{path: "/jobinfo/pageList", form: "pagesize=0", def: A, want: C},
		{path: "/jobinfo/start", form: "ids[]=1", def: A, want: C},
		{path: "/jobinfo/start", form: "id=1", cookie: a, def: C, want: A},
		{path: "/jobinfo/start", form: "id=1", cookie: c, def: A, want: C},
		{path: "/jobinfo/start", form: "id=1", cookie: a + "; " + c, def: C, want: C},
		{path: "/joblog/logKill", def: A, want: A},
		{path: "/joblog/logKill", def: C, want: C},
		{path: "/jobinfo", def: C, want: C},
		{path: "/jobinfo", cookie: a, def: C, want: A},
		{path: "/dashboard", def: A, want: C},
	}
	for _, tt := range tests {
		t.Run(tt.path+"?"+tt.form+" "+tt.cookie, func(t *testing.T) {
			t.Parallel()
			for _, prefix := range httpx.Prefixes() {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, prefix+tt.path, nil)
				if tt.cookie != "" {
					r.Header.Set("Cookie", tt.cookie)
				}
				form, err := url.ParseQuery(tt.form)
				require.NoError(t, err)
				var got Dialect
				httpx.WithPrefix(prefix, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					got = detect(r, form, tt.def)
				})).ServeHTTP(httptest.NewRecorder(), r)
				assert.Equal(t, tt.want, got)
			}
		})
	}
}

func TestDialectNames(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "A B C none", A.String()+" "+B.String()+" "+C.String()+" "+Dialect(0).String())
	assert.Equal(t, cookieA, A.cookie())
	assert.Equal(t, cookieC, B.cookie())
	assert.Equal(t, "/auth/login", B.loginPage())
}

func TestParseFilterTime(t *testing.T) {
	t.Parallel()
	at := func(s string) time.Time {
		v, err := time.ParseInLocation(layoutWall, s, time.UTC)
		require.NoError(t, err)
		return v
	}
	tests := []struct {
		give     string
		from, to time.Time
	}{
		{give: ""},
		{give: "2026-11-21 00:00:00"},
		{give: "2026-11-21 00:00:00 - 2026-11-22 01:02:03", from: at("2026-11-21 00:00:00"), to: at("2026-11-22 01:02:03")},
		{give: "x - 2026-11-22 01:02:03", to: at("2026-11-22 01:02:03")},
		{give: "2026-11-21 00:00:00 - ", from: at("2026-11-21 00:00:00")},
		{give: "a - b - c"},
	}
	for _, tt := range tests {
		from, to := parseFilterTime(tt.give, time.UTC)
		assert.Equal(t, tt.from, from, tt.give)
		assert.Equal(t, tt.to, to, tt.give)
	}
}

func FuzzParseFilterTime(f *testing.F) {
	f.Add("2026-11-21 00:00:00 - 2026-11-22 01:02:03")
	f.Add(" - ")
	f.Fuzz(func(t *testing.T, s string) {
		from, to := parseFilterTime(s, time.UTC)
		if from.IsZero() || to.IsZero() {
			return
		}
		again, end := parseFilterTime(from.Format(layoutWall)+" - "+to.Format(layoutWall), time.UTC)
		if !again.Equal(from.Truncate(time.Second)) || !end.Equal(to.Truncate(time.Second)) {
			t.Fatalf("parseFilterTime(%q) = %v, %v and does not round trip", s, from, to)
		}
	})
}

func TestEscapeLog(t *testing.T) {
	t.Parallel()
	const log = `a<br>b <b>c</b> <script>alert("1")</script> <img src=x onerror='y'> & &lt;br&gt;`
	assert.Equal(t, `a&lt;br&gt;b &lt;b&gt;c&lt;/b&gt; &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; `+
		`&lt;img src=x onerror=&#39;y&#39;&gt; &amp; &amp;lt;br&amp;gt;`, escapeLog(A, log))
	assert.Equal(t, `a<br>b <b>c</b> &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; `+
		`&lt;img src=x onerror=&#39;y&#39;&gt; &amp; &amp;lt;br&amp;gt;`, escapeLog(C, log))
}

func TestDates(t *testing.T) {
	t.Parallel()
	shanghai := time.FixedZone("CST", 8*3600)
	at := time.Date(2026, 11, 21, 19, 37, 13, 0, shanghai)
	assert.Equal(t, str("2026-11-21T11:37:13.000+00:00"), javaDate(A, at))
	assert.Equal(t, str("2026-11-21T11:37:13.000+00:00"), javaDate(B, at))
	assert.Equal(t, str("2026-11-21 11:37:13"), javaDate(C, at))
	assert.Equal(t, null, javaDate(C, time.Time{}))

	s := &Server{cfg: Config{Location: shanghai}}
	body, err := httpx.EncodeJSON(s.viewLog(C, &model.Log{ID: 1, TriggerTime: at}))
	require.NoError(t, err)
	assert.Contains(t, string(body), `"triggerTime":"2026-11-21 19:37:13"`, "log rows are in the server's zone")
	assert.Contains(t, string(body), `"handleTime":null`)
}

// The objects hold no secret, whatever the row has.
func TestViewsHoldNoSecret(t *testing.T) {
	t.Parallel()
	for _, d := range []Dialect{A, B, C} {
		for _, v := range []any{
			viewUser(d, &model.User{ID: 1, Username: "anna", JavaHash: "s3cret", Hash: "s3cret", Admin: true}),
			viewGroup(d, &model.Group{ID: 1, AppName: "app", AccessToken: "s3cret"}),
		} {
			body, err := httpx.EncodeJSON(v)
			require.NoError(t, err)
			assert.NotContains(t, string(body), "s3cret")
		}
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	rows := make([]int, 950)
	for i := range rows {
		rows[i] = i
	}
	var asked int
	read := func(offset, limit int) ([]int, int, error) {
		asked++
		assert.LessOrEqual(t, limit, fetchSize)
		lo := min(offset, len(rows))
		return rows[lo:min(lo+limit, len(rows))], len(rows), nil
	}
	tests := []struct{ offset, size, want, queries int }{
		{0, 10, 10, 1}, {0, 0, 0, 1}, {940, 20, 10, 1}, {2000, 10, 0, 1}, {0, 500, 500, 3}, {100, 10_000, 850, 5}, {0, 200, 200, 1},
	}
	for _, tt := range tests {
		asked = 0
		list, total, err := fetch(tt.offset, tt.size, read)
		require.NoError(t, err)
		assert.Len(t, list, tt.want)
		assert.Equal(t, 950, total)
		assert.Equal(t, tt.queries, asked)
		for i, v := range list {
			require.Equal(t, tt.offset+i, v)
		}
	}
}
