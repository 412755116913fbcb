package rest

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// times are the next times of a schedule.
type times struct {
	Times    []string `json:"times"`
	TimeZone string   `json:"time_zone"`
}

func (c *call) showTimes(j *model.Job, count int) error {
	list, err := c.s.cfg.Ops.TimesOf(j, count)
	if err != nil {
		return err
	}
	answer := times{Times: make([]string, 0, len(list)), TimeZone: j.TimeZone}
	if j.TimeZone == "" {
		answer.TimeZone = zoneName(c.s.cfg.Location, c.s.now())
	}
	for _, t := range list {
		answer.Times = append(answer.Times, at(t))
	}
	return c.json(http.StatusOK, answer)
}

// zoneName is the name of a zone; of the machine's, which may have none, it is how
// far from UTC it is now.
func zoneName(loc *time.Location, now time.Time) string {
	if name := loc.String(); name != "Local" {
		return name
	}
	if _, seconds := now.In(loc).Zone(); seconds == 0 {
		return "UTC"
	}
	return "UTC" + now.In(loc).Format("-07:00")
}

func nextTimes(ctx context.Context, c *call) error {
	count, err := c.number("count", 10, 1, 100)
	if err != nil {
		return err
	}
	j, _, err := c.job(ctx)
	if err != nil {
		return err
	}
	return c.showTimes(j, count)
}

func previewSchedule(_ context.Context, c *call) error {
	in := struct {
		Schedule schedule `json:"schedule"`
		Count    int      `json:"count"`
	}{Count: 10}
	if err := c.decode(&in); err != nil {
		return err
	}
	var f faults
	var j model.Job
	in.Schedule.fill(&f, &j)
	if in.Count < 1 || in.Count > 100 {
		f.add("/count", "a number from 1 to 100")
	}
	if in.Schedule.Type == "cron" && strings.TrimSpace(in.Schedule.Cron) == "" {
		f.add("/schedule/cron", "it is missing")
	}
	if err := f.err(); err != nil {
		return err
	}
	return c.showTimes(&j, in.Count)
}

// code is the code of a script job.
type code struct {
	CodeType string        `json:"code_type"`
	Code     string        `json:"code"`
	Remark   string        `json:"remark"`
	SavedAt  *string       `json:"saved_at"`
	Versions []codeVersion `json:"versions"`
}

type codeVersion struct {
	ID      int32   `json:"id"`
	Code    string  `json:"code"`
	Remark  string  `json:"remark"`
	SavedAt *string `json:"saved_at"`
	SavedBy *string `json:"saved_by"`
}

func listCode(ctx context.Context, c *call) error {
	j, _, err := c.job(ctx)
	if err != nil {
		return err
	}
	order, err := c.order(nil, "saved_at")
	if err != nil {
		return err
	}
	versions, err := c.s.cfg.Ops.GlueVersions(ctx, c.who, j.ID)
	if err != nil {
		return err
	}
	if order.Ascending {
		slices.Reverse(versions)
	}
	answer := code{
		CodeType: strings.ToLower(j.GlueType), Code: j.GlueSource.S, Remark: j.GlueRemark.S,
		SavedAt: atOrNull(j.GlueUpdated), Versions: make([]codeVersion, 0, len(versions)),
	}
	for _, v := range versions {
		one := codeVersion{ID: v.ID, Code: v.Source.S, Remark: v.Remark, SavedAt: atOrNull(v.Updated)}
		if v.User != "" {
			one.SavedBy = &v.User
		}
		answer.Versions = append(answer.Versions, one)
	}
	return c.json(http.StatusOK, answer)
}

func saveCode(ctx context.Context, c *call) error {
	id, err := c.id32("job_id")
	if err != nil {
		return err
	}
	var in struct {
		Code   string `json:"code"`
		Remark string `json:"remark"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	if err := c.s.cfg.Ops.SaveGlue(ctx, c.who, id, in.Code, in.Remark); err != nil {
		return err
	}
	return listCode(ctx, c)
}
