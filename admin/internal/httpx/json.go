package httpx

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Content types.
const (
	TypeJSON = "application/json"
	TypeHTML = "text/html;charset=UTF-8"
)

// EncodeJSON returns v as JSON on one line, with nothing escaped for HTML and
// no newline behind it.
func EncodeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// WriteJSON answers with v as JSON. A value that cannot be encoded, which is a
// mistake in the program, is answered with 500 and no body.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	body, err := EncodeJSON(v)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	WriteBody(w, status, TypeJSON, body)
}

// WriteBody answers with a body of the given content type and its length.
func WriteBody(w http.ResponseWriter, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone when this fails
}

// What is read of a body that nobody wants, so that a client that writes all of
// its request before it reads the answer gets one, and no broken pipe.
const (
	drainMost  = 16 << 20
	drainLimit = 5 * time.Second
)

// Drain reads and drops what is left of the body of a request that is refused, at
// most 16 MiB of it within 5 s. A client that waits to be told to send it
// (Expect: 100-continue) is not told so.
func Drain(w http.ResponseWriter, r *http.Request) { drain(w, r, r.Body, false) }

func drain(w http.ResponseWriter, r *http.Request, rest io.Reader, begun bool) {
	waits := strings.EqualFold(r.Header.Get("Expect"), "100-continue")
	if rest == nil || waits && !begun || r.ContentLength > drainMost {
		return
	}
	ctl := http.NewResponseController(w)
	_ = ctl.SetReadDeadline(time.Now().Add(drainLimit)) // not every writer has deadlines
	if _, err := io.CopyN(io.Discard, rest, drainMost); errors.Is(err, io.EOF) {
		_ = ctl.SetReadDeadline(time.Time{})
	}
}

// ReadBody reads the whole body, at most limit bytes; a longer one is a 413, for
// which the rest is read as Drain does.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	rest, announced := r.Body, r.ContentLength > limit
	body, err := []byte(nil), error(&http.MaxBytesError{Limit: limit})
	if !announced {
		body, err = io.ReadAll(http.MaxBytesReader(w, rest, limit))
	}
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			drain(w, r, rest, !announced)
			return nil, &Error{
				Status: http.StatusRequestEntityTooLarge,
				Msg:    "request body larger than " + strconv.FormatInt(limit, 10) + " bytes",
				Err:    err,
			}
		}
		return nil, &Error{Status: http.StatusBadRequest, Msg: "request body cut off", Err: err}
	}
	return body, nil
}

// ParseForm reads query and body parameters, the latter of at most limit bytes;
// a longer body is a 413, for which the rest is read as Drain does. Both form
// encodings are taken; files of a multipart form are not.
func ParseForm(w http.ResponseWriter, r *http.Request, limit int64) error {
	rest := r.Body
	r.Body = http.MaxBytesReader(w, rest, limit)
	err := r.ParseForm()
	if err == nil && strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		err = r.ParseMultipartForm(limit)
	}
	if err == nil && r.MultipartForm != nil && len(r.MultipartForm.File) > 0 {
		_ = r.MultipartForm.RemoveAll()
		return BadRequest("files are not taken here")
	}
	if err == nil {
		return nil
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		drain(w, r, rest, true)
		return AsError(err)
	}
	return &Error{Status: http.StatusBadRequest, Msg: "form parameters cannot be read", Err: err}
}
