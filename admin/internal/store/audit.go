package store

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

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
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_audit (at_ms, username, action, object, detail) "+
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

// auditOrders are the orders of the audit log: it has no bound, so that only its
// ids can serve.
var auditOrders = map[string]orderBy{model.OrderTime: {}}

// Audits returns lines of the audit log, newest first unless f.Order says
// otherwise.
func (s *Store) Audits(ctx context.Context, f model.AuditFilter) ([]model.Audit, error) {
	var w where
	w.like("username", f.User)
	w.family("action", f.Action, ".")
	w.family("object", f.Object, " ")
	w.like("detail", f.Text)
	if !f.From.IsZero() {
		w.add("at_ms >= ?", f.From.UnixMilli())
	}
	if !f.To.IsZero() {
		w.add("at_ms < ?", f.To.UnixMilli())
	}
	if f.BeforeID > 0 {
		w.add("id < ?", f.BeforeID)
	}
	order := w.ordered(f.Order, auditOrders, "id", false)
	_, limit := page(0, f.Limit)
	list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (model.Audit, error) {
		var a model.Audit
		var at int64
		err := row.Scan(&a.ID, &at, &a.User, &a.Action, &a.Object, &a.Detail)
		a.At = s.instant(at)
		return a, err
	}, s.db.SQL("SELECT id, at_ms, username, action, object, detail FROM xxljob_audit"+w.String()+
		" ORDER BY "+order+" LIMIT ?"), append(w.args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("audit lines: %w", err)
	}
	return list, nil
}

// family matches a text, or those that begin with it and a mark.
func (w *where) family(column, text, mark string) {
	if text == "" {
		return
	}
	if checkFields(field{value: text, max: likeMax}) != nil { // no column holds that
		w.add("1 = 0")
		return
	}
	w.add("("+column+" = ? OR "+column+" LIKE ? ESCAPE '!')", text, likeEscaper.Replace(text)+mark+"%")
}

// DeleteAudits deletes lines that are older than before, the oldest first and
// at most limit of them, and returns how many.
func (s *Store) DeleteAudits(ctx context.Context, before time.Time, limit int) (int, error) {
	total := 0
	for total < limit {
		n := min(limit-total, sqldb.IDBatch)
		ids, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(),
			s.db.SQL("SELECT id FROM xxljob_audit WHERE at_ms < ? ORDER BY at_ms, id LIMIT ?"), before.UnixMilli(), n)
		if err == nil && len(ids) > 0 {
			args := sqldb.Padded(ids)
			_, err = s.execCount(ctx, "DELETE FROM xxljob_audit WHERE id IN ("+sqldb.Marks(len(args))+")", args...)
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
