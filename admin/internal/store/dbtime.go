package store

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const wallLayout = "2006-01-02 15:04:05"

// dbTime is the value of a DATETIME column: wall clock in loc, at whole
// seconds. The zero time is NULL.
type dbTime struct {
	t   time.Time
	loc *time.Location
	to  *time.Time // where Scan puts what it read; nil keeps it in t only
}

// wall returns t as the argument for a DATETIME column; the zero time is NULL.
func (s *Store) wall(t time.Time) dbTime { return dbTime{t: t, loc: s.loc} }

// scanTime returns a destination for Scan that reads a DATETIME column into to.
func (s *Store) scanTime(to *time.Time) *dbTime { return &dbTime{loc: s.loc, to: to} }

// wallMs is wall for Unix milliseconds, as text; 0 is not NULL.
func (s *Store) wallMs(ms int64) string {
	return time.UnixMilli(ms).In(s.loc).Format(wallLayout)
}

// wallOrNil is wall as text; the zero time is NULL.
func (s *Store) wallOrNil(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.In(s.loc).Format(wallLayout)
}

// wallCache is wallMs for many instants of which most are the same.
type wallCache struct {
	s    *Store
	sec  int64
	text string
}

func (c *wallCache) at(ms int64) string {
	if sec := ms / 1000; c.text == "" || sec != c.sec {
		c.sec, c.text = sec, c.s.wallMs(ms)
	}
	return c.text
}

// Value implements driver.Valuer.
func (d dbTime) Value() (driver.Value, error) {
	if d.t.IsZero() {
		return nil, nil
	}
	return d.t.In(d.loc).Format(wallLayout), nil
}

// Scan implements sql.Scanner.
func (d *dbTime) Scan(src any) error {
	t, err := d.read(src)
	if err != nil {
		return err
	}
	d.t = t
	if d.to != nil {
		*d.to = t
	}
	return nil
}

func (d *dbTime) read(src any) (time.Time, error) {
	switch v := src.(type) {
	case nil:
		return time.Time{}, nil
	case time.Time: // the clock's face counts, not the zone that a driver put beside it
		return time.Date(v.Year(), v.Month(), v.Day(), v.Hour(), v.Minute(), v.Second(), 0, d.loc), nil
	case []byte:
		return d.parse(string(v))
	case string:
		return d.parse(v)
	default:
		return time.Time{}, fmt.Errorf("a time was expected, the database gave %T", src)
	}
}

func (d *dbTime) parse(text string) (time.Time, error) {
	text, _, _ = strings.Cut(text, ".") // fractions of other programs
	if text == "" || strings.HasPrefix(text, "0000-00-00") {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation(wallLayout, strings.Replace(text, "T", " ", 1), d.loc)
	if err != nil {
		return time.Time{}, fmt.Errorf("time %q: yyyy-MM-dd HH:mm:ss was expected", text)
	}
	return t, nil
}

// textArg is the argument for a column that may be NULL.
func textArg(t model.Text) any {
	if !t.Valid {
		return nil
	}
	return t.S
}

// scanText is a destination for Scan that reads a column that may be NULL.
type scanText struct{ to *model.Text }

// Scan implements sql.Scanner.
func (s scanText) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*s.to = model.Text{}
	case string:
		*s.to = model.T(v)
	case []byte:
		*s.to = model.T(string(v))
	case int64: // SQLite keeps what it was given
		*s.to = model.T(fmt.Sprint(v))
	default:
		return fmt.Errorf("a text was expected, the database gave %T", src)
	}
	return nil
}

// scanString reads a column that may be NULL into a plain string; NULL is "".
type scanString struct{ to *string }

// Scan implements sql.Scanner.
func (s scanString) Scan(src any) error {
	var t model.Text
	if err := (scanText{&t}).Scan(src); err != nil {
		return err
	}
	*s.to = t.S
	return nil
}
