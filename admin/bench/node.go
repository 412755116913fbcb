//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	startLimit = 2 * time.Minute // a large database takes its time
	stopLimit  = time.Minute
)

// node is the admin under test.
type node struct {
	cmd  *exec.Cmd
	base string
	log  string // file
	done chan struct{}
	err  error // of Wait, set before done is closed
}

// startAdmin starts the admin on a site and waits until it is ready.
func (b *bench) startAdmin(ctx context.Context, s *site) (*node, error) {
	dir, err := os.MkdirTemp(b.dir, "admin-")
	if err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	args := []string{
		"serve", "--db", s.dsn, "--data-dir", dir, "--listen", address, "--access-token", accessToken,
		"--admin-password", "bench-password", "--time-zone", "UTC", "--log-level", "warn",
	}
	args = append(args, strings.Fields(b.opt.nodeFlags)...)
	n := &node{base: "http://" + address, log: filepath.Join(dir, "log"), done: make(chan struct{})}
	out, err := os.Create(n.log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	n.cmd = exec.Command(b.binary, args...) //nolint:noctx // ended by stop or kill, at the latest with us
	n.cmd.Stdout, n.cmd.Stderr = out, out
	n.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := n.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start of the admin: %w", err)
	}
	go func() {
		defer close(n.done)
		n.err = n.cmd.Wait()
	}()
	if err := n.ready(ctx); err != nil {
		n.kill()
		return nil, fmt.Errorf("%w: %s", err, n.tail())
	}
	return n, nil
}

// ready waits until the admin says so.
func (n *node) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Second}
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.base+"/readyz", http.NoBody)
		if err != nil {
			return err
		}
		if res, err := client.Do(req); err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK {
			return nil
		}
		select {
		case <-n.done:
			return errors.New("the admin ended at once")
		default:
		}
		if !pause(ctx, 20*time.Millisecond) {
			return fmt.Errorf("the admin is not ready within %v", startLimit)
		}
	}
}

func (n *node) pid() int { return n.cmd.Process.Pid }

// stop ends the admin in order.
func (n *node) stop() error {
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("the admin ended before its time: %w: %s", err, n.tail())
	}
	timer := time.NewTimer(stopLimit)
	defer timer.Stop()
	select {
	case <-n.done:
		if n.err != nil {
			return fmt.Errorf("end of the admin: %w: %s", n.err, n.tail())
		}
		return nil
	case <-timer.C:
		n.kill()
		return fmt.Errorf("the admin was there %v after SIGTERM", stopLimit)
	}
}

// kill ends it at once.
func (n *node) kill() {
	_ = n.cmd.Process.Kill() // it may have ended
	<-n.done
}

// tail is the end of its log.
func (n *node) tail() string {
	text, err := os.ReadFile(n.log)
	if err != nil {
		return err.Error()
	}
	text = bytes.TrimSpace(text)
	return string(text[max(0, len(text)-2000):])
}
