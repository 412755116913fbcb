package api

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// Jobs does what the job API asks for; ops.Service does it all.
type Jobs interface {
	JobEditor
	// StartJob makes a job fire by its schedule.
	StartJob(ctx context.Context, p ops.Principal, id int32) error
	// StopJob ends that.
	StopJob(ctx context.Context, p ops.Principal, id int32) error
	// TriggerJob runs a job once and returns when that is on record.
	TriggerJob(ctx context.Context, p ops.Principal, id int32, in ops.TriggerInput) ([]int64, error)
}

// JobEditor reads and changes jobs.
type JobEditor interface {
	// Job returns a job that the principal may see.
	Job(ctx context.Context, p ops.Principal, id int32) (*model.Job, error)
	// CreateJob stores a new job and returns its id.
	CreateJob(ctx context.Context, p ops.Principal, j *model.Job) (int32, error)
	// UpdateJob changes a job.
	UpdateJob(ctx context.Context, p ops.Principal, j *model.Job) error
	// DeleteJob deletes a job; an unknown one is no error.
	DeleteJob(ctx context.Context, p ops.Principal, id int32) error
}

// principal is the caller as the operations judge it.
func (c *call) principal() ops.Principal {
	return ops.Principal{
		Name: "openapi:" + c.caller.app, Roles: ops.SameRole(model.RoleEditor, c.caller.jobGroups()...), Code: true,
		Source: "api",
	}
}

// addJob makes a job, which is stopped at first. The payload is its id.
func (c *call) addJob(ctx context.Context, body []byte) wire.Response {
	req, err := wire.DecodeJobAdd(body)
	if err != nil {
		return unreadable(err)
	}
	j := jobOf(&req.JobFields)
	j.GroupID = req.JobGroup
	j.GlueType = req.GlueType.String
	j.GlueSource, j.GlueRemark = text(req.GlueSource), text(req.GlueRemark)
	if refused := c.lacking(j); refused != nil {
		return c.failure(ctx, refused)
	}
	id, err := c.api.cfg.Jobs.CreateJob(ctx, c.principal(), j)
	if err != nil {
		return c.failure(ctx, err)
	}
	answer := success
	answer.Payload = wire.Str(strconv.Itoa(int(id)))
	return answer
}

// lacking refuses a job without a name, an author or an existing group, before
// anybody asks whether the caller may use that group: the order of master
// (wire.md 2.8).
func (c *call) lacking(j *model.Job) error {
	missing := func(parts ...ops.Part) error { return &ops.Error{Kind: ops.Invalid, Parts: parts} }
	switch {
	case strings.TrimSpace(j.Name) == "":
		return missing(ops.Part{Key: i18n.SystemPleaseInput}, ops.Part{Key: i18n.JobinfoFieldJobdesc})
	case strings.TrimSpace(j.Author.S) == "":
		return missing(ops.Part{Key: i18n.SystemPleaseInput}, ops.Part{Key: i18n.JobinfoFieldAuthor})
	case !c.caller.all.has(j.GroupID):
		return missing(ops.Part{Key: i18n.SystemPleaseChoose}, ops.Part{Key: i18n.JobinfoFieldJobgroup})
	}
	return nil
}

// updateJob changes a job; its group, code, children and time zone stay.
func (c *call) updateJob(ctx context.Context, body []byte) wire.Response {
	req, err := wire.DecodeJobUpdate(body)
	if err != nil {
		return unreadable(err)
	}
	p := c.principal()
	old, err := c.api.cfg.Jobs.Job(ctx, p, req.ID)
	var refused *ops.Error
	if errors.As(err, &refused) && refused.Kind == ops.NotFound {
		lang := c.api.cfg.Lang
		return refusal(lang.Text(i18n.JobinfoFieldID) + lang.Text(i18n.SystemNotFound))
	}
	if err != nil {
		return c.failure(ctx, err)
	}
	j := jobOf(&req.JobFields)
	j.ID, j.GroupID, j.GlueType, j.Children = old.ID, old.GroupID, old.GlueType, old.Children
	return c.done(ctx, c.api.cfg.Jobs.UpdateJob(ctx, p, j))
}

// removeJob deletes a job; an unknown id is a success.
func (c *call) removeJob(ctx context.Context, body []byte) wire.Response {
	return c.withID(ctx, body, c.api.cfg.Jobs.DeleteJob)
}

func (c *call) startJob(ctx context.Context, body []byte) wire.Response {
	return c.withID(ctx, body, c.api.cfg.Jobs.StartJob)
}

func (c *call) stopJob(ctx context.Context, body []byte) wire.Response {
	return c.withID(ctx, body, c.api.cfg.Jobs.StopJob)
}

// triggerJob runs a job once. As in master, a parameter that is missing is the
// empty one, not the job's own.
func (c *call) triggerJob(ctx context.Context, body []byte) wire.Response {
	req, err := wire.DecodeJobTrigger(body)
	if err != nil {
		return unreadable(err)
	}
	in := ops.TriggerInput{Param: &req.ExecutorParam.String, Type: model.TriggerAPI}
	if !isBlank([]byte(req.AddressList.String)) {
		in.Addresses = strings.Split(req.AddressList.String, ",")
	}
	_, err = c.api.cfg.Jobs.TriggerJob(ctx, c.principal(), req.ID, in)
	return c.done(ctx, err)
}

func (c *call) withID(
	ctx context.Context, body []byte, do func(ctx context.Context, p ops.Principal, id int32) error,
) wire.Response {
	req, err := wire.DecodeJobID(body)
	if err != nil {
		return unreadable(err)
	}
	return c.done(ctx, do(ctx, c.principal(), req.ID))
}

func (c *call) done(ctx context.Context, err error) wire.Response {
	if err != nil {
		return c.failure(ctx, err)
	}
	return success
}

// failure answers with a refusal of the operations, and keeps every other
// error in the log.
func (c *call) failure(ctx context.Context, err error) wire.Response {
	var refused *ops.Error
	if errors.As(err, &refused) {
		if msg := refused.Text(c.api.cfg.Lang); msg != "" {
			return refusal(msg)
		}
		return refusal(refused.Detail)
	}
	c.api.cfg.Logger.ErrorContext(ctx, "job call failed", slog.String("call", c.name),
		slog.String("app_name", c.caller.app), slog.Any("err", err))
	return refusal(wire.PrefixInvokeError + "the admin could not do it, its log says why")
}

// jobOf turns the fields that add and update share into a job.
func jobOf(f *wire.JobFields) *model.Job {
	return &model.Job{
		Name: f.Name.String, Author: text(f.Author), AlarmEmail: text(f.AlarmEmail),
		ScheduleType: model.ScheduleType(f.ScheduleType.String), ScheduleConf: text(f.ScheduleConf),
		Misfire: model.Misfire(f.MisfireStrategy.String), Route: model.Route(f.ExecutorRouteStrategy.String),
		Handler: text(f.ExecutorHandler), Param: text(f.ExecutorParam),
		Block: model.Block(f.ExecutorBlockStrategy.String), TimeoutSec: f.ExecutorTimeout,
		Retries: f.ExecutorFailRetryCount,
	}
}

func text(s wire.NullString) model.Text { return model.Text{S: s.String, Valid: s.Valid} }
