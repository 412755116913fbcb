package store

import (
	"context"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// never is the instant by which jobs that fire no more are sorted: behind all
// others.
const never = "9223372036854775807"

// jobOrders are what the orders of a list of jobs go by; SortID has none but
// the id.
var jobOrders = map[model.JobSort]string{
	model.SortName: "{job.name}",
	model.SortNext: "CASE WHEN trigger_status = 1 AND trigger_next_time > 0 THEN trigger_next_time ELSE " +
		never + " END",
	model.SortGroup:   "COALESCE((SELECT g.{group.title} FROM xxl_job_group g WHERE g.id = job_group), '')",
	model.SortHandler: "COALESCE(executor_handler, '')",
	model.SortAuthor:  "COALESCE(author, '')",
	model.SortState:   "trigger_status",
}

// place narrows a list of jobs to what comes behind f.After, or before f.Before,
// in its order, which it returns: the nearest first. turned says that this is
// the order the other way round.
func (w *where) place(f model.JobFilter) (order string, turned bool) {
	mark, ascending := f.After, f.Ascending
	if f.Before != nil {
		mark, ascending, turned = f.Before, !f.Ascending, true
	}
	if mark == nil {
		mark = &model.JobMark{}
	}
	var value any = mark.Text
	if f.Sort == model.SortNext || f.Sort == model.SortState {
		value = mark.Number
	}
	return w.behind(jobOrders[f.Sort], "id", ascending, value, int64(mark.ID)), turned
}

// jobWhere is the condition of a list of jobs; ok is false when nothing can match.
func jobWhere(f *model.JobFilter) (w where, ok bool) {
	if !w.groups("job_group", f.GroupID, f.GroupIDs) {
		return w, false
	}
	if f.Running != nil {
		w.add("trigger_status = ?", bit(*f.Running))
	}
	w.like("{job.name}", f.Name)
	if f.Named != "" {
		w.add("{job.name} = ?", f.Named)
	}
	w.like("executor_handler", f.Handler)
	w.like("author", f.Author)
	if f.Tag != "" {
		w.add("id IN (SELECT job_id FROM xxljob_tag WHERE tag = ?)", f.Tag)
	}
	return w, true
}

// JobIDs returns the ids of the jobs that match, the smallest first and at most
// limit of them, whatever the filter says of pages.
func (s *Store) JobIDs(ctx context.Context, f model.JobFilter, limit int) ([]int32, error) {
	w, ok := jobWhere(&f)
	if !ok {
		return nil, nil
	}
	ids, err := sqldb.SelectIDs[int32](ctx, s.db.Reader(),
		s.db.SQL("SELECT id FROM xxl_job_info"+w.String()+" ORDER BY id LIMIT ?"), append(w.args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("ids of jobs: %w", err)
	}
	return ids, nil
}

// TagCounts returns the tags that jobs of these groups have, nil being all of
// them, with how many have each: the most used first, and at most limit.
func (s *Store) TagCounts(ctx context.Context, groups []int32, limit int) ([]model.TagCount, error) {
	var w where
	if !w.groups("j.job_group", 0, groups) {
		return nil, nil
	}
	from := "xxljob_tag t"
	if groups != nil {
		from += " JOIN xxl_job_info j ON j.id = t.job_id"
	}
	list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (model.TagCount, error) {
		var t model.TagCount
		err := row.Scan(&t.Tag, &t.Jobs)
		return t, err
	}, s.db.SQL("SELECT t.tag, COUNT(*) FROM "+from+w.String()+
		" GROUP BY t.tag ORDER BY COUNT(*) DESC, t.tag LIMIT ?"), append(w.args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("tags of jobs: %w", err)
	}
	return list, nil
}
