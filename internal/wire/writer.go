package wire

import "strconv"

// object appends the fields of one JSON object. Names are constants of this
// package that need no escaping.
type object struct {
	dst   []byte
	comma bool
}

func newObject(dst []byte) object { return object{dst: append(dst, '{')} }

func (o *object) name(key string) {
	if o.comma {
		o.dst = append(o.dst, ',')
	}
	o.comma = true
	o.dst = append(o.dst, '"')
	o.dst = append(o.dst, key...)
	o.dst = append(o.dst, '"', ':')
}

func (o *object) int(key string, v int64) {
	o.name(key)
	o.dst = strconv.AppendInt(o.dst, v, 10)
}

func (o *object) bool(key string, v bool) {
	o.name(key)
	o.dst = strconv.AppendBool(o.dst, v)
}

func (o *object) text(key, v string) {
	o.name(key)
	o.dst = AppendQuoted(o.dst, v)
}

// str leaves a null out, as Java does.
func (o *object) str(key string, v NullString) {
	if v.Valid {
		o.text(key, v.String)
	}
}

// strOrNull writes null for a null.
func (o *object) strOrNull(key string, v NullString) {
	if v.Valid {
		o.text(key, v.String)
		return
	}
	o.name(key)
	o.dst = append(o.dst, "null"...)
}

func (o *object) end() []byte { return append(o.dst, '}') }
