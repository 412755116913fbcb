package store

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// ErrBadText says that a text holds bytes that no database keeps as text:
// invalid UTF-8, or a NUL.
var ErrBadText = errors.New("not a text")

// What fits into columns that are as wide in every generation. Text columns
// count bytes, all others characters, as MySQL does; SQLite and PostgreSQL are
// held to the same, so that data can move.
const (
	maxText       = 65535
	maxMediumText = 16777215

	maxAppName       = 64
	maxJobName       = 255
	maxAuthor        = 64
	maxAlarmEmail    = 255
	maxKind          = 50 // schedule type, strategies, glue type
	maxScheduleConf  = 128
	maxHandler       = 255
	maxGlueRemark    = 128
	maxChildren      = 255
	maxTimeZone      = 64
	maxToken         = 255
	maxRegistryGroup = 50
	maxRegistryKey   = 255
	maxAddress       = 255
	maxUsername      = 50
	maxPermission    = 255
	maxOwnHash       = 255
	maxJavaToken     = 100
	maxSettingName   = 190
	maxKeyName       = 64
	maxKeyPrefix     = 16
	maxHash          = 64
	maxOwner         = 32
	maxRequestKey    = 128
	maxTag           = 64
	maxReason        = 255
)

// field is a text on its way into a column.
type field struct {
	name  string // as people call it
	value string
	max   int  // 0 is no limit of its own
	bytes bool // max counts bytes
}

func text(name string, value model.Text, limit int) field {
	return field{name: name, value: value.S, max: limit}
}

// checkFields returns ErrTooLong or ErrBadText for the first text that the
// database would cut or refuse, naming the field and its limit.
func checkFields(fields ...field) error {
	for _, f := range fields {
		if !utf8.ValidString(f.value) || strings.IndexByte(f.value, 0) >= 0 {
			return fmt.Errorf("%s: %w: it holds invalid UTF-8 or a NUL byte", f.name, ErrBadText)
		}
		n, unit := len(f.value), "bytes"
		if !f.bytes {
			if n <= f.max {
				continue
			}
			n, unit = utf8.RuneCountInString(f.value), "characters"
		}
		if n > f.max {
			return fmt.Errorf("%s: %w: %d %s, at most %d fit", f.name, ErrTooLong, n, unit, f.max)
		}
	}
	return nil
}

// paramField is the limit of executor_param, which is a wide column or a text.
func (s *Store) paramField(value model.Text) field {
	limit := s.Info().ParamMax
	return field{name: "executor parameter", value: value.S, max: limit, bytes: limit >= maxText}
}
