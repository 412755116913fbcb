package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// FuzzServe: whatever is sent, the answer is an envelope with all four keys,
// nothing panics, and nothing is stored that the token does not cover.
func FuzzServe(f *testing.F) {
	f.Add("POST", "/api/callback", common, "", `[{"logId":10,"handleCode":200},null]`)
	f.Add("POST", "/api/callback", ownToken, "billing", `{"callbackList":[{"logId":20,"handleCode":500,"handleMsg":"m"}]}`)
	f.Add("POST", "/xxl-job-admin/api/registry", common, "orders", beatOf("orders"))
	f.Add("POST", "/api/registryRemove", "", "", beatOf("billing"))
	f.Add("POST", "/api/addJob", common, "orders", `{"jobGroup":1}`)
	f.Add("POST", "/api/declareJobs", common, "orders", `{"jobs":[{"name":"n","children":["m"],"start":true},null]}`)
	f.Add("POST", "/api/declareJobs", ownToken, "billing", `{"jobs":[{}]}`)
	f.Add("POST", "/api/%00", "x", " ", "null")
	f.Add("GET", "/api/", "", "", "")
	f.Fuzz(func(t *testing.T, method, path, token, app, body string) {
		target, err := url.ParseRequestURI(path)
		if err != nil || !validMethod(method) {
			return
		}
		w := newWorld()
		d := &declarations{}
		cfg := Config{Token: common, Completion: w, Registry: w, Logs: w, Declarer: d}
		a, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), method, "/", strings.NewReader(body))
		r.URL = target
		r.Header[http.CanonicalHeaderKey(wire.HeaderToken)] = []string{token}
		r.Header[http.CanonicalHeaderKey(wire.HeaderAppName)] = []string{app}
		rec := httptest.NewRecorder()
		httpx.WithPrefix("", a).ServeHTTP(rec, r)
		if rec.Code != http.StatusOK && rec.Code != http.StatusRequestEntityTooLarge {
			t.Fatalf("status %d", rec.Code)
		}
		var keys map[string]any
		if err := json.Unmarshal(rec.Body.Bytes(), &keys); err != nil || len(keys) != 4 {
			t.Fatalf("%v: %s", err, rec.Body)
		}
		for _, out := range w.outs {
			group, known := w.logs[out.LogID]
			if known && (group == 2) != (token == ownToken) || out.Handle.Code <= 0 {
				t.Fatalf("token %q stored a result of log %d", token, out.LogID)
			}
		}
		for _, group := range d.groups {
			if (group == 2) != (token == ownToken) || group == 2 && app != "billing" {
				t.Fatalf("token %q of app %q declared jobs of group %d", token, app, group)
			}
		}
		if len(w.beats)+len(w.removes) > 0 && token != common && token != ownToken {
			t.Fatalf("token %q registered %q%q", token, w.beats, w.removes)
		}
	})
}

func validMethod(m string) bool {
	_, err := http.NewRequest(m, "/", http.NoBody) //nolint:noctx // never sent
	return err == nil
}
