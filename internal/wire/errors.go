package wire

import (
	"errors"
	"fmt"
)

// Limits of what the decoders take. Beyond them they return an error at once.
const (
	// MaxBody is the largest request body in bytes, as in Java's executor.
	MaxBody = 5 << 20
	// MaxCallbackBody is the largest body of DecodeCallbacks in bytes. Java
	// executors up to 3.4.0 post their whole queue at once, so it is wide.
	MaxCallbackBody = 32 << 20
	// MaxCallbacks is the largest number of items in one callback body. A body
	// of real items reaches MaxCallbackBody first.
	MaxCallbacks = 1 << 20
	// MaxAnswer is the largest answer body in bytes: Java executors put no
	// limit on what /log returns.
	MaxAnswer = 64 << 20
	// MaxDepth is the deepest nesting of objects and arrays, also in values
	// that are skipped.
	MaxDepth = 64
)

// ErrNoBody is returned for a body that is empty, blank or null. Its text is
// the name of the exception that Java reports then.
var ErrNoBody = errors.New("java.lang.NullPointerException: the request body is empty or null")

// SyntaxError reports a body that Gson would refuse. It never holds more than
// a short piece of the body.
type SyntaxError struct {
	What   string // what was expected and what was found
	Key    string // the field being read, empty outside fields
	Offset int    // byte offset in the body, where reading stopped
}

// Error returns the text that stands behind "request error:" in an answer.
func (e *SyntaxError) Error() string {
	s := fmt.Sprintf("com.google.gson.JsonSyntaxException: %s at offset %d", e.What, e.Offset)
	if e.Key != "" {
		s += " in " + e.Key
	}
	return s
}

func (r *reader) fail(format string, args ...any) error {
	return &SyntaxError{What: fmt.Sprintf(format, args...), Key: r.key, Offset: r.pos}
}
