package xxljob

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

func scriptsOn(cfg *Config) { cfg.Scripts.Enabled = true }

// Cases 51 to 55: scripts, on a real shell.
func TestConformanceCase51To55Scripts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, func(cfg *Config) {
			scriptsOn(cfg)
			cfg.Scripts.Commands = map[string]string{wire.GlueTypePHP: "no-such-interpreter"}
		}, nil)
		shell := func(logID int64, source string) trig {
			return trig{id: int(logID), logID: logID, glue: wire.GlueTypeShell, source: source, updated: 7, param: "p q", shard: [2]int{2, 5}}
		}
		b.mustRun(shell(51, `echo "$1 $2 $3"`))
		assert.EqualValues(t, 200, b.admin.node(1).next(t).Code)
		assert.Contains(t, b.file(51), "\np q 2 5\n")
		assert.Contains(t, b.file(51), "----------- script file:")
		_, err := os.Stat(filepath.Join(b.dir, "gluesource", "51_7.sh"))
		require.NoError(t, err)

		b.mustRun(shell(52, "exit 3"))
		item := b.admin.node(1).next(t)
		assert.EqualValues(t, 500, item.Code)
		assert.Equal(t, "script exit value(3) is failed", item.Msg.String)

		missing := shell(53, "")
		missing.glue = wire.GlueTypePHP
		b.mustRun(missing)
		assert.Equal(t, "script exit value(-1) is failed", b.admin.node(1).next(t).Msg.String)
		assert.Contains(t, b.file(53), "no-such-interpreter", "the log says what was looked for")

		r := b.post("/run", `{"jobId":50,"logId":50,"logDateTime":`+jsonNow()+`,"glueType":"GLUE_SHELL"}`)
		require.Equal(t, 200, r.Code, r.Body)
		assert.Equal(t, "script exit value(-1) is failed", b.admin.node(1).next(t).Msg.String, "no source is no success")
		b.mustRun(shell(49, "kill -9 $$"))
		assert.Equal(t, "script exit value(137) is failed", b.admin.node(1).next(t).Msg.String, "128 + signal, as Java says it")

		b.mustRun(shell(54, "echo oops >&2"))
		b.admin.node(1).next(t)
		assert.Contains(t, b.file(54), "\noops\n", "stderr, unprefixed")

		r = b.post("/run", `{"jobId":55,"logId":55,"logDateTime":`+jsonNow()+`,"glueType":"GLUE_SHELL","glueSource":"echo \"<$1>\"","broadcastTotal":1}`)
		require.Equal(t, 200, r.Code, r.Body)
		b.admin.node(1).next(t)
		assert.Contains(t, b.file(55), "\n<>\n", "a missing param is an empty argument")
	})
}

func jsonNow() string { return itoa(time.Now().UnixMilli()) }

// Case 37: a script with a newer glueUpdatetime replaces the running one and
// its file; kill and timeout end the process.
func TestConformanceCase37ReplacedScript(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, scriptsOn, nil)
		script := trig{id: 1, logID: 5, glue: wire.GlueTypeShell, source: "echo started; sleep 30", updated: 1}
		b.mustRun(script)
		for !strings.Contains(b.readLog(5, 1).LogContent, "started") {
			runtime.Gosched() // fake time stands still while a process runs
		}
		script.logID, script.source, script.updated = 6, "echo new", 2
		b.mustRun(script)
		assert.Equal(t, "change job source or glue type, and terminate the old job thread. [job running, killed]",
			b.admin.node(1).next(t).Msg.String)
		assert.EqualValues(t, 200, b.admin.node(1).next(t).Code)
		names, err := filepath.Glob(filepath.Join(b.dir, "gluesource", "1_*"))
		require.NoError(t, err)
		assert.Equal(t, []string{filepath.Join(b.dir, "gluesource", "1_2.sh")}, names)
	})
}

// Cases 56 to 63 and 65: reading logs.
func TestConformanceLogs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, scriptsOn, registerTestHandlers)
		assert.Equal(t, wire.LogResult{FromLineNum: 1, LogContent: "readLog fail, logFile not exists", IsEnd: true}, b.readLog(404, 1), "case 56")
		_, err := os.Stat(filepath.Join(b.dir, "1970-01-01"))
		b.readLogAt(404, 0, 1)
		require.ErrorIs(t, err, os.ErrNotExist, "reading makes no folders")

		b.mustRun(trig{id: 1, logID: 57, handler: "lines", param: "1"})
		b.admin.node(1).next(t)
		after(time.Second)
		whole := b.readLog(57, 1)
		lines := strings.SplitAfter(strings.TrimSuffix(whole.LogContent, "\n"), "\n")
		require.Len(t, lines, 4, "start, the handler's, end, callback: %q", whole.LogContent)
		assert.EqualValues(t, 4, whole.ToLineNum, "case 57")
		assert.False(t, whole.IsEnd)
		assert.True(t, strings.HasSuffix(whole.LogContent, "\n"))
		assert.Regexp(t, `^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[[^\]]+#[^\]]+\]-\[\d+\]-\[xxl-job, JobThread-1-\d+\] <br>----------- xxl-job job execute start -----------<br>----------- Param:1\n$`, lines[0], "case 65")
		assert.Regexp(t, `\[xxljob\.handlers_test#linesHandler\]-\[\d+\]-\[[^\]]+\] line 1\n$`, lines[1])
		assert.Contains(t, lines[2], "<br>----------- xxl-job job execute end(finish) -----------<br>----------- Result: handleCode=200, handleMsg = null")
		assert.True(t, strings.HasSuffix(lines[3], "<br>----------- xxl-job job callback finish."), "case 65: %q", lines[3])

		last := b.readLog(57, 4)
		assert.Equal(t, wire.LogResult{FromLineNum: 4, ToLineNum: 4, LogContent: lines[3] + "\n"}, last, "case 58")
		beyond := b.readLog(57, 5)
		assert.Equal(t, wire.LogResult{FromLineNum: 5, ToLineNum: 4}, beyond, "case 59, as up to 3.2.0")
		for _, from := range []int{0, -5} {
			assert.Equal(t, whole.LogContent, b.readLog(57, from).LogContent, "case 60")
		}

		b.mustRun(trig{id: 2, logID: 61, glue: wire.GlueTypeShell, source: `printf 'a\rb\nlast'`})
		b.admin.node(1).next(t)
		after(time.Second)
		text := b.readLog(61, 1).LogContent
		assert.Contains(t, text, "\na\nb\nlast", "cases 61 and 62")

		r := b.post(wire.PathLog, `{"logId":57,"logDateTime":`+jsonNow()+`,"fromLineNum":4}`)
		assert.Contains(t, r.Body, "callback finish", "case 63: master's key")
	})
}

// A run that waits in the queue has no log yet: empty, and not the end. One
// that runs is readable within 200 ms.
func TestLogOfWaitingAndRunning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		b.mustRun(trig{id: 1, logID: 1, handler: "sleep", param: "5000"})
		b.mustRun(trig{id: 1, logID: 2, handler: "sleep", param: "1"})
		after(200 * time.Millisecond)
		assert.Contains(t, b.readLog(1, 1).LogContent, "job execute start")
		assert.Equal(t, wire.LogResult{FromLineNum: 1}, b.readLog(2, 1))
		b.admin.node(1).next(t)
		b.admin.node(1).next(t)
	})
}

// Case 64: retention follows 3.3.0 and later: a day is kept N days more, and
// below 3 nothing is removed.
func TestConformanceCase64Retention(t *testing.T) {
	t.Parallel()
	for days, kept := range map[int]int{3: 4, 2: 6} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			today := time.Now()
			for age := range 6 {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, today.AddDate(0, 0, -age).Format("2006-01-02")), 0o755))
			}
			for _, name := range []string{"gluesource", "callbacklog", "callbacklogs"} {
				require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
			}
			b := prepareBed(t, dir, func(cfg *Config) { cfg.LogRetentionDays = days })
			b.start()
			after(time.Minute)
			folders, err := filepath.Glob(filepath.Join(dir, "*-*"))
			require.NoError(t, err)
			assert.Len(t, folders, kept)
			for _, name := range []string{"gluesource", "callbacklog", "callbacklogs", "journal"} {
				assert.DirExists(t, filepath.Join(dir, name))
			}
		})
	}
}

// The message that ends a run is in its log before the admin has the result.
func TestErrorIsInLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		b.mustRun(trig{id: 1, logID: 41, handler: "panic", param: "oh no"})
		b.admin.node(1).next(t)
		log := b.file(41)
		assert.Contains(t, log, "<br>----------- JobThread Exception:panic: oh no")
		assert.Contains(t, log, "<br>----------- xxl-job job execute end(error) -----------")

		b.mustRun(trig{id: 2, logID: 42, handler: "sleep", param: "9000", timeout: 1})
		b.admin.node(1).next(t)
		assert.Contains(t, b.file(42), "<br>----------- xxl-job job execute timeout")
	})
}
