package declare

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// aspect is a part of a job that code declares and a person may change.
type aspect struct {
	name string
	get  func(j *model.Job) string
	copy func(dst, src *model.Job)
}

// aspects are all of them. The name is what a job is found by, the author and
// the status are a person's.
var aspects = []aspect{
	{
		"schedule", func(j *model.Job) string { return string(j.ScheduleType) + " " + j.ScheduleConf.S },
		func(dst, src *model.Job) { dst.ScheduleType, dst.ScheduleConf = src.ScheduleType, src.ScheduleConf },
	},
	{
		"time zone", func(j *model.Job) string { return j.TimeZone },
		func(dst, src *model.Job) { dst.TimeZone = src.TimeZone },
	},
	{
		"misfire", func(j *model.Job) string { return string(j.Misfire) },
		func(dst, src *model.Job) { dst.Misfire = src.Misfire },
	},
	{
		"route", func(j *model.Job) string { return string(j.Route) },
		func(dst, src *model.Job) { dst.Route = src.Route },
	},
	{
		"handler", func(j *model.Job) string { return j.Handler.S },
		func(dst, src *model.Job) { dst.Handler = src.Handler },
	},
	{
		"param", func(j *model.Job) string { return j.Param.S },
		func(dst, src *model.Job) { dst.Param = src.Param },
	},
	{
		"block", func(j *model.Job) string { return string(j.Block) },
		func(dst, src *model.Job) { dst.Block = src.Block },
	},
	{
		"timeout", func(j *model.Job) string { return strconv.Itoa(int(j.TimeoutSec)) },
		func(dst, src *model.Job) { dst.TimeoutSec = src.TimeoutSec },
	},
	{
		"retries", func(j *model.Job) string { return strconv.Itoa(int(j.Retries)) },
		func(dst, src *model.Job) { dst.Retries = src.Retries },
	},
	{
		"alarm email", func(j *model.Job) string { return j.AlarmEmail.S },
		func(dst, src *model.Job) { dst.AlarmEmail = src.AlarmEmail },
	},
	{
		"children", func(j *model.Job) string { return j.Children.S },
		func(dst, src *model.Job) { dst.Children = src.Children },
	},
}

// digests are the digests of every aspect of j.
func digests(j *model.Job) map[string]string {
	all := make(map[string]string, len(aspects))
	for _, a := range aspects {
		all[a.name] = digest(a.get(j))
	}
	return all
}

// digest is short: it only has to tell an edit from none.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:12])
}

// differing returns the aspects in which two jobs differ.
func differing(a, b *model.Job) []aspect {
	var list []aspect
	for _, asp := range aspects {
		if asp.get(a) != asp.get(b) {
			list = append(list, asp)
		}
	}
	return list
}

func names(list []aspect) string {
	all := make([]string, len(list))
	for i, a := range list {
		all[i] = a.name
	}
	return strings.Join(all, ", ")
}

// wanted is the job that was declared, without its children.
func wanted(d *wire.DeclaredJob, group int32, app string) *model.Job {
	text := func(s wire.NullString) model.Text { return model.T(s.String) }
	author := d.Author.Or(app)
	if runes := []rune(author); len(runes) > maxAuthor {
		author = string(runes[:maxAuthor])
	}
	return &model.Job{
		GroupID: group, Name: d.Name.String, Author: model.T(author), AlarmEmail: text(d.AlarmEmail),
		ScheduleType: model.ScheduleType(d.ScheduleType.Or(wire.ScheduleNone)), ScheduleConf: text(d.ScheduleConf),
		TimeZone: d.TimeZone.String, Misfire: model.Misfire(d.MisfireStrategy.Or(wire.MisfireDoNothing)),
		Route:   model.Route(d.ExecutorRouteStrategy.Or(wire.RouteFirst)),
		Handler: model.T(strings.TrimSpace(d.ExecutorHandler.String)), Param: text(d.ExecutorParam),
		Block:      model.Block(d.ExecutorBlockStrategy.Or(wire.BlockSerial)),
		TimeoutSec: max(d.ExecutorTimeout, 0), Retries: max(d.ExecutorFailRetryCount, 0),
		GlueType: model.GlueBean, GlueSource: model.T(""), GlueRemark: model.T("declared in code"),
		Children: model.T(""),
	}
}

// maxAuthor is how many characters the author of a job has.
const maxAuthor = 64

// edit returns what EditJob takes to make the job as it is that of want.
func edit(was, want *model.Job, list []aspect) ops.JobEdit {
	j := *was
	for _, a := range list {
		a.copy(&j, want)
	}
	if j.TimeZone == "" {
		j.TimeZone = ops.ServerZone
	}
	return ops.JobEdit{Job: &j, Match: func(now *model.Job, _ []string) bool { return len(differing(now, was)) == 0 }}
}
