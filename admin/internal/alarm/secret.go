package alarm

import (
	"fmt"
	"io"
	"log/slog"
)

// hidden is what a secret prints as.
const hidden = "******"

// Secret is a text that is never shown: it prints, logs and encodes as six
// stars. Decoding reads it plainly. Reveal returns it.
type Secret string

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String returns six stars, or nothing for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// Format keeps every verb of fmt from printing the secret.
func (s Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, s.String()) }

// LogValue keeps slog from printing the secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText keeps encoders, JSON among them, from printing the secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the secret as it stands.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = Secret(text)
	return nil
}

// or returns the secret, or old where it is empty or only the stars of old: a
// form that shows a secret as stars sends the stars back.
func (s Secret) or(old Secret) Secret {
	if s == "" || s == hidden {
		return old
	}
	return s
}
