package cli

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/client"
)

// Remote are the flags of all commands that talk to a running admin.
type Remote struct {
	Server  string        `help:"${server}" env:"XXL_JOB_SERVER" default:"http://127.0.0.1:8080" placeholder:"URL"`
	Key     string        `help:"${key}" env:"XXL_JOB_KEY" placeholder:"KEY"`
	Timeout time.Duration `help:"Limit of one request." default:"30s" env:"-"`
}

// client makes the client.
func (r *Remote) client() (*client.Client, error) {
	if r.Key == "" {
		return nil, UsageError{Err: errors.New("an API key is needed: set XXL_JOB_KEY, or give --key; " +
			"xxl-job-admin key create NAME --verb admin --login USER makes the first one")}
	}
	if r.Timeout <= 0 {
		return nil, UsageError{Err: fmt.Errorf("--timeout %v must be above 0", r.Timeout)}
	}
	c, err := client.New(client.Config{
		BaseURL: r.Server, Key: r.Key, Timeout: r.Timeout, UserAgent: "xxl-job-admin",
	})
	if err != nil {
		return nil, UsageError{Err: fmt.Errorf("--server: %w", errors.New(strings.TrimPrefix(err.Error(), "client: ")))}
	}
	return c, nil
}

// reach says of an admin that is not there how to name another one.
func (r *Remote) reach(err error) error {
	if dial := new(net.OpError); errors.As(err, &dial) && dial.Op == "dial" {
		return fmt.Errorf("%w: does an xxl-job-admin run at %s? --server or XXL_JOB_SERVER names another address",
			err, r.Server)
	}
	return err
}

// With calls f with a client.
func (r *Remote) With(f func(c *client.Client) error) error {
	c, err := r.client()
	if err != nil {
		return err
	}
	defer c.Close()
	if err := r.reach(f(c)); err != nil {
		if errors.Is(err, client.ErrNotFound) {
			return codedError{err: err, code: ExitNotFound}
		}
		return err
	}
	return nil
}
