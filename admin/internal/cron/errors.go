package cron

import (
	"fmt"
	"strings"
)

// SyntaxError says why an expression was refused. Parse returns no other type.
type SyntaxError struct {
	Expr    string // as it was given
	Field   string // "second" … "year"; "" when no single field is at fault
	Column  int    // of the offending character in Expr, counted from 1; 0 when Field is ""
	Problem string // what is wrong, and what to write instead where that is known
	Allowed string // what Field may hold; "" when Field is ""

	java string
}

// Error returns one line that names the field, the position, the problem and
// what is allowed.
func (e *SyntaxError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cron expression %s: ", quote(e.Expr))
	if e.Field != "" {
		fmt.Fprintf(&b, "%s (column %d): ", e.Field, e.Column)
	}
	b.WriteString(e.Problem)
	if e.Allowed != "" {
		fmt.Fprintf(&b, " (allowed in %s: %s)", e.Field, e.Allowed)
	}
	return b.String()
}

// JavaText returns the message that the Java admin 3.4.2 gives for the same
// expression, which its console shows below the next trigger times; for what
// only we refuse, a text of that kind.
func (e *SyntaxError) JavaText() string { return e.java }

// quote quotes s, cut to a length that fits a message.
func quote(s string) string {
	const most = 128
	if text := []rune(s); len(text) > most {
		return fmt.Sprintf("%q…", string(text[:most]))
	}
	return fmt.Sprintf("%q", s)
}
