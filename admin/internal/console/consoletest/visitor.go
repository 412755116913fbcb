package consoletest

import (
	"encoding/base64"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Visitor is a browser: it keeps cookies.
type Visitor struct {
	w       *World
	Cookies map[string]string
	Header  map[string]string
}

// As logs a user in.
func (w *World) As(u *model.User) *Visitor {
	w.T.Helper()
	v := &Visitor{w: w, Cookies: map[string]string{}, Header: map[string]string{"Accept": "text/html"}}
	if u == nil {
		return v
	}
	javaHash, hash, err := w.Auth.HashPassword(w.T.Context(), "sesame-open")
	require.NoError(w.T, err)
	require.NoError(w.T, w.DB.SetPassword(w.T.Context(), u.ID, javaHash, hash))
	login, err := w.Auth.Login(w.T.Context(), auth.LoginRequest{Name: u.Username, Password: "sesame-open"})
	require.NoError(w.T, err)
	v.Cookies[web.SessionCookie] = login.ID
	return v
}

// Send sends a request as it is, with the cookies, and keeps those of the answer.
func (v *Visitor) Send(method, target, body string) *httptest.ResponseRecorder {
	v.w.T.Helper()
	r := httptest.NewRequestWithContext(v.w.T.Context(), method, target, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range v.Header {
		r.Header.Set(name, value)
	}
	for name, value := range v.Cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	rec := httptest.NewRecorder()
	v.w.handler.ServeHTTP(rec, r)
	for _, cookie := range rec.Result().Cookies() {
		if cookie.MaxAge < 0 {
			delete(v.Cookies, cookie.Name)
			continue
		}
		v.Cookies[cookie.Name] = cookie.Value
	}
	return rec
}

// Get reads a page.
func (v *Visitor) Get(target string) *httptest.ResponseRecorder {
	v.w.T.Helper()
	return v.Send(http.MethodGet, target, "")
}

// Text reads a page that must be there, and returns what it says.
func (v *Visitor) Text(target string) string {
	v.w.T.Helper()
	rec := v.Get(target)
	require.Equal(v.w.T, http.StatusOK, rec.Code, "%s: %s", target, rec.Body)
	return html.UnescapeString(rec.Body.String())
}

// Post sends a form with the token of the session.
func (v *Visitor) Post(target string, form url.Values) *httptest.ResponseRecorder {
	v.w.T.Helper()
	if form == nil {
		form = url.Values{}
	}
	form.Set("csrf", web.CSRFOf(v.Cookies[web.SessionCookie]))
	return v.Send(http.MethodPost, target, form.Encode())
}

// Save posts the editor as the page was read.
func (v *Visitor) Save(at, source, remark string) int {
	v.w.T.Helper()
	_, base, ok := strings.Cut(v.Text(at), `name="base" value="`)
	require.True(v.w.T, ok)
	base, _, _ = strings.Cut(base, `"`)
	return v.Post(at, url.Values{"base": {base}, "source": {source}, "remark": {remark}}).Code
}

// UndoForm posts what the toast of a page offers.
func (v *Visitor) UndoForm(page string) string {
	v.w.T.Helper()
	m := regexp.MustCompile(`action="(/changes/undo\?ids=[0-9,-]+)"`).FindStringSubmatch(page)
	require.NotNil(v.w.T, m, "no undo is offered")
	rec := v.Post(m[1], url.Values{"back": {"/jobs?page=1"}})
	require.Equal(v.w.T, http.StatusSeeOther, rec.Code, rec.Body)
	return rec.Header().Get("Location")
}

// Links returns the address of the link with this relation.
func Links(t *testing.T, page, rel string) string {
	t.Helper()
	link := regexp.MustCompile(`rel="` + rel + `" href="([^"]*)"|href="([^"]*)"[^>]*rel="` + rel + `"`)
	m := link.FindStringSubmatch(page)
	require.NotNil(t, m, "no link %s", rel)
	return html.UnescapeString(m[1] + m[2])
}

// Names are the jobs of a page in their order.
func Names(page string) []string {
	var list []string
	name := regexp.MustCompile(`<a class="name" href="/jobs/\d+" title="([^"]*)"`)
	for _, m := range name.FindAllStringSubmatch(page, -1) {
		list = append(list, m[1])
	}
	return list
}

// Evil is what must never become markup, in a page or in an attribute.
const Evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>'{{.}}`

// PathOf is the page of a job.
func PathOf(j *model.Job) string { return "/jobs/" + strconv.Itoa(int(j.ID)) }

// EmptyList is the list of jobs as an administrator sees it who has nothing yet.
func (w *World) EmptyList() string {
	w.T.Helper()
	return w.As(w.Admin).Text("/jobs")
}

// Told is what an answer says at once or by the message that the next page shows.
func Told(rec *httptest.ResponseRecorder) string {
	var text strings.Builder
	text.WriteString(rec.Body.String())
	for _, line := range rec.Header().Values("Set-Cookie") {
		c, err := http.ParseSetCookie(line)
		if err == nil && c.Name == web.FlashCookie {
			raw, _ := base64.RawURLEncoding.DecodeString(c.Value)
			text.WriteString(string(raw))
		}
	}
	return text.String()
}

// RunPath is the page of a run.
func RunPath(id int64) string { return "/runs/" + strconv.FormatInt(id, 10) }

// CleanNow deletes the runs of a job as a user of its group, who may do no more.
func (v *Visitor) CleanNow(t *testing.T, j *model.Job) {
	t.Helper()
	group, job := strconv.Itoa(int(j.GroupID)), strconv.Itoa(int(j.ID))
	rec := v.Post("/settings/clean", url.Values{"kind": {"9"}})
	assert.Equal(t, http.StatusUnprocessableEntity, rec.Code, "those of all groups are for administrators")
	for _, bad := range []url.Values{{"group": {"x"}, "kind": {"9"}}, {"group": {group}, "kind": {"10"}}} {
		assert.Equal(t, http.StatusUnprocessableEntity, v.Post("/settings/clean", bad).Code)
	}
	form := url.Values{"group": {group}, "job": {job}, "kind": {"1"}}
	page := v.Post("/settings/clean", form).Body.String()
	assert.Contains(t, page, "Delete 3 runs?")
	assert.Contains(t, page, "older than 1 month")
	form.Set("sure", "1")
	require.Equal(t, http.StatusSeeOther, v.Post("/settings/clean", form).Code)
	assert.Contains(t, v.Text("/settings/retention"), "3 runs are deleted")
	left, _, err := v.w.DB.Logs(t.Context(), model.LogFilter{JobID: j.ID, Limit: 100})
	require.NoError(t, err)
	assert.Len(t, left, 7)
}
