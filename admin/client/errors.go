package client

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Errors that errors.Is finds in an [*Error]. All but the last two want an answer
// of the API: a proxy's 404 does not say that a job is gone.
var (
	ErrNotFound        = errors.New("not found")         // 404
	ErrStale           = errors.New("changed meanwhile") // 412: the ETag is not that of the present version
	ErrConflict        = errors.New("conflict")          // 409: the present state does not allow it
	ErrInvalid         = errors.New("invalid")           // 400 and 422: see Error.Errors
	ErrUnauthenticated = errors.New("not authenticated") // 401: no key, or none that is valid
	ErrForbidden       = errors.New("forbidden")         // 403: the key may not do this
)

// typeBusy is the type of the answer to a repeat while the first one is under
// way.
const typeBusy = "urn:xxl-job:problem:key-busy"

// Error is a refusal by the server.
type Error struct {
	Type   string       `json:"type"`   // urn:xxl-job:problem:…, for programs; "" where a proxy has answered
	Title  string       `json:"title"`  // what is wrong, in the language of Config.Language
	Status int          `json:"status"` // of HTTP
	Detail string       `json:"detail"` // what to do about it
	Errors []FieldError `json:"errors"` // the fields at fault

	Method     string        `json:"-"` // of the request
	Path       string        `json:"-"` // of the request
	RetryAfter time.Duration `json:"-"` // how long the server asks to wait; 0 where it does not say
}

// FieldError is what is wrong with one field.
type FieldError struct {
	Pointer string `json:"pointer"` // JSON pointer into the body, or the name of a query parameter or header
	Detail  string `json:"detail"`
}

// Error says what was refused and why.
func (e *Error) Error() string {
	var b strings.Builder
	title := e.Title
	if title == "" {
		title = http.StatusText(e.Status)
	}
	fmt.Fprintf(&b, "%s %s: %d %s", e.Method, e.Path, e.Status, title)
	if e.Detail != "" && !strings.EqualFold(e.Detail, title) {
		b.WriteString(": " + e.Detail)
	}
	if e.Type == "" {
		b.WriteString(": this is no answer of an xxl-job-admin, is the address right?")
	}
	for _, f := range e.Errors {
		if f.Detail == e.Detail { // said once
			fmt.Fprintf(&b, " (%s)", f.Pointer)
			continue
		}
		fmt.Fprintf(&b, "; %s: %s", f.Pointer, f.Detail)
	}
	return b.String()
}

// Is makes errors.Is find the errors of this package by the status.
func (e *Error) Is(target error) bool {
	switch e.Status {
	case http.StatusUnauthorized:
		return target == ErrUnauthenticated
	case http.StatusForbidden:
		return target == ErrForbidden
	}
	if e.Type == "" {
		return false
	}
	switch e.Status {
	case http.StatusNotFound:
		return target == ErrNotFound
	case http.StatusPreconditionFailed:
		return target == ErrStale
	case http.StatusConflict:
		return target == ErrConflict
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return target == ErrInvalid
	}
	return false
}
