package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
)

// csrfTransport sends the token that changes with a session need.
type csrfTransport struct {
	token string
	next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *csrfTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.token != "" {
		req = req.Clone(req.Context())
		req.Header.Set("X-CSRF-Token", t.token)
	}
	return t.next.RoundTrip(req)
}

// asUser calls f with a client that is logged in as a user, and logs out.
func (r *Remote) asUser(ctx context.Context, name, password string, f func(c *client.Client) error) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment}
	defer transport.CloseIdleConnections()
	csrf := &csrfTransport{next: transport}
	h := &http.Client{
		Transport: csrf, Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c, err := client.New(client.Config{
		BaseURL: r.Server, HTTPClient: h, Timeout: r.Timeout, UserAgent: "xxl-job-admin",
	})
	if err != nil {
		return UsageError{Err: fmt.Errorf("--server: %w", errors.New(strings.TrimPrefix(err.Error(), "client: ")))}
	}
	base := strings.TrimRight(r.Server, "/")
	login := url.Values{"userName": {name}, "password": {password}}
	if _, err := postForm(ctx, h, base+"/auth/doLogin", login); err != nil {
		return r.reach(fmt.Errorf("log in as %s: %w", name, err))
	}
	defer func() {
		// The session ends by itself, too.
		_, _ = postForm(context.WithoutCancel(ctx), h, base+"/auth/logout", nil)
	}()
	if csrf.token, err = csrfToken(ctx, h, base); err != nil {
		return err
	}
	return f(c)
}

// postForm posts to one of the console's endpoints.
func postForm(ctx context.Context, h *http.Client, address string, form url.Values) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept-Language", "en")
	raw, err := fetch(h, req)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Code int    `json:"code"`
		Msg  string `json:"msg"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("%s is not the address of an xxl-job-admin", address)
	}
	if answer.Code != http.StatusOK {
		return nil, errors.New(Safe(answer.Msg))
	}
	return raw, nil
}

// csrfToken asks for the token of the session.
func csrfToken(ctx context.Context, h *http.Client, base string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/v1/session", nil)
	if err != nil {
		return "", err
	}
	raw, err := fetch(h, req)
	if err != nil {
		return "", err
	}
	var session struct {
		Token string `json:"csrf_token"`
	}
	if err := json.Unmarshal(raw, &session); err != nil || session.Token == "" {
		return "", errors.New("the admin gives no token for changes")
	}
	return session.Token, nil
}

func fetch(h *http.Client, req *http.Request) ([]byte, error) {
	resp, err := h.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: %s", req.Method, req.URL.Path, resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, 1<<20))
}
