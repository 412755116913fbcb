//go:build browser

package browsertest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/admin"
)

// newSetup starts an admin that has printed a one-time password.
func newSetup(t *testing.T) (w *world, printed string) {
	t.Helper()
	w = &world{gate: make(chan struct{})}
	zone, err := time.LoadLocation("Europe/Lisbon")
	require.NoError(t, err)
	said := make(chan string, 1)
	centre, err := admin.New(admin.Config{
		DB: "sqlite:" + filepath.Join(t.TempDir(), "admin.db"), AccessToken: token, Language: "en", TimeZone: zone,
		OnPassword: func(_, password string) { said <- password },
	})
	require.NoError(t, err)
	ended := start(t, centre.Run)
	select {
	case <-centre.Ready():
	case err := <-ended:
		require.NoError(t, err)
	}
	server := httptest.NewServer(journal.watch(centre.Handler()))
	t.Cleanup(server.Close)
	w.url = server.URL
	return w, <-said
}

// greeter starts the executor of the page's program.
func (w *world) greeter(t *testing.T) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	e, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs: []string{w.url + "/xxl-job-admin"}, AppName: "basic", AccessToken: token, Listener: l, LogPath: t.TempDir(),
		RegistryInterval: time.Second, ShutdownTimeout: time.Second,
	})
	require.NoError(t, err)
	require.NoError(t, e.Register("greet", func(_ context.Context, run *xxljob.Run) error {
		run.Logf("greeting %s", run.Param())
		run.SetResult("hello " + run.Param())
		return nil
	}))
	start(t, e.Run)
}

// look4 looks at the page that is shown, wide and narrow, light and dark, in the
// language that it has.
func (b *tab) look4(name string, width int64) {
	b.t.Helper()
	for _, theme := range []string{"light", "dark"} {
		b.paint(theme)
		for _, size := range []int64{1440, 390} {
			b.size(size)
			b.clean(fmt.Sprintf("%s %s %d", name, theme, size))
			b.picture(fmt.Sprintf("%s-%s-%d", name, theme, size))
		}
	}
	b.paint("")
	b.size(width)
}

// paint gives the page that is shown a theme.
func (b *tab) paint(theme string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (%q ? document.documentElement.dataset.theme = %[1]q
		: delete document.documentElement.dataset.theme)`, theme)))
}

// TestSetup is the first start, from the first visit to the first run of a job
// of one's own, with scripts and without.
func TestSetup(t *testing.T) {
	for _, tt := range []struct {
		name, lang string
		scripts    bool
		width      int64
	}{
		{name: "with scripts", lang: "zh-CN", scripts: true, width: 1440},
		{name: "without scripts", lang: "en", scripts: false, width: 390},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, printed := newSetup(t)
			b := w.open(t)
			b.size(tt.width)
			b.visit("/")
			assert.Equal(t, "/setup", b.text(`location.pathname`), "whoever comes first is led there")
			b.prefer(tt.lang, "")
			b.scripts(tt.scripts)
			b.visit("/setup")
			b.look4("setup-password-"+tt.lang, tt.width)

			b.expect(http.StatusUnauthorized)
			b.choose("not the password", "a-password-of-mine", tt.lang)
			assert.NotEmpty(t, b.text(`document.querySelector('#p-printed').textContent.trim()`))
			b.clean("refused")
			b.picture("setup-refused-" + tt.lang)
			b.expect()
			b.choose(printed, "a-password-of-mine", tt.lang)
			assert.Equal(t, "/setup", b.text(`location.pathname`))
			assert.Equal(t, tt.lang, b.text(`document.documentElement.lang`))
			if tt.scripts { // without them it loads itself again meanwhile
				b.until(footSays + `.startsWith('● 实时')`)
				b.look4("setup-executor-"+tt.lang, tt.width)
			}

			w.greeter(t)
			b.until(`document.querySelector('[data-found]')`) // nobody presses anything
			if tt.scripts {
				b.until(footSays + `.startsWith('○')`) // the form stays as it is
			}
			b.look4("setup-job-"+tt.lang, tt.width)
			b.follow(click(`form[action="/setup/job"] button.primary`)...)
			run := b.text(`location.pathname`)
			require.Regexp(t, `^/runs/\d+$`, run)
			b.clean("the first run")
			b.reload(run, `document.querySelector('#state .state-ok') && document.querySelector('#log-text')?.textContent.trim()`)
			assert.Contains(t, b.text(`document.querySelector('#log-text').textContent`), "greeting Ada")
			b.picture("setup-run-" + tt.lang)
			b.expect(http.StatusGone)
			b.visit("/setup")
			b.clean("closed")
			b.picture("setup-closed-" + tt.lang)
			b.expect()
		})
	}
}

// TestSetupFinished: the setup ends without a first job as well.
func TestSetupFinished(t *testing.T) {
	w, printed := newSetup(t)
	b := w.open(t)
	b.size(1440)
	b.scripts(false)
	b.visit("/setup")
	b.choose(printed, "a-password-of-mine", "en")
	b.follow(click(`form[action="/setup/finish"] button`)...)
	b.clean("finished")
	assert.NotEqual(t, "/setup", b.text(`location.pathname`))
	b.expect(http.StatusGone)
	b.visit("/setup")
	b.clean("closed")
}

// choose sends the form of the first step.
func (b *tab) choose(printed, own, lang string) {
	b.t.Helper()
	b.write(`#f-printed`, printed)
	b.write(`#f-password`, own)
	b.write(`#f-again`, own)
	b.pick(`#f-lang`, lang)
	b.follow(click(`form[action="/setup"] button.primary`)...)
}
