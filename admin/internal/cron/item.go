package cron

import (
	"fmt"
	"strconv"
)

// noEnd stands for the end of a range that was not given.
const noEnd = -1

// any reads "?". One character behind it is ignored.
func (p *parser) any(f int, t token) error {
	if len(t.text) > 2 {
		return p.fail(f, t, 1, "Illegal character after '?': "+string(t.text[1]), "? stands alone")
	}
	switch {
	case f != dayOfMonth && f != dayOfWeek:
		return p.fail(f, t, 0, "'?' can only be specified for Day-of-Month or Day-of-Week.",
			"? is for day-of-month and day-of-week only; write *")
	case f == dayOfMonth:
		p.anyDay = true
	case p.anyDay && !p.everyDay:
		return p.fail(f, t, 0, "'?' can only be specified for Day-of-Month -OR- Day-of-Week.",
			"day-of-month is ? already; give one of the two")
	default:
		p.anyWeekday = true
	}
	return nil
}

// star reads "*", "*/n" and "/n". What follows a * and is no / is ignored.
func (p *parser) star(f int, t token) error {
	i := 0
	if t.text[0] == '*' {
		i = 1
		if len(t.text) == 1 && f == dayOfMonth {
			p.everyDay = true
		}
		if t.at(1) != '/' {
			p.every(f, 1)
			return nil
		}
	}
	i++ // behind the slash
	if i == len(t.text) {
		java := "'/' must be followed by an integer."
		if t.text[0] == '*' {
			java = "Unexpected end of string."
		}
		return p.fail(f, t, i-1, java, "a step belongs behind the /")
	}
	step, err := strconv.ParseInt(t.from(i), 10, 32) // a sign is read as Java reads it
	if err != nil {
		return p.fail(f, t, i, badNumber(t.from(i)), "the step %q is no number", t.from(i))
	}
	if err := p.checkStep(f, t, i, int(step)); err != nil {
		return err
	}
	if step <= 0 && f == dayOfMonth {
		p.everyDay = true
	}
	p.every(f, max(1, int(step)))
	return nil
}

// lastForm reads L, LW, L-n and L-nW.
func (p *parser) lastForm(f int, t token) error {
	switch f {
	case second, minute, hour:
		return p.fail(f, t, 0, "'L' not expected in seconds, minutes or hours fields.",
			"L is for day-of-month and day-of-week only")
	case dayOfWeek:
		return p.value(f, t, 0, fields[f].high)
	case month, year:
		return nil // Java reads it and holds no value
	}
	offset, i := 0, 1
	if t.at(1) == '-' {
		i = 2
		if len(t.text) == 2 {
			return p.fail(f, t, 1, outOfText(2), "a number of days belongs behind L-")
		}
		if isDigit(t.at(2)) {
			var err error
			if offset, i, err = p.digits(f, t, 2); err != nil {
				return p.fail(f, t, 2, badNumber("0"+digitsOf(t, 2)), "the number %s is too large", digitsOf(t, 2))
			}
		}
		if offset > 30 {
			return p.fail(f, t, 2, "Offset from last day must be <= 30", "L-%d is too far; at most L-30", offset)
		}
	}
	if t.at(i) == 'W' {
		p.nearLast |= 1 << offset
	} else {
		p.last |= 1 << offset
	}
	return nil
}

// name reads the name of a month or a weekday, and a range of names. Only
// three letters count; what follows is ignored.
func (p *parser) name(f int, t token) error {
	from, err := p.nameAt(f, t, 0)
	if err != nil {
		return err
	}
	switch c := t.at(3); {
	case c == '-':
		to, err := p.nameAt(f, t, 4)
		if err != nil {
			return err
		}
		return p.span(f, t, 0, from, to, 1)
	case c == '#' && f == dayOfWeek:
		if err := p.nthOf(t, 4); err != nil {
			return err
		}
	case c == 'L' && f == dayOfWeek:
		p.lastDOW = true
	}
	return p.value(f, t, 0, from)
}

// nameAt looks up the three letters at i.
func (p *parser) nameAt(f int, t token, i int) (int, error) {
	if len(t.text) < i+3 {
		java := fmt.Sprintf("begin %d, end %d, length %d", i, i+3, len(t.text))
		return 0, p.fail(f, t, min(i, len(t.text)-1), broken("StringIndexOutOfBoundsException: "+java),
			"%q is no value; names have three letters", t.from(min(i, len(t.text))))
	}
	name := string(t.text[i : i+3])
	if fields[f].names == nil {
		return 0, p.fail(f, t, i, "Illegal characters for this position: '"+name+"'", "%q is no value here", name)
	}
	v, ok := fields[f].names[name]
	if !ok {
		kind := "Month"
		if f == dayOfWeek {
			kind = "Day-of-Week"
		}
		return 0, p.fail(f, t, i, "Invalid "+kind+" value: '"+name+"'", "%q is not a name of this field", name)
	}
	return v, nil
}

// nthOf reads the number behind a #, at i.
func (p *parser) nthOf(t token, i int) error {
	n, err := strconv.ParseInt(t.from(i), 10, 32)
	if err != nil || n < 1 || n > 5 {
		return p.fail(dayOfWeek, t, i-1, "A numeric value between 1 and 5 must follow the '#' option",
			"a number from 1 to 5 belongs behind the #, as in 2#1 for the first Monday")
	}
	p.nth = int(n)
	return nil
}

// number reads whatever begins with a digit. Text behind a complete value is
// ignored.
func (p *parser) number(f int, t token) error {
	v, i, err := p.digits(f, t, 0)
	if err != nil {
		return err
	}
	switch t.at(i) {
	case 'L':
		return p.lastWeekday(f, t, i, v)
	case 'W':
		return p.nearest(f, t, i, v)
	case '#':
		if f != dayOfWeek {
			return p.misplaced(f, t, i)
		}
		if err := p.nthOf(t, i+1); err != nil {
			return err
		}
		p.weekday(v)
		return nil
	case '-':
		return p.numberRange(f, t, i+1, v)
	case '/':
		return p.numberStep(f, t, i+1, v)
	default:
		return p.value(f, t, 0, v)
	}
}

// lastWeekday takes nL, the L being at i.
func (p *parser) lastWeekday(f int, t token, i, v int) error {
	if f != dayOfWeek {
		return p.misplaced(f, t, i)
	}
	if err := p.value(f, t, 0, v); err != nil {
		return err
	}
	p.lastDOW = true
	return nil
}

// nearest takes nW, the W being at i.
func (p *parser) nearest(f int, t token, i, v int) error {
	if f != dayOfMonth {
		return p.misplaced(f, t, i)
	}
	if v > fields[f].high {
		return p.fail(f, t, 0, "The 'W' option does not make sense with values larger than 31"+
			" (max number of days in a month)", "no month has a day %d", v)
	}
	p.near |= 1 << v
	return nil
}

// misplaced refuses a letter in a field that has no use for it.
func (p *parser) misplaced(f int, t token, i int) error {
	c := string(t.text[i])
	return p.fail(f, t, i, fmt.Sprintf("'%s' option is not valid here. (pos=%d)", c, i), "%s has no meaning here", c)
}

// numberRange reads what follows "a-", at i: "b" or "b/n".
func (p *parser) numberRange(f int, t token, i, from int) error {
	to, i, err := p.digits(f, t, i)
	if err != nil {
		return err
	}
	step := 1
	if t.at(i) == '/' {
		if step, _, err = p.digits(f, t, i+1); err != nil {
			return err
		}
	}
	return p.span(f, t, 0, from, to, step)
}

// numberStep reads what follows "a/", at i.
func (p *parser) numberStep(f int, t token, i, from int) error {
	if i == len(t.text) {
		return p.fail(f, t, i-1, "'/' must be followed by an integer.", "a step belongs behind the /")
	}
	step, end, err := p.digits(f, t, i)
	if err != nil {
		return err
	}
	if end == i+1 && end < len(t.text) {
		c := t.text[end]
		return p.fail(f, t, end, "Unexpected character '"+string(c)+"' after '/'", "%q does not belong in a step", c)
	}
	if err := p.checkStep(f, t, i, step); err != nil {
		return err
	}
	return p.span(f, t, 0, from, noEnd, step)
}

// digits reads the number at i and returns the index behind it.
func (p *parser) digits(f int, t token, i int) (v, next int, err error) {
	if i >= len(t.text) {
		return 0, i, p.fail(f, t, i-1, outOfText(i), "a number belongs behind %q", t.text[i-1])
	}
	s := digitsOf(t, i)
	if s == "" {
		c := t.text[i]
		return 0, i, p.fail(f, t, i, badNumber(string(c)), "a number belongs here, not %q", c)
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return 0, i, p.fail(f, t, i, badNumber(s), "the number %s is too large", s)
	}
	return int(n), i + len(s), nil
}

// digitsOf returns the digits at i.
func digitsOf(t token, i int) string {
	end := i
	for isDigit(t.at(end)) {
		end++
	}
	return string(t.text[i:end])
}

// Java's texts for what its parser stumbles over.

func broken(exception string) string {
	return "Illegal cron expression format (java.lang." + exception + ")"
}

func badNumber(s string) string {
	return broken(`NumberFormatException: For input string: "` + s + `"`)
}

func outOfText(i int) string {
	return broken(fmt.Sprintf("StringIndexOutOfBoundsException: String index out of range: %d", i))
}
