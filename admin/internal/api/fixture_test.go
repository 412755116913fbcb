package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

const (
	common   = "common-token"
	ownToken = "billing-token"
)

// world is what stands behind the API in tests.
type world struct {
	mu      sync.Mutex
	outs    []*model.Outcome
	calls   int   // of Results
	err     error // of Results
	beats   []string
	removes []string
	groups  []*model.Group
	logs    map[int64]int32 // group of each log row
	lookups int
	seen    []Observation
}

func (w *world) Results(ctx context.Context, outs []*model.Outcome) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	if w.err != nil {
		return w.err
	}
	w.outs = append(w.outs, outs...)
	return ctx.Err()
}

func (w *world) Beat(group, app, address string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if strings.Contains(address, "full") {
		return errors.New("too many heartbeats wait for the database, try again")
	}
	w.beats = append(w.beats, group+"|"+app+"|"+address)
	return nil
}

func (w *world) Remove(group, app, address string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.removes = append(w.removes, group+"|"+app+"|"+address)
	return nil
}

func (w *world) Groups() []*model.Group { return w.groups }

func (w *world) GroupsOfLogs(_ context.Context, ids []int64) (map[int64]int32, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lookups++
	found := map[int64]int32{}
	for _, id := range ids {
		if g, ok := w.logs[id]; ok {
			found[id] = g
		}
	}
	return found, nil
}

func (w *world) observe(o Observation) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, o)
}

// newWorld has three groups: 1 "orders" and 3 "stock" use the common token, 2
// "billing" has its own. Log 10 is a run of orders, log 20 one of billing.
func newWorld() *world {
	return &world{
		groups: []*model.Group{
			{ID: 1, AppName: "orders"},
			{ID: 2, AppName: "billing", AccessToken: ownToken},
			{ID: 3, AppName: "stock"},
		},
		logs: map[int64]int32{10: 1, 11: 1, 20: 2, 21: 2},
	}
}

// serve mounts an API on w as the admin does.
func (w *world) serve(t testing.TB, change ...func(*Config)) http.Handler {
	t.Helper()
	cfg := Config{Token: common, Completion: w, Registry: w, Logs: w, Lang: i18n.En, Observe: w.observe}
	for _, f := range change {
		f(&cfg)
	}
	a, err := New(cfg)
	require.NoError(t, err)
	mux := http.NewServeMux()
	require.NoError(t, httpx.Mount(mux, httpx.Prefixes(), a.Table()))
	return mux
}

// post sends a body with the common token, unless headers say otherwise.
func post(t testing.TB, h http.Handler, path, body string, header ...string) wire.Response {
	t.Helper()
	return send(t, h, http.MethodPost, path, strings.NewReader(body), header...)
}

func send(t testing.TB, h http.Handler, method, path string, body io.Reader, header ...string) wire.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, body)
	r.Header.Set(wire.HeaderToken, common)
	for i := 0; i < len(header); i += 2 {
		if r.Header.Del(header[i]); header[i+1] != "-" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	require.Equal(t, http.StatusOK, rec.Code)
	require.Equal(t, httpx.TypeJSON, rec.Header().Get("Content-Type"))
	res, err := wire.DecodeResponse(rec.Body.Bytes())
	require.NoError(t, err, rec.Body.String())
	return res
}

// results lists what was stored: id, code and message.
func (w *world) results() []stored {
	var list []stored
	for _, out := range w.outs {
		list = append(list, stored{out.LogID, out.Handle.Code, out.Handle.Msg, out.Handle.NoRetry})
	}
	return list
}

type stored struct {
	id      int64
	code    int32
	msg     model.Text
	noRetry bool
}
