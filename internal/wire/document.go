package wire

import "fmt"

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

// close checks that nothing but blanks follows the value. Gson is no longer
// lenient there: a comment is an error too.
func (r *reader) close() error {
	for r.pos < len(r.data) && classes[r.data[r.pos]]&classSpace != 0 {
		r.pos++
	}
	if r.pos < len(r.data) {
		return r.fail("JSON document was not fully consumed")
	}
	return nil
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
