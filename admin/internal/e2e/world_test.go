//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	token    = "e2e-secret"
	groupApp = "e2e-app"
	// startLimit bounds what a loaded machine takes to start a program.
	startLimit = 60 * time.Second
	// quietLimit bounds the time from the last fault until every run has ended.
	quietLimit = 90 * time.Second
)

// world is a database with nodes of the admin on it and executors under them.
type world struct {
	db     *database
	dsn    string // of the nodes; that of db, or by way of a proxy
	dir    string
	binary string
	group  int64

	nodes     []*node
	executors []*executor
	javas     []*javaExecutor

	mu      sync.Mutex // guards what follows
	jobs    []plan
	outages []span
	resends bool
	absent  bool
}

// node is one place for an admin process; process is the one that runs there.
type node struct {
	*process
	w     *world
	name  string
	port  string
	args  []string
	relay *relay
	*console
}

// executor is one place for a process with executors.
type executor struct {
	*process
	dir     string
	args    []string
	kills   int // each may have cut a line of the journal
	damaged int
}

// crash kills the process and starts it again after a pause.
func (x *executor) crash(t *testing.T, down time.Duration) {
	t.Helper()
	x.kill()
	x.kills++
	pass(t, down)
	x.start(t)
}

// newWorld builds nothing but the programs. The database may be shared by
// several nodes.
func newWorld(t *testing.T, db *database) *world {
	t.Helper()
	binary, err := adminBinary()
	require.NoError(t, err)
	_, err = executorBinary()
	require.NoError(t, err)
	return &world{db: db, dsn: db.dsn, dir: t.TempDir(), binary: binary}
}

// newNode adds a node, which does not run yet. args come after the usual flags.
func (w *world) newNode(t *testing.T, args ...string) *node {
	t.Helper()
	n := &node{w: w, name: fmt.Sprintf("admin%d", len(w.nodes)+1), port: freePort(t)}
	n.args = append([]string{
		"serve", "--listen", "127.0.0.1:" + n.port, "--db", w.dsn, "--access-token", token,
		"--admin-user", adminUser, "--admin-password", adminPassword, "--language", "en", "--time-zone", "UTC",
		"--data-dir", w.dir, "--log-format", "text",
	}, args...)
	n.relay = newRelay(t, n.port)
	n.console = newConsole(t, n.port)
	w.nodes = append(w.nodes, n)
	return n
}

// start runs the node's process and waits until it is ready. It returns when
// the process was started.
func (n *node) start(t *testing.T) time.Time {
	t.Helper()
	begin := n.begin(t)
	n.waitReady(t)
	return begin
}

// begin runs the node's process and does not wait.
func (n *node) begin(t *testing.T) time.Time {
	t.Helper()
	begin := time.Now()
	n.process = launch(t, n.name, n.w.binary, n.args...)
	return begin
}

func (n *node) waitReady(t *testing.T) {
	t.Helper()
	waitFor(t, startLimit, n.name+" is ready", func() bool {
		require.False(t, n.ended(), "%s ended at its start: %v\n%s", n.name, n.err, n.tail())
		return n.status("/readyz") == 200
	})
}

// crash kills the node and starts it again after a pause. It notes the outage
// and returns when the new process was started.
func (n *node) crash(t *testing.T, down time.Duration) time.Time {
	t.Helper()
	from := time.Now().UnixMilli()
	n.kill()
	pass(t, down)
	began := n.start(t)
	n.w.outage(span{from, time.Now().UnixMilli()})
	return began
}

// outage notes that nobody could plan, and that what was on its way is in
// doubt.
func (w *world) outage(s span) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.outages = append(w.outages, s)
	w.resends = true
}

// doubt notes that runs may be sent again.
func (w *world) doubt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.resends = true
}

// away notes that an executor is away for a while: what is sent to it may fail,
// or be sent again.
func (w *world) away() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.resends, w.absent = true, true
}

// newExecutor starts a process with n executors that report by way of the
// relays of all nodes, and returns it. hang says which of them stops answering
// triggers at a SIGUSR1, -1 for none.
func (w *world) newExecutor(t *testing.T, n, hang int) *executor {
	t.Helper()
	x := &executor{dir: filepath.Join(w.dir, fmt.Sprintf("executor%d", len(w.executors)+1))}
	require.NoError(t, os.MkdirAll(x.dir, 0o700))
	var ports, admins []string
	for range n {
		ports = append(ports, freePort(t))
	}
	for _, node := range w.nodes {
		admins = append(admins, node.relay.url)
	}
	x.args = []string{
		"-ports", strings.Join(ports, ","), "-admin", strings.Join(admins, ","), "-token", token,
		"-appname", groupApp, "-dir", x.dir,
	}
	if hang >= 0 {
		x.args = append(x.args, "-hang", ports[hang])
	}
	w.executors = append(w.executors, x)
	x.start(t)
	return x
}

func (x *executor) start(t *testing.T) {
	t.Helper()
	binary, err := executorBinary()
	require.NoError(t, err)
	x.process = launch(t, filepath.Base(x.dir), binary, x.args...)
}

// records reads the journal.
func (x *executor) records(t *testing.T) []record {
	t.Helper()
	x.damaged = 0
	text, err := os.ReadFile(filepath.Join(x.dir, "journal"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	var list []record
	defer func() { require.LessOrEqual(t, x.damaged, x.kills, "damaged lines in the journal") }()
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) == "" || !strings.HasSuffix(line, "\n") {
			continue // a start; a line that is being written
		}
		r, err := parseRecord(strings.TrimSpace(line))
		if err != nil {
			x.damaged++ // cut off by a kill: what it tells of did not go on
			continue
		}
		list = append(list, r)
	}
	return list
}

// records reads the journals of all executors.
func (w *world) records(t *testing.T) []record {
	t.Helper()
	var list []record
	for _, x := range w.executors {
		list = append(list, x.records(t)...)
	}
	for _, j := range w.javas {
		list = append(list, j.records(t)...)
	}
	return list
}

// setUp starts the first node, makes the group and waits until as many
// executors are registered for it.
func (w *world) setUp(t *testing.T, executors int) {
	t.Helper()
	n := w.nodes[0]
	n.login(t)
	n.addGroup(t, groupApp)
	w.group = w.db.count(t, "SELECT max(id) FROM xxl_job_group")
	waitFor(t, startLimit, "executors are registered", func() bool {
		list := w.db.text(t, fmt.Sprintf("SELECT address_list FROM xxl_job_group WHERE id = %d", w.group))
		return list != "" && strings.Count(list, ",")+1 == executors
	})
}

// gather stops the jobs, waits until every run has ended, ends the executors in
// order and returns all that was seen.
func (w *world) gather(t *testing.T) *evidence {
	t.Helper()
	w.stopJobs(t)
	quiet := holds(quietLimit, func() bool {
		return w.db.count(t, "SELECT count(*) FROM xxljob_run") == 0
	})
	if !quiet {
		t.Logf("%d runs are open %v after the jobs were stopped", w.db.count(t, "SELECT count(*) FROM xxljob_run"), quietLimit)
	}
	for _, x := range w.executors {
		x.terminate(t, 30*time.Second)
	}
	for _, j := range w.javas {
		j.signal(t, syscall.SIGTERM)
		<-j.done // a JVM reports the signal in its status
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	e := &evidence{
		jobs: w.jobs, outages: w.outages, resends: w.resends, absent: w.absent,
		rows: w.db.rows(t), open: w.db.openRuns(t), records: w.records(t),
	}
	for _, n := range w.nodes {
		e.acks = append(e.acks, n.relay.acknowledged()...)
		for _, bad := range []string{"panic:", "goroutine 1 [", "WARNING: DATA RACE"} {
			assert.NotContains(t, n.text(), bad, "output of %s", n.name)
		}
	}
	return e
}

// prove fails the test with every breach of the promises.
func prove(t *testing.T, e *evidence) {
	t.Helper()
	breaches := check(e)
	for i, breach := range breaches {
		if i == 25 {
			t.Errorf("… and %d more", len(breaches)-i)
			break
		}
		t.Error(breach)
	}
	t.Log(e.figures())
}
