package cron

import (
	"fmt"
	"math"
)

// checkStep refuses a step of */n or a/n that is longer than the field; i is
// where it stands.
func (p *parser) checkStep(f int, t token, i, step int) error {
	def := &fields[f]
	if def.maxStep == 0 || step <= def.maxStep {
		return nil
	}
	return p.fail(f, t, i, fmt.Sprintf("Increment >= %d : %d", def.stepBound, step),
		"a step of %d is too large; at most %d", step, def.maxStep)
}

// checkRange refuses values outside of the field. The end of a range may be 0
// also where counting begins with 1: it wraps.
func (p *parser) checkRange(f int, t token, i, from, to int) error {
	def := &fields[f]
	if def.high == 0 {
		return nil
	}
	bad := from
	if from >= def.low && from <= def.high {
		if to <= def.high {
			return nil
		}
		bad = to
	}
	return p.fail(f, t, i, def.javaRange, "%d is not in %d-%d", bad, def.low, def.high)
}

// value takes a single value, given at i.
func (p *parser) value(f int, t token, i, v int) error {
	if err := p.checkRange(f, t, i, v, noEnd); err != nil {
		return err
	}
	p.put(f, v)
	return nil
}

// span takes from, from+step … up to to, or up to the end of the field for
// noEnd. A range whose end lies before its start wraps; a step of 0 leaves the
// start alone.
func (p *parser) span(f int, t token, i, from, to, step int) error {
	if err := p.checkRange(f, t, i, from, to); err != nil {
		return err
	}
	if step == 0 {
		p.put(f, from)
		return nil
	}
	if f == year {
		return p.yearRange(t, i, from, to, step)
	}
	def := &fields[f]
	if to == noEnd {
		to = def.high
	}
	if to < from {
		to += def.cycle
	}
	for v := from; v <= to; v += step {
		p.put(f, (v-def.low)%def.cycle+def.low)
	}
	return nil
}

// yearRange takes a range of years, which may not wrap.
func (p *parser) yearRange(t token, i, from, to, step int) error {
	if to == noEnd {
		to = math.MaxInt32
	}
	if to < from {
		return p.fail(year, t, i, broken("IllegalArgumentException: Start year must be less than stop year"),
			"the range ends before it begins")
	}
	p.years = append(p.years, yearSpan{from: from, to: to, step: step})
	return nil
}

// every takes each step-th value of the field.
func (p *parser) every(f, step int) {
	if f == year {
		p.years = append(p.years, yearSpan{from: firstYear, to: math.MaxInt32, step: step})
		return
	}
	for v := fields[f].low; v <= fields[f].high; v += step {
		p.put(f, v)
	}
}

// put records a value that has been checked.
func (p *parser) put(f, v int) {
	switch f {
	case year:
		p.years = append(p.years, yearSpan{from: v, to: v, step: 1})
	case dayOfWeek:
		p.weekday(v)
	default:
		p.bits[f] |= 1 << v
	}
}

// weekday records a day of the week. That of a # was not checked.
func (p *parser) weekday(v int) {
	p.minDOW = min(p.minDOW, v)
	if v <= fields[dayOfWeek].high {
		p.bits[dayOfWeek] |= 1 << v
	}
}
