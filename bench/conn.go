//go:build linux

package main

import (
	"bufio"
	"fmt"
	"net"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// answerLimit is how long an executor may take to answer.
const answerLimit = 30 * time.Second

// conn is one connection to an executor with one request in flight, as an
// admin's. The zero value with addr set is ready; it connects when it has to.
type conn struct {
	addr string

	net  net.Conn // nil: not connected
	in   *bufio.Reader
	out  *bufio.Writer
	req  fasthttp.Request
	resp fasthttp.Response
}

// exchange posts a body and returns that of the answer, valid until the next
// exchange. Nothing is repeated; after an error the next exchange connects
// anew.
func (c *conn) exchange(path string, body []byte) (answer []byte, err error) {
	if c.net == nil {
		if err := c.connect(); err != nil {
			return nil, err
		}
	}
	defer func() {
		if err != nil || c.resp.ConnectionClose() {
			c.close()
		}
	}()
	if err := c.net.SetDeadline(time.Now().Add(answerLimit)); err != nil {
		return nil, err
	}
	if err := c.write(path, body); err != nil {
		return nil, err
	}
	if err := c.resp.ReadLimitBody(c.in, wire.MaxAnswer); err != nil {
		return nil, err
	}
	if code := c.resp.StatusCode(); code != fasthttp.StatusOK {
		return nil, fmt.Errorf("%s answered HTTP %d", path, code)
	}
	return c.resp.Body(), nil
}

func (c *conn) connect() (err error) {
	if c.net, err = net.DialTimeout("tcp", c.addr, answerLimit); err != nil { //nolint:noctx // the limit is enough
		c.net = nil
		return err
	}
	if c.in == nil {
		c.in, c.out = bufio.NewReader(nil), bufio.NewWriter(nil)
	}
	c.in.Reset(c.net)
	c.out.Reset(c.net)
	return nil
}

func (c *conn) write(path string, body []byte) error {
	c.req.Reset()
	c.req.SetRequestURI(path)
	c.req.Header.SetHost(c.addr)
	c.req.Header.SetMethod(fasthttp.MethodPost)
	c.req.Header.SetContentType(wire.ContentTypeJSON)
	c.req.Header.Set(wire.HeaderToken, token)
	c.req.SetBodyRaw(body)
	if err := c.req.Write(c.out); err != nil {
		return err
	}
	return c.out.Flush()
}

// close ends the connection; the next exchange makes another.
func (c *conn) close() {
	if c.net != nil {
		_ = c.net.Close()
		c.net = nil
	}
}
