package alarm

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"time"
)

// maxReply bounds what is read of an answer.
const maxReply = 64 << 10

// permanentError is an error that the same request would meet again.
type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// permanent marks err as one that no repetition mends.
func permanent(err error) error { return &permanentError{err: err} }

// isPermanent reports whether a repetition is of no use.
func isPermanent(err error) bool {
	var p *permanentError
	return errors.As(err, &p) || errors.Is(err, ErrRefusedAddress)
}

// poster sends JSON to a URL. It keeps no connection open, follows no redirect
// and obeys no proxy of the environment. It is safe for concurrent use.
type poster struct {
	client *http.Client
}

func newPoster(e Egress) *poster {
	return &poster{client: &http.Client{
		Transport: &http.Transport{
			DialContext:            e.dialer().DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    5 * time.Second,
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxReply,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// post sends body and returns what a 2xx answer holds. Errors name the host and
// nothing more of the URL; those of answers that stay the same are permanent.
func (p *poster) post(ctx context.Context, target *url.URL, header http.Header, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, permanent(fmt.Errorf("post to %s: the URL is not usable", target.Host))
	}
	maps.Copy(req.Header, header)
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "xxljob-admin")
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("post to %s: %w", target.Host, withoutURL(err))
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if resp.StatusCode/100 != 2 {
		return nil, statusError(target.Host, resp.StatusCode)
	}
	if err != nil {
		return nil, fmt.Errorf("post to %s: reading the answer: %w", target.Host, err)
	}
	return reply, nil
}

// statusError is the error of an answer that is no success. Whether it is
// permanent is decided by the status.
func statusError(host string, status int) error {
	err := fmt.Errorf("post to %s: answered HTTP %d", host, status)
	if status/100 == 3 {
		return permanent(fmt.Errorf("%w, a redirect, which alarms do not follow: give the final URL", err))
	}
	if status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout {
		return err
	}
	return permanent(err)
}

// withoutURL unpacks the error of an HTTP client, which holds the whole URL,
// secrets included.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// parseURL reads the URL of a webhook or a chat.
func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case raw == "":
		return nil, errors.New("is missing")
	case err != nil:
		return nil, errors.New("is no URL") // the cause would quote it
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("must begin with http:// or https://")
	case u.Hostname() == "":
		return nil, errors.New("names no host")
	case u.User != nil:
		return nil, errors.New("holds a user or a password: put an Authorization header into Headers")
	}
	u.Fragment = ""
	return u, nil
}
