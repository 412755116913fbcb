package ops

import (
	"context"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Retry runs the job of an ended run again, with the parameter of that run, and
// returns the ids of the new log rows. Of a broadcast it runs the shard of that
// run, with the same number among as many: at its address, or if no executor is
// there any more, at that of another one.
func (s *Service) Retry(ctx context.Context, p Principal, id int64) ([]int64, error) {
	row, err := s.Log(ctx, p, id)
	if err != nil {
		return nil, err
	}
	failed := row.TriggerCode != model.CodeNone && row.TriggerCode != model.CodeSuccess
	if row.HandleCode == model.CodeNone && !failed {
		return nil, &Error{
			Kind: Conflict, Parts: []Part{key(i18n.JoblogRetryOpen)}, Detail: "wait for its end, or kill it first",
		}
	}
	in := TriggerInput{Param: &row.Param.S, Type: model.TriggerManual, Again: id}
	if p.Source == sourceKey {
		in.Type = model.TriggerAPI
	}
	if index, total, ok := model.ParseSharding(row.ShardingParam.S); ok {
		in.Shard = &Shard{index, total}
		if in.Addresses, err = s.stillAt(ctx, row); err != nil {
			return nil, err
		}
	}
	return s.TriggerJob(ctx, p, row.JobID, in)
}

// stillAt is the address of a run, if executors of its job are there now; else
// none.
func (s *Service) stillAt(ctx context.Context, row *model.Log) ([]string, error) {
	j, err := s.job(ctx, row.JobID)
	if err != nil {
		return nil, err
	}
	g, err := s.groupOf(ctx, j)
	if err != nil {
		return nil, err
	}
	at, err := pick([]string{row.Address.S}, s.addresses(g))
	if err != nil {
		return nil, nil // the executor is gone
	}
	return at, nil
}

// User returns a user without the password hashes. For administrators.
func (s *Service) User(ctx context.Context, p Principal, id int32) (*model.User, error) {
	if err := s.needAdmin(ctx, p, "user.get", userObject(id)); err != nil {
		return nil, err
	}
	u, err := s.user(ctx, id)
	if err != nil {
		return nil, err
	}
	return hideHashes(u), nil
}

// Addresses returns a group and where executors of it are: on record, and as
// last known to the registry.
func (s *Service) Addresses(ctx context.Context, p Principal, id int32) (*model.Group, []string, error) {
	g, err := s.group(ctx, id)
	if !p.Can(id, model.RoleViewer) {
		return nil, nil, s.denyThrown(ctx, p, "group.get", groupObject(id))
	}
	if err != nil {
		return nil, nil, err
	}
	list, err := pick(s.addresses(g), s.addresses(g))
	return g, list, err
}

// Probing is Addresses for who may ask executors: operators.
func (s *Service) Probing(ctx context.Context, p Principal, id int32) (*model.Group, []string, error) {
	if !p.Can(id, model.RoleOperator) {
		return nil, nil, s.denyThrown(ctx, p, "group.probe", groupObject(id))
	}
	return s.Addresses(ctx, p, id)
}

// PickAddress returns the spelling in which one of the addresses is known; it
// refuses any other.
func PickAddress(wanted string, known []string) (string, error) {
	list, err := pick([]string{wanted}, known)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", invalid("name an address", key(i18n.JobgroupFieldRegistryList), key(i18n.SystemInvalid))
	}
	return list[0], nil
}
