package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// namespace begins the name of every series of ours.
const namespace = "xxljob"

// Buckets in seconds, and of rows.
var (
	latenessBuckets = []float64{.001, .0025, .005, .01, .025, .05, .075, .1, .15, .2, .3, .5, 1, 2, 5, 10, 60}
	storeBuckets    = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	rowBuckets      = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
)

// Metrics are the numbers of one admin, in a registry of their own. New makes
// them. All methods are safe for concurrent use, block never, and cost well
// under a microsecond.
type Metrics struct {
	registry *prometheus.Registry
	lateness *prometheus.HistogramVec
	late     map[model.TriggerType]prometheus.Observer // of lateness, found without a lock
	fires    *prometheus.CounterVec
	fired    map[model.TriggerType]prometheus.Counter
	planned  prometheus.Counter
	planning prometheus.Histogram
	misfires prometheus.Counter
	doubles  prometheus.Counter
	ended    *prometheus.CounterVec
	void     *prometheus.CounterVec
	voids    map[Void]prometheus.Counter
	batch    prometheus.Histogram
	writing  prometheus.Histogram
	calls    prometheus.Histogram
	refused  prometheus.Counter
	ops      *prometheus.HistogramVec
	opFaults *prometheus.CounterVec
	opNames  *names
	alarms   *prometheus.CounterVec
}

// New returns the metrics of an admin, with those of the Go runtime and of the
// process. version is shown in xxljob_build_info.
func New(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), opNames: newNames(64)}
	m.makeRuns()
	m.makeStore()
	m.alarms = counters("alarms_total", "Alarms by channel and by what became of them (sent, failed, dropped).",
		"channel", "result")
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "1, with the version of the admin.",
	}, []string{"version"})
	build.WithLabelValues(label(version)).Set(1)
	m.registry.MustRegister(
		m.lateness, m.fires, m.planned, m.planning, m.misfires, m.doubles, m.ended, m.void,
		m.batch, m.writing, m.calls, m.refused, m.ops, m.opFaults, m.alarms, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// makeRuns makes what concerns runs. Every series exists from the start, so that
// a rate over it is right from the first event on.
func (m *Metrics) makeRuns() {
	m.lateness = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: "fire_lateness_seconds", Buckets: latenessBuckets,
		Help: "From the planned instant of a run to the moment its trigger was written to the executor's socket.",
	}, []string{"type"})
	m.fires = counters("fires_total", "Triggers sent, by type.", "type")
	m.late = make(map[model.TriggerType]prometheus.Observer)
	m.fired = make(map[model.TriggerType]prometheus.Counter)
	for _, t := range []model.TriggerType{
		model.TriggerCron, model.TriggerMisfire, model.TriggerManual, model.TriggerAPI, model.TriggerRetry,
		model.TriggerParent, otherType,
	} {
		m.fired[t] = m.fires.WithLabelValues(string(t))
	}
	for _, t := range []model.TriggerType{model.TriggerCron, model.TriggerMisfire} {
		m.late[t] = m.lateness.WithLabelValues(string(t)) // the others have no planned instant
	}
	m.planned = counter("runs_planned_total", "Runs recorded by the scheduler.")
	m.planning = histogram("plan_seconds", "Length of a planning pass that planned something.", storeBuckets)
	m.misfires = counter("misfires_total", "Planned instants that were missed and recorded as a gap.")
	m.doubles = counter("duplicates_suppressed_total", "Runs not recorded because the instant had a run already.")
	m.ended = counters("runs_ended_total", "Runs that ended, by result, as the code says, and by kind.",
		"result", "kind")
	for kind, word := range endWords {
		m.ended.WithLabelValues(resultOf(codeOf(kind)), word)
	}
	m.void = counters("results_void_total", "Results that ended no run: it had ended otherwise (late), the same "+
		"result had come before (repeated), there is no such run (unknown).", "reason")
	m.voids = make(map[Void]prometheus.Counter)
	for _, v := range []Void{ResultLate, ResultRepeated, ResultUnknown} {
		m.voids[v] = m.void.WithLabelValues(string(v))
	}
}

// makeStore makes what concerns results and the database.
func (m *Metrics) makeStore() {
	m.batch = histogram("completion_batch_rows", "Rows that one transaction of results stored.", rowBuckets)
	m.writing = histogram("completion_batch_seconds", "Length of a transaction of results.", storeBuckets)
	m.calls = histogram("callback_items", "Results in one call of an executor.", rowBuckets)
	m.refused = counter("wrong_tokens_total", "Calls of executors and programs refused for a wrong access token.")
	m.ops = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: "store_seconds", Buckets: storeBuckets,
		Help: "Length of an operation of the store, by operation.",
	}, []string{"op"})
	m.opFaults = counters("store_errors_total", "Operations of the store that ended with an error.", "op")
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func histogram(name, help string, buckets []float64) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: namespace, Name: name, Help: help, Buckets: buckets,
	})
}

// otherType counts triggers of a type that is not known here.
const otherType model.TriggerType = "other"

// Fired counts a trigger that was sent, late after its planned instant. Only
// types that are planned have a lateness.
func (m *Metrics) Fired(t model.TriggerType, late time.Duration) {
	c := m.fired[t]
	if c == nil {
		c = m.fired[otherType]
	}
	c.Inc()
	if o := m.late[t]; o != nil {
		o.Observe(max(late, 0).Seconds())
	}
}

// Planned counts the runs of a planning pass and how long it took.
func (m *Metrics) Planned(runs int, took time.Duration) {
	m.planned.Add(float64(max(runs, 0)))
	if runs > 0 {
		m.planning.Observe(took.Seconds())
	}
}

// Misfired counts planned instants that were recorded as a gap.
func (m *Metrics) Misfired(instants int) { m.misfires.Add(float64(max(instants, 0))) }

// Suppressed counts runs that had a record already.
func (m *Metrics) Suppressed(runs int) { m.doubles.Add(float64(max(runs, 0))) }

// endWords are the kinds of ends in the words of the REST API.
var endWords = map[model.EndKind]string{
	model.EndOK: "success", model.EndFailed: "failed", model.EndTimeout: "timeout", model.EndKilled: "killed",
	model.EndSkipped: "skipped", model.EndLost: "lost", model.EndUnsent: "unsent", model.EndReplaced: "replaced",
}

// codeOf is the code with which runs of a kind end.
func codeOf(kind model.EndKind) int32 {
	switch kind {
	case model.EndOK:
		return model.CodeSuccess
	case model.EndTimeout:
		return model.CodeTimeout
	default:
		return model.CodeFail
	}
}

// resultOf is the result that a code stands for.
func resultOf(code int32) string {
	switch code {
	case model.CodeSuccess:
		return "success"
	case model.CodeTimeout:
		return "timeout"
	default:
		return "failed"
	}
}

// Ended counts a run that ended with this code, that of its result, or of its
// trigger when it was refused, and how it ended.
func (m *Metrics) Ended(code int32, kind model.EndKind) {
	word, known := endWords[kind]
	if !known {
		word = resultOf(code)
	}
	m.ended.WithLabelValues(resultOf(code), word).Inc()
}

// Void is why a result ended no run.
type Void string

// The reasons.
const (
	ResultLate     Void = "late"     // its run had ended with another result, or as a failed trigger
	ResultRepeated Void = "repeated" // the same result is on record
	ResultUnknown  Void = "unknown"  // there is no such run, or it was cleared
)

// Voided counts a result that ended no run. Other reasons than those above are
// not counted.
func (m *Metrics) Voided(v Void) {
	if c := m.voids[v]; c != nil {
		c.Inc()
	}
}

// Stored counts a transaction of results: its rows, and how long it took.
func (m *Metrics) Stored(rows int, took time.Duration) {
	m.batch.Observe(float64(rows))
	m.writing.Observe(took.Seconds())
}

// Callback counts a call of an executor and the results in it.
func (m *Metrics) Callback(items int) { m.calls.Observe(float64(items)) }

// Refused counts a call that was refused for its access token.
func (m *Metrics) Refused() { m.refused.Inc() }

// StoreOp counts an operation of the store, how long it took, and whether it
// ended with an error. op is a name of the program's, not of its data.
func (m *Metrics) StoreOp(op string, took time.Duration, err error) {
	op = m.opNames.bound(op)
	m.ops.WithLabelValues(op).Observe(took.Seconds())
	if err != nil {
		m.opFaults.WithLabelValues(op).Inc()
	}
}

// Alarm counts what became of an alarm in a channel; it fits alarm.Config.Observe.
func (m *Metrics) Alarm(channel, result string) {
	m.alarms.WithLabelValues(label(channel), label(result)).Inc()
}

// Handler answers a scrape. At most four are answered at once, and a part that
// cannot be collected does not keep the others from their answer.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4, Registry: m.registry,
	})
}
