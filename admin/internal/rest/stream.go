package rest

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// Times of a stream.
const (
	streamEvery = time.Second      // between two questions to the executor
	streamBeat  = 15 * time.Second // between two signs of life
	streamLife  = 10 * time.Minute // then the client asks again
	streamWrite = 30 * time.Second // for one write
)

// stream is an answer of server-sent events.
type stream struct {
	c    *call
	out  *httpx.Events
	sent time.Time
}

// followRunLog sends the log of a run as it is written.
func followRunLog(ctx context.Context, c *call) error {
	id, err := c.id64("run_id")
	if err != nil {
		return err
	}
	from, err := c.resumeLine()
	if err != nil {
		return err
	}
	if _, err := c.s.cfg.Ops.Log(ctx, c.who, id); err != nil {
		return err
	}
	leave, ok := c.s.streams.Enter(c.owner)
	if !ok {
		p := problem(kindRate, fmt.Sprintf("at most %d streams at once", maxStreams))
		p.retry = streamBeat
		return p
	}
	defer leave()
	s := &stream{c: c, out: httpx.OpenEvents(c.w, httpx.TypeEvents, streamWrite), sent: c.s.now()}
	if c.r.Method != http.MethodHead {
		s.follow(ctx, id, from)
	}
	return nil
}

// resumeLine is the first line to send.
func (c *call) resumeLine() (int32, error) {
	from, err := c.fromLine()
	last := c.r.Header.Get("Last-Event-ID")
	if err != nil || last == "" {
		return from, err
	}
	n, err := strconv.ParseInt(last, 10, 32)
	if err != nil || n < 0 {
		return 0, badParam("Last-Event-ID", "the id of an event")
	}
	return max(int32(n)+1, 1), nil
}

// follow asks for what is new until the log ends, or somebody does.
func (s *stream) follow(ctx context.Context, id int64, from int32) {
	ctx, cancel := context.WithTimeout(ctx, streamLife)
	defer cancel()
	tick := time.NewTicker(streamEvery)
	defer tick.Stop()
	for {
		end, err := s.step(ctx, id, &from)
		if end || err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-s.c.s.cfg.Stopping:
			return
		case <-tick.C:
		}
	}
}

// step sends what is new. end says that nothing will follow.
func (s *stream) step(ctx context.Context, id int64, from *int32) (end bool, err error) {
	part, err := s.c.readLog(ctx, id, *from)
	if err != nil {
		return true, s.fault(ctx, err)
	}
	if part.ToLine >= part.FromLine {
		*from = part.ToLine + 1
		if err := s.send("log", strconv.Itoa(int(part.ToLine)), part); err != nil {
			return false, err
		}
	}
	if part.End {
		return true, s.send("end", "", struct{}{})
	}
	if s.c.s.now().Sub(s.sent) >= streamBeat {
		return false, s.write(": still here\n\n")
	}
	return false, nil
}

// fault says why there is no more; what is no refusal stays in the log.
func (s *stream) fault(ctx context.Context, err error) error {
	p, ok := refusal(err)
	if !ok {
		if ctx.Err() == nil {
			s.c.s.log.ErrorContext(ctx, "log of a run not followed", slog.Any("err", err))
		}
		p = problem(kindInternal, "the log of the admin says more")
	}
	return s.send("fault", "", p.in(s.c.s.language(s.c.r)))
}

// send writes an event.
func (s *stream) send(name, id string, v any) error {
	data, err := httpx.EncodeJSON(v)
	if err != nil {
		return err
	}
	text := "event: " + name + "\n"
	if id != "" {
		text += "id: " + id + "\n"
	}
	return s.write(text + "data: " + string(data) + "\n\n")
}

func (s *stream) write(text string) error {
	s.sent = s.c.s.now()
	return s.out.Send(text)
}
