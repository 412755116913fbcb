package ops

import (
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

// Kind says what is wrong, for the HTTP status of an answer.
type Kind uint8

// The kinds.
const (
	Invalid     Kind = iota + 1 // what was asked for is not well-formed
	NotFound                    // the object does not exist
	Forbidden                   // the caller may not do it
	Conflict                    // the object's state does not allow it
	Unavailable                 // an executor or a part of the admin did not answer
)

// String returns the name of the kind.
func (k Kind) String() string {
	switch k {
	case Invalid:
		return "invalid"
	case NotFound:
		return "not found"
	case Forbidden:
		return "forbidden"
	case Conflict:
		return "conflict"
	case Unavailable:
		return "unavailable"
	}
	return "unknown"
}

// Part is a piece of a message: the text of a key, or a literal where Key is
// empty.
type Part struct {
	Key     i18n.Key
	Literal string
}

// key is the part for a text.
func key(k i18n.Key) Part { return Part{Key: k} }

// lit is the part for a literal.
func lit(s string) Part { return Part{Literal: s} }

// Error is a refusal that the caller may read. Every other error that this
// package returns is a fault of the admin or its database, whose text belongs
// in the log.
type Error struct {
	Kind Kind
	// Parts make the message, put together without blanks as the Java admin
	// does. None of them is a message that the Java admin leaves out too.
	Parts []Part
	// Own is the key of a whole sentence of the console with its arguments, which
	// says the same as Parts to who reads pages of ours. "" is none.
	Own     string
	OwnArgs []any
	// Detail says what to do about it, in English: for logs and our own REST
	// API.
	Detail string
	// Thrown marks what the Java admin raises as an exception, so that its
	// consoles show the class name before the text, where other refusals are
	// ordinary answers.
	Thrown bool
	// Err is the cause, for the log; may be nil.
	Err error
}

// Text returns the message in a language; "" where the Java admin has none.
func (e *Error) Text(l i18n.Lang) string {
	var b strings.Builder
	for _, p := range e.Parts {
		if p.Key != "" {
			b.WriteString(l.Text(p.Key))
		}
		b.WriteString(p.Literal)
	}
	return b.String()
}

// Words returns the message in words of our own, for pages and answers that the Java
// admin does not have.
func (e *Error) Words(l i18n.Lang) string {
	if e.Own != "" {
		return l.Console(e.Own, e.OwnArgs...)
	}
	parts, frame := e.Parts, ""
	if len(parts) > 1 && (parts[0].Key == i18n.SystemPleaseInput || parts[0].Key == i18n.SystemPleaseChoose) {
		frame, parts = l.Own(parts[0].Key), parts[1:]
	}
	words := make([]string, 0, 2*len(parts))
	for i, p := range parts {
		switch {
		case p.Key == i18n.SystemLengthLimit && i+1 < len(parts):
			limits := strings.Trim(parts[i+1].Literal, "[]")
			words = append(words, strings.ReplaceAll(l.Own(p.Key), "{0}", limits))
		case i > 0 && parts[i-1].Key == i18n.SystemLengthLimit: // said
		case p.Key != "":
			words = append(words, l.Own(p.Key))
		default:
			words = append(words, p.Literal)
		}
	}
	text := strings.Join(words, "")
	if l == i18n.En {
		text = strings.Join(strings.Fields(strings.Join(words, " ")), " ")
	}
	if frame != "" {
		text = strings.ReplaceAll(frame, "{0}", text)
	}
	return text
}

// Error returns the English message and the detail.
func (e *Error) Error() string {
	text := e.Text(i18n.En)
	switch {
	case text == "":
		return e.Detail
	case e.Detail == "":
		return text
	}
	return text + ": " + e.Detail
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// own gives the error a sentence of the console.
func (e *Error) own(key string, args ...any) *Error {
	e.Own, e.OwnArgs = key, args
	return e
}

// invalid returns an Error of kind Invalid.
func invalid(detail string, parts ...Part) *Error {
	return &Error{Kind: Invalid, Detail: detail, Parts: parts}
}
