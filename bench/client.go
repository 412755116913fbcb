//go:build linux

package main

import (
	"fmt"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// client talks to one executor as an admin does. It belongs to one goroutine;
// send has connections of its own.
type client struct {
	addr    string
	control conn
}

func newClient(port int) *client {
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	return &client{addr: addr, control: conn{addr: addr}}
}

func (c *client) close() { c.control.close() }

// call posts a body and returns the body of the answer, valid until the next
// call. None of the calls here changes more if it comes twice, so one on a
// connection that the executor has closed meanwhile is repeated.
func (c *client) call(path string, body []byte) ([]byte, error) {
	fresh := c.control.net == nil
	answer, err := c.control.exchange(path, body)
	if err != nil && !fresh {
		answer, err = c.control.exchange(path, body)
	}
	return answer, err
}

// expectSuccess calls a path and makes an error of any answer but success.
func (c *client) expectSuccess(path string, body []byte) error {
	answer, err := c.call(path, body)
	if err != nil {
		return err
	}
	res, err := wire.DecodeResponse(answer)
	if err != nil {
		return fmt.Errorf("answer to %s: %w", path, err)
	}
	if res.Code != wire.CodeSuccess {
		return fmt.Errorf("%s answered %d: %s", path, res.Code, res.Msg.Or("null"))
	}
	return nil
}

func (c *client) beat() error { return c.expectSuccess(wire.PathBeat, nil) }

// idle returns nil if a job neither runs nor waits.
func (c *client) idle(jobID int32) error {
	return c.expectSuccess(wire.PathIdleBeat, (&wire.JobRequest{JobID: jobID}).Append(nil))
}

func (c *client) killJob(jobID int32) error {
	return c.expectSuccess(wire.PathKill, (&wire.JobRequest{JobID: jobID}).Append(nil))
}

// log asks for a page of a run's log.
func (c *client) log(req wire.LogRequest) (wire.LogResult, error) {
	answer, err := c.call(wire.PathLog, req.Append(nil))
	if err != nil {
		return wire.LogResult{}, err
	}
	res, page, err := wire.DecodeLogResponse(answer)
	if err == nil && res.Code != wire.CodeSuccess {
		err = fmt.Errorf("/log answered %d: %s", res.Code, res.Msg.Or("null"))
	}
	return page, err
}
