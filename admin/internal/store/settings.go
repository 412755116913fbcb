package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Setting returns a setting; ok is false when it was never set.
func (s *Store) Setting(ctx context.Context, key string) (value string, ok bool, err error) {
	err = s.reader().QueryRowContext(ctx, s.sql("SELECT value FROM xxljob_setting WHERE name = ?"), key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("setting %s: %w", key, err)
	}
	return value, true, nil
}

// SettingsUnder returns the settings whose name begins with prefix, which holds
// neither % nor _.
func (s *Store) SettingsUnder(ctx context.Context, prefix string) (map[string]string, error) {
	type pair struct{ name, value string }
	list, err := collect(ctx, s.reader(), func(row scanner) (pair, error) {
		var p pair
		err := row.Scan(&p.name, &p.value)
		return p, err
	}, s.sql("SELECT name, value FROM xxljob_setting WHERE name LIKE ?"), prefix+"%")
	if err != nil {
		return nil, fmt.Errorf("settings under %s: %w", prefix, err)
	}
	all := make(map[string]string, len(list))
	for _, p := range list {
		all[p.name] = p.value
	}
	return all, nil
}

func checkSetting(key, value string) error {
	return checkFields(field{name: "name of the setting", value: key, max: maxSettingName},
		field{name: "setting", value: value, max: maxText, bytes: true})
}

// SetSetting writes a setting over what it was.
func (s *Store) SetSetting(ctx context.Context, key, value string) error {
	err := checkSetting(key, value)
	if err == nil {
		err = s.inTx(ctx, func(q querier) error {
			_, err := q.ExecContext(ctx, s.sql("INSERT INTO xxljob_setting (name, value) VALUES (?,?)"+
				s.d.upsert("name", "value")), key, value)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("setting %s: %w", key, err)
	}
	return nil
}

// SetSettingOnce writes a setting that does not exist yet. won is false when it
// does: of several nodes that try at once exactly one wins.
func (s *Store) SetSettingOnce(ctx context.Context, key, value string) (won bool, err error) {
	err = checkSetting(key, value)
	if err == nil {
		err = s.inTx(ctx, func(q querier) error {
			_, err := q.ExecContext(ctx, s.sql("INSERT INTO xxljob_setting (name, value) VALUES (?,?)"), key, value)
			return s.dupError(err)
		})
	}
	if errors.Is(err, ErrDuplicate) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("setting %s: %w", key, err)
	}
	return true, nil
}

// Limits of an audit line; what is longer is cut, for the line says what has
// been done already.
const (
	auditName   = 64
	auditObject = 190
	auditDetail = 60_000 // bytes
	cutMark     = "…"
)

// AddAudit writes a line of what was changed. Texts that do not fit are cut.
func (s *Store) AddAudit(ctx context.Context, a model.Audit) error {
	err := s.inTx(ctx, func(q querier) error {
		_, err := q.ExecContext(ctx, s.sql("INSERT INTO xxljob_audit (at_ms, username, action, object, detail) "+
			"VALUES (?,?,?,?,?)"), a.At.UnixMilli(), cutRunes(a.User, auditName), cutRunes(a.Action, auditName),
			cutRunes(a.Object, auditObject), cutBytes(a.Detail, auditDetail))
		return err
	})
	if err != nil {
		return fmt.Errorf("audit %s: %w", a.Action, err)
	}
	return nil
}

// clean makes a text of anything.
func clean(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\uFFFD"), "\uFFFD")
}

func cutRunes(s string, most int) string {
	s = clean(s)
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + cutMark
}

func cutBytes(s string, most int) string {
	s = clean(s)
	if len(s) <= most {
		return s
	}
	end := most - len(cutMark)
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + cutMark
}

// Audits returns up to limit lines, newest first: those before the line
// beforeID, or the newest where that is 0.
func (s *Store) Audits(ctx context.Context, limit int, beforeID int64) ([]model.Audit, error) {
	var w where
	if beforeID > 0 {
		w.add("id < ?", beforeID)
	}
	_, limit = page(0, limit)
	list, err := collect(ctx, s.reader(), func(row scanner) (model.Audit, error) {
		var a model.Audit
		var at int64
		err := row.Scan(&a.ID, &at, &a.User, &a.Action, &a.Object, &a.Detail)
		a.At = s.instant(at)
		return a, err
	}, s.sql("SELECT id, at_ms, username, action, object, detail FROM xxljob_audit"+w.String()+
		" ORDER BY id DESC LIMIT ?"), append(w.args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("audit lines: %w", err)
	}
	return list, nil
}

// DeleteAudits deletes lines that are older than before, the oldest first and
// at most limit of them, and returns how many.
func (s *Store) DeleteAudits(ctx context.Context, before time.Time, limit int) (int, error) {
	total := 0
	for total < limit {
		n := min(limit-total, idBatch)
		ids, err := selectIDs[int64](ctx, s.reader(),
			s.sql("SELECT id FROM xxljob_audit WHERE at_ms < ? ORDER BY at_ms, id LIMIT ?"), before.UnixMilli(), n)
		if err == nil && len(ids) > 0 {
			args := padded(ids)
			_, err = s.execCount(ctx, "DELETE FROM xxljob_audit WHERE id IN ("+marks(len(args))+")", args...)
		}
		if err != nil {
			return total, fmt.Errorf("delete audit lines: %w", err)
		}
		total += len(ids)
		if len(ids) < n {
			break
		}
	}
	return total, nil
}
