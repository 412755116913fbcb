package legacy

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// FuzzForm sends any form to any route as an administrator, in any dialect:
// the answer is never a fault, and what is called JSON is JSON. Nothing of the
// form comes back as markup.
func FuzzForm(f *testing.F) {
	for i, body := range []string{
		"", "id=1", "ids[]=1&ids[]=2", "a=%zz", "start=0&length=-1", "jobGroup=1&triggerStatus=1", "id=9223372036854775808",
		jobForm + "&jobGroup=1", "filterTime=x+-+y&jobGroup=0&jobId=0&logStatus=9", "startDate=2026-11-21+00:00:00&endDate=x",
	} {
		f.Add(i*5, i%2 == 0, body)
	}
	w := newWorld(f, C)
	w.addGroup(f, "some-app", "http://127.0.0.1:1/")
	w.addJob(f, 1, "a job")
	endpoints := w.server.endpoints()
	n := 0
	f.Fuzz(func(t *testing.T, route int, a bool, body string) {
		n++
		e := endpoints[uint(route)%uint(len(endpoints))]
		cookie := cookieC
		if a {
			cookie = cookieA
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, e.path, strings.NewReader(body+"&x=<script>"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Cookie", cookie+"="+w.session(t, w.addUser(t, "fuzz"+strconv.Itoa(n), true, "")))
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if rec.Code >= 500 {
			t.Fatalf("%s with %q: %d %s", e.path, body, rec.Code, rec.Body)
		}
		if strings.HasPrefix(rec.Header().Get("Content-Type"), "application/json") && !json.Valid(rec.Body.Bytes()) {
			t.Fatalf("%s with %q: no JSON: %s", e.path, body, rec.Body)
		}
		if strings.HasPrefix(rec.Header().Get("Content-Type"), "text/html") && strings.Contains(rec.Body.String(), "<script") {
			t.Fatalf("%s with %q: %s", e.path, body, rec.Body)
		}
	})
}
