//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// javaExecutor is Java's own executor behind a relay that notes each trigger.
// It keeps no memory of what it has run, as ours does: sent twice is run twice.
type javaExecutor struct {
	*process
	port  string
	marks string // each run appends its log id, synced
	url   string // of the relay

	mu       sync.Mutex
	arrivals []record
}

// newJavaExecutor starts one under the first node.
func (w *world) newJavaExecutor(t *testing.T, release javaRelease) *javaExecutor {
	t.Helper()
	j := &javaExecutor{port: freePort(t), marks: filepath.Join(w.dir, "marks")}
	j.url = newForwarder(t, j.port, j.note, nil)
	j.process = launch(t, "java", "java",
		"-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Dfile.encoding=UTF-8",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", release.classPath(t), "interop.executor.Main",
		"-port", j.port, "-admin", w.nodes[0].relay.url, "-token", token, "-appname", groupApp,
		"-logpath", filepath.Join(w.dir, "java"), "-ip", "127.0.0.1")
	client := &http.Client{Timeout: time.Second}
	defer client.CloseIdleConnections()
	waitFor(t, startLimit, "the Java executor answers", func() bool {
		require.False(t, j.ended(), "the Java executor ended at its start: %v\n%s", j.err, j.tail())
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:"+j.port+wire.PathBeat, nil)
		require.NoError(t, err)
		req.Header.Set(wire.HeaderToken, token)
		resp, err := client.Do(req)
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
	return j
}

// note keeps what the admin has sent.
func (j *javaExecutor) note(req *http.Request) (*http.Request, bool) {
	at := time.Now()
	if req.URL.Path != wire.PathRun {
		return req, true
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, wire.MaxBody))
	if err != nil {
		return nil, false
	}
	trigger, err := wire.DecodeTrigger(body)
	if err != nil {
		return nil, false
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	j.mu.Lock()
	defer j.mu.Unlock()
	j.arrivals = append(j.arrivals, record{
		kind: 'R', at: at.UnixNano(), port: j.port, job: trigger.JobID, logID: trigger.LogID, trigger: trigger.LogDateTime,
	})
	return req, true
}

// records returns what arrived and what was run.
func (j *javaExecutor) records(t *testing.T) []record {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	sent := make(map[int64]record)
	for _, r := range j.arrivals {
		sent[r.logID] = r
	}
	list := append([]record(nil), j.arrivals...)
	text, err := os.ReadFile(j.marks)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		id, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		require.NoError(t, err, "line of the marks file")
		r, ok := sent[id]
		require.True(t, ok, "log %d was run and never sent", id)
		r.kind = 'S'
		list = append(list, r)
	}
	return list
}

// TestCrashLoopJava is TestCrashLoop with Java's executor, of which the admin
// has to find out what it has: sent again at the wrong time, a run would be run
// twice. Only the admin and its database are killed; a Java executor that is
// killed forgets what it has accepted, and that takes the sweep 10 min to find.
func TestCrashLoopJava(t *testing.T) {
	t.Parallel()
	// Not 3.3.0 to 3.4.0: all of their executors on one machine share one folder
	// of results that are to be sent again, and take them from one another.
	releases := pick([]javaRelease{{"3.2.0", "v23"}}, []javaRelease{{"2.4.1", "v23"}, {"3.2.0", "v23"}})
	databases := pick([]string{sqlite}, []string{sqlite, mysql, postgres})
	for _, release := range releases {
		for _, db := range databases {
			t.Run(release.version+"/"+db, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, newDatabase(t, db))
				n := w.newNode(t)
				n.start(t)
				j := w.newJavaExecutor(t, release)
				w.javas = append(w.javas, j)
				n.login(t)
				n.must(t, "/jobgroup/save", url.Values{
					"appname": {groupApp}, "title": {groupApp}, "addressType": {"1"}, "addressList": {j.url},
				})
				w.group = w.db.count(t, "SELECT max(id) FROM xxl_job_group")
				w.addJobs(t, pick(30, 200), func(i int) jobForm {
					f := plain(i)
					f.Param = j.marks
					return f
				}, 1)
				var boots []time.Time
				for round := range pick(3, 12) {
					pass(t, time.Duration(2000+(round*733)%1900)*time.Millisecond)
					if w.db.server != nil && round%3 == 2 {
						w.outage(w.db.restart(t, round%2 == 0, 0))
						continue
					}
					boots = append(boots, n.crash(t, time.Duration(round%3)*500*time.Millisecond))
				}
				pass(t, 16*time.Second) // what was in doubt is settled
				e := w.gather(t)
				prove(t, e)
				t.Log(fmt.Sprint("from a boot to the first fire: ", firstFires(e, boots)))
			})
		}
	}
}
