package legacy

import (
	"context"
	"errors"
	"html"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// Codes of the envelope.
const (
	codeOK   = 200
	codeFail = 500
)

// envelopeA is the answer of releases up to 3.1.1.
type envelopeA struct {
	Code    int  `json:"code"`
	Msg     text `json:"msg"`
	Content any  `json:"content"`
}

// envelopeB is the answer of 3.2.0.
type envelopeB struct {
	Code    int  `json:"code"`
	Msg     text `json:"msg"`
	Content any  `json:"content"`
	Success bool `json:"success"`
}

// envelopeC is the answer since 3.3.0, its keys in alphabetical order.
type envelopeC struct {
	Code    int  `json:"code"`
	Data    any  `json:"data"`
	Msg     text `json:"msg"`
	Success bool `json:"success"`
}

// exceptionBC is the answer of 3.2.0 and later when a handler threw.
type exceptionBC struct {
	Code int    `json:"code"`
	Msg  string `json:"msg"`
}

// pageAB is a list, which stands in no envelope up to 3.2.0.
type pageAB struct {
	Filtered int `json:"recordsFiltered"`
	Data     any `json:"data"`
	Total    int `json:"recordsTotal"`
}

// pageC is a list since 3.3.0. Offset and page size are always zero there.
type pageC struct {
	Data     any `json:"data"`
	Offset   int `json:"offset"`
	PageSize int `json:"pagesize"`
	Total    int `json:"total"`
}

// ok answers with success and a payload, which may be nil.
func (c *call) ok(payload any) error { return c.okMsg(payload, null) }

// okMsg is ok with a message of its own. Null is what the dialect says.
func (c *call) okMsg(payload any, msg text) error {
	switch c.dialect {
	case A:
		return c.json(envelopeA{codeOK, msg, payload})
	case B:
		return c.json(envelopeB{codeOK, msg.or("Success"), payload, true})
	default:
		return c.json(envelopeC{codeOK, payload, msg.or("Success"), true})
	}
}

// fail answers with a failure. A null message is what the dialect says.
func (c *call) fail(msg text) error {
	switch c.dialect {
	case A:
		return c.json(envelopeA{codeFail, msg, nil})
	case B:
		return c.json(envelopeB{codeFail, msg.or("Fail"), nil, false})
	default:
		return c.json(envelopeC{codeFail, nil, msg.or("Fail"), false})
	}
}

// page answers with a list. data is a slice that is not nil.
func (c *call) page(data any, total int) error {
	if c.dialect == C {
		return c.ok(pageC{Data: data, Total: total})
	}
	return c.json(pageAB{Filtered: total, Data: data, Total: total})
}

func (c *call) json(v any) error {
	body, err := httpx.EncodeJSON(v)
	if err != nil {
		return err
	}
	httpx.WriteBody(c.w, http.StatusOK, httpx.TypeJSON, body)
	return nil
}

// exceptionError is what Java answers when a handler throws: HTTP 200, and an
// envelope of its own kind.
type exceptionError struct{ msg string }

func (e *exceptionError) Error() string { return e.msg }

// bindError is a parameter that is missing or of the wrong kind, which Spring
// answers with HTTP 400 before the handler runs.
type bindError struct{ msg string }

func (e *bindError) Error() string { return e.msg }

// exception answers as Java does when a handler throws.
func (c *call) exception(status int, msg string) error {
	if c.dialect == A {
		body, err := httpx.EncodeJSON(envelopeA{codeFail, str(strings.ReplaceAll(msg, "\n", "<br/>")), nil})
		if err != nil {
			return err
		}
		httpx.WriteBody(c.w, status, "application/json;charset=utf-8", body)
		return nil
	}
	body, err := httpx.EncodeJSON(exceptionBC{codeFail, msg})
	if err != nil {
		return err
	}
	httpx.WriteBody(c.w, status, "application/json;charset=UTF-8", append(body, '\n'))
	return nil
}

// springError is the body of Spring's error controller for JSON clients.
type springError struct {
	Timestamp string `json:"timestamp"`
	Status    int    `json:"status"`
	Error     string `json:"error"`
	Message   string `json:"message,omitempty"`
	Path      string `json:"path"`
}

// errorPage answers with an HTTP status as Spring's error controller does: JSON
// for clients of dialect A that do not ask for HTML, else a page. msg says what
// to do; Java's page says nothing.
func (c *call) errorPage(status int, msg string) error {
	if c.dialect == A && !strings.Contains(c.r.Header.Get("Accept"), "text/html") {
		body, err := httpx.EncodeJSON(springError{
			Timestamp: javaISO(time.Now()),
			Status:    status,
			Error:     http.StatusText(status),
			Message:   msg,
			Path:      c.r.URL.Path,
		})
		if err != nil {
			return err
		}
		httpx.WriteBody(c.w, status, httpx.TypeJSON, body)
		return nil
	}
	title := html.EscapeString(strconv.Itoa(status) + " " + http.StatusText(status))
	page := "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title +
		"</title></head><body><h1>" + title + "</h1><p>" + html.EscapeString(msg) + "</p></body></html>\n"
	httpx.WriteBody(c.w, status, httpx.TypeHTML, []byte(page))
	return nil
}

// redirect sends the client to a path of ours under its context path.
func (c *call) redirect(path string) error {
	c.w.Header().Set("Location", httpx.Prefix(c.r)+path)
	c.w.WriteHeader(http.StatusFound)
	return nil
}

// answer turns the error of a handler into what Java would answer. It returns
// what it cannot answer.
func (c *call) answer(ctx context.Context, err error) error {
	var bind *bindError
	var thrown *exceptionError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &bind):
		return c.errorPage(http.StatusBadRequest, bind.msg)
	case errors.As(err, &thrown):
		return c.exception(http.StatusOK, thrown.msg)
	}
	return c.answerOps(ctx, err)
}
