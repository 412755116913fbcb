package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// Setting returns a setting; ok is false when it was never set.
func (s *Store) Setting(ctx context.Context, key string) (value string, ok bool, err error) {
	err = s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT value FROM xxljob_setting WHERE name = ?"),
		key).Scan(&value)
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
	list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (pair, error) {
		var p pair
		err := row.Scan(&p.name, &p.value)
		return p, err
	}, s.db.SQL("SELECT name, value FROM xxljob_setting WHERE name LIKE ?"), prefix+"%")
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
		err = s.db.InTx(ctx, func(q sqldb.Querier) error {
			_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_setting (name, value) VALUES (?,?)"+
				s.db.Upsert("name", "value")), key, value)
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
		err = s.db.InTx(ctx, func(q sqldb.Querier) error {
			_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_setting (name, value) VALUES (?,?)"), key, value)
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
