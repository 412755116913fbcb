package store

import "github.com/xxljob-go/xxljob/admin/internal/model"

// after narrows a list of jobs to what comes behind f.After in its order, which
// it returns.
func (w *where) after(f model.JobFilter) string {
	column, direction, than := "id", "DESC", "<"
	var value any
	if f.After != nil {
		value = f.After.ID
	}
	switch f.Sort {
	case model.SortName:
		column = "{job.name}"
		if f.After != nil {
			value = f.After.Name
		}
	case model.SortNext:
		column = "trigger_next_time"
		if f.After != nil {
			value = f.After.NextMs
		}
	case model.SortID:
	}
	if f.Ascending {
		direction, than = "ASC", ">"
	}
	if column == "id" {
		if f.After != nil {
			w.add("id "+than+" ?", value)
		}
		return "id " + direction
	}
	if f.After != nil {
		w.add("("+column+" "+than+" ? OR ("+column+" = ? AND id "+than+" ?))", value, value, f.After.ID)
	}
	return column + " " + direction + ", id " + direction
}
