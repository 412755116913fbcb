package xxljobtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// Dialect is the generation of the protocol that an Admin speaks.
type Dialect int

// The dialects. docs/protocol.md has their differences in full.
const (
	// Dialect3 is that of the releases 3.3.0 to 3.4.2: POST /run, results in
	// an array, answers of code, msg, data and success.
	Dialect3 Dialect = iota
	// DialectLegacy is that of the releases 2.2.0 to 3.1.1: answers of code,
	// msg and content, both null for success.
	DialectLegacy
	// DialectMaster is that of the coming release 3.5.0: POST /trigger,
	// results in an object, and the header XXL-JOB-APPNAME required.
	DialectMaster
)

// String names the dialect by its releases.
func (d Dialect) String() string {
	switch d {
	case DialectLegacy:
		return "2.2.0-3.1.1"
	case DialectMaster:
		return "master"
	default:
		return "3.3.0-3.4.2"
	}
}

// envelope encodes an admin's answer without payload.
func (d Dialect) envelope(code int32, msg string) []byte {
	var text *string
	if msg != "" {
		text = &msg
	}
	var answer any
	if d == DialectLegacy {
		answer = struct {
			Code    int32   `json:"code"`
			Msg     *string `json:"msg"`
			Content *string `json:"content"`
		}{Code: code, Msg: text}
	} else {
		if text == nil && code == wire.CodeSuccess {
			success := "Success"
			text = &success
		}
		answer = struct {
			Code    int32   `json:"code"`
			Data    *string `json:"data"`
			Msg     *string `json:"msg"`
			Success bool    `json:"success"`
		}{Code: code, Msg: text, Success: code == wire.CodeSuccess}
	}
	body, err := json.Marshal(answer)
	if err != nil {
		panic(err) // plain structs of strings and numbers
	}
	return body
}

// refusal checks a request as an admin does and returns the text with which it
// is refused, or "".
func (d Dialect) refusal(r *http.Request, body []byte, token string) string {
	if r.Method != http.MethodPost {
		return wire.TextMethod
	}
	if d != DialectLegacy && len(bytes.TrimSpace(body)) == 0 {
		return wire.TextBodyEmpty
	}
	given := r.Header.Get(wire.HeaderToken)
	if d == DialectMaster {
		if strings.TrimSpace(given) == "" || strings.TrimSpace(r.Header.Get(wire.HeaderAppName)) == "" {
			return wire.TextTokenEmpty
		}
		if given != token {
			return wire.TextTokenInvalid
		}
		return ""
	}
	if strings.TrimSpace(token) != "" && given != token {
		return wire.TextTokenWrong
	}
	return ""
}

// callbacks decodes the body of /api/callback, in the one form that the
// dialect's admins read, or returns the text of their exception.
func (d Dialect) callbacks(body []byte) (items []wire.CallbackItem, exception string) {
	isObject := bytes.HasPrefix(bytes.TrimSpace(body), []byte("{"))
	switch {
	case isObject && d != DialectMaster:
		return nil, d.exception(wrongShape("BEGIN_ARRAY", "BEGIN_OBJECT"))
	case !isObject && d == DialectMaster:
		return nil, d.exception(wrongShape("BEGIN_OBJECT", "BEGIN_ARRAY"))
	}
	items, err := wire.DecodeCallbacks(body)
	if err != nil {
		return nil, d.exception(err.Error())
	}
	return items, ""
}

// wrongShape is the text of Gson's exception.
func wrongShape(expected, found string) string {
	return "com.google.gson.JsonSyntaxException: java.lang.IllegalStateException: Expected " + expected +
		" but was " + found + " at line 1 column 2 path $"
}

// exception is the text of an answer to a body that could not be read.
func (d Dialect) exception(text string) string {
	if d == DialectLegacy {
		return text
	}
	return wire.PrefixInvokeError + text
}

// triggerPath is where the dialect's admins send triggers.
func (d Dialect) triggerPath() string {
	if d == DialectMaster {
		return wire.PathTrigger
	}
	return wire.PathRun
}
