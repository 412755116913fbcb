package jobedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// The kinds of a parameter: a text as it is, or JSON, which is checked.
const (
	paramText = "text"
	paramJSON = "json"
)

// paramKind is the kind that a parameter is shown as: an object or a list is JSON.
func paramKind(param string) string {
	if text := strings.TrimSpace(param); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if json.Valid([]byte(text)) {
			return paramJSON
		}
	}
	return paramText
}

// jsonProblem says where a text is no JSON, by line and column; "" is nowhere.
func (c *call) jsonProblem(text string) string {
	var v json.RawMessage
	err := json.Unmarshal([]byte(text), &v)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return ""
	}
	at := int(syntax.Offset) - 1
	if strings.TrimSpace(text) == "" {
		return c.T("edit.json.empty")
	}
	if err.Error() == "unexpected end of JSON input" {
		at = len(text)
	}
	line, column := position(text, at)
	return c.T("edit.json.at", line, column)
}

// position is the line and the column of a byte in a text, from 1 on, in characters.
func position(text string, at int) (line, column int) {
	before := text[:max(min(at, len(text)), 0)]
	line = 1 + strings.Count(before, "\n")
	return line, 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

// What JSON is put on lines of its own: of so many bytes, and brackets nested so deep.
// Each line is indented by how deep it is, so that some kilobytes of brackets would
// become hundreds of megabytes.
const (
	formatMost = 256 << 10
	formatDeep = 64
)

// formatJSON puts JSON on lines of its own. Numbers and the order of keys stay as they
// are; what is no JSON, or too large or deep for it, stays as it is.
func formatJSON(text string) string {
	var b bytes.Buffer
	switch {
	case len(text) > formatMost, nesting(text) > formatDeep:
		return text
	case json.Indent(&b, []byte(strings.TrimSpace(text)), "", "  ") != nil:
		return text
	}
	return b.String()
}

// nesting is how deep the brackets of JSON are nested.
func nesting(text string) (deepest int) {
	depth := 0
	quoted, escaped := false, false
	for _, c := range []byte(text) {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[', c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']', c == '}':
			depth--
		}
	}
	return deepest
}
