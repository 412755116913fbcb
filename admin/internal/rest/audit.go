package rest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// exportBatch is how many lines of the audit log are read at once.
const exportBatch = 1000

// auditFilters are the query parameters that select audit records.
var auditFilters = []string{"user", "action", "object", "text", "from", "to"}

// auditFilter reads them.
func (c *call) auditFilter() (f model.AuditFilter, err error) {
	for _, p := range []struct {
		name string
		size int
		to   *string
	}{{"user", 64, &f.User}, {"action", 64, &f.Action}, {"object", 190, &f.Object}, {"text", 100, &f.Text}} {
		if *p.to, err = c.short(p.name, p.size); err != nil {
			return f, err
		}
	}
	if f.From, err = c.instant("from"); err != nil {
		return f, err
	}
	f.To, err = c.instant("to")
	return f, err
}

func listAudit(ctx context.Context, c *call) error {
	limit, m, err := c.paging()
	if err != nil {
		return err
	}
	f, err := c.auditFilter()
	if err != nil {
		return err
	}
	if f.Order, err = c.order(m, model.OrderTime); err != nil {
		return err
	}
	f.Limit = limit + 1
	lines, err := c.s.cfg.Ops.Audits(ctx, c.who, f)
	if err != nil {
		return err
	}
	lines, more := cut(lines, limit)
	answer := page[httpx.AuditRecord]{Items: make([]httpx.AuditRecord, 0, len(lines))}
	var last mark
	for _, a := range lines {
		answer.Items, last = append(answer.Items, httpx.AuditOf(a, time.UTC)), mark{ID: a.ID}
	}
	answer.NextCursor = c.next(more, last)
	return c.json(http.StatusOK, answer)
}

func exportAudit(ctx context.Context, c *call) error {
	format, err := c.choice("format", httpx.FormatNDJSON, httpx.FormatCSV)
	if err != nil {
		return err
	}
	f, err := c.auditFilter()
	if err != nil {
		return err
	}
	f.Limit = exportBatch
	return httpx.AuditFile{
		Format: format, Zone: time.UTC,
		Next: func(beforeID int64) ([]model.Audit, error) {
			f.BeforeID = beforeID
			return c.s.cfg.Ops.Audits(ctx, c.who, f)
		},
		Failed: func(err error) {
			c.s.log.ErrorContext(ctx, "export of the audit log ended early", slog.Any("err", err))
		},
	}.Serve(c.w)
}
