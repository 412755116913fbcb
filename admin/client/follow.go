package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"strings"
	"time"
)

const (
	maxEvent     = 32 << 20 // bytes of one event
	followFaults = 8        // connections in a row that fail before Follow gives up
	followPause  = time.Second
)

// event is one server-sent event.
type event struct {
	id, name string
	data     strings.Builder
}

// Follow yields the log of a run as it is written, from a line on (the first is
// 1), until the run has ended and everything is there. It connects again when the
// connection ends, and loses nothing. The error, if any, comes last.
func (c *Client) Follow(ctx context.Context, id int64, fromLine int32) iter.Seq2[*RunLog, error] {
	return func(yield func(*RunLog, error) bool) {
		f := &follower{yield: yield}
		for fails := 0; ; {
			r := &call{
				method: http.MethodGet, path: at("/runs/", id, "/log/stream"),
				query: values("from_line", number(fromLine)), lastID: f.last, accept: "text/event-stream", raw: f.read,
			}
			f.got = false
			err := c.do(ctx, r)
			var refused *Error
			switch {
			case f.done:
				return
			case f.fault != nil:
				yield(nil, f.fault)
				return
			case errors.As(err, &refused), ctx.Err() != nil:
				yield(nil, err)
				return
			case f.got:
				fails = 0
			default:
				fails++
			}
			if err != nil && fails == followFaults {
				yield(nil, err)
				return
			}
			if err == nil && f.got {
				continue // the server ends a stream after some minutes
			}
			select {
			case <-time.After(followPause):
			case <-ctx.Done():
				yield(nil, context.Cause(ctx))
				return
			}
		}
	}
}

// follower reads streams of one log.
type follower struct {
	yield func(*RunLog, error) bool
	last  string // id of the last event
	got   bool   // this connection has brought something
	done  bool   // nothing more is wanted or to come
	fault error  // what the server has said in the stream
}

func (f *follower) read(resp *http.Response) error {
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "text/event-stream" {
		f.fault = fmt.Errorf("the answer is %q and no stream of events: does a proxy change it?", kind)
		return f.fault
	}
	lines := bufio.NewReader(resp.Body)
	var ev event
	for {
		line, err := readLine(lines, maxEvent)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the stream: %w", err)
		}
		if line != "" {
			if err := ev.add(line); err != nil {
				f.fault = err
				return err
			}
			continue
		}
		if err := f.take(&ev); err != nil || f.done {
			return err
		}
		ev = event{}
	}
}

// add takes one line of an event.
func (e *event) add(line string) error {
	field, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch field {
	case "event":
		e.name = value
	case "id":
		e.id = value
	case "data":
		if e.data.Len()+len(value) > maxEvent {
			return fmt.Errorf("an event of the stream has more than %d bytes", maxEvent)
		}
		if e.data.Len() > 0 {
			e.data.WriteByte('\n')
		}
		e.data.WriteString(value)
	}
	return nil
}

// take handles an event that is complete.
func (f *follower) take(ev *event) error {
	switch ev.name {
	case "log":
		part := new(RunLog)
		if err := json.Unmarshal([]byte(ev.data.String()), part); err != nil {
			return fmt.Errorf("read the stream: %w", err)
		}
		f.got = true
		if ev.id != "" {
			f.last = ev.id
		}
		f.done = !f.yield(part, nil)
	case "end":
		f.done = true
	case "fault":
		problem := new(Error)
		if err := json.Unmarshal([]byte(ev.data.String()), problem); err != nil {
			return fmt.Errorf("read the stream: %w", err)
		}
		f.fault = problem
		return problem
	}
	return nil
}

// readLine reads a line without its end.
func readLine(r *bufio.Reader, most int) (string, error) {
	var long []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(long)+len(part) > most {
			return "", fmt.Errorf("a line has more than %d bytes", most)
		}
		long = append(long, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return "", err
		}
		return strings.TrimRight(string(long), "\r\n"), nil
	}
}
