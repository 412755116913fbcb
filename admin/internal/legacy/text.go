package legacy

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// text is a string of an answer that may be null.
type text model.Text

// null is the text that is not there.
var null = text{}

func str(s string) text { return text(model.T(s)) }

// or returns the text, or def where it is null.
func (t text) or(def string) text {
	if t.Valid {
		return t
	}
	return str(def)
}

// MarshalJSON returns the text as JSON, or null.
func (t text) MarshalJSON() ([]byte, error) {
	if !t.Valid {
		return []byte("null"), nil
	}
	return httpx.EncodeJSON(t.S)
}

var _ json.Marshaler = text{}

// Layouts of times.
const (
	layoutWall = "2006-01-02 15:04:05"
	layoutDay  = "2006-01-02"
	layoutISO  = "2006-01-02T15:04:05.000-07:00"
)

// javaISO is how Jackson writes a date by default: UTC, milliseconds, an
// offset with a colon.
func javaISO(t time.Time) string { return t.UTC().Format(layoutISO) }

// javaDate is a date of a job, group or log row in the dialect: ISO up to
// 3.4.0, wall clock in UTC since 3.4.1. Null is null.
func javaDate(d Dialect, t time.Time) text {
	switch {
	case t.IsZero():
		return null
	case d == C:
		return str(t.UTC().Format(layoutWall))
	default:
		return str(javaISO(t))
	}
}

// escapeAll makes a log harmless in a page, as releases up to 3.1.0 do.
var escapeAll = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// keepMarks gives back the three tags that later releases let through.
var keepMarks = strings.NewReplacer("&lt;br&gt;", "<br>", "&lt;b&gt;", "<b>", "&lt;/b&gt;", "</b>")

// escapeLog escapes the text of a log as the dialect does.
func escapeLog(d Dialect, s string) string {
	s = escapeAll.Replace(s)
	if d == C {
		s = keepMarks.Replace(s)
	}
	return s
}
