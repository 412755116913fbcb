package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestIdempotency: a repeat does nothing and is answered as the first time.
func TestIdempotency(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.objects(t)
	in := job(o.group, "once")
	first := w.admin(t, "POST", "/v1/jobs", in, "Idempotency-Key", "a")
	require.Equal(t, http.StatusCreated, first.Code)
	again := w.admin(t, "POST", "/v1/jobs", in, "Idempotency-Key", "a")
	assert.Equal(t, first.Code, again.Code)
	assert.Equal(t, first.Body.String(), again.Body.String())
	for _, name := range []string{"Location", "ETag", "Content-Type"} {
		assert.Equal(t, first.Header().Get(name), again.Header().Get(name), name)
	}
	p := w.must(t, http.StatusUnprocessableEntity, "POST", "/v1/jobs", with(in, "name", "other"), "Idempotency-Key", "a")
	assert.Equal(t, "urn:xxl-job:problem:key-reused", p["type"])

	// The same key of somebody else is another one.
	other := w.send(t, request{
		method: "POST", path: "/v1/jobs", body: in, key: w.key(t, "editor", []string{"edit", "read"}),
		header: map[string]string{"Idempotency-Key": "a"},
	})
	assert.Equal(t, http.StatusCreated, other.Code)
	assert.NotEqual(t, first.Header().Get("Location"), other.Header().Get("Location"))

	// What was refused may be sent again, mended or not.
	w.must(t, http.StatusUnprocessableEntity, "POST", "/v1/jobs", with(in, "author", ""), "Idempotency-Key", "b")
	w.must(t, http.StatusCreated, "POST", "/v1/jobs", in, "Idempotency-Key", "b")
	w.must(t, http.StatusBadRequest, "POST", "/v1/jobs", in, "Idempotency-Key", strings.Repeat("k", 129))

	// Of several at once one is carried out; the others wait for its answer.
	var wg sync.WaitGroup
	codes := make([]int, 8)
	for i := range codes {
		wg.Go(func() {
			q := request{
				method: "POST", path: "/v1/jobs", body: in, cookie: w.cookie, csrf: w.csrf,
				header: map[string]string{"Idempotency-Key": "c"},
			}
			rec := httptest.NewRecorder()
			w.handler.ServeHTTP(rec, q.make(t))
			codes[i] = rec.Code
		})
	}
	wg.Wait()
	for _, code := range codes {
		assert.Contains(t, []int{http.StatusCreated, http.StatusConflict}, code)
	}
	assert.Contains(t, codes, http.StatusCreated)
	list := w.must(t, http.StatusOK, "GET", "/v1/jobs?name=once", nil)
	assert.InDelta(t, 4, list["total"], 0)
}

// TestProblems: refusals in the language of the caller.
func TestProblems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for accept, want := range map[string][2]string{
		"":                        {"en", "Not found"},
		"de, zh-TW;q=0.9, en":     {"zh-TW", "不存在"},
		"zh-CN":                   {"zh-CN", "不存在"},
		"en-GB,en;q=0.5,zh;q=0.1": {"en", "Not found"},
		"xx":                      {"en", "Not found"},
	} {
		rec := w.admin(t, "GET", "/v1/nothing/here", nil, "Accept-Language", accept)
		assert.Equal(t, http.StatusNotFound, rec.Code)
		assert.Equal(t, want[0], rec.Header().Get("Content-Language"), accept)
		assert.Equal(t, want[1], object(t, rec)["title"])
	}
	for body, want := range map[string]string{
		`{"name":1}`:                "/name",
		`{"schedule":{"typo":"x"}}`: "/schedule/typo",
	} {
		p := w.must(t, http.StatusBadRequest, "POST", "/v1/jobs", body)
		assert.Equal(t, []string{want}, pointers(t, p))
	}
	for _, body := range []string{``, `[]`, `null`, `{`, `{} {}`, `"x"`} {
		w.must(t, http.StatusBadRequest, "POST", "/v1/jobs", body)
	}
}

// TestUnderPrefix: links and places keep the context path.
func TestUnderPrefix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.objects(t)
	rec := w.admin(t, "POST", "/xxl-job-admin/v1/jobs", job(o.group, "prefixed"))
	require.Equal(t, http.StatusCreated, rec.Code, rec.Body.String())
	assert.Contains(t, rec.Header().Get("Location"), "/xxl-job-admin/v1/jobs/")
	rec = w.admin(t, "GET", "/xxl-job-admin/v1/jobs?limit=1", nil)
	assert.Contains(t, rec.Header().Get("Link"), "</xxl-job-admin/v1/jobs?")
}

// TestMarkup: what people write comes back as it went in, as JSON and never as
// a page.
func TestMarkup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.objects(t)
	payload := `"><script>alert(1)</script>雪`
	in := job(o.group, payload)
	in["author"], in["param"], in["handler"] = payload, payload, payload
	v := w.must(t, http.StatusCreated, "POST", "/v1/jobs", in)
	rec := w.admin(t, "GET", fmt.Sprintf("/v1/jobs/%d", id(t, v)), nil)
	for _, name := range []string{"name", "author", "param", "handler"} {
		assert.Equal(t, payload, object(t, rec)[name])
	}
	assert.Equal(t, "application/json", rec.Header().Get("Content-Type"))
	assert.Equal(t, "nosniff", rec.Header().Get("X-Content-Type-Options"))
}
