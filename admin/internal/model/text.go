package model

// Text is a string column that may be NULL. The zero value is NULL.
type Text struct {
	S     string // the text; empty when Valid is false
	Valid bool   // false for NULL
}

// T returns the Text that holds s, which may be empty.
func T(s string) Text { return Text{S: s, Valid: true} }

// String returns the text, and "" for NULL.
func (t Text) String() string { return t.S }

// Or returns the text, or def where it is NULL or empty.
func (t Text) Or(def string) string {
	if t.S == "" {
		return def
	}
	return t.S
}
