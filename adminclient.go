package xxljob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// hungPause is how long an admin that let a call run into its limit is passed
// over, so that it does not delay the calls that another admin would take.
const hungPause = 30 * time.Second

// maxAnswer bounds what is read of an admin's answer.
const maxAnswer = 1 << 20

// refusedError is the error of a call that an admin answered, but not with
// success. Every other error means that no answer was read.
type refusedError struct {
	admin  string
	status int    // HTTP status
	code   int32  // of the envelope; 0 if there was none
	msg    string // of the envelope, or what is wrong with the answer
}

// Error names the admin and quotes its answer.
func (e *refusedError) Error() string {
	if e.status != http.StatusOK {
		return fmt.Sprintf("admin %s answered HTTP %d", e.admin, e.status)
	}
	if e.code == 0 {
		return fmt.Sprintf("admin %s answered what is no success of xxl-job: %s", e.admin, e.msg)
	}
	return fmt.Sprintf("admin %s answered code %d: %s", e.admin, e.code, e.msg)
}

// adminClient calls one admin. It is safe for concurrent use.
type adminClient struct {
	url     string // without a slash at the end
	name    string // the same without a password, for people
	http    *http.Client
	timeout time.Duration
	token   string
	appName string

	form      atomic.Int32 // the wire.CallbackForm that this admin reads
	declare   atomic.Value // string: the policy that its last answer to a registration told
	mu        sync.Mutex
	hungUntil time.Time
}

// newAdminClients returns the clients of the cluster's nodes, in order.
func newAdminClients(cfg *Config) []*adminClient {
	transport := &http.Transport{
		Proxy:               cfg.AdminProxy,
		DialContext:         (&net.Dialer{Timeout: cfg.AdminTimeout}).DialContext,
		TLSClientConfig:     cfg.AdminTLS,
		TLSHandshakeTimeout: cfg.AdminTimeout,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     50 * time.Second, // Java closes after 60 s
		DisableCompression:  true,
	}
	if cfg.dialAdmin != nil {
		transport.DialContext = cfg.dialAdmin
	}
	client := &http.Client{
		Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a redirect is no success, and would take the token elsewhere
		},
	}
	clients := make([]*adminClient, 0, len(cfg.AdminAddrs))
	for _, addr := range cfg.AdminAddrs {
		clients = append(clients, &adminClient{
			url: addr, name: redacted(addr), http: client,
			timeout: cfg.AdminTimeout, token: cfg.AccessToken, appName: cfg.AppName,
		})
	}
	return clients
}

// redacted returns addr with its password replaced.
func redacted(addr string) string {
	u, err := url.Parse(addr)
	if err != nil {
		return "(an address that is no URL)"
	}
	return u.Redacted()
}

// post sends body to one of the admin's paths. It returns nil if the admin
// answered success, a *refusedError if it answered anything else, and the
// transport's error if there was no answer. It blocks for the call timeout at
// most.
func (c *adminClient) post(ctx context.Context, path string, body []byte) error {
	_, err := c.ask(ctx, path, body, c.timeout)
	c.noteHung(err)
	return err
}

// ask is post with a limit of its own, and returns the payload of the answer.
func (c *adminClient) ask(
	ctx context.Context, path string, body []byte, limit time.Duration,
) (payload string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	payload, reused, err := c.postOnce(ctx, path, body)
	if err != nil && reused && ctx.Err() == nil && !isRefusal(err) {
		// The pooled connection had been closed by the other side: not the
		// admin's fault, so a new one is tried at once.
		c.http.CloseIdleConnections()
		payload, _, err = c.postOnce(ctx, path, body)
	}
	return payload, err
}

// askOnce is ask for what must not be done twice: it is sent once, and its answer
// is waited for although ctx ends meanwhile.
func (c *adminClient) askOnce(ctx context.Context, path string, body []byte) (payload string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
	defer cancel()
	payload, _, err = c.postOnce(ctx, path, body)
	return payload, err
}

// policy returns what the admin does with jobs that are declared, as its last
// answer to a registration told; "" for one that tells nothing.
func (c *adminClient) policy() string {
	policy, _ := c.declare.Load().(string)
	return policy
}

// postOnce makes one HTTP call and returns the payload of the answer. It reports
// whether the connection was a pooled one.
func (c *adminClient) postOnce(
	ctx context.Context, path string, body []byte,
) (payload string, reused bool, err error) {
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused }}
	ctx = httptrace.WithClientTrace(ctx, trace)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, bytes.NewReader(body))
	if err != nil {
		return "", false, err
	}
	req.Header = http.Header{
		"Content-Type":     {wire.ContentTypeJSON},
		wire.HeaderToken:   {c.token}, // sent even if empty: 3.3.0 insists on it
		wire.HeaderAppName: {c.appName},
		"User-Agent":       {userAgent},
	}
	res, err := c.http.Do(req)
	if err != nil {
		return "", reused, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return "", reused, fmt.Errorf("read the answer of admin %s: %w", c.name, err)
	}
	payload, err = c.judge(res.StatusCode, answer)
	if err == nil && path == wire.PathRegistry {
		c.declare.Store(res.Header.Get(wire.HeaderDeclare))
	}
	return payload, reused, err
}

// judge returns the payload of an answer that means success (wire.md 2.7).
func (c *adminClient) judge(status int, body []byte) (payload string, err error) {
	refused := &refusedError{admin: c.name, status: status}
	if status != http.StatusOK {
		return "", refused
	}
	answer, err := wire.DecodeResponse(body)
	switch {
	case err != nil:
		refused.msg = fmt.Sprintf("%.100q", body)
	case answer.Code == wire.CodeSuccess:
		return answer.Payload.String, nil
	default:
		refused.code, refused.msg = answer.Code, answer.Msg.String
	}
	return "", refused
}

// isRefusal reports whether an admin answered the call that err is of.
func isRefusal(err error) bool {
	var refused *refusedError
	return errors.As(err, &refused)
}

// noteHung remembers an admin that did not answer in time.
func (c *adminClient) noteHung(err error) {
	hung := errors.Is(err, context.DeadlineExceeded) || isTimeout(err)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hungUntil = time.Time{}
	if hung {
		c.hungUntil = time.Now().Add(hungPause)
	}
}

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}

// hung reports whether the admin is to be passed over for now.
func (c *adminClient) hung() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Before(c.hungUntil)
}

// cluster calls the nodes of one admin cluster: the first that takes a call is
// enough.
type cluster struct {
	clients []*adminClient
}

// each calls f for the nodes in order until one succeeds, those that hung
// lately last of all. It returns the node that took the call, or the errors of
// all.
func (cl *cluster) each(ctx context.Context, f func(*adminClient) error) (*adminClient, error) {
	var errs []error
	for _, c := range cl.order() {
		err := f(c)
		if err == nil {
			return c, nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(errs...)
}

// order returns the nodes to try: without those that hung lately, or all of
// them if every one did.
func (cl *cluster) order() []*adminClient {
	healthy := make([]*adminClient, 0, len(cl.clients))
	for _, c := range cl.clients {
		if !c.hung() {
			healthy = append(healthy, c)
		}
	}
	if len(healthy) == 0 {
		return cl.clients
	}
	return healthy
}

// closeIdle closes the pooled connections.
func (cl *cluster) closeIdle() {
	for _, c := range cl.clients {
		c.http.CloseIdleConnections()
	}
}
