package web

import (
	"errors"
	"net/http"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// errorPage says what went wrong and what to do.
type errorPage struct {
	Status int
	Text   string // what happened, where it may be told
	Advice string
	Retry  string // path to try again; "" where that is of no use
}

// renderError answers an error with a page. What it was stays in the log where
// it is not the visitor's to know.
func (s *Server) renderError(w http.ResponseWriter, r *http.Request, err error) {
	c, fault := s.begin(w, r)
	if fault != nil {
		c = s.call(w, r)
	}
	p := errorPage{Status: http.StatusInternalServerError}
	var refusal *ops.Error
	if errors.As(err, &refusal) {
		p.Status = statusOf(refusal.Kind)
		p.Text, _ = c.Why(refusal)
	} else {
		e := httpx.AsError(err)
		p.Status = e.Code()
		if e.Msg != "" {
			p.Text = e.Msg
		}
	}
	key := "error.500"
	switch p.Status {
	case http.StatusForbidden:
		key = "error.403"
	case http.StatusNotFound:
		key = "error.404"
	case http.StatusGone:
		key = "error.410"
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusConflict, http.StatusRequestEntityTooLarge:
		key = "error.400"
	}
	p.Advice = c.T(key + ".do")
	if p.Status >= http.StatusInternalServerError && r.Method == http.MethodGet {
		p.Retry = c.Here()
	}
	title := c.T(key)
	if fault := c.RenderStatus(r.Context(), p.Status, "error", Head{Title: title}, p); fault != nil {
		httpx.RenderJSON(w, r, fault)
	}
}

// statusOf is the HTTP status of a refusal.
func statusOf(k ops.Kind) int {
	switch k {
	case ops.NotFound:
		return http.StatusNotFound
	case ops.Forbidden:
		return http.StatusForbidden
	case ops.Conflict:
		return http.StatusConflict
	case ops.Unavailable:
		return http.StatusBadGateway
	default:
		return http.StatusBadRequest
	}
}

// withStatus gives a refusal of package ops its HTTP status: it is no fault of the
// admin's, and the log does not call it one.
func withStatus(err error) error {
	var refusal *ops.Error
	if !errors.As(err, &refusal) {
		return err
	}
	return &httpx.Error{Status: statusOf(refusal.Kind), Err: err}
}

// AnyPath is what no page and no interface has.
const AnyPath = "/{anything...}"
