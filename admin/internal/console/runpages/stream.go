package runpages

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/console/loghtml"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	streamPause = time.Second      // between two questions to the executor
	streamSlow  = 3 * time.Second  // while nothing comes
	streamBeat  = 15 * time.Second // a sign of life, so that proxies keep the connection
	streamCheck = 30 * time.Second // is the session still there
	streamLife  = 10 * time.Minute // then the browser asks again, where it stands
	streamWrite = 10 * time.Second // for one piece; who reads slower is cut off
	streamRetry = 3000             // milliseconds until a browser asks again
)

// logPiece is what the event "lines" says.
type logPiece struct {
	HTML string `json:"html"` // rendered and escaped here
	Next int    `json:"next"` // number of the line behind
}

// logState is what the events "end" and "state" say.
type logState struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// stream is one answer of server-sent events.
type stream struct{ *httpx.Events }

// openStream writes the head of the answer.
func openStream(w http.ResponseWriter) (stream, error) {
	st := stream{httpx.OpenEvents(w, httpx.TypeEvents+";charset=UTF-8", streamWrite)}
	return st, st.Send("retry: " + strconv.Itoa(streamRetry) + "\n\n")
}

// event writes an event with its data as JSON, which holds no line break. id is
// where the browser wants to go on after a broken connection; 0 is none.
func (st stream) event(name string, id int, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	head := ""
	if id > 0 {
		head = "id: " + strconv.Itoa(id) + "\n"
	}
	return st.Send(head + "event: " + name + "\ndata: " + string(raw) + "\n\n")
}

// streamLog sends the log of a run as it grows, from the line "from" on, until
// the run has ended and all of it was sent.
func (c *call) streamLog(ctx context.Context) error {
	id := c.ID64("id")
	if _, err := c.Cfg.Ops.Log(ctx, c.Who, id); err != nil {
		return err
	}
	leave, ok := c.Streams.Enter(c.User.ID)
	if !ok {
		return &httpx.Error{Status: http.StatusTooManyRequests, Msg: c.T("log.many", web.StreamsPerUser)}
	}
	defer leave()
	from := max(c.Num("from", 1), 1)
	if n, err := strconv.Atoi(c.R.Header.Get("Last-Event-ID")); err == nil && n > from {
		from = n
	}
	st, err := openStream(c.W)
	if err != nil {
		return nil // whoever asked has gone
	}
	ctx, cancel := context.WithTimeout(ctx, streamLife)
	defer cancel()
	_ = c.follow(ctx, st, id, min(from, 1<<31-1)) // its errors are those of a connection that is gone
	return nil
}

// follow asks the executor again and again. It returns when there is no more to
// come, when the session has ended, or when nobody reads any more.
func (c *call) follow(ctx context.Context, st stream, id int64, from int) error {
	now := time.Now()
	sent, checked := now, now
	state := ""
	for {
		text, err := c.Cfg.Ops.LogText(ctx, c.Who, id, int32(from))
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			if err := st.event("problem", 0, logState{"lost", c.whyNoLog(err)}); err != nil {
				return err
			}
			_, err = c.tellState(ctx, st, id, &state, from > 1, true) // the run may have ended all the same
			return err
		}
		pause := streamSlow
		if text.ToLineNum >= text.FromLineNum && text.LogContent != "" {
			html := loghtml.Lines(text.LogContent, int(text.FromLineNum), loghtml.Marks{More: c.T("log.cut")})
			from = int(text.ToLineNum) + 1
			if err := st.event("lines", from, logPiece{string(html), from}); err != nil {
				return err
			}
			sent, pause = time.Now(), streamPause
		}
		done, err := c.tellState(ctx, st, id, &state, from > 1, text.IsEnd)
		if err != nil || done {
			return err
		}
		if time.Since(sent) >= streamBeat {
			if err := st.Send(": here\n\n"); err != nil {
				return err
			}
			sent = time.Now()
		}
		if time.Since(checked) >= streamCheck {
			if _, err := c.Cfg.Auth.Authenticate(ctx, c.Session); errors.Is(err, auth.ErrNoSession) {
				return st.event("gone", 0, logState{"lost", c.T("log.gone")})
			}
			checked = time.Now()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-c.Cfg.Stopping: // the browser asks another node, or this one again
			return nil
		case <-time.After(pause):
		}
	}
}

// whyNoLog says why the executor did not give the log; the browser tries again.
func (c *call) whyNoLog(err error) string {
	why, ours := c.Why(err)
	var refusal *ops.Error
	switch {
	case !ours:
		return c.T("error.500")
	case errors.As(err, &refusal) && refusal.Kind == ops.Unavailable:
		return c.T("log.unheard", why)
	}
	return why
}

// tellState sends how the run is when that has changed. done is true when the
// run has ended and its log was read to the end, or when it was never taken.
func (c *call) tellState(
	ctx context.Context, st stream, id int64, last *string, begun, isEnd bool,
) (done bool, err error) {
	l, err := c.Cfg.Ops.ViewLog(ctx, c.Who, id)
	if err != nil { // deleted meanwhile, or no longer the user's to see
		return true, st.event("problem", 0, logState{"lost", c.T("log.broken")})
	}
	if begun { // as its log says: what it waited for was lost
		l.Behind = 0
	}
	how := c.HowIs(l)
	notSent := l.TriggerCode != model.CodeNone && l.TriggerCode != model.CodeSuccess
	over := notSent || isEnd && l.HandleCode != model.CodeNone
	if over {
		return true, st.event("end", 0, logState(how))
	}
	if how.Kind == *last {
		return false, nil
	}
	*last = how.Kind
	return false, st.event("state", 0, logState(how))
}
