package api

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
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
		assert.Contains(t, first, `app_name=orders addr=http://h:1/`, "what it registers")
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

// wrongBeat registers an executor with a wrong token, from a client.
func wrongBeat(t *testing.T, h http.Handler, app, address string) {
	t.Helper()
	body := fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":%q,"registryValue":%q}`, app, address)
	post(t, h, "/api/registry", body, wire.HeaderToken, "a-secret-of-elsewhere")
}

// TestRefusalsAreListed: who comes with a wrong token is on record by where it comes
// from and what it says of itself, with how often and when, until it registers with
// the right one, or for an hour.
func TestRefusalsAreListed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var book Refusals
		client := netip.MustParseAddr("192.0.2.7")
		h := newWorld().serve(t, func(cfg *Config) {
			cfg.Refusals = &book
			cfg.Client = func(*http.Request) netip.Addr { return client }
		})
		begin := time.Now()
		wrongBeat(t, h, "orders", "http://h:1/")
		<-time.After(30 * time.Second)
		wrongBeat(t, h, "orders", "http://h:1/")
		second := time.Now()
		<-time.After(time.Second)
		client = netip.MustParseAddr("192.0.2.8")
		post(t, h, "/api/callback", "[]", wire.HeaderToken, "x", wire.HeaderAppName, "<b>"+strings.Repeat("é", 99))
		post(t, h, "/api/callback", "[]", wire.HeaderToken, "x")
		now := time.Now()
		name := "<b>" + strings.Repeat("é", 30) + "?"
		assert.Equal(t, []model.Refused{
			{Client: "192.0.2.8", Call: "callback", Count: 1, First: now, Last: now},
			{Client: "192.0.2.8", AppName: name, Call: "callback", Count: 1, First: now, Last: now},
			{
				Client: "192.0.2.7", AppName: "orders", Address: "http://h:1/", Call: "registry", Count: 2,
				First: begin, Last: second,
			},
		}, book.List())

		post(t, h, "/api/registry", beatOf("orders"))
		require.Len(t, book.List(), 2, "what this client said without a name is settled, no more")
		client = netip.MustParseAddr("192.0.2.7")
		post(t, h, "/api/callback", "[]")
		require.Len(t, book.List(), 2, "only a registration settles")
		post(t, h, "/api/registry", beatOf("orders"))
		require.Len(t, book.List(), 1)
		<-time.After(refusedLasts)
		assert.Empty(t, book.List())
	})
}

// TestRefusalsAreBounded: neither one client with many names nor many clients fill
// the memory, and who comes again and again stays on record among them.
func TestRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var book Refusals
		client := netip.MustParseAddr("192.0.2.7")
		h := newWorld().serve(t, func(cfg *Config) {
			cfg.Refusals = &book
			cfg.Client = func(*http.Request) netip.Addr { return client }
		})
		for range 3 {
			wrongBeat(t, h, "orders", "http://10.0.0.5:9999/")
		}
		for i := range 200 {
			wrongBeat(t, h, fmt.Sprint("app", i), "http://10.0.0.5:9999/")
			<-time.After(time.Millisecond)
		}
		list := book.List()
		require.Len(t, list, maxOfClient)
		assert.Equal(t, "app199", list[0].AppName, "the newest is there")
		assert.Equal(t, "orders", list[maxOfClient-1].AppName)
		for i := range 500 {
			client = netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)})
			wrongBeat(t, h, "x", "http://10.0.0.6:1/")
			<-time.After(time.Millisecond)
		}
		list = book.List()
		require.Len(t, list, maxRefused)
		assert.Equal(t, "orders", list[maxRefused-1].AppName)
		assert.Equal(t, 3, list[maxRefused-1].Count)
	})
}
