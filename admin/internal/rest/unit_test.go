package rest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

type noSessions struct{}

func (noSessions) Authenticate(context.Context, string) (*model.User, error) {
	return nil, errors.New("no session")
}

// partial is a Config with parts that nobody asks.
func partial() Config {
	return Config{
		Ops: &ops.Service{}, Auth: noSessions{}, NoSession: func(error) bool { return true },
		Requests: &stored{}, Lang: i18n.En,
		Parts: Parts{
			Probe: func(_ context.Context, address string, _ *model.Group) *model.Probe {
				return &model.Probe{Address: address}
			},
			Addresses: func(context.Context, string, []string) (map[string]model.AddressState, error) {
				return nil, nil
			},
			Faults: func(context.Context) []string { return []string{"the database does not answer"} },
		},
	}
}

// stored keeps one request.
type stored struct{ dropped, ended int }

func (s *stored) BeginRequest(context.Context, *model.Request) (*model.Request, error) {
	return nil, nil
}

func (s *stored) EndRequest(context.Context, *model.Request) error { s.ended++; return nil }

func (s *stored) DropRequest(context.Context, string, string) error { s.dropped++; return nil }

func (s *stored) ExpireRequests(context.Context, time.Time) (int, error) { return 0, nil }

func TestNewWantsParts(t *testing.T) {
	t.Parallel()
	_, err := New(Config{})
	require.ErrorContains(t, err, "Ops, Auth")
	cfg := partial()
	cfg.Parts.Addresses = nil
	_, err = New(cfg)
	require.ErrorContains(t, err, "Parts")
}

// TestHealthFaults: a node that does not work says why, to everybody.
func TestHealthFaults(t *testing.T) {
	t.Parallel()
	s, err := New(partial())
	require.NoError(t, err)
	mux := http.NewServeMux()
	require.NoError(t, httpx.Mount(mux, httpx.Prefixes(), s.Table()))
	rec := httptest.NewRecorder()
	mux.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/health", nil))
	assert.Equal(t, http.StatusServiceUnavailable, rec.Code)
	assert.JSONEq(t, `{"status":"not_ready","faults":["the database does not answer"]}`, rec.Body.String())
}

func TestRates(t *testing.T) {
	t.Parallel()
	r := newRates(10, 20)
	now := time.UnixMilli(1_790_000_000_000)
	for range 20 {
		require.Zero(t, r.take("a", now))
	}
	assert.Equal(t, 100*time.Millisecond, r.take("a", now))
	assert.Zero(t, r.take("b", now), "others are not kept waiting")
	assert.Zero(t, r.take("a", now.Add(100*time.Millisecond)))
	assert.Positive(t, r.take("a", now.Add(100*time.Millisecond)))
	for i := range maxCallers {
		r.take(time.Duration(i).String(), now)
	}
	r.take("one more", now.Add(time.Hour))
	assert.Len(t, r.buckets, 1, "full buckets are forgotten")
	assert.Zero(t, newRates(-1, -2).take("a", now))
}

// TestOnceForgets: what was refused is forgotten, a fault is kept.
func TestOnceForgets(t *testing.T) {
	t.Parallel()
	for status, kept := range map[int]bool{200: true, 201: true, 404: false, 409: false, 422: false, 500: true, 503: false} {
		cfg := partial()
		requests := &stored{}
		cfg.Requests = requests
		s, err := New(cfg)
		require.NoError(t, err)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/x", nil)
		r.Header.Set("Idempotency-Key", "k")
		rec := httptest.NewRecorder()
		c := &call{s: s, w: rec, r: r, owner: "key 1"}
		require.NoError(t, c.once(t.Context(), endpoint{do: func(_ context.Context, c *call) error {
			if status == http.StatusInternalServerError {
				return errors.New("broken")
			}
			c.w.WriteHeader(status)
			return nil
		}}))
		assert.Equal(t, status, rec.Code)
		assert.Equal(t, kept, requests.ended == 1, status)
		assert.Equal(t, !kept, requests.dropped == 1, status)
	}
}

// oneUser is a session store in which everybody is the same.
type oneUser struct{}

func (oneUser) Authenticate(context.Context, string) (*model.User, error) {
	return &model.User{ID: 7, Username: "anna"}, nil
}

// TestLimited: who asks too often is told when to come again.
func TestLimited(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_790_000_000_000)
	cfg := partial()
	cfg.Auth, cfg.Rate, cfg.Now = oneUser{}, 1, func() time.Time { return now }
	s, err := New(cfg)
	require.NoError(t, err)
	mux := http.NewServeMux()
	require.NoError(t, httpx.Mount(mux, httpx.Prefixes(), s.Table()))
	get := func(method string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, "/v1/session", nil)
		r.AddCookie(&http.Cookie{Name: olderCookie, Value: "x"})
		rec := httptest.NewRecorder()
		mux.ServeHTTP(rec, r)
		return rec
	}
	assert.Equal(t, http.StatusOK, get(http.MethodGet).Code)
	assert.Equal(t, http.StatusOK, get(http.MethodHead).Code)
	rec := get(http.MethodGet)
	assert.Equal(t, http.StatusTooManyRequests, rec.Code)
	assert.Equal(t, "1", rec.Header().Get("Retry-After"))
	now = now.Add(time.Second)
	assert.Equal(t, http.StatusOK, get(http.MethodGet).Code)
}

// TestAgain: what a repeat is answered, by what became of the first request.
func TestAgain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		old  model.Request
		want kind
	}{
		{"under way", model.Request{Fingerprint: "f"}, kindKeyBusy},
		{"another request", model.Request{Fingerprint: "g", Status: 201, Headers: "{}", Body: "{}"}, kindKeyReused},
		{"a secret", model.Request{Fingerprint: "f", Status: 201, Headers: "{}"}, kindSecret},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := &call{w: httptest.NewRecorder()}
			p, ok := refusal(c.again(&model.Request{Fingerprint: "f"}, &tt.old))
			require.True(t, ok)
			assert.Equal(t, tt.want.name, p.kind.name)
		})
	}
	rec := httptest.NewRecorder()
	c := &call{w: rec}
	old := &model.Request{Fingerprint: "f", Status: 500, Headers: `{"Content-Type":"application/problem+json"}`, Body: "{}"}
	require.NoError(t, c.again(&model.Request{Fingerprint: "f"}, old))
	assert.Equal(t, http.StatusInternalServerError, rec.Code, "a fault stays one: nobody knows what was done")
	assert.Equal(t, "true", rec.Header().Get("Idempotency-Replayed"))
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		"":                                 "",
		"a<br>b<BR/>c":                     "a\nb\nc",
		`<span style="x">&lt;b&gt;</span>`: "<b>",
		"1 < 2":                            "1 < 2",
	} {
		assert.Equal(t, want, plain(give))
	}
}

// FuzzCursor: a cursor reads as it was written and for its own list alone, and
// nothing else reads as one.
func FuzzCursor(f *testing.F) {
	f.Add("/v1/jobs?", int64(7), "a", int64(0), "AAAA")
	f.Add("/v1/runs?job_id=1", int64(-1), "雪\x00", int64(1<<62), "")
	f.Fuzz(func(t *testing.T, key string, id int64, text string, number int64, junk string) {
		give := mark{ID: id, Text: strings.ToValidUTF8(text, "?"), Number: number}
		cursor := makeCursor(give, key)
		got, ok := readCursor(cursor, key)
		if len(cursor) <= maxCursor && (!ok || *got != give) {
			t.Errorf("readCursor(%q) = %v, %v, want %v", cursor, got, ok, give)
		}
		if _, ok := readCursor(cursor, key+"x"); ok {
			t.Errorf("a cursor of %q reads for another list", key)
		}
		if _, ok := readCursor(junk, key); ok && junk != cursor {
			t.Errorf("readCursor(%q) takes it", junk)
		}
	})
}

// FuzzFilters: whatever the query of a list of jobs says, it is read or refused.
func FuzzFilters(f *testing.F) {
	f.Add("limit=1&sort=-name&state=started&group_id=3")
	f.Add("cursor=AAAAAAAAAAAAAAAA&limit=x")
	f.Add("group_id=-1&tag=%00")
	s, err := New(partial())
	require.NoError(f, err)
	e := s.byRoute["GET /v1/jobs"]
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/jobs", nil)
		r.URL = &url.URL{Path: "/v1/jobs", RawQuery: query}
		c := &call{s: s, w: httptest.NewRecorder(), r: r}
		if err := c.checkQuery(e); err != nil {
			refusedWell(t, err)
			return
		}
		filter, limit, err := c.jobFilter()
		if err != nil {
			refusedWell(t, err)
			return
		}
		if limit < 1 || limit > maxLimit || filter.Limit != limit+1 || filter.GroupID < 0 {
			t.Errorf("%q was read as %+v", query, filter)
		}
	})
}

func refusedWell(t *testing.T, err error) {
	t.Helper()
	p, ok := refusal(err)
	if !ok || p.kind.status != http.StatusBadRequest || len(p.Errors) == 0 {
		t.Errorf("refused with %v", err)
	}
}

// TestDecodeIsStrict: names stand in the body as the document has them, each
// once.
func TestDecodeIsStrict(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]fieldFault{
		`{"Name": "a"}`: {"/Name", "there is no such field: it is called name"},
		`{"name": "a", "schedule": {"CRON": ""}}`:   {"/schedule/CRON", "there is no such field: it is called cron"},
		`{"name": "a", "colour": 1}`:                {"/colour", "there is no such field"},
		`{"name": "a", "group_id": 1, "name": "b"}`: {"/name", "give it once"},
		`{"group_id": "one"}`:                       {"/group_id", "a JSON string cannot be taken here"},
		`{"schedule": {"type": 1}}`:                 {"/schedule/type", "a JSON number cannot be taken here"},
	} {
		var in jobCreate
		p, ok := refusal((&call{body: []byte(body)}).decode(&in))
		require.True(t, ok, body)
		assert.Equal(t, kindBad.name, p.kind.name)
		assert.Equal(t, []fieldFault{want}, p.Errors, body)
	}
}
