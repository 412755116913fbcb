package dispatch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// sending is a trigger that was written to a socket.
type sending struct {
	logID   int64
	address string
	at      time.Time
	request wire.TriggerRequest
}

// played is executors behind the client. Its lanes write at once, unless they
// are blocked: then calls wait and can be taken back.
type played struct {
	mu       sync.Mutex
	calls    map[*execclient.Call]sending
	sendings []sending
	waiting  map[*execclient.Call]func(execclient.Result)
	blocked  bool
	takes    time.Duration // until the answer
	reply    func(s sending) execclient.Result
	native   map[string]bool
	dead     map[string]bool
	beat     func(address string) error
	idle     func(address string) (bool, string, error)
	log      func(id int64) (bool, error) // whether there is a file
	noLog    bool                         // an answer to log holds none
	asked    []string
	warm     map[string]int
	wg       sync.WaitGroup
}

func (p *played) Prepare(t execclient.Target, r *wire.TriggerRequest) *execclient.Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := new(execclient.Call)
	p.calls[c] = sending{logID: r.LogID, address: t.Address, request: *r}
	return c
}

func (p *played) Warm(address string, n int) { p.mu.Lock(); defer p.mu.Unlock(); p.warm[address] += n }

func (p *played) Send(call *execclient.Call, done func(execclient.Result)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.blocked {
		p.waiting[call] = done
		return
	}
	p.writeLocked(call, done)
}

func (p *played) writeLocked(call *execclient.Call, done func(execclient.Result)) {
	s := p.calls[call]
	s.at = time.Now()
	p.sendings = append(p.sendings, s)
	takes, reply := p.takes, p.reply
	p.wg.Go(func() {
		<-time.After(takes)
		r := reply(s)
		r.SentAt = s.at
		if r.Kind != execclient.Unknown {
			r.AnsweredAt = time.Now()
		}
		done(r)
	})
}

// unblock lets the lanes go on.
func (p *played) unblock() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blocked = false
	for c, done := range p.waiting {
		p.writeLocked(c, done)
	}
	clear(p.waiting)
}

func (p *played) Cancel(call *execclient.Call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.waiting[call]
	delete(p.waiting, call)
	return ok
}

func (p *played) question(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, what)
}

func (p *played) questions() []string { p.mu.Lock(); defer p.mu.Unlock(); return slices.Clone(p.asked) }

func (p *played) Beat(ctx context.Context, t execclient.Target) error {
	p.question("beat " + t.Address)
	if err := p.beat(t.Address); !errors.Is(err, errHangs) {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

func (p *played) IdleBeat(ctx context.Context, t execclient.Target, _ int32) (bool, string, error) {
	p.question("idle " + t.Address)
	free, msg, err := p.idle(t.Address)
	if errors.Is(err, errHangs) {
		<-ctx.Done()
		return false, "", ctx.Err()
	}
	return free, msg, err
}

func (p *played) Log(ctx context.Context, _ execclient.Target, r wire.LogRequest) (wire.Response, wire.LogResult, error) {
	p.question("log")
	has, err := p.log(r.LogID)
	if errors.Is(err, errHangs) {
		<-ctx.Done()
		err = ctx.Err()
	}
	if err != nil {
		return wire.Response{}, wire.LogResult{}, err
	}
	content := wire.TextLogMissing
	switch {
	case p.noLog:
		content = ""
	case has:
		content = "started"
	}
	return wire.Response{Code: 200}, wire.LogResult{LogContent: content}, nil
}

func (p *played) Dead(address string) bool { p.mu.Lock(); defer p.mu.Unlock(); return p.dead[address] }

func (p *played) Native(address string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.native[address]
}

func (p *played) sent() []sending { p.mu.Lock(); defer p.mu.Unlock(); return slices.Clone(p.sendings) }

func (p *played) set(change func()) { p.mu.Lock(); defer p.mu.Unlock(); change() }

var (
	errHangs = errors.New("hangs")
	errDown  = errors.New("connection refused")
)

func accepted(sending) execclient.Result {
	return execclient.Result{Kind: execclient.Accepted, Code: 200, Msg: "Success"}
}

func unanswered(sending) execclient.Result {
	return execclient.Result{Kind: execclient.Unknown, Code: 500, Msg: "no answer <3s>", Err: errHangs}
}

// firstOf is a router that takes the first address.
type firstOf struct{}

func (firstOf) Pick(_ model.Route, _ int32, addrs []string, _ time.Time) (string, error) {
	return addrs[0], nil
}

type world struct {
	*Dispatcher

	exec *played

	mu       sync.Mutex
	groups   map[int32]*model.Group
	reports  []model.Outcome
	reported []time.Time
	noted    map[int64]string
	noteErr  error
	refused  map[int64]error // of noting, by log id
	notings  []int           // how many addresses each call noted
	stopped  bool            // the job is, by somebody else
	stale    bool            // the lease is not fresh
	lost     bool            // nor kept
	late     []time.Duration
	missing  int                    // how often news of groups were asked for
	news     map[int32]*model.Group // what they are
	stop     func()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldWith(t, func(*Config) {})
}

func newWorldWith(t *testing.T, change func(*Config)) *world {
	t.Helper()
	w := &world{
		exec: &played{
			calls: make(map[*execclient.Call]sending), waiting: make(map[*execclient.Call]func(execclient.Result)),
			native: make(map[string]bool), dead: make(map[string]bool), warm: make(map[string]int), reply: accepted,
			beat: func(string) error { return nil },
			idle: func(string) (bool, string, error) { return true, "", nil },
			log:  func(int64) (bool, error) { return false, nil },
		},
		groups: map[int32]*model.Group{1: {ID: 1, AppName: "app", AddressList: model.T("http://a/,http://b/,http://c/")}},
		noted:  make(map[int64]string),
	}
	cfg := Config{
		Client: w.exec, Router: firstOf{}, Lang: i18n.En, Node: "node <1>",
		Group: func(id int32) (*model.Group, bool) {
			w.mu.Lock()
			defer w.mu.Unlock()
			g, ok := w.groups[id]
			return g, ok
		},
		MaySend: func(_ int32, _ int64) bool { w.mu.Lock(); defer w.mu.Unlock(); return !w.stale },
		Keeps:   func(_ int32, token int64) bool { w.mu.Lock(); defer w.mu.Unlock(); return token == 0 || !w.lost },
		Report: func(o model.Outcome) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if o.Trigger != nil {
				o.Trigger.Written()
			}
			w.reports, w.reported = append(w.reports, o), append(w.reported, time.Now())
		},
		Stopped: func(context.Context, int32) bool { w.mu.Lock(); defer w.mu.Unlock(); return w.stopped },
		SetAddresses: func(ctx context.Context, addresses map[int64]string) (map[int64]error, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.notings = append(w.notings, len(addresses))
			if errors.Is(w.noteErr, errHangs) {
				w.mu.Unlock()
				<-ctx.Done()
				w.mu.Lock()
				return nil, ctx.Err()
			}
			if w.noteErr != nil {
				return nil, w.noteErr
			}
			failed := make(map[int64]error)
			for id, address := range addresses {
				if err := w.refused[id]; err != nil {
					failed[id] = err
					continue
				}
				w.noted[id] = address
			}
			return failed, nil
		},
		Missing: func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.missing++
			if w.news != nil {
				w.groups = w.news
			}
		},
		Sent: func(_ model.TriggerType, late time.Duration) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.late = append(w.late, late)
		},
	}
	change(&cfg)
	d, err := New(t.Context(), cfg)
	require.NoError(t, err)
	w.Dispatcher = d
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); d.Run(ctx) }()
	w.stop = func() { cancel(); <-ended; w.exec.wg.Wait() }
	t.Cleanup(func() { w.exec.unblock(); w.stop() })
	return w
}

func (w *world) set(change func()) { w.mu.Lock(); defer w.mu.Unlock(); change() }

func (w *world) outcomes() []model.Outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.reports)
}

func (w *world) outcome(t *testing.T) *model.TriggerResult {
	t.Helper()
	list := w.outcomes()
	require.Len(t, list, 1)
	return list[0].Trigger
}

func bean(route model.Route) *model.Job {
	return &model.Job{
		ID: 3, GroupID: 1, Name: "job", Route: route, Handler: model.T("demo"), Param: model.T("p"),
		Block: model.BlockSerial, GlueType: model.GlueBean, Retries: 2,
	}
}

// item is a planned run of the job that is due after d.
func (w *world) item(id int64, j *model.Job, d time.Duration) Item {
	at := time.Now().Add(d)
	run := w.NewRuns(j, Trigger{Type: model.TriggerCron, At: at, Planned: true, Token: 5})[0]
	run.LogID = id
	return Item{Run: run, Job: j, Due: at}
}

func wait(d time.Duration) { <-time.After(d) }
