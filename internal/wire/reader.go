package wire

import "unicode/utf8"

// This file cuts a body into tokens; document.go puts them together.

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

// reader walks over a body as a lenient Gson does. Beside values it
// allocates only for escapes and for errors.
type reader struct {
	data  []byte
	pos   int
	depth int
	key   string // the known field being read, for errors

	scratch []byte // text without its escapes, before it is copied
}

// Classes of bytes. The set of bytes that end an unquoted text is Gson's.
const (
	classSpace  = 1 << iota // skipped between tokens
	classEnd                // ends an unquoted text
	classString             // needs a look inside a quoted text
	classGap                // a blank, or may begin a comment
)

var classes = func() (t [256]uint8) {
	for _, c := range "\t\n\r " {
		t[c] |= classSpace | classGap
	}
	t['#'], t['/'] = classGap, classGap
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

// peek steps over blanks and comments and returns the next byte without
// taking it, or -1 at the end of the body.
func (r *reader) peek() (int, error) {
	if r.pos < len(r.data) && classes[r.data[r.pos]]&classGap == 0 {
		return int(r.data[r.pos]), nil
	}
	return r.peekGap()
}

// peekGap is peek where a gap begins.
func (r *reader) peekGap() (int, error) {
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
	data, start := r.data, r.pos+1
	for i := start; i < len(data); i++ {
		c := data[i]
		if classes[c]&classString == 0 {
			continue
		}
		switch {
		case c == quote:
			t.text = data[start:i]
			r.pos = i + 1
			return t, nil
		case c == '\\':
			n := escapeLen(data[i:])
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
	r.pos = len(data)
	return t, r.fail("Unterminated string")
}

// unquoted reads a text without quotes; it is empty if none begins here.
func (r *reader) unquoted() token {
	t := token{kind: kindLiteral}
	data, start, end, bits := r.data, r.pos, r.pos, byte(0)
	for end < len(data) && classes[data[end]]&classEnd == 0 {
		bits |= data[end]
		end++
	}
	r.pos, t.text, t.wide = end, data[start:end], bits >= utf8.RuneSelf
	switch {
	case bits < 'A': // digits and signs alone are no keyword
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
