package sqldb

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"time"
)

const wallLayout = "2006-01-02 15:04:05"

// WallTime is the value of a DATETIME column: wall clock in loc, at whole
// seconds. The zero time is NULL.
type WallTime struct {
	t   time.Time
	loc *time.Location
	to  *time.Time // where Scan puts what it read; nil keeps it in t only
}

// Wall returns t as the argument for a DATETIME column; the zero time is NULL.
func (db *DB) Wall(t time.Time) WallTime { return WallTime{t: t, loc: db.loc} }

// ScanTime returns a destination for Scan that reads a DATETIME column into to.
func (db *DB) ScanTime(to *time.Time) *WallTime { return &WallTime{loc: db.loc, to: to} }

// WallMs is wall for Unix milliseconds, as text; 0 is not NULL.
func (db *DB) WallMs(ms int64) string {
	return time.UnixMilli(ms).In(db.loc).Format(wallLayout)
}

// WallOrNil is wall as text; the zero time is NULL.
func (db *DB) WallOrNil(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.In(db.loc).Format(wallLayout)
}

// WallCache is WallMs for many instants of which most are the same.
type WallCache struct {
	db   *DB
	sec  int64
	text string
}

// NewWallCache returns a cache for the DATETIME columns of this database.
func (db *DB) NewWallCache() WallCache { return WallCache{db: db} }

// At is WallMs.
func (c *WallCache) At(ms int64) string {
	if sec := ms / 1000; c.text == "" || sec != c.sec {
		c.sec, c.text = sec, c.db.WallMs(ms)
	}
	return c.text
}

// Value implements driver.Valuer.
func (d WallTime) Value() (driver.Value, error) {
	if d.t.IsZero() {
		return nil, nil
	}
	return d.t.In(d.loc).Format(wallLayout), nil
}

// Scan implements sql.Scanner.
func (d *WallTime) Scan(src any) error {
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

func (d *WallTime) read(src any) (time.Time, error) {
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

func (d *WallTime) parse(text string) (time.Time, error) {
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
