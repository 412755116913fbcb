package jobedit

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// editKeys are the fields of the editor that texts of package ops speak of.
var editKeys = map[i18n.Key]string{
	i18n.JobinfoFieldJobgroup: "group", i18n.JobinfoFieldJobdesc: "name", i18n.JobinfoFieldAuthor: "author",
	i18n.JobinfoFieldTags: "tags", i18n.JobinfoFieldExecutorparam: "param", i18n.JobinfoFieldAlarmemail: "mail",
	i18n.ScheduleZone: "zone", i18n.ScheduleZoneShared: "zone",
	i18n.JobinfoFieldChildJobID: "children", i18n.JobinfoChildCycle: "children",
}

// fieldOf is the field of the editor that a refusal is about; "" is none.
func (f *jobForm) fieldOf(e *ops.Error) string {
	for _, part := range e.Parts {
		switch literal := strings.TrimSpace(part.Literal); {
		case literal == "JobHandler":
			return "handler"
		case literal == "Cron", part.Key == i18n.ScheduleType:
			return f.scheduleField()
		case editKeys[part.Key] != "":
			return editKeys[part.Key]
		}
	}
	return ""
}

// scheduleField is the field of the schedule that is chosen; "" is none.
func (f *jobForm) scheduleField() string {
	switch model.ScheduleType(f.Schedule) {
	case model.ScheduleCron:
		return "cron"
	case model.ScheduleFixRate:
		return "seconds"
	}
	return ""
}

// editRefused shows the editor again with what package ops says, at its field where
// there is one.
func (c *call) editRefused(ctx context.Context, p *editPage, err error) error {
	text, ours := c.Why(err)
	if !ours {
		return err
	}
	var refusal *ops.Error
	if errors.As(err, &refusal) && p.Form.fieldOf(refusal) != "" {
		p.Problems = map[string]string{p.Form.fieldOf(refusal): text}
	} else {
		p.General = text
	}
	return c.showEdit(ctx, http.StatusUnprocessableEntity, p)
}

// savedText says that a job is saved, and what is odd about its schedule.
func (c *call) savedText(key string, f *jobForm) string {
	return strings.TrimSpace(c.T(key) + " " + c.previewOf(f.Schedule, f.conf(), f.Zone).Problem)
}
