package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// certificateEvery is how often the files of the certificate are looked at.
const certificateEvery = 10 * time.Second

// tlsFlags make the server speak TLS.
type tlsFlags struct {
	Cert string `name:"tls-cert" help:"${tls_cert}" type:"path" placeholder:"FILE"`
	Key  string `name:"tls-key" help:"Private key of --tls-cert, PEM." type:"path" placeholder:"FILE"`
}

// certificate returns nil where plain HTTP is spoken. The error names the flag.
func (f *tlsFlags) certificate(log *slog.Logger) (*certificate, error) {
	switch {
	case f.Cert == "" && f.Key == "":
		return nil, nil
	case f.Key == "":
		return nil, cli.UsageError{Err: errors.New("--tls-cert needs --tls-key, the file of its private key")}
	case f.Cert == "":
		return nil, cli.UsageError{Err: errors.New("--tls-key needs --tls-cert, the file of its certificate")}
	}
	c := &certificate{certFile: f.Cert, keyFile: f.Key, log: log, now: time.Now}
	if err := c.load(); err != nil {
		return nil, cli.UsageError{Err: fmt.Errorf("--tls-cert and --tls-key: %w", err)}
	}
	return c, nil
}

// certificate is a pair of files. When they change, as they do when it is
// renewed, new connections get the new one, without a restart. It is safe for
// concurrent use.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	now               func() time.Time

	mu     sync.Mutex
	pair   *tls.Certificate
	seen   [2]time.Time // when the files of pair were changed last
	failed [2]time.Time // the same of files that were refused
	looked time.Time
}

// config is for an HTTP server.
func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, GetCertificate: c.choose,
	}
}

func (c *certificate) choose(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	return c.current(hello.Context()), nil
}

// current returns the certificate, after a look at its files if the last one
// was a while ago. Files that are no pair are reported once; what was there
// before stays.
func (c *certificate) current(ctx context.Context) *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if now.Sub(c.looked) < certificateEvery {
		return c.pair
	}
	c.looked = now
	changed, err := c.changed()
	if err == nil && (changed == c.seen || changed == c.failed) {
		return c.pair
	}
	if err == nil {
		err = c.loadLocked(changed)
	}
	if err != nil {
		c.failed = changed
		c.log.WarnContext(ctx, "new certificate refused, the one before stays", slog.Any("err", err))
		return c.pair
	}
	c.log.InfoContext(ctx, "certificate changed", slog.Time("expires", c.pair.Leaf.NotAfter))
	return c.pair
}

func (c *certificate) load() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed, err := c.changed()
	if err != nil {
		return err
	}
	c.looked = c.now()
	return c.loadLocked(changed)
}

func (c *certificate) loadLocked(changed [2]time.Time) error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return err
	}
	c.pair, c.seen, c.failed = &pair, changed, [2]time.Time{}
	return nil
}

func (c *certificate) changed() (at [2]time.Time, err error) {
	for i, name := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(name)
		if err != nil {
			return at, err
		}
		at[i] = info.ModTime()
	}
	return at, nil
}
