package wire

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file turns tokens into the Java types of the fields, with the
// conversions of Gson's adapters.

// str reads a String field: any scalar as its text, null as no string.
func (r *reader) str(key string, dst *NullString) error {
	r.key = key
	t, err := r.value()
	if err != nil {
		return err
	}
	switch t.kind {
	case kindNull:
		*dst = NullString{}
	case kindObject, kindArray:
		return r.fail("Expected a string but was %s", t.kind)
	default:
		*dst = NullString{String: r.text(t), Valid: true}
	}
	return nil
}

// text returns the text of a scalar. It never aliases the body.
func (r *reader) text(t token) string {
	switch {
	case t.kind == kindBool:
		return strings.ToLower(string(t.text))
	case t.escaped, t.wide && !utf8.Valid(t.text):
		r.scratch = appendUnescaped(r.scratch[:0], t.text)
		return string(r.scratch)
	default:
		return intern(t.text)
	}
}

// intern copies b, without an allocation for the names that come with every
// trigger.
func intern(b []byte) string {
	switch string(b) {
	case GlueTypeBean:
		return GlueTypeBean
	case GlueTypeShell:
		return GlueTypeShell
	case BlockSerial:
		return BlockSerial
	case BlockDiscardLater:
		return BlockDiscardLater
	case BlockCoverEarly:
		return BlockCoverEarly
	case TextSuccess:
		return TextSuccess
	case RegistryGroupExecutor:
		return RegistryGroupExecutor
	default:
		return string(b)
	}
}

// bool reads a boolean field. A string counts as its word "true" in any case,
// null leaves the field as it is.
func (r *reader) bool(key string, dst *bool) error {
	r.key = key
	t, err := r.value()
	if err != nil {
		return err
	}
	switch {
	case t.kind == kindNull:
	case t.kind == kindBool:
		*dst = equalFold(t.text, "true")
	case t.kind == kindString || t.kind == kindLiteral && !isNumber(t.text):
		*dst = strings.EqualFold(r.text(t), "true")
	default:
		return r.fail("Expected a boolean but was %s", t.describe())
	}
	return nil
}

// int32 reads an int field; null leaves it as it is.
func (r *reader) int32(key string, dst *int32) error {
	v, ok, err := r.integer(key, math.MinInt32, math.MaxInt32)
	if ok {
		*dst = int32(v)
	}
	return err
}

// int64 reads a long field; null leaves it as it is.
func (r *reader) int64(key string, dst *int64) error {
	v, ok, err := r.integer(key, math.MinInt64, math.MaxInt64)
	if ok {
		*dst = v
	}
	return err
}

// integer reads a whole number between low and high; ok is false for null.
func (r *reader) integer(key string, low, high int64) (v int64, ok bool, err error) {
	r.key = key
	t, err := r.value()
	if err != nil || t.kind == kindNull {
		return 0, false, err
	}
	if t.kind == kindString || t.kind == kindLiteral {
		text := t.text
		if t.escaped {
			text = appendUnescaped(nil, text)
		}
		if v, ok = parseInteger(text, low, high); ok {
			return v, true, nil
		}
	}
	name := "a long"
	if high == math.MaxInt32 {
		name = "an int"
	}
	return 0, false, r.fail("Expected %s but was %s", name, t.describe())
}

// describe names a token in an error, with at most a short piece of its text.
func (t token) describe() string {
	const longest = 32
	switch t.kind {
	case kindString, kindLiteral, kindBool:
		text := t.text
		if len(text) > longest {
			text = text[:longest]
		}
		return strconv.Quote(string(text))
	default:
		return t.kind.String()
	}
}

// parseInteger reads a whole number as Java does: first as decimal digits,
// then as a double that must be integral. The nearest double of the largest
// long is one above it and is clamped.
func parseInteger(text []byte, low, high int64) (int64, bool) {
	if v, ok := parseDigits(text); ok {
		return v, v >= low && v <= high
	}
	f, ok := parseDouble(strings.TrimFunc(string(text), func(c rune) bool { return c <= ' ' }))
	if !ok || f != math.Trunc(f) || f < float64(low) || f > float64(high) {
		return 0, false
	}
	if f >= math.MaxInt64 {
		return math.MaxInt64, true
	}
	return int64(f), true
}

// parseDigits reads an optional sign and at most 18 digits, which always fit.
func parseDigits(text []byte) (int64, bool) {
	digits := text
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	if len(digits) > 18 { // rare: leave the edge of the range to strconv
		v, err := strconv.ParseInt(string(text), 10, 64)
		return v, err == nil
	}
	if len(digits) == 0 {
		return 0, false
	}
	var v int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	if text[0] == '-' {
		v = -v
	}
	return v, true
}

// parseDouble reads what Double.parseDouble reads of finite numbers: a
// decimal or hexadecimal number, perhaps with the suffix of a Java literal.
func parseDouble(s string) (float64, bool) {
	if n := len(s); n > 1 && strings.IndexByte("dDfF", s[n-1]) >= 0 && !isHexWithoutExponent(s) {
		s = s[:n-1]
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', strings.IndexByte("+-.abcdefxpABCDEFXP", c) >= 0:
		default: // strconv also knows "inf", "nan" and underscores
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// isHexWithoutExponent reports whether a last letter d or f is a digit.
func isHexWithoutExponent(s string) bool {
	return strings.ContainsAny(s, "xX") && !strings.ContainsAny(s, "pP")
}

// isNumber reports whether b is a number in the strict grammar of JSON. Gson
// takes every other unquoted text for a string.
func isNumber(b []byte) bool {
	i := 0
	digits := func() int {
		start := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i - start
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	start := i
	if n := digits(); n == 0 || n > 1 && b[start] == '0' {
		return false
	}
	if i < len(b) && b[i] == '.' {
		i++
		if digits() == 0 {
			return false
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if digits() == 0 {
			return false
		}
	}
	return i == len(b)
}
