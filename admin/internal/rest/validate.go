package rest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// maxDrafts is how many jobs are looked at in one request.
const maxDrafts = 500

// jobDraft is a job as it would be created, or with an id edited.
type jobDraft struct {
	ID int32 `json:"id"`
	jobCreate
}

// jobFaults are what is wrong with one draft.
type jobFaults struct {
	Index  int    `json:"index"`
	Errors faults `json:"errors"`
}

// validateJobs answers what changes would be refused for.
func validateJobs(ctx context.Context, c *call) error {
	var in struct {
		Jobs []jobDraft `json:"jobs"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	if len(in.Jobs) == 0 || len(in.Jobs) > maxDrafts {
		return problem(kindInvalid, "see errors", fieldFault{"/jobs", fmt.Sprintf("from 1 to %d jobs", maxDrafts)})
	}
	drafts, found := make([]ops.Draft, len(in.Jobs)), make([]faults, len(in.Jobs))
	for i := range in.Jobs {
		drafts[i] = in.Jobs[i].draft(&found[i])
	}
	refusals, err := c.s.cfg.Ops.CheckJobs(ctx, c.who, drafts)
	if err != nil {
		return err
	}
	answer := struct {
		Items []jobFaults `json:"items"`
	}{Items: []jobFaults{}}
	for i, list := range refusals {
		for _, e := range list {
			found[i].refused(e)
		}
		if len(found[i]) > 0 {
			answer.Items = append(answer.Items, jobFaults{i, found[i]})
		}
	}
	return c.json(http.StatusOK, answer)
}

// draft is what package ops checks.
func (in *jobDraft) draft(f *faults) ops.Draft {
	if in.ID == 0 {
		return ops.Draft{Job: in.created(f), Tags: in.Tags}
	}
	j := in.edited(f, in.ID)
	j.GlueSource, j.GlueRemark = model.T(in.Code), model.T(in.CodeRemark)
	j.Running = enum(f, "/state", in.State, "stopped", "stopped", "started") == "started"
	return ops.Draft{Job: j, Tags: in.Tags, NewCode: in.Code != ""}
}

// draftPointers are the fields of a draft that texts speak of which belong to no
// field elsewhere.
var draftPointers = map[i18n.Key]string{
	i18n.JobinfoGlueOff: "/code_type", i18n.JobinfoGlueGluetypeInvalid: "/code_type",
	i18n.JobinfoGlueRemark: "/code_remark", i18n.JobinfoGlueRemarkLimit: "/code_remark",
	i18n.ScheduleTypeNoneLimitStart: "/state", i18n.JobinfoGlueJobidInvalid: "/id",
}

// refused adds a refusal of package ops, unless the field is at fault already.
func (f *faults) refused(e *ops.Error) {
	pointer := ""
	for _, part := range e.Parts {
		if own, ok := draftPointers[part.Key]; ok {
			pointer = own
			break
		}
		if pointer = pointerOf(part); pointer != "" {
			break
		}
	}
	if slices.ContainsFunc(*f, func(have fieldFault) bool { return have.Pointer == pointer }) {
		return
	}
	detail := e.Detail
	if text := e.Words(i18n.En); detail == "" || e.Kind == ops.Forbidden {
		detail = text + ": " + detail
	}
	f.add(pointer, strings.TrimSuffix(detail, ": "))
}
