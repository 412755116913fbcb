package ops

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/internal/wire"
)

const (
	textColumn = 65535   // bytes of a MySQL text column
	byBytes    = 60000   // from this size on a column counts bytes
	maxSource  = 4 << 20 // bytes of code: it travels in every trigger, which may have 5 MiB
	maxDetail  = 4000    // characters of an audit record
	maxValue   = 200     // characters of one value in it
)

// blank reports whether a text is empty or of blanks only, as Java's isBlank.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// chars counts as Java does: characters beyond the basic plane are two.
func chars(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// markup reports whether a text could be taken for HTML.
func markup(s string) bool { return strings.ContainsAny(s, "<>") }

// storable reports whether every database can keep the text: UTF-8 without
// NUL.
func storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// noMarkup refuses a field that could be taken for HTML.
func noMarkup(name Part) *Error {
	return invalid("leave < and > and control characters out", name, key(i18n.SystemInvalid)).own("refused.markup")
}

// control reports whether a text that is shown in one line has control
// characters.
func control(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// field is a text with the most characters that its column holds.
type field struct {
	name  Part
	value string
	max   int
}

// fits refuses the first field that no column holds.
func fits(fields ...field) *Error {
	for _, f := range fields {
		if !storable(f.value) {
			return invalid("the text is not UTF-8 or has a NUL character", f.name, key(i18n.SystemInvalid))
		}
		if n := size(f.value, f.max); n > f.max {
			return invalid(fmt.Sprintf("the text has %d characters, at most %d are kept", n, f.max),
				f.name, lit(" "), key(i18n.SystemLengthLimit), lit("[0-"+strconv.Itoa(f.max)+"]"))
		}
	}
	return nil
}

// size is the length of s in the unit in which a column of this width counts.
func size(s string, width int) int {
	if width >= byBytes {
		return len(s)
	}
	return utf8.RuneCountInString(s)
}

// cut shortens a text to at most n characters.
func cut(s string, n int) string { return wire.TruncateMessage(strings.ToValidUTF8(s, "?"), n) }
