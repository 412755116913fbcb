// Package strictjson reads JSON that people and programs write to say what they
// want, and takes it at its word: encoding/json takes "Name" for "name", and of a
// field that is given twice the last. Here both are errors, as are fields that
// there are none of, with a pointer to where they stand.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// ErrTrailing says that something follows the value.
var ErrTrailing = errors.New("something follows the JSON value")

// maxName is how much of a field's name an error repeats, in bytes.
const maxName = 100

// FieldError is a field that is not taken.
type FieldError struct {
	Pointer string // JSON pointer (RFC 6901) to it
	Name    string // as it was given
	Meant   string // the field that differs only in the case of letters; "" is none
	Twice   bool   // there is such a field, and it was given before
}

// Error says what is wrong with the field.
func (e *FieldError) Error() string {
	switch {
	case e.Twice:
		return fmt.Sprintf("the field %s is given twice", e.Name)
	case e.Meant != "":
		return fmt.Sprintf("there is no field %s: it is called %s", e.Name, e.Meant)
	}
	return "there is no field " + e.Name
}

// Decode reads the one JSON value that data holds into v, as encoding/json does
// for what is right. A field that v has none of by exactly that name, or that is
// given twice, is a *FieldError. Below an interface, and below a type that
// decodes itself, only fields that are given twice are found. After an error v
// is as it was, or partly filled where a value has the wrong type.
func Decode(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return ErrTrailing
	}
	w := walker{dec: json.NewDecoder(bytes.NewReader(raw))}
	w.dec.UseNumber() // any number: whether it fits is said below
	if err := w.value(reflect.TypeOf(v), ""); err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}

// walker goes through JSON that is valid, beside the type that it is for.
type walker struct{ dec *json.Decoder }

// value reads a value for a type; nil is any.
func (w *walker) value(t reflect.Type, at string) error {
	token, err := w.dec.Token()
	if err != nil {
		return err
	}
	t = plain(t)
	switch token {
	case json.Delim('{'):
		return w.object(t, at)
	case json.Delim('['):
		return w.array(t, at)
	}
	return nil
}

// object reads what is behind a brace, and the closing one.
func (w *walker) object(t reflect.Type, at string) error {
	var known map[string]reflect.Type // nil takes every name
	var each reflect.Type
	if t != nil && t.Kind() == reflect.Struct {
		known = fields(t)
	}
	if t != nil && t.Kind() == reflect.Map {
		each = t.Elem()
	}
	given := make(map[string]bool)
	for w.dec.More() {
		token, err := w.dec.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		below := at + "/" + escaped(name)
		of, ok := known[name]
		switch {
		case known != nil && !ok:
			return &FieldError{Pointer: below, Name: short(name), Meant: meant(name, known)}
		case given[name]:
			return &FieldError{Pointer: below, Name: short(name), Twice: true}
		case known == nil:
			of = each
		}
		given[name] = true
		if err := w.value(of, below); err != nil {
			return err
		}
	}
	_, err := w.dec.Token()
	return err
}

// array reads what is behind a bracket, and the closing one.
func (w *walker) array(t reflect.Type, at string) error {
	var each reflect.Type
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		each = t.Elem()
	}
	for i := 0; w.dec.More(); i++ {
		if err := w.value(each, at+"/"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	_, err := w.dec.Token()
	return err
}

var decodesItself = reflect.TypeFor[json.Unmarshaler]()

// plain is what a type points to, or nil where anything may stand.
func plain(t reflect.Type) reflect.Type {
	for t != nil {
		switch {
		case t.Implements(decodesItself), reflect.PointerTo(t).Implements(decodesItself):
			return nil
		case t.Kind() == reflect.Interface:
			return nil
		case t.Kind() != reflect.Pointer:
			return t
		}
		t = t.Elem()
	}
	return nil
}

// fields are those of a struct by their names in JSON, those of embedded structs
// among them unless an outer one has the name.
func fields(t reflect.Type) map[string]reflect.Type {
	list := make(map[string]reflect.Type)
	var embedded []reflect.Type
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case field.Tag.Get("json") == "-":
		case field.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			embedded = append(embedded, inner)
		case !field.IsExported():
		case name == "":
			list[field.Name] = field.Type
		default:
			list[name] = field.Type
		}
	}
	for _, inner := range embedded {
		for name, of := range fields(inner) {
			if _, outer := list[name]; !outer {
				list[name] = of
			}
		}
	}
	return list
}

// meant is the known name that encoding/json would have taken for another one.
func meant(name string, known map[string]reflect.Type) string {
	for other := range known {
		if strings.EqualFold(other, name) {
			return other
		}
	}
	return ""
}

// escaped is a name as a part of a JSON pointer.
func escaped(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(short(name))
}

func short(name string) string {
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName], "") + "…"
}
