package xxljobtest

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// faultKind is a way in which the Admin fails.
type faultKind int

const (
	faultNone   faultKind = iota
	faultDown             // connections are reset
	faultHang             // calls are not answered
	faultStatus           // answers with an HTTP status and an envelope
	faultAnswer           // takes what is sent and drops the connection
)

// fault is how the Admin fails at the moment.
type fault struct {
	kind   faultKind
	status int
	code   int32
	msg    string
	ended  chan struct{} // closed when another state takes its place
}

// Down makes the Admin unreachable: every call, also one that is under way,
// has its connection reset. The port stays taken, so that nobody else gets it;
// for refused connections, Close the Admin and start another one with
// Options.Addr.
func (a *Admin) Down() { a.fail(fault{kind: faultDown}) }

// Hang makes the Admin take every call and not answer. When the state ends,
// calls that were not answered are dropped.
func (a *Admin) Hang() { a.fail(fault{kind: faultHang}) }

// Status makes the Admin answer every call with an HTTP status, e.g. 500 or
// 302, and a body that says so.
func (a *Admin) Status(status int) {
	a.fail(fault{kind: faultStatus, status: status, code: wire.CodeFail, msg: fmt.Sprintf("HTTP status %d", status)})
}

// Refuse makes the Admin answer every call with this code and message, and
// HTTP status 200, as an admin does whose database is gone.
func (a *Admin) Refuse(code int, msg string) {
	a.fail(fault{kind: faultStatus, status: http.StatusOK, code: int32(code), msg: msg})
}

// LoseAnswers makes the Admin take what is sent and break the connection
// instead of answering, so that the executor has to send it again.
func (a *Admin) LoseAnswers() { a.fail(fault{kind: faultAnswer}) }

// RefuseIf makes the Admin refuse every callback that holds a result for which
// refuse returns true, whatever else is in it. It adds to the other states; nil
// ends it. refuse must not call the Admin.
func (a *Admin) RefuseIf(refuse func(logID int64) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refuseIf = refuse
}

// Up ends every state of failure, that of RefuseIf included.
func (a *Admin) Up() {
	a.RefuseIf(nil)
	a.fail(fault{})
}

// fail puts one state in the place of another.
func (a *Admin) fail(f fault) {
	f.ended = make(chan struct{})
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fault.ended != nil {
		close(a.fault.ended)
	}
	a.fault = f
}

// arrived counts a call and returns the fault that it meets.
func (a *Admin) arrived() fault {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls++
	a.notifyLocked()
	return a.fault
}

// Calls returns the number of calls that have arrived, of any kind, those that
// were failed or refused included.
func (a *Admin) Calls() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.calls
}

// AwaitCalls blocks until Calls is n or more: n calls of executors have met the
// state in which the Admin was then. It returns the cause of ctx's end, or
// ErrClosed.
func (a *Admin) AwaitCalls(ctx context.Context, n int) error {
	return a.wait(ctx, func() bool { return a.calls >= n })
}

// before does what the fault does to a call before it is looked at. It reports
// whether the fault's own answer is to be given.
func (f *fault) before(w http.ResponseWriter, r *http.Request, closed <-chan struct{}) bool {
	switch f.kind {
	case faultDown:
		reset(w)
		panic(http.ErrAbortHandler)
	case faultHang:
		select {
		case <-f.ended:
		case <-r.Context().Done():
		case <-closed:
		}
		panic(http.ErrAbortHandler)
	case faultStatus:
		return true
	}
	return false
}

// reset breaks a connection as the kernel of a host does that has no such port.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // so that Close resets
	}
	_ = conn.Close() // nobody can act on it
}

// refuses returns the text with which RefuseIf refuses a callback, or "".
func (a *Admin) refuses(items []wire.CallbackItem) string {
	a.mu.Lock()
	refuse := a.refuseIf
	a.mu.Unlock()
	if refuse == nil {
		return ""
	}
	for _, item := range items {
		if refuse(item.LogID) {
			return fmt.Sprintf("result of run %d is refused", item.LogID)
		}
	}
	return ""
}
