package execclient

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// traits is what is known of an executor.
type traits struct {
	dialect Dialect
	native  bool
	bare    bool // refuses the application's name of its group, but not a request without one
	facts        // what tells its release
	// stale is the token of its group that it refuses while it takes the old one.
	stale string
}

// verdict is what an answer means. again asks for another sending in call.dress.
type verdict struct {
	Result

	again bool
}

// Bodies of a success, as Java and we write them.
var (
	plainSuccess = []byte(`{"code":200}`)
	namedSuccess = []byte(`{"code":200,"msg":"Success"}`)
)

func decodeAnswer(body []byte) (wire.Response, error) {
	switch {
	case bytes.Equal(body, namedSuccess):
		return wire.Response{Code: wire.CodeSuccess, Msg: wire.Str("Success")}, nil
	case bytes.Equal(body, plainSuccess):
		return wire.Response{Code: wire.CodeSuccess}, nil
	default:
		return wire.DecodeResponse(body)
	}
}

// dress returns the form in which the call is sent now.
func (l *lane) dress(call *Call) form {
	if call.forced {
		return call.dress
	}
	t := l.traits.Load()
	return form{
		trigger: call.isTrigger() && t.dialect == DialectTrigger, bare: t.bare,
		old: call.target.Overlap && t.stale == call.target.Token,
	}
}

// repeatable reports whether the call may be sent again although the executor
// may have acted upon it.
func (l *lane) repeatable(call *Call) bool {
	return call.safe || call.isTrigger() && l.traits.Load().native
}

// judge says what an answer means, and learns from it.
func (l *lane) judge(ctx context.Context, call *Call, resp *fasthttp.Response) verdict {
	l.setAlive(ctx)
	if call.look != nil {
		call.look(resp)
	}
	if status := resp.StatusCode(); status != http.StatusOK {
		r := Result{
			Kind: statusKind(status), Code: wire.CodeFail, Msg: statusText(call.url(), status),
			Err: fmt.Errorf("%w: %d", ErrStatus, status),
		}
		if status == http.StatusNotFound {
			return l.otherPath(call, r)
		}
		return verdict{Result: r}
	}
	answer, err := call.decode(resp.Body())
	if err == nil && answer.Code == 0 {
		err = fmt.Errorf("%w: it has no code", ErrAnswer)
	}
	if err != nil {
		return verdict{Result: Result{
			Kind: Unknown, Code: wire.CodeFail, Msg: answerText(call.url(), resp.Body()),
			Err: fmt.Errorf("%w: %v", ErrAnswer, err),
		}}
	}
	call.answer = answer
	r := Result{
		Kind: Refused, Code: answer.Code, Msg: answer.Msg.Or(""),
		Native: bytes.HasPrefix(resp.Header.Peek(wire.HeaderExecutor), []byte(wire.Native)),
	}
	if answer.Code == wire.CodeSuccess {
		r.Kind = Accepted
	}
	if call.isTrigger() && wire.IsRepeatText(r.Msg) {
		r.Kind = Repeat
	}
	return l.judgeRefusal(ctx, call, r)
}

// judgeRefusal tells the refusals of the path and of the headers from answers
// of the protocol's next layer, which prove that both were right.
func (l *lane) judgeRefusal(ctx context.Context, call *Call, r Result) verdict {
	if r.Kind == Refused {
		switch {
		case unknownPath(r.Msg, call.pathIn(call.form)):
			return l.otherPath(call, r)
		case isTokenText(r.Msg) && call.target.Overlap && !call.retokened:
			return otherToken(call, r)
		case r.Msg == wire.TextTokenInvalid && !call.form.bare && call.target.AppName != "",
			r.Msg == wire.TextTokenEmpty && call.form.bare:
			return otherHeaders(call, r)
		case isTokenText(r.Msg):
			if call.undressed || call.retokened {
				r = call.first
			}
			return verdict{Result: r}
		}
	}
	l.learn(ctx, func(t *traits) {
		was := *t
		t.native = r.Native
		if call.isTrigger() && l.client.cfg.Dialect == DialectAuto {
			t.dialect = DialectRun
			if call.form.trigger {
				t.dialect = DialectTrigger
			}
		}
		if r.Kind == Accepted && call.tellsSuccess() {
			t.success = successOf(&call.answer)
		}
		if t.native != was.native || was.dialect != "" && t.dialect != was.dialect ||
			was.success != 0 && t.success != was.success { // another program is there now
			t.facts = facts{success: t.success}
		}
		if call.undressed {
			t.bare = call.form.bare
		}
		if t.stale = ""; call.form.old {
			t.stale = call.target.Token
		}
	})
	return verdict{Result: r}
}

// otherPath sends a trigger to the other path, once: an executor that does not
// know a path has run nothing.
func (l *lane) otherPath(call *Call, r Result) verdict {
	if !call.isTrigger() || call.switched || l.client.cfg.Dialect != DialectAuto {
		return verdict{Result: r}
	}
	call.switched, call.forced = true, true
	call.dress = form{trigger: !call.form.trigger, bare: call.form.bare, old: call.form.old}
	return verdict{again: true}
}

// otherHeaders sends a call with, or without, the application's name, once: an
// executor that refuses the headers has not looked at the rest. What master
// refuses in either form keeps its first refusal.
func otherHeaders(call *Call, r Result) verdict {
	if call.undressed {
		return verdict{Result: call.first}
	}
	call.undressed, call.forced, call.retokened = true, true, false
	if call.first.Kind == 0 {
		call.first = r
	}
	call.dress = form{trigger: call.form.trigger, bare: !call.form.bare, old: call.form.old}
	return verdict{again: true}
}

// otherToken sends a call with the other one of two tokens that count, once: an
// executor that refuses the token has not looked at the rest.
func otherToken(call *Call, r Result) verdict {
	call.retokened, call.forced = true, true
	if call.first.Kind == 0 {
		call.first = r
	}
	call.dress = form{trigger: call.form.trigger, bare: call.form.bare, old: !call.form.old}
	return verdict{again: true}
}

// learn changes what is known of the executor, and tells when something did
// change.
func (l *lane) learn(ctx context.Context, change func(*traits)) {
	was := l.traits.Load()
	now := *was
	if change(&now); now == *was {
		return
	}
	l.learning.Lock()
	defer l.learning.Unlock()
	was = l.traits.Load()
	now = *was
	if change(&now); now == *was {
		return
	}
	l.traits.Store(&now)
	l.client.keep(l.address, now)
	l.client.cfg.Logger.InfoContext(ctx, "executor learnt", slog.String("addr", l.address),
		slog.String("dialect", string(now.dialect)), slog.Bool("native", now.native), slog.Bool("bare", now.bare))
	if now.dialect != was.dialect || now.native != was.native {
		l.client.cfg.OnLearn(AddressInfo{
			Address: l.address, Dialect: now.dialect, Native: now.native, SeenMs: time.Now().UnixMilli(),
		})
	}
}

// statusKind says what a status other than 200 means. Executors never answer
// so: what stands between us and them does, and the statuses from 500 on come
// also after a request was handed through.
func statusKind(status int) Kind {
	if status >= 300 && status < 500 {
		return Refused
	}
	return Unknown
}

// unknownPath reports whether the message says that the executor does not know
// the path, with or without a prefix that a proxy took away.
func unknownPath(msg, path string) bool {
	start, end, _ := strings.Cut(wire.NotFoundText("\x00"), "\x00")
	return strings.HasPrefix(msg, start) && strings.HasSuffix(msg, path+end)
}

// isTokenText reports whether the message refuses the headers.
func isTokenText(msg string) bool {
	return msg == wire.TextTokenWrong || msg == wire.TextTokenEmpty || msg == wire.TextTokenInvalid
}
