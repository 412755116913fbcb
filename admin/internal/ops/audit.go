package ops

import (
	"cmp"
	"context"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Audits returns what was changed, newest first: at most f.Limit records (1 to
// 1,000, default 50). For administrators.
func (s *Service) Audits(ctx context.Context, p Principal, f model.AuditFilter) ([]model.Audit, error) {
	if err := s.needAdmin(ctx, p, "audit.list", ""); err != nil {
		return nil, err
	}
	f.Limit = min(max(cmp.Or(f.Limit, 50), 1), 1000)
	return s.store.Audits(ctx, f)
}
