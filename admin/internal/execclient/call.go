package execclient

import (
	"errors"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// Target is an executor and how to show oneself to it.
type Target struct {
	Address string // http://host:port/, as registered
	AppName string // of its group; sent as XXL-JOB-APPNAME unless empty
	Token   string // of its group; "" means Config.GlobalToken
	// Old is a token that the executor may still have instead, if Overlap says so:
	// one that refuses Token is asked once more with it, and which of them it takes
	// is remembered. "" means Config.GlobalToken.
	Old     string
	Overlap bool
}

// Kind says what is known of a call when it is over.
type Kind int8

// The kinds. For a trigger, Accepted and Repeat mean that the executor has it,
// Refused and NotSent that it surely has not, Unknown that it may have.
const (
	Accepted Kind = iota + 1 // answered with code 200
	Refused                  // answered with another code, or with a status that says no
	Repeat                   // the executor says that it has this trigger already
	NotSent                  // no connection, no room, too late, closed: nothing was acted upon
	Unknown                  // no answer, or none that an executor gives
)

// String returns a name for logs and labels of metrics.
func (k Kind) String() string {
	switch k {
	case Accepted:
		return "accepted"
	case Refused:
		return "refused"
	case Repeat:
		return "repeat"
	case NotSent:
		return "not_sent"
	case Unknown:
		return "unknown"
	default:
		return "none"
	}
}

// Result is how a call ended.
type Result struct {
	Kind Kind
	// Code is the executor's, or 500 when it gave none.
	Code int32
	// Msg is the executor's message, or a text for people, in the form of Java's
	// newer admins. It is not escaped.
	Msg string
	// Err is the reason when the executor gave no proper answer, else nil.
	Err error
	// SentAt is when the first byte was about to be written, zero if none was.
	SentAt time.Time
	// AnsweredAt is when the answer was read, zero without one.
	AnsweredAt time.Time
	// Native says that our own executor answered.
	Native bool
}

// Error is the error of the calls that block: the executor gave no proper
// answer, or Beat was answered with a code that is not 200.
type Error struct{ Result Result }

// Error returns the message of the result.
func (e *Error) Error() string { return e.Result.Msg }

// Unwrap returns the error of the result.
func (e *Error) Unwrap() error { return e.Result.Err }

// Errors in Result.Err, beside those of the network.
var (
	ErrClosed    = errors.New("execclient: the client is closed")
	ErrQueueFull = errors.New("execclient: the queue of the address is full")
	ErrQueueLate = errors.New("execclient: waited too long in the queue of the address")
	ErrFenced    = errors.New("execclient: no longer allowed to send this")
	ErrStatus    = errors.New("execclient: the HTTP status is not 200")
	ErrAnswer    = errors.New("execclient: the answer is not that of an executor")
)

// form is how a call is dressed for an address.
type form struct {
	trigger bool // PathTrigger instead of PathRun
	bare    bool // without the application's name
	old     bool // with the old token
}

// Call is a request, encoded and ready to be written. Make one with
// Client.Prepare and hand it to Client.Send; it may be sent again, also to be
// settled, once the done function of the last sending was called.
type Call struct {
	// Guard is asked right before the first byte is written; false ends the call
	// with ErrFenced. A call may have waited in its lane, and the process may
	// have been frozen, since the caller looked. It runs on a goroutine of the
	// lane and must not block. Default nil: always allowed.
	Guard func() bool

	lane   *lane
	target Target
	path   string // of the endpoint; "" for a trigger, whose path depends on the dialect
	safe   bool   // changes nothing: may be repeated
	limit  int    // largest answer in bytes
	body   []byte // a part of request
	err    error  // why it cannot be sent at all
	decode func(body []byte) (wire.Response, error)
	look   func(*fasthttp.Response) // sees every answer as it came; on a goroutine of the lane; nil is none

	request []byte // header and body as in form
	form    form

	// Of one sending.
	done      func(Result)
	late      time.Time // when it is too late to write it
	until     time.Time // when nobody waits for the answer any more; zero is never
	sentAt    time.Time
	tries     int           // connections that broke
	forced    bool          // dress is asked for, not what suits the address
	dress     form          // of the next exchange
	switched  bool          // the other path was tried
	undressed bool          // the other headers were tried
	retokened bool          // the other token was tried in these headers
	first     Result        // why they were
	answer    wire.Response // what the executor said, for the calls that block
}

// isTrigger reports whether the call makes something run.
func (c *Call) isTrigger() bool { return c.path == "" }

// tellsSuccess reports whether a success of this call has no payload, in any
// generation.
func (c *Call) tellsSuccess() bool {
	return c.isTrigger() || c.path == wire.PathBeat || c.path == wire.PathIdleBeat
}

// pathIn returns the path of the call in a form, without the address's own.
func (c *Call) pathIn(f form) string {
	switch {
	case c.path != "":
		return c.path
	case f.trigger:
		return wire.PathTrigger
	default:
		return wire.PathRun
	}
}

// url is the call's, for texts.
func (c *Call) url() string { return c.lane.ep.url + c.pathIn(c.form) }

// encode writes the request as in f, unless it is so already.
func (c *Call) encode(f form) {
	if c.request != nil && c.form == f {
		return
	}
	ep := &c.lane.ep
	// Java's headers and what the names and the numbers take.
	token := max(len(c.target.Token), len(c.target.Old))
	b := make([]byte, 0, 256+len(ep.base)+len(ep.host)+len(c.target.AppName)+token+len(c.body))
	b = append(b, "POST "...)
	b = append(b, ep.base...)
	b = append(b, c.pathIn(f)...)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	b = append(b, ep.host...)
	b = append(b, "\r\nContent-Type: "+wire.ContentTypeJSON+"\r\nAccept-Charset: UTF-8\r\n"+wire.HeaderToken+": "...)
	if f.old {
		b = append(b, c.target.Old...)
	} else {
		b = append(b, c.target.Token...)
	}
	if c.target.AppName != "" && !f.bare {
		b = append(b, "\r\n"+wire.HeaderAppName+": "...)
		b = append(b, c.target.AppName...)
	}
	b = append(b, "\r\nUser-Agent: "+wire.Native+"\r\nConnection: keep-alive\r\nContent-Length: "...)
	b = strconv.AppendInt(b, int64(len(c.body)), 10)
	b = append(b, "\r\n\r\n"...)
	c.request, c.form = append(b, c.body...), f
	c.body = c.request[len(b):] // the caller's buffer is used again
}

// reset prepares the call for a sending.
func (c *Call) reset(done func(Result), late time.Time) {
	c.done, c.late, c.sentAt, c.tries = done, late, time.Time{}, 0
	c.forced, c.switched, c.undressed, c.retokened = false, false, false, false
	c.first, c.answer = Result{}, wire.Response{}
}

// finish reports how the sending ended.
func (c *Call) finish(r Result) {
	r.SentAt = c.sentAt
	if r.Err != nil {
		c.lane.note(c, r.Err)
	}
	done := c.done
	c.done = nil
	done(r)
}

// fail is the result of a call without an answer.
func (c *Call) fail(kind Kind, err error) Result {
	return Result{Kind: kind, Code: wire.CodeFail, Msg: failText(c.url(), err), Err: err}
}
