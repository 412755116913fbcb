package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func getSession(_ context.Context, c *call) error {
	type session struct {
		Name     string       `json:"name"`
		Source   string       `json:"source"`
		Verbs    []model.Verb `json:"verbs"`
		GroupIDs []int32      `json:"group_ids"`       // null is all
		Roles    []roleView   `json:"roles,omitempty"` // of a user who is no administrator
		CSRF     string       `json:"csrf_token,omitempty"`
	}
	if c.key != nil {
		v := session{Name: c.key.Name, Source: "key", Verbs: c.key.Verbs}
		if !c.key.AllGroups {
			v.GroupIDs = orEmpty(c.key.GroupIDs)
		}
		return c.json(http.StatusOK, v)
	}
	v := session{
		Name: c.user.Username, Source: "session", CSRF: c.csrf(),
		Verbs: []model.Verb{model.VerbRead},
	}
	if c.who.CanAnywhere(model.RoleOperator) {
		v.Verbs = append(v.Verbs, model.VerbRun)
	}
	if c.who.CanAnywhere(model.RoleEditor) {
		v.Verbs = append(v.Verbs, model.VerbEdit)
	}
	if c.user.Code {
		v.Verbs = append(v.Verbs, model.VerbCode)
	}
	if c.user.Admin {
		v.Verbs = append(v.Verbs, model.VerbAdmin)
	} else {
		v.GroupIDs, v.Roles = []int32{}, viewRoles(c.user.Roles())
		for _, r := range v.Roles {
			v.GroupIDs = append(v.GroupIDs, r.GroupID)
		}
	}
	return c.json(http.StatusOK, v)
}

type dayView struct {
	Day     string `json:"day"`
	Running int    `json:"running"`
	Success int    `json:"success"`
	Failed  int    `json:"failed"`
}

// maxDays bounds the range of an overview.
const maxDays = 366

func getOverview(ctx context.Context, c *call) error {
	y, m, d := c.s.now().In(c.s.cfg.Location).Date()
	today := time.Date(y, m, d, 0, 0, 0, 0, c.s.cfg.Location)
	from, err := c.dayOf("from", today.AddDate(0, 0, -6))
	if err != nil {
		return err
	}
	to, err := c.dayOf("to", today)
	if err != nil {
		return err
	}
	if to.Before(from) || from.AddDate(0, 0, maxDays).Before(to) {
		return badParam("from", "a day up to a year before to")
	}
	o, err := c.s.cfg.Ops.Overview(ctx, c.who, from, to)
	if err != nil {
		return err
	}
	// What is null is not kept by group, and the caller does not see them all.
	answer := struct {
		Jobs      int       `json:"jobs"`
		Triggers  *int64    `json:"triggers"`
		Executors int       `json:"executors"`
		Running   int64     `json:"running"`
		Success   *int      `json:"success"`
		Failed    *int      `json:"failed"`
		Days      []dayView `json:"days"`
	}{Jobs: o.Jobs, Executors: o.Executors, Running: o.Running}
	if all := o.All; all != nil {
		answer.Triggers, answer.Success, answer.Failed = &all.Triggers, &all.Chart.Success, &all.Chart.Failed
		answer.Days = make([]dayView, 0, len(all.Chart.Days))
		for _, day := range all.Chart.Days {
			name := day.Day.Format(time.DateOnly)
			answer.Days = append(answer.Days, dayView{name, day.Running, day.Success, day.Failed})
		}
	}
	return c.json(http.StatusOK, answer)
}

func getHealth(ctx context.Context, c *call) error {
	faults := orEmpty(c.s.cfg.Parts.Faults(ctx))
	status, word := http.StatusOK, "ready"
	if len(faults) > 0 {
		status, word = http.StatusServiceUnavailable, "not_ready"
	}
	return c.json(status, struct {
		Status string   `json:"status"`
		Faults []string `json:"faults"`
	}{word, faults})
}
