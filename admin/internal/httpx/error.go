package httpx

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
)

// Error is an error with what the client is told: Status and Msg are sent, Err
// stays in the log.
type Error struct {
	Status int    // HTTP status; 0 is 500
	Msg    string // for the client; "" is the name of the status
	Err    error  // the cause; may be nil
}

// BadRequest returns a 400 that tells the client what to do.
func BadRequest(msg string) *Error { return &Error{Status: http.StatusBadRequest, Msg: msg} }

// NotFound returns a 404.
func NotFound(msg string) *Error { return &Error{Status: http.StatusNotFound, Msg: msg} }

// Error returns the message and the cause.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Text() + ": " + e.Err.Error()
	}
	return e.Text()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Code returns the HTTP status.
func (e *Error) Code() int {
	if e.Status == 0 {
		return http.StatusInternalServerError
	}
	return e.Status
}

// Text returns what the client is told.
func (e *Error) Text() string {
	if e.Msg == "" {
		return http.StatusText(e.Code())
	}
	return e.Msg
}

// AsError returns err as an *Error. Any other error is a 500 whose text stays
// in the log; a body over its limit is a 413, and a request that the client
// gave up is a 499.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &Error{Status: http.StatusRequestEntityTooLarge, Msg: "request body too large", Err: err}
	}
	if errors.Is(err, context.Canceled) {
		return &Error{Status: statusClientGone, Msg: "request given up", Err: err}
	}
	return &Error{Status: http.StatusInternalServerError, Err: err}
}

// statusClientGone is what proxies log for a client that hung up; nobody reads
// the answer.
const statusClientGone = 499

// Handler answers a request or returns an error for the table to answer. After
// an error it has written nothing.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Render writes an error as an answer.
type Render func(w http.ResponseWriter, r *http.Request, err error)

// Adapt returns h as an http.Handler whose errors render answers. What is a
// 500 is logged with its cause, and as a warning where it is a server behind this
// one that has failed.
func Adapt(h Handler, render Render, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil {
			return
		}
		if code := AsError(err).Code(); code >= http.StatusInternalServerError {
			level := slog.LevelError
			if code == http.StatusBadGateway {
				level = slog.LevelWarn
			}
			log.Log(r.Context(), level, "request failed", slog.String("method", r.Method),
				slog.String("path", r.URL.Path), slog.Any("err", err))
		}
		render(w, r, err)
	})
}

// RenderJSON is the Render of plain JSON interfaces: {"code":404,"msg":"…"}
// with the HTTP status of the error.
func RenderJSON(w http.ResponseWriter, _ *http.Request, err error) {
	e := AsError(err)
	WriteJSON(w, e.Code(), struct {
		Code int    `json:"code"`
		Msg  string `json:"msg"`
	}{e.Code(), e.Text()})
}
