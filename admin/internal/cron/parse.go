package cron

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxLength bounds an expression, in characters. The database column of the
// Java admin holds 128.
const maxLength = 1024

// Parse reads an expression. An error is a *SyntaxError. It is safe for
// concurrent use.
func Parse(expr string) (Schedule, error) {
	p := parser{expr: expr, minDOW: math.MaxInt}
	if n := utf8.RuneCountInString(expr); n > maxLength {
		return Schedule{}, p.failWhole("Invalid expression has too many characters.",
			"it has %d characters; at most %d are read", n, maxLength)
	}
	if err := p.parse(); err != nil {
		return Schedule{}, err
	}
	return Schedule{spec: p.spec()}, nil
}

// token is a stretch of the expression in upper case.
type token struct {
	text  []rune
	start int // index of its first character in the expression
}

// at returns the character at i, and 0 behind the end.
func (t token) at(i int) rune {
	if i >= len(t.text) {
		return 0
	}
	return t.text[i]
}

func (t token) from(i int) string { return string(t.text[i:]) }

// parser collects what the fields of one expression say.
type parser struct {
	expr string

	bits  [year]uint64 // values by field, except years
	years []yearSpan

	anyDay, anyWeekday bool   // "?" stands in day-of-month, in day-of-week
	everyDay           bool   // "*" stands in day-of-month
	last               uint64 // bit n: L-n
	near               uint64 // bit n: nW
	nearLast           uint64 // bit n: L-nW

	minDOW  int // the smallest day of the week given, which # and L speak of
	nth     int // n of #n; 0 for none
	lastDOW bool
}

// parse reads all fields.
func (p *parser) parse() error {
	tokens := p.split()
	if len(tokens) > fieldCount {
		return p.failWhole("Invalid expression has too many terms: "+strings.ToUpper(p.expr),
			"it has %d fields; write 6, or 7 with a year", len(tokens))
	}
	for f, t := range tokens {
		if err := p.field(f, t); err != nil {
			return err
		}
	}
	switch {
	case len(tokens) <= dayOfWeek:
		return p.failWhole("Unexpected end of expression.",
			"it has %d of 6 fields: second minute hour day-of-month month day-of-week [year]", len(tokens))
	case len(tokens) == year:
		p.every(year, 1)
	}
	if p.anyDay == p.anyWeekday {
		problem := "day-of-month and day-of-week are both given; put ? in one of them"
		if p.anyDay {
			problem = "day-of-month and day-of-week are both ?; give one of them"
		}
		return p.failWhole("Support for specifying both a day-of-week AND a day-of-month parameter"+
			" is not implemented.", "%s", problem)
	}
	return nil
}

// split cuts the expression at blanks and tabs; other white space around a
// field is dropped.
func (p *parser) split() []token {
	text := []rune(strings.ToUpper(p.expr))
	var tokens []token
	for i := 0; i < len(text); i++ {
		if isBlank(text[i]) {
			continue
		}
		start := i
		for i < len(text) && !isBlank(text[i]) {
			i++
		}
		end := i
		for start < end && text[start] <= ' ' {
			start++
		}
		for start < end && text[end-1] <= ' ' {
			end--
		}
		tokens = append(tokens, token{text: text[start:end], start: start})
	}
	return tokens
}

func isBlank(c rune) bool { return c == ' ' || c == '\t' }

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

// field reads the list that one field holds.
func (p *parser) field(f int, t token) error {
	if f == dayOfWeek {
		if err := p.checkWeekdayList(t); err != nil {
			return err
		}
	}
	for i := 0; i < len(t.text); i++ {
		start := i
		for i < len(t.text) && t.text[i] != ',' {
			i++
		}
		if i == start {
			continue // between two commas there may be nothing
		}
		if err := p.item(f, token{text: t.text[start:i], start: t.start + start}); err != nil {
			return err
		}
	}
	return nil
}

// checkWeekdayList refuses lists with L, and more than one #.
func (p *parser) checkWeekdayList(t token) error {
	if l := slices.Index(t.text, 'L'); l >= 0 && slices.Contains(t.text, ',') {
		return p.fail(dayOfWeek, t, l,
			"Support for specifying 'L' with other days of the week is not implemented",
			"L stands alone, not in a list")
	}
	if first := slices.Index(t.text, '#'); first >= 0 {
		if next := slices.Index(t.text[first+1:], '#'); next >= 0 {
			return p.fail(dayOfWeek, t, first+1+next,
				`Support for specifying multiple "nth" days is not implemented.`,
				"only one day may have a #")
		}
	}
	return nil
}

// item reads one part of a list.
func (p *parser) item(f int, t token) error {
	switch c := t.text[0]; {
	case c >= 'A' && c <= 'Z' && !isLastForm(t):
		return p.name(f, t)
	case c == '?':
		return p.any(f, t)
	case c == '*' || c == '/':
		return p.star(f, t)
	case c == 'L':
		return p.lastForm(f, t)
	case isDigit(c):
		return p.number(f, t)
	default:
		return p.fail(f, t, 0, "Unexpected character: "+string(c), "a value cannot begin with %q", c)
	}
}

// isLastForm reports whether t is L, LW, L-n or L-nW.
func isLastForm(t token) bool {
	rest, ok := strings.CutPrefix(string(t.text), "L")
	if !ok {
		return false
	}
	if rest == "" || rest == "W" {
		return true
	}
	if rest, ok = strings.CutPrefix(rest, "-"); !ok {
		return false
	}
	rest = strings.TrimSuffix(rest, "W")
	return strings.IndexFunc(rest, func(c rune) bool { return !isDigit(c) }) < 0
}

// spec turns what was read into the form that Next works on.
func (p *parser) spec() *spec {
	s := &spec{
		text: p.expr, years: p.years,
		sec: p.bits[second], min: p.bits[minute], hour: uint32(p.bits[hour]),
		month: uint16(p.bits[month]),
	}
	if p.anyDay {
		s.byWeekday = true
		s.dow, s.nth, s.lastDOW = uint8(p.bits[dayOfWeek]>>1), p.nth, p.lastDOW
		if p.nth > 0 || p.lastDOW {
			s.dow = theWeekday(p.minDOW)
		}
	} else {
		s.dom, s.last = uint32(p.bits[dayOfMonth]), uint32(p.last)
		s.near, s.nearLast = uint32(p.near)&^1, uint32(p.nearLast)
	}
	s.never = s.sec == 0 || s.min == 0 || s.hour == 0 || s.month == 0 || len(s.years) == 0 ||
		s.dom|s.last|s.near|s.nearLast|uint32(s.dow) == 0
	return s
}

// theWeekday returns the bit of the one day that # or L speaks of: with a list
// the smallest of it. As in Java 0 is Saturday there, and no day lies above 7.
func theWeekday(d int) uint8 {
	switch {
	case d == 0:
		return 1 << 6
	case d > 7:
		return 0
	default:
		return 1 << (d - 1)
	}
}

// fail makes the error of a field; i is the index in t of the character.
func (p *parser) fail(f int, t token, i int, java, problem string, args ...any) error {
	return &SyntaxError{
		Expr: p.expr, Field: fields[f].name, Column: t.start + i + 1,
		Problem: fmt.Sprintf(problem, args...), Allowed: fields[f].allowed, java: java,
	}
}

// failWhole makes an error that is not about a single field.
func (p *parser) failWhole(java, problem string, args ...any) error {
	return &SyntaxError{Expr: p.expr, Problem: fmt.Sprintf(problem, args...), java: java}
}
