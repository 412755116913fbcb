package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// BenchmarkCallback is a post of 50 results without what stores them.
func BenchmarkCallback(b *testing.B) {
	var items []string
	for i := range 50 {
		items = append(items, fmt.Sprintf(`{"logId":%d,"logDateTim":1586629003729,"handleCode":200}`, i+1))
	}
	body := "[" + strings.Join(items, ",") + "]"
	w := newWorld()
	w.groups[1].AccessToken = ""
	h := w.serve(b)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/api/callback", strings.NewReader(body)) //nolint:noctx // b has no need of one
		r.Header.Set(wire.HeaderToken, common)
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if rec.Code != http.StatusOK {
			b.Fatal(rec.Body)
		}
		w.outs, w.seen = w.outs[:0], w.seen[:0]
	}
}
