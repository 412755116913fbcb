package api

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestWrongTokensAreTold: the log says that executors come with a wrong token, at
// once and then once a minute with how many there were; every one is counted. What
// they wrote is cut, the token is never told.
func TestWrongTokensAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		w := newWorld()
		h := w.serve(t, func(cfg *Config) {
			cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
			cfg.Client = func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.7") }
		})
		name := strings.Repeat("marker\"<b>", 100)
		wrong := func() {
			post(t, h, "/api/registry", beatOf("orders"), wire.HeaderToken, "a-secret-of-elsewhere", wire.HeaderAppName, name)
		}
		post(t, h, "/api/registry", beatOf("orders"))
		assert.Empty(t, log.String(), "the right token is no news")
		wrong()
		first := log.String()
		assert.Contains(t, first, "level=WARN")
		assert.Contains(t, first, "calls=1 client=192.0.2.7")
		assert.Contains(t, first, `app_name="`+strings.Repeat(`marker\"<b>`, 6)+`mark"`)
		wrong()
		post(t, h, "/api/callback", "[]", wire.HeaderToken, "x")
		<-time.After(warnEvery - time.Second)
		wrong()
		assert.Equal(t, first, log.String(), "one line a minute")
		<-time.After(time.Second)
		wrong()
		assert.Equal(t, 2, strings.Count(log.String(), "\n"))
		assert.Contains(t, log.String(), "calls=4 ")
		assert.NotContains(t, log.String(), "a-secret-of-elsewhere")
		var refused int
		for _, o := range w.seen {
			if o.Refused {
				refused++
			}
		}
		assert.Equal(t, 5, refused)
		assert.Len(t, w.seen, 6)
	})
}
