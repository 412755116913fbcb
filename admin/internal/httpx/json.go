package httpx

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
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

// ReadBody reads the whole body, at most limit bytes; a longer one is a 413.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
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

// ParseForm reads query and body parameters, the latter of at most limit bytes.
// Both form encodings are taken; files of a multipart form are not.
func ParseForm(w http.ResponseWriter, r *http.Request, limit int64) error {
	r.Body = http.MaxBytesReader(w, r.Body, limit)
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
		return AsError(err)
	}
	return &Error{Status: http.StatusBadRequest, Msg: "form parameters cannot be read", Err: err}
}
