package store

import (
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

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
