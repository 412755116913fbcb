package xxljob

import (
	"context"
	"log/slog"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/internal/journal"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// runLog writes a run's log in Java's layout (wire.md 4): entries of the form
//
//	yyyy-MM-dd HH:mm:ss [class#method]-[line]-[thread] text
//
// After close it drops what is written, and counts it.
type runLog struct {
	file    logFile
	thread  string // as Java names its threads: xxl-job, JobThread-<jobId>-<ms>
	tee     *slog.Logger
	dropped *atomic.Int64

	mu     sync.Mutex
	closed bool
	slog   *slog.Logger // made by the first call of logger
}

// logFile takes the text of a runLog: a *joblog.Log, or memory while package
// xxljobtest runs a handler.
type logFile interface {
	Append(entry []byte) bool
	AppendEnd(entry []byte) bool // Append, also beyond the log's limit
	Write(p []byte) (int, error)
	End() // closes it; what is in memory is written a moment later
}

// site is the place in the code that an entry names.
type site struct {
	class, method string
	line          int
}

// Places of the executor's own entries, fixed so that they cost nothing.
var (
	siteRun      = site{class: "xxljob.jobThread", method: "run"}
	siteCallback = site{class: "xxljob.callback", method: "send"}
	siteScript   = site{class: "xxljob.script", method: "run"}
)

// appendPrefix appends the head of an entry, up to the text.
func appendPrefix(dst []byte, now time.Time, s site, thread string) []byte {
	dst = append(dst, secondOf(now)...)
	dst = append(dst, " ["...)
	dst = append(dst, s.class...)
	dst = append(dst, '#')
	dst = append(dst, s.method...)
	dst = append(dst, "]-["...)
	dst = strconv.AppendInt(dst, int64(s.line), 10)
	dst = append(dst, "]-["...)
	dst = append(dst, thread...)
	return append(dst, "] "...)
}

// stamp is a second as entries write it.
type stamp struct {
	second int64
	text   string
}

// lastStamp spares most entries the formatting of their time.
var lastStamp atomic.Pointer[stamp]

// secondOf returns now in local time, to the second.
func secondOf(now time.Time) string {
	if last := lastStamp.Load(); last != nil && last.second == now.Unix() {
		return last.text
	}
	made := &stamp{second: now.Unix(), text: now.Format("2006-01-02 15:04:05")}
	lastStamp.Store(made)
	return made.text
}

// entryBuffers keep the buffers in which entries are formatted.
var entryBuffers = sync.Pool{New: func() any { buf := make([]byte, 0, 512); return &buf }}

// formatEntry calls use with one entry, which is only valid meanwhile.
func formatEntry(s site, thread string, parts []string, use func(line []byte)) {
	buf := entryBuffers.Get().(*[]byte)
	line := appendPrefix((*buf)[:0], time.Now(), s, thread)
	for _, part := range parts {
		line = append(line, part...)
	}
	line = append(line, '\n')
	use(line)
	if cap(line) <= 64<<10 { // a huge entry must not keep its memory
		*buf = line
	}
	entryBuffers.Put(buf)
}

// entry writes one entry. It reports whether it was taken.
func (l *runLog) entry(s site, parts ...string) (taken bool) {
	formatEntry(s, l.thread, parts, func(line []byte) { taken = l.append(line, l.file.Append) })
	return taken
}

// endEntry writes one of the entries that a log ends with, which its limit does
// not stop.
func (l *runLog) endEntry(parts ...string) {
	formatEntry(siteRun, l.thread, parts, func(line []byte) { l.append(line, l.file.AppendEnd) })
}

// append hands finished text to the file.
func (l *runLog) append(text []byte, add func([]byte) bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		l.dropped.Add(1)
		return false
	}
	add(text)
	return true
}

// Write adds raw text, the output of a script.
func (l *runLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		l.dropped.Add(1)
		return len(p), nil
	}
	return l.file.Write(p)
}

// close ends the log. Nothing is taken afterwards.
func (l *runLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		l.file.End()
	}
}

// logger returns the slog face of the log.
func (l *runLog) logger() *slog.Logger {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slog == nil {
		var h slog.Handler = &runLogHandler{log: l}
		if l.tee != nil {
			h = slog.NewMultiHandler(h, l.tee.Handler())
		}
		l.slog = slog.New(h)
	}
	return l.slog
}

// runLogHandler formats records for a runLog: level unless it is INFO, the
// message, then the attributes as key=value.
type runLogHandler struct {
	log    *runLog
	attrs  string // formatted attributes of WithAttrs
	groups string // dotted prefix of WithGroup
}

// Enabled reports true: the run's log takes every level.
func (h *runLogHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle writes one record as one entry.
func (h *runLogHandler) Handle(_ context.Context, rec slog.Record) error {
	var text strings.Builder
	if rec.Level != slog.LevelInfo {
		text.WriteString(rec.Level.String())
		text.WriteByte(' ')
	}
	text.WriteString(rec.Message)
	text.WriteString(h.attrs)
	rec.Attrs(func(a slog.Attr) bool {
		appendAttr(&text, h.groups, a)
		return true
	})
	h.log.entry(siteOf(rec.PC), text.String())
	return nil
}

// WithAttrs returns a handler that adds attrs to every entry.
func (h *runLogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var text strings.Builder
	text.WriteString(h.attrs)
	for _, a := range attrs {
		appendAttr(&text, h.groups, a)
	}
	return &runLogHandler{log: h.log, attrs: text.String(), groups: h.groups}
}

// WithGroup returns a handler that qualifies the keys that follow with name.
func (h *runLogHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &runLogHandler{log: h.log, attrs: h.attrs, groups: h.groups + name + "."}
}

// appendAttr writes " key=value", flattening groups and quoting where needed.
func appendAttr(text *strings.Builder, prefix string, a slog.Attr) {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, member := range v.Group() {
			appendAttr(text, prefix, member)
		}
		return
	}
	if a.Equal(slog.Attr{}) {
		return
	}
	text.WriteByte(' ')
	text.WriteString(prefix)
	text.WriteString(a.Key)
	text.WriteByte('=')
	s := v.String()
	if v.Kind() == slog.KindTime {
		s = v.Time().Format(time.RFC3339Nano)
	}
	if s == "" || strings.ContainsAny(s, " \t\r\n\"=") {
		s = strconv.Quote(s)
	}
	text.WriteString(s)
}

// callerSite returns the place of the caller's caller.
func callerSite(skip int) site {
	var pcs [1]uintptr
	runtime.Callers(skip+2, pcs[:])
	return siteOf(pcs[0])
}

// siteOf returns the place that pc stands for: package and file as class.
func siteOf(pc uintptr) site {
	if pc == 0 {
		return site{class: "go", method: "log"}
	}
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	name := frame.Function[strings.LastIndexByte(frame.Function, '/')+1:]
	pkg, method, _ := strings.Cut(name, ".")
	file := strings.TrimSuffix(filepath.Base(frame.File), ".go")
	return site{class: pkg + "." + file, method: method, line: frame.Line}
}

// callbackThread is what Java calls the thread that reports results.
const callbackThread = "xxl-job, executor TriggerCallbackThread"

// threadName names a job thread as Java does.
func threadName(jobID int32) string {
	return "xxl-job, JobThread-" + strconv.Itoa(int(jobID)) + "-" + strconv.FormatInt(time.Now().UnixMilli(), 10)
}

// openLog gives the run its log. Nothing is written yet.
func (r *Run) openLog() {
	d := r.thread.d
	r.log = &runLog{
		file:    d.logs.Log(r.LogID(), r.TriggerTime()),
		thread:  r.thread.name,
		dropped: &d.lateEntries,
	}
	if d.cfg.LogRuns {
		r.log.tee = d.cfg.Logger.With(slog.String("app", d.cfg.AppName),
			slog.Int("job_id", r.JobID()), slog.Int64("log_id", r.LogID()))
	}
}

// logEnd writes the last entries of the run itself (wire.md 3.3) and closes
// its log.
func (r *Run) logEnd(res journal.Result, stop *stopReason, err error) {
	if stop != nil {
		r.log.endEntry(wire.LogStopping, stop.text)
	} else if res.Code == wire.CodeTimeout {
		r.log.endEntry(wire.LogTimeout)
	}
	if res.Code == wire.CodeFail && err != nil {
		r.log.endEntry(wire.LogException, errorText(err), wire.LogEndError)
	} else {
		r.log.endEntry(wire.LogEndText(res.Code, wire.NullString{String: res.Msg, Valid: res.HasMsg}))
	}
	r.log.close()
}

// readLog answers /log (wire.md 4.3) with the page that begins at line
// q.FromLineNum. A run that waits in a queue has no file yet: its answer is
// empty and not the end.
func (s *service) readLog(q *wire.LogRequest) (wire.LogResult, error) {
	answer := wire.LogResult{FromLineNum: q.FromLineNum}
	page, err := s.logs.Read(q.LogID, time.UnixMilli(q.LogDateTime), q.FromLineNum)
	switch {
	case err != nil:
		return answer, err
	case page.Found:
		answer.ToLineNum = page.To
		answer.LogContent = string(page.Text)
	case !s.dispatch.isLive(q.LogID):
		answer.LogContent = wire.TextLogMissing
		answer.IsEnd = true
	}
	return answer, nil
}
