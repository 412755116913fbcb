package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	mathrand "math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	attempts    = 4                      // of one request
	firstPause  = 250 * time.Millisecond // before the second one; doubled each time, with jitter
	longestWait = time.Minute            // that a Retry-After may ask for
	maxAnswer   = 64 << 20               // bytes
	maxProblem  = 1 << 20
)

// Config says where the scheduling centre is and who asks. BaseURL is required.
type Config struct {
	// BaseURL is the address of the admin, such as "http://127.0.0.1:8080"; a
	// path stays in front of /v1.
	BaseURL string

	// Key is an API key ("xja_…"). Without one only Health is answered.
	Key string

	// HTTPClient sends the requests. Default one of its own without a limit of
	// time but Timeout, which follows no redirects. Its Timeout would also end
	// Follow.
	HTTPClient *http.Client

	// UserAgent names the program in the log of proxies. Default
	// "xxljob-client".
	UserAgent string

	// Timeout limits one attempt of a request, but for Follow and ExportAudit.
	// Default 30s; negative is no limit.
	Timeout time.Duration

	// Language of the titles of errors: en, zh-CN or zh-TW. Default en.
	Language string
}

// Client is a client of one scheduling centre. Use [New] to make one.
type Client struct {
	base   *url.URL
	cfg    Config
	http   *http.Client
	own    *http.Transport // nil when the caller gave a client
	random func(time.Duration) time.Duration
}

// New checks the configuration. It opens no connection.
func New(cfg Config) (*Client, error) {
	base, err := url.Parse(cfg.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("client: BaseURL %q is no address such as http://127.0.0.1:8080", cfg.BaseURL)
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("client: BaseURL has a user, a query or a fragment: only a path may follow the host")
	}
	base.Path = strings.TrimRight(base.Path, "/")
	c := &Client{base: base, cfg: cfg, http: cfg.HTTPClient, random: mathrand.N[time.Duration]}
	if c.cfg.UserAgent == "" {
		c.cfg.UserAgent = "xxljob-client"
	}
	if c.cfg.Language == "" {
		c.cfg.Language = "en"
	}
	if c.cfg.Timeout == 0 {
		c.cfg.Timeout = 30 * time.Second
	}
	if c.http == nil {
		c.own = &http.Transport{
			Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 8, IdleConnTimeout: 60 * time.Second,
			ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
		}
		c.http = &http.Client{
			Transport:     c.own,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return c, nil
}

// Close closes idle connections, unless HTTPClient was given.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}

// call is one request and where its answer goes.
type call struct {
	method string
	path   string // behind /v1
	query  url.Values
	ifTag  string // If-Match
	lastID string // Last-Event-ID
	accept string
	in     any // nil is no body
	out    any // nil drops the answer
	raw    func(*http.Response) error
	also   int  // a status that is an answer, too
	once   bool // is never sent again

	tag string // ETag of the answer
}

// do sends a request, again where that is safe, and reads the answer.
func (c *Client) do(ctx context.Context, r *call) error {
	var body []byte
	if r.in != nil {
		var err error
		if body, err = json.Marshal(r.in); err != nil {
			return fmt.Errorf("client: %s %s: %w", r.method, r.path, err)
		}
	}
	key := ""
	if r.method == http.MethodPost {
		key = rand.Text()
	}
	pause := firstPause
	for attempt := 1; ; attempt++ {
		wait, err := c.try(ctx, r, body, key)
		if err == nil || wait < 0 || r.once || attempt == attempts || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(max(wait, pause/2+c.random(pause/2))):
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		}
		pause *= 2
	}
}

// never says that a request must not be sent again.
const never = -1

// try is one attempt. wait is how long to wait before the next one at least,
// never if there must not be one.
func (c *Client) try(ctx context.Context, r *call, body []byte, key string) (wait time.Duration, err error) {
	if c.cfg.Timeout > 0 && r.raw == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.cfg.Timeout)
		defer cancel()
	}
	req, err := c.request(ctx, r, body, key)
	if err != nil {
		return never, err
	}
	again := r.method == http.MethodGet || key != ""
	resp, err := c.http.Do(req)
	if err != nil {
		return sendAgain(again), fmt.Errorf("%s %s: %w", r.method, req.URL.Path, plain(err))
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 && resp.StatusCode != r.also {
		return refusal(r, req, resp, again)
	}
	r.tag = resp.Header.Get("ETag")
	if r.raw != nil {
		return never, r.raw(resp)
	}
	if err := c.answer(r, resp); err != nil {
		return sendAgain(again), fmt.Errorf("%s %s: %w", r.method, req.URL.Path, err)
	}
	return 0, nil
}

func sendAgain(again bool) time.Duration {
	if again {
		return 0
	}
	return never
}

// answer reads the body into r.out.
func (c *Client) answer(r *call, resp *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if len(raw) > maxAnswer {
		return fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	}
	if r.out == nil {
		return nil
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "application/json" {
		return fmt.Errorf("the answer is %q and no JSON: is this the address of an xxl-job-admin?", kind)
	}
	if err := json.Unmarshal(raw, r.out); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

// plain drops the method and the address, which the message has already.
func plain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func (c *Client) request(ctx context.Context, r *call, body []byte, key string) (*http.Request, error) {
	u := *c.base
	u.Path += "/v1" + r.path
	u.RawQuery = r.query.Encode()
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), reader)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	maps.Copy(req.Header, http.Header{
		"User-Agent": {c.cfg.UserAgent}, "Accept-Language": {c.cfg.Language}, "Accept": {"application/json"},
	})
	for name, value := range map[string]string{
		"If-Match": r.ifTag, "Idempotency-Key": key, "Last-Event-ID": r.lastID, "Accept": r.accept,
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if c.cfg.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.cfg.Key)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// refusal makes an error of an answer, and says whether to ask again.
func refusal(r *call, req *http.Request, resp *http.Response, again bool) (time.Duration, error) {
	e := &Error{Method: r.method, Path: req.URL.Path, Status: resp.StatusCode}
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, maxProblem)) // what is there is shown
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "application/problem+json" {
		_ = json.Unmarshal(raw, e) // the status says enough
		e.Status = resp.StatusCode
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	switch {
	case e.RetryAfter > longestWait:
		return never, e
	case e.Status == http.StatusTooManyRequests, e.Status == http.StatusServiceUnavailable, e.Type == typeBusy:
		return e.RetryAfter, e // nothing was done
	case e.Status == http.StatusBadGateway, e.Status == http.StatusGatewayTimeout:
		return sendAgain(again), e // of a proxy
	}
	return never, e
}
