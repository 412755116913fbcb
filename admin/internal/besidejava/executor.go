package besidejava

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/internal/lifecycle"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// Params of jobs, which say how the executor treats them.
const (
	ParamGood   = "good"   // taken, and done at once
	ParamFail   = "fail"   // taken, and failed
	ParamRefuse = "refuse" // not taken
	ParamLong   = "long"   // taken, and done after ExecutorConfig.Long
	// ParamSlow is taken and done, but a trigger of ours is answered only after
	// ExecutorConfig.Slow: it has to find out what became of the run.
	ParamSlow = "slow"
)

// ExecutorConfig describes an Executor. All fields are required.
type ExecutorConfig struct {
	AppName string
	Token   string
	Ours    string // base address of our admin
	Java    string // base address of the Java node
	Long    time.Duration
	Slow    time.Duration
	Beat    time.Duration // between two heartbeats to both
}

// Fire is a trigger that arrived.
type Fire struct {
	Instant        // its Ms is 0 for retries of the Java node, and the creation for those of ours
	LogID    int64 // of the row
	FromJava bool
	Param    string
}

// Executor counts the triggers of both admins, and reports results to the one,
// the other, or both, by the log id. It speaks as a Java executor does. Its
// methods are safe for concurrent use.
type Executor struct {
	cfg     ExecutorConfig
	client  *http.Client
	group   *lifecycle.Group
	address string

	mu     sync.Mutex
	fires  []Fire
	known  map[int64]bool // log ids
	busy   map[int32]int  // runs at work by job
	unsent int            // results that no admin has taken yet
}

// NewExecutor returns an Executor that will be reached at an address.
func NewExecutor(ctx context.Context, address string, cfg ExecutorConfig) *Executor {
	return &Executor{
		cfg: cfg, address: address, group: lifecycle.NewGroup(ctx), known: make(map[int64]bool),
		busy: make(map[int32]int), client: &http.Client{Timeout: callTimeout, Transport: &http.Transport{}},
	}
}

// Start begins to send heartbeats.
func (e *Executor) Start() {
	e.group.Go(func(ctx context.Context) {
		body := (&wire.RegistryRequest{
			Group: wire.Str(wire.RegistryGroupExecutor), Key: wire.Str(e.cfg.AppName), Value: wire.Str(e.address),
		}).Append(nil)
		for {
			for _, base := range []string{e.cfg.Ours, e.cfg.Java} {
				_ = e.post(ctx, base+wire.PathRegistry, body) // an admin that is away hears the next one
			}
			if !pause(ctx, e.cfg.Beat) {
				return
			}
		}
	})
}

// Stop ends it and waits. Results that are not delivered are lost.
func (e *Executor) Stop() {
	e.group.Stop(errors.New("the executor stops"))
	e.client.CloseIdleConnections()
}

// Fires returns every trigger that arrived.
func (e *Executor) Fires() []Fire {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Fire(nil), e.fires...)
}

// Idle reports whether every result is delivered.
func (e *Executor) Idle() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.unsent == 0
}

// Handler answers triggers and questions.
func (e *Executor) Handler() http.Handler {
	mux := http.NewServeMux()
	success := wire.AppendResponse(nil, wire.Response{Code: wire.CodeSuccess})
	mux.HandleFunc(wire.PathBeat, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(success) })
	mux.HandleFunc(wire.PathRun, e.run)
	mux.HandleFunc(wire.PathIdleBeat, func(w http.ResponseWriter, r *http.Request) {
		req, err := read(r, wire.DecodeJob)
		e.mu.Lock()
		busy := e.busy[req.JobID] > 0
		e.mu.Unlock()
		if err != nil || busy {
			refuse(w, wire.TextBusy)
			return
		}
		_, _ = w.Write(success)
	})
	mux.HandleFunc(wire.PathLog, func(w http.ResponseWriter, r *http.Request) {
		req, err := read(r, wire.DecodeLog)
		e.mu.Lock()
		known := e.known[req.LogID]
		e.mu.Unlock()
		result := wire.LogResult{FromLineNum: req.FromLineNum, ToLineNum: 1, LogContent: "begun\n", IsEnd: true}
		if err != nil || !known {
			result = wire.LogResult{FromLineNum: req.FromLineNum, LogContent: wire.TextLogMissing, IsEnd: true}
		}
		_, _ = w.Write(wire.AppendLogResponse(nil, result))
	})
	return mux
}

func read[T any](r *http.Request, decode func([]byte) (T, error)) (T, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		var zero T
		return zero, err
	}
	return decode(body)
}

func refuse(w http.ResponseWriter, text string) {
	_, _ = w.Write(wire.AppendResponse(nil, wire.Response{Code: wire.CodeFail, Msg: wire.Str(text)}))
}

// run takes a trigger.
func (e *Executor) run(w http.ResponseWriter, r *http.Request) {
	req, err := read(r, wire.DecodeTrigger)
	if err != nil {
		refuse(w, err.Error())
		return
	}
	fire := Fire{
		Instant: Instant{Job: req.JobID, Ms: req.LogDateTime}, LogID: req.LogID, Param: req.ExecutorParams.String,
	}
	if planned := r.Header.Get(HeaderPlanned); planned != "" {
		fire.FromJava = true
		fire.Ms, _ = strconv.ParseInt(planned, 10, 64) // our own Node wrote it
	}
	takes := fire.Param != ParamRefuse
	e.mu.Lock()
	e.fires = append(e.fires, fire)
	if takes {
		e.known[fire.LogID] = true
		e.busy[fire.Job]++
		e.unsent++
	}
	e.mu.Unlock()
	if !takes {
		refuse(w, "not now")
		return
	}
	e.group.Go(func(ctx context.Context) { e.work(ctx, fire) })
	if fire.Param == ParamSlow && !fire.FromJava && !pause(r.Context(), e.cfg.Slow) {
		return
	}
	_, _ = w.Write(wire.AppendResponse(nil, wire.Response{Code: wire.CodeSuccess}))
}

// work does a run and reports its result.
func (e *Executor) work(ctx context.Context, fire Fire) {
	item := wire.CallbackItem{LogID: fire.LogID, LogDateTime: fire.Ms, Code: wire.CodeSuccess, Msg: wire.Str("done")}
	switch fire.Param {
	case ParamFail:
		item.Code, item.Msg = wire.CodeFail, wire.Str("failed")
	case ParamLong:
		pause(ctx, e.cfg.Long)
	}
	e.mu.Lock()
	e.busy[fire.Job]--
	e.mu.Unlock()
	body := wire.AppendCallbacks(nil, wire.FormArray, []wire.CallbackItem{item})
	targets := []string{e.cfg.Ours, e.cfg.Java}
	switch fire.LogID % 3 {
	case 0: // to both at once
		var wait sync.WaitGroup
		wait.Go(func() { e.deliver(ctx, body, targets[0]) })
		e.deliver(ctx, body, targets[1])
		wait.Wait()
	case 1:
		e.deliver(ctx, body, targets[0], targets[1])
	default:
		e.deliver(ctx, body, targets[1], targets[0])
	}
	e.mu.Lock()
	e.unsent--
	e.mu.Unlock()
}

// deliver posts a result to the first admin that takes it, until one does.
func (e *Executor) deliver(ctx context.Context, body []byte, bases ...string) {
	for ctx.Err() == nil {
		for _, base := range bases {
			if e.post(ctx, base+wire.PathCallback, body) == nil {
				return
			}
		}
		pause(ctx, 200*time.Millisecond)
	}
}

// post sends a body and returns nil for an answer with code 200.
func (e *Executor) post(ctx context.Context, url string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set(wire.HeaderToken, e.cfg.Token)
	req.Header.Set("Content-Type", "application/json;charset=UTF-8")
	res, err := e.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	answer, err := wire.DecodeResponse(text)
	if err != nil {
		return err
	}
	if answer.Code != wire.CodeSuccess {
		return fmt.Errorf("code %d: %s", answer.Code, answer.Msg.String)
	}
	return nil
}
