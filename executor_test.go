package xxljob

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

func TestConfigFaults(t *testing.T) {
	t.Parallel()
	good := Config{AdminAddrs: []string{"http://a:8080/x"}, AppName: "app", AccessToken: "secret"}
	tests := []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"good", func(*Config) {}, ""},
		{"no admin", func(c *Config) { c.AdminAddrs = []string{" , "} }, "AdminAddrs is empty"},
		{"admin without scheme", func(c *Config) { c.AdminAddrs = []string{"a:8080"} }, "AdminAddrs"},
		{"admin with a password", func(c *Config) { c.AdminAddrs = []string{"ftp://u:hunter2@a"} }, "http://"},
		{"no appname", func(c *Config) { c.AppName = " " }, "AppName is empty"},
		{"appname with a slash", func(c *Config) { c.AppName = "../x" }, "AppName"},
		{"no token", func(c *Config) { c.AccessToken = "" }, "AccessToken is empty"},
		{"public token", func(c *Config) { c.AccessToken = " default_token " }, `"default_token"`},
		{"public token allowed", func(c *Config) { c.AccessToken, c.AllowInsecureToken = "default_token", true }, ""},
		{"port", func(c *Config) { c.Port = 70000 }, "Port is 70000"},
		{"address", func(c *Config) { c.Address = "10.0.0.1:9999" }, "Address"},
		{"timeout", func(c *Config) { c.AdminTimeout = 11 * time.Second }, "AdminTimeout is 11s: it must be from 1s to 10s"},
		{"interval", func(c *Config) { c.RegistryInterval = time.Millisecond }, "RegistryInterval"},
		{"limits", func(c *Config) { c.MaxConcurrent, c.MaxQueuePerJob = -1, -1 }, "MaxQueuePerJob is -1"},
		{"durations", func(c *Config) { c.IdleTimeout, c.DrainDelay = -1, -1 }, "DrainDelay"},
		{"script", func(c *Config) { c.Scripts.Commands = map[string]string{"GLUE_NOPE": "x"} }, "GLUE_NOPE"},
		{"sync", func(c *Config) { c.Sync = 7 }, "Sync is 7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := good
			tt.change(&cfg)
			_, err := NewExecutor(cfg)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), "hunter2")
		})
	}
	_, err := NewExecutor(Config{})
	for _, field := range []string{"AdminAddrs", "AppName", "AccessToken"} {
		assert.ErrorContains(t, err, field, "all faults at once")
	}
}

func TestConfigFromEnv(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"XXL_JOB_ADMIN_ADDRESSES": "http://a/, http://b", "XXL_JOB_ACCESS_TOKEN": "s", "XXL_JOB_EXECUTOR_APPNAME": "app",
		"XXL_JOB_EXECUTOR_ADDRESS": "http://x:1/", "XXL_JOB_EXECUTOR_IP": "10.0.0.9", "XXL_JOB_EXECUTOR_PORT": "8888",
		"XXL_JOB_EXECUTOR_LOGPATH": "/l", "XXL_JOB_EXECUTOR_LOGRETENTIONDAYS": "7",
	}
	get := func(name string) string { return env[name] }
	cfg, err := configFromEnv(get)
	require.NoError(t, err)
	assert.Equal(t, Config{
		AdminAddrs: []string{"http://a", "http://b"}, AccessToken: "s", AppName: "app", Address: "http://x:1/", Host: "10.0.0.9",
		Port: 8888, LogPath: "/l", LogRetentionDays: 7,
	}, cfg)
	env["XXL_JOB_EXECUTOR_PORT"] = "tcp://10.96.0.1:9999" // as Kubernetes sets it for a service of that name
	cfg, err = configFromEnv(get)
	require.NoError(t, err)
	assert.Zero(t, cfg.Port)
	env["XXL_JOB_EXECUTOR_PORT"] = "ninety"
	_, err = configFromEnv(get)
	assert.ErrorContains(t, err, `XXL_JOB_EXECUTOR_PORT is "ninety": it must be a number`)
}

// Run and Shutdown in every order.
func TestLifecycle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		early := newTestExecutor(t)
		require.NoError(t, early.Shutdown(t.Context()), "before Run")
		require.NoError(t, early.Shutdown(t.Context()), "twice")
		assert.ErrorIs(t, early.Run(t.Context()), ErrClosed)

		b := newBed(t, nil, registerTestHandlers)
		assert.ErrorIs(t, b.e.Run(t.Context()), ErrRunning)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { assert.NoError(t, b.e.Shutdown(t.Context())) })
		}
		wg.Wait()
		assert.ErrorIs(t, <-b.result, ErrClosed)
		assert.ErrorIs(t, b.e.Run(t.Context()), ErrClosed, "it was running once")
		b.result <- nil // for close
		assert.Equal(t, Stats{}, b.e.Stats())
		assert.Nil(t, b.e.Runs())
		_, err := b.e.Stack(1)
		assert.ErrorIs(t, err, ErrNotRunning)
		_, err = b.e.Address()
		assert.ErrorIs(t, err, ErrNotRunning)
	})
}

// Shutdown gives up waiting when its context ends, but goes on.
func TestShutdownLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		b.mustRun(trig{id: 1, handler: "stubborn", param: "600000"})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		require.NoError(t, b.e.Shutdown(ctx))
		assert.LessOrEqual(t, time.Since(start), 10*time.Second)
		assert.Equal(t, wire.ReasonShutdown+wire.SuffixRunning, b.admin.node(1).next(t).Msg.String)
		require.NoError(t, ignoreClosed(<-b.result))
		b.result <- nil
		after(time.Hour) // the handler that was left behind
	})
}

// ignoreClosed returns err unless it is what Run returns after Shutdown.
func ignoreClosed(err error) error {
	if errors.Is(err, ErrClosed) {
		return nil
	}
	return err
}

// A stress of start and stop: nothing leaks, nothing hangs.
func TestStartStopStress(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range 5 {
				ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
				if !assert.NoError(t, err) {
					return
				}
				e, err := NewExecutor(Config{
					AdminAddrs: []string{"http://127.0.0.1:1"}, AppName: testApp, AccessToken: testToken,
					LogPath: t.TempDir(), Listener: ln, Logger: slog.New(slog.DiscardHandler), ShutdownTimeout: time.Second,
				})
				if !assert.NoError(t, err) {
					return
				}
				ctx, cancel := context.WithCancel(t.Context())
				stopped := make(chan struct{})
				go func() { defer close(stopped); cancel(); _ = e.Shutdown(context.WithoutCancel(ctx)) }()
				assert.NoError(t, ignoreClosed(e.Run(ctx)))
				<-stopped
				_ = ln.Close()
			}
		})
	}
	wg.Wait()
}

// A port that is taken is Run's error; nothing is left behind.
func TestPortTaken(t *testing.T) {
	t.Parallel()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", ":0")
	require.NoError(t, err)
	defer ln.Close()
	e, err := NewExecutor(Config{
		AdminAddrs: []string{"http://127.0.0.1:1"}, AppName: testApp, AccessToken: testToken, LogPath: t.TempDir(),
		Port: ln.Addr().(*net.TCPAddr).Port, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	assert.ErrorContains(t, e.Run(t.Context()), "address already in use")
}

// Two executors cannot share a journal: the second waits, then says whose it is.
func TestJournalIsLocked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, nil)
		second, err := NewExecutor(Config{
			AdminAddrs: []string{"http://admin-1"}, AppName: testApp, AccessToken: testToken, LogPath: b.dir,
			Listener: b.ln, Logger: slog.New(slog.DiscardHandler), LockWait: 5 * time.Second,
		})
		require.NoError(t, err)
		start := time.Now()
		err = second.Run(t.Context())
		require.Error(t, err)
		assert.Contains(t, err.Error(), "journal")
		assert.InDelta(t, 5, time.Since(start).Seconds(), 1)

		third, err := NewExecutor(second.cfg)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.NoError(t, third.Run(ctx), "the end of ctx ends the wait, and is no error")

		fourth, err := NewExecutor(second.cfg)
		require.NoError(t, err)
		result := make(chan error, 1)
		go func() { result <- fourth.Run(t.Context()) }()
		after(time.Second)
		require.NoError(t, fourth.Shutdown(t.Context()))
		assert.ErrorIs(t, <-result, ErrClosed)
	})
}

// The executor as a handler in a service's own server, behind StripPrefix.
func TestHTTPHandler(t *testing.T) {
	t.Parallel()
	e, err := NewExecutor(Config{
		AdminAddrs: []string{"http://127.0.0.1:1"}, AppName: testApp, AccessToken: testToken, LogPath: t.TempDir(),
		Address: "http://10.0.0.1:8080/jobs/", Logger: slog.New(slog.DiscardHandler), ShutdownTimeout: time.Second,
	})
	require.NoError(t, err)
	registerTestHandlers(e)
	mux := http.NewServeMux()
	mux.Handle("/jobs/", http.StripPrefix("/jobs", e.HTTPHandler()))
	srv := httptest.NewServer(mux)
	defer srv.Close()
	post := func(path, body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/jobs"+path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set(wire.HeaderToken, testToken)
		res, err := srv.Client().Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return res.StatusCode, string(text)
	}
	_, text := post("/beat", "")
	assert.Contains(t, text, notRunningText)

	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- e.Run(ctx) }()
	require.Eventually(t, func() bool { _, text := post("/beat", ""); return text == string(successBody) }, 5*time.Second, time.Millisecond)
	status, text := post("/run", `{"jobId":1,"logId":1,"glueType":"BEAN","executorHandler":"echo","executorParams":"x"}`)
	assert.Equal(t, 200, status)
	assert.Equal(t, string(successBody), text)
	require.Eventually(t, func() bool { return e.Stats().Succeeded == 1 }, 5*time.Second, time.Millisecond)
	_, text = post("/beat?x=1", "")
	assert.Contains(t, text, "uri-mapping(/beat?x=1) not found.")
	status, _ = post("/run", strings.Repeat(" ", wire.MaxBody+1))
	assert.Equal(t, 413, status)
	addr, err := e.Address()
	require.NoError(t, err)
	assert.Equal(t, "http://10.0.0.1:8080/jobs/", addr)
	cancel()
	require.NoError(t, <-result)

	bare, err := NewExecutor(Config{AdminAddrs: []string{"http://a"}, AppName: "a", AccessToken: "t", LogPath: t.TempDir()})
	require.NoError(t, err)
	bare.HTTPHandler()
	assert.ErrorContains(t, bare.Run(t.Context()), "Config.Address")
}

// TLS on the executor's own server, and towards the admin.
func TestTLS(t *testing.T) {
	t.Parallel()
	beats := make(chan string, 10)
	admin := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		beats <- string(body)
		_, _ = io.WriteString(w, adminSuccess)
	}))
	defer admin.Close()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	pool := admin.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	e, err := NewExecutor(Config{
		AdminAddrs: []string{admin.URL}, AppName: testApp, AccessToken: testToken, LogPath: t.TempDir(), Listener: ln,
		TLS: &tls.Config{Certificates: admin.TLS.Certificates}, AdminTLS: &tls.Config{RootCAs: pool},
		Logger: slog.New(slog.DiscardHandler), ShutdownTimeout: time.Second,
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- e.Run(ctx) }()
	assert.Contains(t, <-beats, `"registryValue":"https://127.0.0.1:`)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "example.com"}}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+ln.Addr().String()+"/beat", nil)
	require.NoError(t, err)
	req.Header.Set(wire.HeaderToken, testToken)
	res, err := client.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Equal(t, string(successBody), string(body))
	cancel()
	require.NoError(t, <-result)
}

// The announced address: configured, else that of the route to an admin, and
// loopback only if every admin is on loopback.
func TestAnnouncedAddress(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		cfg  Config
		want string
		err  string
	}{
		{name: "configured", cfg: Config{Address: "http://nat:1/x"}, want: "http://nat:1/x"},
		{name: "host", cfg: Config{Host: "10.9.8.7"}, want: "http://10.9.8.7:9999/"},
		{name: "IPv6 host", cfg: Config{Host: "fd00::1"}, want: "http://[fd00::1]:9999/"},
		{name: "TLS", cfg: Config{Host: "h", TLS: &tls.Config{}}, want: "https://h:9999/"},
		{name: "loopback", cfg: Config{AdminAddrs: []string{"http://127.0.0.1:8080", "http://localhost"}}, want: "http://127.0.0.1:9999/"},
		{name: "IPv6 loopback", cfg: Config{AdminAddrs: []string{"http://[::1]:8080"}}, want: "http://[::1]:9999/"},
		{
			name: "one admin is elsewhere but has no route", err: "set Config.Address or Config.Host",
			cfg: Config{AdminAddrs: []string{"http://127.0.0.1:8080", "http://no-such-host.invalid"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := &announcer{cfg: &tt.cfg, port: 9999}
			got, err := a.address()
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

// A full journal refuses triggers and probes, and says why; results pass.
func TestFullJournalRefusesTriggers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, func(cfg *Config) { cfg.MaxJournalBytes = 256 << 10 }, registerTestHandlers)
		b.admin.node(1).set(true, nil)
		accepted := 0
		var last reply
		for i := range 1000 {
			last = b.run(trig{id: i % 10, handler: "bigmsg", param: "1000"})
			if last.Code != 200 {
				break
			}
			accepted++
		}
		require.Equal(t, 500, last.Code, "accepted %d", accepted)
		assert.Contains(t, last.Msg, "journal")
		assert.Equal(t, 500, b.post("/beat", "").Code)
		b.admin.node(1).set(false, nil)
		seen := map[int64]bool{}
		for range accepted {
			seen[b.admin.node(1).next(t).LogID] = true
		}
		assert.Len(t, seen, accepted)
		after(time.Minute)
		assert.Equal(t, 200, b.post("/beat", "").Code, "there is room again")
		b.mustRun(trig{id: 1, handler: "echo"})
	})
}

// Nothing is written outside of the log path.
func TestNothingOutsideLogPath(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		outer := t.TempDir()
		b := prepareBed(t, outer+"/logs", scriptsOn)
		registerTestHandlers(b.e)
		b.start()
		for _, at := range []int64{-1 << 63, -62135596800001, 0, 1<<63 - 1} {
			b.mustRun(trig{id: 1, logID: -at, at: at, handler: "echo"})
			b.admin.node(1).next(t)
			b.readLogAt(-at, at, 1)
		}
		b.mustRun(trig{id: -2147483648, glue: wire.GlueTypeShell, source: "exit 0", updated: -1 << 63})
		b.admin.node(1).next(t)
		entries, err := os.ReadDir(outer)
		require.NoError(t, err)
		require.Len(t, entries, 1)
	})
}
