package jobedit

import (
	"context"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// ruleSeconds is the longest limit of a rule, in seconds.
const ruleSeconds = 30 * 24 * 60 * 60

// rules are the fields of the editor that are rules for alarms.
func (f *jobForm) rules() map[model.AlarmWhat]*string {
	return map[model.AlarmWhat]*string{model.AlarmOnLate: &f.Late, model.AlarmOnLong: &f.Long}
}

// withRules fills in the rules for alarms of a job, and with them its version.
func (c *call) withRules(ctx context.Context, f *jobForm, id int32) error {
	list, err := c.Cfg.Ops.AlarmRules(ctx, c.Who)
	if err != nil {
		return err
	}
	fields := f.rules()
	for _, r := range list {
		if to := fields[r.What]; to != nil && r.Kind == model.ChangeJob && r.ObjectID == id {
			*to = strconv.FormatInt(int64(r.Limit/time.Second), 10)
		}
	}
	f.Version = version(*f)
	return nil
}

// groupRules says which limits of its group count for a job without a rule of its own.
func (c *call) groupRules(ctx context.Context, group string) (late, long string, err error) {
	list, err := c.Cfg.Ops.AlarmRules(ctx, c.Who)
	late, long = c.T("edit.rule.none"), c.T("edit.rule.none")
	for _, r := range list {
		if r.Kind != model.ChangeGroup || strconv.Itoa(int(r.ObjectID)) != group {
			continue
		}
		switch r.What {
		case model.AlarmOnLate:
			late = c.T("edit.rule.group", say.Took(c.Lang, r.Limit))
		case model.AlarmOnLong:
			long = c.T("edit.rule.group", say.Took(c.Lang, r.Limit))
		}
	}
	return late, long, err
}

// checkRules says what is wrong with the rules of a form.
func (c *call) checkRules(f *jobForm, problems map[string]string) {
	for what, field := range f.rules() {
		n, err := strconv.ParseInt(*field, 10, 64)
		if *field != "" && (err != nil || n < 1 || n > ruleSeconds) {
			problems[string(what)] = c.T("edit.rule.bad", say.Count(ruleSeconds))
		}
	}
}

// saveRules stores the rules of a form that are others than before.
func (c *call) saveRules(ctx context.Context, id int32, was, f *jobForm) error {
	before := was.rules()
	for what, field := range f.rules() {
		k := model.AlarmKey{What: what, Kind: model.ChangeJob, ObjectID: id}
		switch *field {
		case *before[what]:
		case "":
			if err := c.Cfg.Ops.DeleteAlarmRule(ctx, c.Who, k); err != nil {
				return err
			}
		default:
			n, err := strconv.ParseInt(*field, 10, 64)
			if err == nil {
				err = c.Cfg.Ops.SetAlarmRule(ctx, c.Who, k, time.Duration(n)*time.Second)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
