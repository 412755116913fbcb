package ops

import (
	"context"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// maxUnknown is how many app names without a group are listed.
const maxUnknown = 100

// Unknown returns the executors that are registered under app names that no group
// has, by app name and at most 100 names, and how many names there are. For who
// sees every group.
func (s *Service) Unknown(ctx context.Context, p Principal) (list []model.UnknownApp, names int, err error) {
	if !p.all() {
		return nil, 0, s.denyThrown(ctx, p, "group.list", "unknown")
	}
	if s.cfg.Unknown == nil {
		return nil, 0, nil
	}
	list, names = s.cfg.Unknown(maxUnknown)
	return list, names, nil
}

// SeesUnknown reports whether the principal may ask for Unknown and Refused.
func (p Principal) SeesUnknown() bool { return p.all() }

// Refused returns who has called this node as an executor with a wrong access token
// within the last hour, and with the right one not since; who came last is first, at
// most 100. For who sees every group.
func (s *Service) Refused(ctx context.Context, p Principal) ([]model.Refused, error) {
	if !p.all() {
		return nil, s.denyThrown(ctx, p, "group.list", "refused")
	}
	if s.cfg.Refused == nil {
		return nil, nil
	}
	return s.cfg.Refused(), nil
}
