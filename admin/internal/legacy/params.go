package legacy

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// str returns a text parameter; several values of one name are joined by
// commas, as Spring does. A missing one is "".
func (c *call) str(name string) string { return strings.Join(c.form[name], ",") }

// text is str, with null for a missing parameter.
func (c *call) text(name string) model.Text {
	if !c.form.Has(name) {
		return model.Text{}
	}
	return model.T(c.str(name))
}

// need returns an error when a parameter is missing that releases since 3.0.0
// declare as required. Dialect A is lenient, as up to 2.5.0.
func (c *call) need(names ...string) error {
	if c.dialect == A {
		return nil
	}
	for _, name := range names {
		if !c.form.Has(name) {
			return missing(name)
		}
	}
	return nil
}

func missing(name string) error {
	return &bindError{msg: "parameter " + name + " is missing"}
}

// int returns a number that a handler takes by itself. A missing or empty one
// is a thrown exception in dialect A and HTTP 400 since 3.0.0; a word is HTTP
// 400 always.
func (c *call) int(name string) (int32, error) {
	n, err := c.long(name)
	if err == nil && (n > math.MaxInt32 || n < math.MinInt32) {
		return 0, &bindError{msg: "parameter " + name + " is out of range"}
	}
	return int32(n), err
}

// long is int for 64 bits.
func (c *call) long(name string) (int64, error) {
	first := strings.TrimSpace(c.form.Get(name))
	if first == "" {
		if c.dialect == A {
			return 0, &exceptionError{msg: "java.lang.IllegalStateException: parameter " + name + " is missing"}
		}
		return 0, missing(name)
	}
	n, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return 0, &bindError{msg: "parameter " + name + " is not a number"}
	}
	return n, nil
}

// intOr is int with a default for a missing or empty parameter.
func (c *call) intOr(name string, def int32) (int32, error) {
	if strings.TrimSpace(c.form.Get(name)) == "" {
		return def, nil
	}
	return c.int(name)
}

// field is a number of a bound object: zero when it is missing, HTTP 400 when
// it is there and no number.
func (c *call) field(name string) (int32, error) {
	if !c.form.Has(name) {
		return 0, nil
	}
	if strings.TrimSpace(c.form.Get(name)) == "" {
		return 0, &bindError{msg: "parameter " + name + " is not a number"}
	}
	return c.int(name)
}

// ids returns the ids that a call is about: ids[] once, several times or as a
// comma list, or id.
func (c *call) ids() ([]int32, error) {
	if !c.form.Has("ids[]") {
		if c.dialect != A && !c.form.Has("id") {
			return nil, missing("ids[]")
		}
		id, err := c.int("id")
		return []int32{id}, err
	}
	var list []int32
	for _, value := range c.form["ids[]"] {
		for item := range strings.SplitSeq(value, ",") {
			if item = strings.TrimSpace(item); item == "" {
				continue
			}
			n, err := strconv.ParseInt(item, 10, 32)
			if err != nil {
				return nil, &bindError{msg: "parameter ids[] holds something that is not a number"}
			}
			list = append(list, int32(n))
		}
	}
	return list, nil
}

// one returns the single id that a call is about. ok is false when there is
// not exactly one; the call is answered then.
func (c *call) one() (id int32, ok bool, err error) {
	list, err := c.ids()
	if err != nil {
		return 0, false, err
	}
	if len(list) != 1 {
		return 0, false, c.fail(str(c.s.onlyOne()))
	}
	return list[0], true, nil
}

// Bounds of a list.
const (
	defaultPage = 10
	maxPage     = 10_000
)

// paging returns offset and size of a list, under the names of either
// generation.
func (c *call) paging() (offset, size int, err error) {
	from, err := c.either("start", "offset", 0)
	if err != nil {
		return 0, 0, err
	}
	n, err := c.either("length", "pagesize", defaultPage)
	if err != nil {
		return 0, 0, err
	}
	return max(int(from), 0), min(max(int(n), 0), maxPage), nil
}

func (c *call) either(a, b string, def int32) (int32, error) {
	if c.form.Has(b) {
		a = b
	}
	return c.intOr(a, def)
}

// date reads a date parameter. A missing or empty one is the zero time; one
// that is no date is HTTP 400.
func (c *call) date(name string) (time.Time, error) {
	value := strings.TrimSpace(c.str(name))
	if value == "" {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation(layoutWall, value, c.s.cfg.Location)
	if err != nil {
		return time.Time{}, &bindError{msg: "parameter " + name + " is not of the form yyyy-MM-dd HH:mm:ss"}
	}
	return t, nil
}

// parseFilterTime reads "yyyy-MM-dd HH:mm:ss - yyyy-MM-dd HH:mm:ss". Anything
// that does not split in two is no bound at all, and a half that is no time is
// no bound on its side.
func parseFilterTime(s string, loc *time.Location) (from, to time.Time) {
	parts := strings.Split(s, " - ")
	if len(parts) != 2 {
		return time.Time{}, time.Time{}
	}
	parse := func(part string) time.Time {
		t, err := time.ParseInLocation(layoutWall, strings.TrimSpace(part), loc)
		if err != nil {
			return time.Time{}
		}
		return t
	}
	return parse(parts[0]), parse(parts[1])
}
