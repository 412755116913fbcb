package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// Own is what our tables hold of groups, jobs and users, beside what stands in
// the rows of a [Snapshot].
type Own struct {
	Tags  []JobTag
	Mutes []model.Mute // also those that have ended
	Rules []model.AlarmRule
	Views []model.View
	Keys  []*model.Key // the oldest first, also those that do not count
}

// JobTag is a tag of a job.
type JobTag struct {
	JobID int32
	Tag   string
}

// readOwn reads the tables that there are: an earlier release made fewer.
func (s *Store) readOwn(ctx context.Context, q sqldb.Querier, sc *schema) (*Own, error) {
	own := new(Own)
	for table, read := range map[string]func() error{
		"xxljob_tag":        collectInto(ctx, q, &own.Tags, tagRow, tagSelect),
		"xxljob_mute":       collectInto(ctx, q, &own.Mutes, s.muteRow, muteSelect+" ORDER BY kind, object_id"),
		"xxljob_alarm_rule": collectInto(ctx, q, &own.Rules, s.ruleRow, ruleSelect),
		"xxljob_view":       collectInto(ctx, q, &own.Views, viewRow, viewSelect+" ORDER BY user_id, page, name"),
		"xxljob_key":        collectInto(ctx, q, &own.Keys, s.keyRow, keySelect+" ORDER BY id"),
	} {
		if !sc.own[table] {
			continue
		}
		if err := read(); err != nil {
			return nil, fmt.Errorf("read %s: %w", table, err)
		}
	}
	return own, nil
}

// collectInto reads a list when it is called.
func collectInto[T any](
	ctx context.Context, q sqldb.Querier, to *[]T, scan func(sqldb.Scanner) (T, error), text string,
) func() error {
	return func() (err error) {
		*to, err = sqldb.Collect(ctx, q, scan, text)
		return err
	}
}

const (
	tagSelect = "SELECT job_id, tag FROM xxljob_tag ORDER BY job_id, tag"
	keySelect = "SELECT " + keyColumns + " FROM xxljob_key"
)

func tagRow(row sqldb.Scanner) (JobTag, error) {
	var t JobTag
	err := row.Scan(&t.JobID, &t.Tag)
	return t, err
}

// exportedUser reads a user with the hash of our own, and with Java's column as
// far as that one is bound to it.
func exportedUser(row sqldb.Scanner) (*model.User, error) {
	var u model.User
	var role int
	var code sql.NullInt32
	err := row.Scan(&u.ID, &u.Username, scanString{&u.JavaHash}, scanString{&u.Hash}, &role, scanText{&u.Permission},
		&code)
	u.Admin, u.Code = role == 1, code.Valid
	return &u, err
}

// exportUsers is userSelect for a schema that may lack our own tables.
func exportUsers(sc *schema) string {
	text := userSelect
	for table, parts := range map[string][]string{
		"xxljob_user":        {"u.password, o.password_hash", " LEFT JOIN xxljob_user o ON o.user_id = u.id"},
		"xxljob_code_editor": {"e.user_id", " LEFT JOIN xxljob_code_editor e ON e.user_id = u.id"},
	} {
		if sc.own[table] {
			continue
		}
		text = strings.Replace(text, parts[1], "", 1)
		text = strings.Replace(text, parts[0], strings.Repeat("NULL, ", strings.Count(parts[0], ","))+"NULL", 1)
	}
	return text + " ORDER BY u.id"
}

// OwnRows counts the rows of those of the tables that exist.
func (s *Store) OwnRows(ctx context.Context, tables []string) (map[string]int, error) {
	sc := s.probed()
	counts := make(map[string]int, len(tables))
	for _, table := range tables {
		if !sc.own[table] {
			continue
		}
		var n int
		if err := s.db.Reader().QueryRowContext(ctx, "SELECT COUNT(*) FROM "+table).Scan(&n); err != nil {
			return nil, fmt.Errorf("count %s: %w", table, err)
		}
		counts[table] = n
	}
	return counts, nil
}

// ChangesAfter returns up to limit changes whose ids are above afterID, in the
// order of ids; none of a database that has no history.
func (s *Store) ChangesAfter(ctx context.Context, afterID int64, limit int) ([]*model.Change, error) {
	if !s.probed().own["xxljob_change"] {
		return nil, nil
	}
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.changeRow,
		s.db.SQL("SELECT "+changeColumns+" FROM xxljob_change WHERE id > ? ORDER BY id LIMIT ?"), afterID, limit)
	if err != nil {
		return nil, fmt.Errorf("changes after %d: %w", afterID, err)
	}
	return list, nil
}

// ImportChanges adds changes, whose ids the database gives in their order, and
// writes a setting, in one transaction.
func (s *Store) ImportChanges(ctx context.Context, list []*model.Change, key, value string) error {
	t := sqldb.Table{Name: "xxljob_change", Cols: names("at_ms", "username", "kind", "object_id", "action",
		"before_json", "after_json")}
	var rows sqldb.Rows
	for _, c := range list {
		rows.Add(c.At.UnixMilli(), c.User, c.Kind, c.ObjectID, c.Action, textArg(c.Before), textArg(c.After))
	}
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		if err := s.insertPlain(ctx, q, &t, &rows); err != nil {
			return err
		}
		return s.putSettings(ctx, q, map[string]string{key: value})
	})
	if err != nil {
		return fmt.Errorf("import changes: %w", err)
	}
	return nil
}

// importOwn writes what our tables hold. A row that somebody has left behind under
// the same id goes.
func (s *Store) importOwn(ctx context.Context, q sqldb.Querier, own *Own) error {
	tags := make(map[int32][]string)
	for _, t := range own.Tags {
		tags[t.JobID] = append(tags[t.JobID], t.Tag)
	}
	for _, id := range slices.Sorted(maps.Keys(tags)) {
		if err := s.setTags(ctx, q, id, tags[id]); err != nil {
			return err
		}
	}
	for _, m := range own.Mutes {
		if err := s.setMute(ctx, q, m); err != nil {
			return err
		}
	}
	for i := range own.Rules {
		if err := s.setAlarmRule(ctx, q, &own.Rules[i]); err != nil {
			return err
		}
	}
	for _, v := range own.Views {
		if err := s.saveView(ctx, q, v); err != nil {
			return err
		}
	}
	for _, k := range own.Keys {
		if _, err := s.insertKey(ctx, q, k); err != nil {
			return s.dupError(err)
		}
	}
	return nil
}

// importOldTokens writes the tokens that count beside those of the groups.
func (s *Store) importOldTokens(ctx context.Context, q sqldb.Querier, groups []*model.Group) error {
	for _, g := range groups {
		if g.Old == nil {
			continue
		}
		if err := s.setOldToken(ctx, q, g.ID, g.Old); err != nil {
			return err
		}
	}
	return nil
}

// setOldToken writes the token that counts beside that of a group.
func (s *Store) setOldToken(ctx context.Context, q sqldb.Querier, id int32, old *model.OldToken) error {
	_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_old_token (group_id, access_token, until_ms) "+
		"VALUES (?,?,?)"+s.db.Upsert("group_id", "access_token", "until_ms")), id, old.Token, msOrZero(old.Until))
	return err
}
