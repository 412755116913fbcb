package wire

import (
	"errors"
	"fmt"
	"unicode/utf8"
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

// kind is the kind of a value, named as Gson names its tokens.
type kind uint8

const (
	kindObject kind = iota
	kindArray
	kindString  // in single or double quotes
	kindLiteral // unquoted: a number, or text that Gson takes as a string
	kindBool
	kindNull
)

func (k kind) String() string {
	switch k {
	case kindObject:
		return "BEGIN_OBJECT"
	case kindArray:
		return "BEGIN_ARRAY"
	case kindBool:
		return "BOOLEAN"
	case kindNull:
		return "NULL"
	default:
		return "STRING"
	}
}

// token is the next value. Objects and arrays are only announced: their
// content is read with object, array or skip.
type token struct {
	kind    kind
	text    []byte // string: between the quotes, still escaped; literal, bool: as written
	escaped bool   // text holds a backslash
	wide    bool   // text holds a byte above 0x7f
}

// reader walks over a body as a lenient Gson does. It holds no copy of the
// body and allocates only for escaped names and for errors.
type reader struct {
	data  []byte
	pos   int
	depth int
	key   string // the known field being read, for errors
}

// Classes of bytes. The set of bytes that end an unquoted text is Gson's.
const (
	classSpace  = 1 << iota // skipped between tokens
	classEnd                // ends an unquoted text
	classString             // needs a look inside a quoted text
)

var classes = func() (t [256]uint8) {
	for _, c := range "\t\n\r " {
		t[c] |= classSpace
	}
	for _, c := range "/\\;#={}[]:, \t\f\r\n" {
		t[c] |= classEnd
	}
	for _, c := range `"'\` {
		t[c] |= classString
	}
	for c := utf8.RuneSelf; c < len(t); c++ {
		t[c] |= classString
	}
	return t
}()

func (r *reader) fail(format string, args ...any) error {
	return &SyntaxError{What: fmt.Sprintf(format, args...), Key: r.key, Offset: r.pos}
}

// open starts on a body: it checks the size and steps over a byte order mark
// and the prefix that Gson calls non-executable.
func (r *reader) open(body []byte, limit int) error {
	if len(body) > limit {
		return &SyntaxError{What: fmt.Sprintf("the body has %d bytes, at most %d are taken", len(body), limit)}
	}
	r.data = body
	if len(body) >= 3 && body[0] == 0xEF && body[1] == 0xBB && body[2] == 0xBF {
		r.pos = 3
	}
	if _, err := r.peek(); err != nil {
		return err
	}
	const prefix = ")]}'\n"
	if rest := r.data[r.pos:]; len(rest) >= len(prefix) && string(rest[:len(prefix)]) == prefix {
		r.pos += len(prefix)
	}
	return nil
}

// top reads the first token. It returns ErrNoBody if there is nothing or null.
func (r *reader) top(body []byte, limit int) (token, error) {
	if err := r.open(body, limit); err != nil {
		return token{}, err
	}
	c, err := r.peek()
	if err != nil {
		return token{}, err
	}
	if c < 0 {
		return token{}, ErrNoBody
	}
	t, err := r.value()
	if err == nil && t.kind == kindNull {
		err = ErrNoBody
	}
	return t, err
}

// close checks that nothing but blanks and comments follows the value.
func (r *reader) close() error {
	c, err := r.peek()
	if err == nil && c >= 0 {
		err = r.fail("JSON document was not fully consumed")
	}
	return err
}

// document reads a body that must be one object, and calls field for each
// name in it, which must then read the value.
func (r *reader) document(body []byte, limit int, field func(name []byte) error) error {
	t, err := r.top(body, limit)
	if err != nil {
		return err
	}
	if t.kind != kindObject {
		return r.fail("Expected BEGIN_OBJECT but was %s", t.kind)
	}
	if err := r.object(field); err != nil {
		return err
	}
	return r.close()
}

// peek steps over blanks and comments and returns the next byte without
// taking it, or -1 at the end of the body.
func (r *reader) peek() (int, error) {
	for r.pos < len(r.data) {
		c := r.data[r.pos]
		switch {
		case classes[c]&classSpace != 0:
			r.pos++
		case c == '#':
			r.skipLine()
		case c == '/':
			comment, err := r.skipComment()
			if err != nil {
				return -1, err
			}
			if !comment {
				return '/', nil
			}
		default:
			return int(c), nil
		}
	}
	return -1, nil
}

func (r *reader) skipLine() {
	for r.pos < len(r.data) {
		c := r.data[r.pos]
		r.pos++
		if c == '\n' || c == '\r' {
			return
		}
	}
}

// skipComment stands on a slash. It reports false if no comment begins there.
func (r *reader) skipComment() (bool, error) {
	if r.pos+1 >= len(r.data) {
		return false, nil
	}
	switch r.data[r.pos+1] {
	case '/':
		r.skipLine()
		return true, nil
	case '*':
		for i := r.pos + 2; i+1 < len(r.data); i++ {
			if r.data[i] == '*' && r.data[i+1] == '/' {
				r.pos = i + 2
				return true, nil
			}
		}
		return false, r.fail("Unterminated comment")
	default:
		return false, nil
	}
}

// value reads the next token. Of objects and arrays only the opening bracket
// is taken.
func (r *reader) value() (token, error) {
	c, err := r.peek()
	if err != nil {
		return token{}, err
	}
	switch c {
	case -1:
		return token{}, r.fail("End of input")
	case '{':
		r.pos++
		return token{kind: kindObject}, nil
	case '[':
		r.pos++
		return token{kind: kindArray}, nil
	case '"', '\'':
		return r.quoted(byte(c))
	}
	t := r.unquoted()
	if len(t.text) == 0 {
		return t, r.fail("Expected value but was %q", rune(c))
	}
	return t, nil
}

// quoted reads a text in quotes, which stands at pos.
func (r *reader) quoted(quote byte) (token, error) {
	t := token{kind: kindString}
	start := r.pos + 1
	for i := start; i < len(r.data); i++ {
		c := r.data[i]
		if classes[c]&classString == 0 {
			continue
		}
		switch {
		case c == quote:
			t.text = r.data[start:i]
			r.pos = i + 1
			return t, nil
		case c == '\\':
			n := escapeLen(r.data[i:])
			if n == 0 {
				r.pos = i
				return t, r.fail("Invalid escape sequence")
			}
			t.escaped = true
			i += n - 1
		case c >= utf8.RuneSelf:
			t.wide = true
		}
	}
	r.pos = len(r.data)
	return t, r.fail("Unterminated string")
}

// unquoted reads a text without quotes; it is empty if none begins here.
func (r *reader) unquoted() token {
	t := token{kind: kindLiteral}
	start := r.pos
	for r.pos < len(r.data) && classes[r.data[r.pos]]&classEnd == 0 {
		t.wide = t.wide || r.data[r.pos] >= utf8.RuneSelf
		r.pos++
	}
	t.text = r.data[start:r.pos]
	switch {
	case equalFold(t.text, "null"):
		t.kind = kindNull
	case equalFold(t.text, "true"), equalFold(t.text, "false"):
		t.kind = kindBool
	}
	return t
}

// equalFold compares with a lower-case ASCII word, as Gson reads keywords.
func equalFold(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i, c := range b {
		if c|0x20 != word[i] {
			return false
		}
	}
	return true
}

// object reads the fields of an object whose bracket is taken. The name given
// to field is valid only until field returns.
func (r *reader) object(field func(name []byte) error) error {
	if err := r.enter(); err != nil {
		return err
	}
	for first := true; ; first = false {
		c, err := r.peek()
		if err != nil {
			return err
		}
		if c == '}' {
			r.leave()
			return nil
		}
		if !first {
			if c != ',' && c != ';' {
				return r.fail("Unterminated object")
			}
			r.pos++
		}
		name, err := r.name()
		if err != nil {
			return err
		}
		if err := field(name); err != nil {
			return err
		}
		r.key = ""
	}
}

// name reads a name and the separator behind it.
func (r *reader) name() ([]byte, error) {
	c, err := r.peek()
	if err != nil {
		return nil, err
	}
	var t token
	if c == '"' || c == '\'' {
		if t, err = r.quoted(byte(c)); err != nil {
			return nil, err
		}
	} else if t = r.unquoted(); len(t.text) == 0 {
		return nil, r.fail("Expected name")
	}
	if c, err = r.peek(); err != nil {
		return nil, err
	}
	switch c {
	case ':':
		r.pos++
	case '=':
		r.pos++
		if r.pos < len(r.data) && r.data[r.pos] == '>' {
			r.pos++
		}
	default:
		return nil, r.fail("Expected ':'")
	}
	if t.escaped {
		return appendUnescaped(nil, t.text), nil
	}
	return t.text, nil
}

// array reads the elements of an array whose bracket is taken, calling
// element for each. As in Gson an element that is left out is a null, so a
// comma before the bracket means one more; absent is then true and there is
// nothing to read.
func (r *reader) array(element func(absent bool) error) error {
	if err := r.enter(); err != nil {
		return err
	}
	for first := true; ; first = false {
		c, err := r.peek()
		if err != nil {
			return err
		}
		if c == ']' {
			r.leave()
			return nil
		}
		if !first {
			if c != ',' && c != ';' {
				return r.fail("Unterminated array")
			}
			r.pos++
			if c, err = r.peek(); err != nil {
				return err
			}
		}
		if err := element(c == ',' || c == ';' || c == ']'); err != nil {
			return err
		}
	}
}

func (r *reader) enter() error {
	if r.depth >= MaxDepth {
		return r.fail("Nesting is deeper than %d", MaxDepth)
	}
	r.depth++
	return nil
}

func (r *reader) leave() {
	r.depth--
	r.pos++
}

// skip reads a value and forgets it.
func (r *reader) skip() error {
	t, err := r.value()
	if err != nil {
		return err
	}
	return r.skipRest(t)
}

// skipRest reads what is left of a value whose first token is t.
func (r *reader) skipRest(t token) error {
	switch t.kind {
	case kindObject:
		return r.object(func([]byte) error { return r.skip() })
	case kindArray:
		return r.array(func(absent bool) error {
			if absent {
				return nil
			}
			return r.skip()
		})
	default:
		return nil
	}
}
