package ops

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// MaxChildren is how many characters a list of child jobs has at most.
const MaxChildren = 255

// maxIDs is how many jobs are read at once.
const maxIDs = 500

// readJobs reads jobs by their ids; those that are not there are left out.
type readJobs func(ctx context.Context, ids []int32) (map[int32]*model.Job, error)

// checkChildren checks the child jobs of j as Java does, item by item: a
// positive number, not j itself, a job that exists, one whose editor p is. Then
// it walks on from them: no way may lead back to j. It writes the list back
// without blanks and repeats.
func (s *Service) checkChildren(ctx context.Context, p Principal, j *model.Job) error {
	faults, err := s.childFaults(ctx, p, j, s.jobsByID)
	if err == nil && len(faults) > 0 {
		return faults[0]
	}
	return err
}

// CheckChildren returns all that is wrong with a list of child jobs, as it was typed,
// for a job; 0 is a new one.
func (s *Service) CheckChildren(ctx context.Context, p Principal, jobID int32, list string) ([]*Error, error) {
	if err := s.needLogin(ctx, p, "job.check"); err != nil {
		return nil, err
	}
	if e := fits(childrenField(list)); e != nil {
		return []*Error{e}, nil
	}
	return s.childFaults(ctx, p, &model.Job{ID: jobID, Children: model.T(list)}, s.jobsByID)
}

// childrenField is a list of child jobs as typed, with what its column holds.
func childrenField(list string) field {
	return field{key(i18n.JobinfoFieldChildJobID), list, MaxChildren}
}

// childFaults is checkChildren with all that is wrong, where read tells the children
// of other jobs. Of a list that is longer than its column, which is refused elsewhere,
// it says nothing: there would be no end of it.
func (s *Service) childFaults(ctx context.Context, p Principal, j *model.Job, read readJobs) ([]*Error, error) {
	if blank(j.Children.S) {
		j.Children.S = ""
		return nil, nil
	}
	if fits(childrenField(j.Children.S)) != nil {
		return nil, nil
	}
	ids, _ := splitIDs(j.Children.S)
	found, err := s.jobsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	var faults []*Error
	for item := range strings.SplitSeq(j.Children.S, ",") {
		if e := s.checkChild(ctx, p, j, item, found); e != nil {
			faults = append(faults, e)
		}
	}
	if len(faults) > 0 {
		return faults, nil
	}
	j.Children.S = joinIDs(ids)
	e, err := checkCycle(ctx, j, ids, read)
	if e != nil {
		faults = append(faults, e)
	}
	return faults, err
}

// splitIDs splits a list of ids as typed. Repeated ids are dropped.
func splitIDs(list string) (ids []int32, bad []string) {
	ids, bad = (&model.Job{Children: model.T(list)}).ChildIDs()
	seen := make(map[int32]bool, len(ids))
	return slices.DeleteFunc(ids, func(id int32) bool {
		was := seen[id]
		seen[id] = true
		return was
	}), bad
}

func joinIDs(ids []int32) string {
	items := make([]string, len(ids))
	for i, id := range ids {
		items[i] = id32(id)
	}
	return strings.Join(items, ",")
}

// child refuses one child id.
func child(item string, why i18n.Key, detail string) *Error {
	return invalid(detail, key(i18n.JobinfoFieldChildJobID), lit("("+cut(item, maxValue)+")"), key(why))
}

func (s *Service) checkChild(
	ctx context.Context, p Principal, j *model.Job, item string, found map[int32]*model.Job,
) *Error {
	ids, bad := splitIDs(item)
	if len(bad) > 0 || len(ids) != 1 {
		e := child(item, i18n.SystemInvalid, "child jobs are ids with commas between them, for example 3,7")
		return e.own("refused.child.bad", cut(item, maxValue))
	}
	id := ids[0]
	switch c := found[id]; {
	case id == j.ID:
		return child(id32(id), i18n.SystemInvalid, "a job cannot be its own child").own("refused.child.self")
	case c == nil && !s.mayMiss(ctx, p, id), c != nil && !p.Can(c.GroupID, model.RoleViewer):
		e := s.deny(ctx, p, "job.child", jobObject(id))
		e.Parts = child(id32(id), i18n.SystemPermissionLimit, "").Parts
		return e.own("refused.child.hidden", id)
	case c == nil:
		return child(id32(id), i18n.SystemNotFound, "there is no job "+id32(id)).own("refused.child.gone", id)
	case !p.Can(c.GroupID, model.RoleEditor):
		e := s.deny(ctx, p, "job.child", jobObject(id))
		e.Parts = child(id32(id), i18n.SystemPermissionLimit, "").Parts
		return e.own("refused.child.foreign", id)
	}
	return nil
}

// checkCycle walks the child jobs in width and refuses a way back to j.
func checkCycle(ctx context.Context, j *model.Job, first []int32, read readJobs) (*Error, error) {
	if j.ID == 0 {
		return nil, nil // nobody can name a job that has no id yet
	}
	parent := make(map[int32]int32, len(first))
	for _, id := range first {
		parent[id] = j.ID
	}
	for level := first; len(level) > 0; {
		found, err := read(ctx, level)
		if err != nil {
			return nil, err
		}
		var next []int32
		for _, id := range level {
			if found[id] == nil {
				continue
			}
			ids, _ := found[id].ChildIDs()
			for _, c := range ids {
				if c == j.ID {
					return cycle(j.ID, id, parent), nil
				}
				if _, seen := parent[c]; !seen {
					parent[c] = id
					next = append(next, c)
				}
			}
		}
		level = next
	}
	return nil, nil
}

// cycle names the circle that is closed by last.
func cycle(self, last int32, parent map[int32]int32) *Error {
	way := []int32{self}
	for id := last; id != self; id = parent[id] {
		way = append(way, id)
	}
	way = append(way, self)
	slices.Reverse(way)
	steps := make([]string, len(way))
	for i, id := range way {
		steps[i] = id32(id)
	}
	e := child(id32(way[1]), i18n.JobinfoChildCycle, "")
	e.Kind = Conflict
	e.Parts = append(e.Parts, lit(": "+strings.Join(steps, " → ")))
	return e.own("refused.child.circle", strings.Join(steps, " → "))
}

// jobsByID reads jobs, a bounded number at once.
func (s *Service) jobsByID(ctx context.Context, ids []int32) (map[int32]*model.Job, error) {
	all := make(map[int32]*model.Job, len(ids))
	for some := range slices.Chunk(ids, maxIDs) {
		found, err := s.store.JobsByID(ctx, some)
		if err != nil {
			return nil, fmt.Errorf("read child jobs: %w", err)
		}
		maps.Copy(all, found)
	}
	return all, nil
}
