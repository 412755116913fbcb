package wire

import (
	"unicode/utf16"
	"unicode/utf8"
)

// NullString is a string field of the protocol, where null (or a missing key)
// is not the same as the empty string. The zero value is null.
type NullString struct {
	String string
	Valid  bool // false for null or absent; String is then empty
}

// Str returns s as a NullString that is not null.
func Str(s string) NullString { return NullString{String: s, Valid: true} }

// Or returns the string, or def if it is null.
func (s NullString) Or(def string) string {
	if s.Valid {
		return s.String
	}
	return def
}

const hexDigits = "0123456789abcdef"

// escapeLen returns the length of the escape sequence at the start of b, or 0
// if it is not one that Gson knows.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case 't', 'b', 'n', 'r', 'f', '\n', '\'', '"', '\\', '/':
		return 2
	case 'u':
		if _, ok := hex4(b[2:]); ok {
			return 6
		}
	}
	return 0
}

// hex4 reads the four hexadecimal digits of a \u escape.
func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var v rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			v = v<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return v, true
}

// appendUnescaped appends the text of src, whose escapes have been checked.
// Bytes that are no UTF-8 become U+FFFD. A surrogate without its partner
// becomes a question mark, which is what Java makes of it on the way back.
func appendUnescaped(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == '\\':
			var n int
			dst, n = appendEscape(dst, src[i:])
			i += n
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, n := utf8.DecodeRune(src[i:])
			if r == utf8.RuneError && n == 1 {
				n = malformedLen(src[i:])
			}
			dst = utf8.AppendRune(dst, r)
			i += n
		}
	}
	return dst
}

// malformedLen returns how many of the bytes at the start of b, which are no
// UTF-8, Java replaces by one U+FFFD: as many as could begin a character, and
// the three of an encoded surrogate.
func malformedLen(b []byte) int {
	n, low, high := 1, byte(0x80), byte(0xBF) // sequence length, range of its second byte
	switch c := b[0]; {
	case c == 0xE0:
		n, low = 3, 0xA0
	case c > 0xE0 && c <= 0xEF:
		n = 3
	case c == 0xF0:
		n, low = 4, 0x90
	case c > 0xF0 && c < 0xF4:
		n = 4
	case c == 0xF4:
		n, high = 4, 0x8F
	}
	n = min(n, len(b))
	for i := 1; i < n; i++ {
		if b[i] < low || b[i] > high {
			return i
		}
		low, high = 0x80, 0xBF
	}
	return n
}

// appendEscape appends the character of the escape at the start of src and
// returns how many bytes of src it took.
func appendEscape(dst, src []byte) ([]byte, int) {
	switch c := src[1]; c {
	case 't':
		return append(dst, '\t'), 2
	case 'b':
		return append(dst, '\b'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'u':
	default:
		return append(dst, c), 2
	}
	r, _ := hex4(src[2:])
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), 6
	}
	if len(src) >= 12 && src[6] == '\\' && src[7] == 'u' {
		if low, ok := hex4(src[8:]); ok {
			if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
				return utf8.AppendRune(dst, full), 12
			}
		}
	}
	return append(dst, '?'), 6
}

// escapes holds the bytes below 0x80 that are escaped: the letter behind the
// backslash, or 'u' for a numeric escape; zero means as it is.
var escapes = func() (t [utf8.RuneSelf]byte) {
	for c := range 0x20 {
		t[c] = 'u'
	}
	t['\t'], t['\b'], t['\n'], t['\r'], t['\f'] = 't', 'b', 'n', 'r', 'f'
	t['"'], t['\\'] = '"', '\\'
	return t
}()

// runeAt decodes the character at s[i], which is not ASCII.
func runeAt[T string | []byte](s T, i int) (rune, int) {
	var b [utf8.UTFMax]byte
	n := copy(b[:], s[i:min(len(s), i+utf8.UTFMax)])
	return utf8.DecodeRune(b[:n])
}

// AppendQuoted appends s as a JSON string with its quotes. Control characters,
// U+2028 and U+2029 are escaped, bytes that are no UTF-8 become U+FFFD, and
// nothing is escaped for HTML.
func AppendQuoted[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if e := escapes[c]; e != 0 {
				dst = append(append(dst, s[start:i]...), '\\', e)
				if e == 'u' {
					dst = append(dst, '0', '0', hexDigits[c>>4], hexDigits[c&15])
				}
				start = i + 1
			}
			i++
			continue
		}
		r, n := runeAt(s, i)
		if r == utf8.RuneError && n == 1 || r == '\u2028' || r == '\u2029' {
			dst = append(dst, s[start:i]...)
			start = i + n
			if n == 1 {
				dst = utf8.AppendRune(dst, utf8.RuneError)
			} else {
				dst = append(dst, '\\', 'u', '2', '0', '2', hexDigits[r&15])
			}
		}
		i += n
	}
	return append(append(dst, s[start:]...), '"')
}

// QuotedLen returns the number of bytes that AppendQuoted writes for s between
// the quotes. It allocates nothing.
func QuotedLen[T string | []byte](s T) int {
	total := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			switch escapes[c] {
			case 0:
				total++
			case 'u':
				total += 6
			default:
				total += 2
			}
			i++
			continue
		}
		r, n := runeAt(s, i)
		switch {
		case r == utf8.RuneError && n == 1:
			total += 3
		case r == '\u2028' || r == '\u2029':
			total += 6
		default:
			total += n
		}
		i += n
	}
	return total
}

// TruncateMessage returns s if it has at most max UTF-16 units, which is how
// Java counts characters. Else it returns the first max units and "...". A
// character that needs two units is left out rather than cut in half. With
// max zero or below the rest is only the dots.
func TruncateMessage(s string, max int) string {
	cut := PrefixUTF16(s, max)
	if len(cut) == len(s) {
		return s
	}
	return cut + "..."
}

// PrefixUTF16 returns the longest start of s that has at most max UTF-16
// units and ends between characters.
func PrefixUTF16(s string, max int) string {
	if len(s) <= max { // no character has more units than bytes
		return s
	}
	units := 0
	for i, r := range s {
		n := 1
		if r > 0xFFFF {
			n = 2
		}
		if units+n > max {
			return s[:i]
		}
		units += n
	}
	return s
}
