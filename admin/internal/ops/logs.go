package ops

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// clearBatch is how many log rows are ended or deleted at once.
const clearBatch = 500

func logObject(id int64) string { return "log " + strconv.FormatInt(id, 10) }

// ListLogs returns a page of log rows, newest first, and how many there are. A
// group that the principal has no permission on is refused; without a group
// the list holds the groups that the principal may see. Group and job count
// both, so a foreign job's id shows nothing.
func (s *Service) ListLogs(ctx context.Context, p Principal, f model.LogFilter) ([]*model.Log, int, error) {
	f.GroupID, f.JobID = max(f.GroupID, 0), max(f.JobID, 0)
	if f.GroupID > 0 && !p.Can(f.GroupID, model.RoleViewer) {
		return nil, 0, s.denyThrown(ctx, p, "log.list", groupObject(f.GroupID))
	}
	if err := s.needLogin(ctx, p, "log.list"); err != nil {
		return nil, 0, err
	}
	if !p.all() {
		if len(p.groups()) == 0 {
			return nil, 0, nil
		}
		f.GroupIDs = p.groups()
	}
	return s.store.Logs(ctx, f)
}

// Log returns a log row.
func (s *Service) Log(ctx context.Context, p Principal, id int64) (*model.Log, error) {
	row, err := s.store.Log(ctx, id)
	switch {
	case notFound(err) && p.all():
		return nil, &Error{
			Kind: NotFound, Parts: []Part{key(i18n.JoblogLogidInvalid)},
			Detail: "there is no log " + strconv.FormatInt(id, 10),
		}
	case notFound(err):
		return nil, s.denyThrown(ctx, p, "log.get", logObject(id))
	case err != nil:
		return nil, fmt.Errorf("read log %d: %w", id, err)
	case !p.Can(row.GroupID, model.RoleViewer):
		return nil, s.denyThrown(ctx, p, "log.get", logObject(id))
	}
	return row, nil
}

// LogText is a part of what a run has written.
type LogText struct {
	wire.LogResult
	Msg wire.NullString // the message of the executor's answer
}

// LogText asks the executor of a run for its log from line from on (the first
// one is 1). IsEnd is true when the run has ended and everything was read. The
// address is that of the log row. The text is as the executor sent it, not
// escaped for HTML. An executor that does not answer, or refuses, is an Error
// with its text.
func (s *Service) LogText(ctx context.Context, p Principal, id int64, from int32) (*LogText, error) {
	row, err := s.Log(ctx, p, id)
	if err != nil {
		return nil, err
	}
	from = max(from, 1)
	if row.Address.S == "" {
		return noText(row, from)
	}
	group, err := s.logGroup(ctx, row)
	if err != nil {
		return nil, err
	}
	req := wire.LogRequest{LogID: id, FromLineNum: from}
	if !row.TriggerTime.IsZero() {
		req.LogDateTime = row.TriggerTime.UnixMilli()
	}
	resp, text, err := s.cfg.Executors.Log(ctx, row.Address.S, group, req)
	if err != nil {
		return nil, unanswered(err)
	}
	if resp.Code != wire.CodeSuccess {
		return nil, refusedBy(resp)
	}
	if text.FromLineNum > text.ToLineNum && row.HandleCode > 0 {
		text.IsEnd = true
	}
	return &LogText{LogResult: text, Msg: resp.Msg}, nil
}

// noText answers for a run that no executor knows of.
func noText(row *model.Log, from int32) (*LogText, error) {
	if row.TriggerCode != model.CodeNone && row.TriggerCode != model.CodeSuccess {
		return nil, &Error{
			Kind: Conflict, Parts: []Part{key(i18n.JoblogRollingLogTriggerfail)},
			Detail: "see the message of the trigger",
		}
	}
	return &LogText{
		LogResult: wire.LogResult{FromLineNum: from, ToLineNum: from - 1, IsEnd: row.HandleCode > 0},
		Msg:       wire.Str("Success"),
	}, nil
}

// logGroup loads the group of a log row, for the token of its executors. When
// the group is gone, the global token counts.
func (s *Service) logGroup(ctx context.Context, row *model.Log) (*model.Group, error) {
	g, err := s.store.Group(ctx, row.GroupID)
	switch {
	case notFound(err):
		return &model.Group{ID: row.GroupID}, nil
	case err != nil:
		return nil, fmt.Errorf("read group %d: %w", row.GroupID, err)
	}
	return g, nil
}

// unanswered is the error for a call that no executor answered.
func unanswered(err error) *Error {
	return &Error{
		Kind: Unavailable, Parts: []Part{lit(err.Error())}, Err: err,
		Detail: "see whether the executor runs and can be reached from the admin",
	}
}

// refusedBy is the error for an answer that is no success.
func refusedBy(resp wire.Response) *Error {
	e := &Error{Kind: Conflict, Detail: "the executor refused with code " + strconv.Itoa(int(resp.Code))}
	if resp.Msg.Valid {
		e.Parts = []Part{lit(resp.Msg.String)}
	}
	return e
}

// Kill asks the executor of a run to end it, records the run as failed, and
// returns the executor's message. A result that came first stays. The run is
// not tried again. For operators, of the run's group and of its job's.
//
// The protocol knows job ids only: an executor ends whatever run of the job is
// current there. So a run that has ended is refused here.
func (s *Service) Kill(ctx context.Context, p Principal, id int64) (wire.NullString, error) {
	row, err := s.Log(ctx, p, id)
	if err != nil {
		return wire.NullString{}, err
	}
	j, err := s.job(ctx, row.JobID)
	switch {
	case err != nil:
		return wire.NullString{}, err
	case !p.Can(row.GroupID, model.RoleOperator) || !p.Can(j.GroupID, model.RoleOperator): // it was moved since
		return wire.NullString{}, s.denyThrown(ctx, p, "log.kill", logObject(id))
	case row.TriggerCode != model.CodeSuccess || row.Address.S == "":
		return wire.NullString{}, &Error{
			Kind: Conflict, Parts: []Part{key(i18n.JoblogKillLogLimit)},
			Detail: "no executor is known to have taken this run",
		}
	case row.HandleCode > 0:
		return wire.NullString{}, &Error{
			Kind: Conflict, Parts: []Part{key(i18n.JoblogKillEnded)},
			Detail: "a kill would end a later run of the job",
		}
	}
	group, err := s.logGroup(ctx, row)
	if err != nil {
		return wire.NullString{}, err
	}
	resp, err := s.cfg.Executors.Kill(ctx, row.Address.S, group, row.JobID)
	if err != nil {
		return wire.NullString{}, unanswered(err)
	}
	if resp.Code != wire.CodeSuccess {
		return wire.NullString{}, refusedBy(resp)
	}
	// The executor has ended the run: that is kept even if the caller goes away.
	said := strings.ReplaceAll(resp.Msg.String, "\x00", "")
	text := cut(s.cfg.Lang.Text(i18n.JoblogKillLogByman)+":"+said, wire.MaxStoredMessage)
	if err := s.end(context.WithoutCancel(ctx), text, id); err != nil {
		return wire.NullString{}, fmt.Errorf("record the kill of log %d: %w", id, err)
	}
	s.record(ctx, p, "log.kill", logObject(id), "job "+id32(row.JobID))
	return resp.Msg, nil
}

// end records runs as failed by an operator's will, without a retry.
func (s *Service) end(ctx context.Context, text string, ids ...int64) error {
	outs := make([]*model.Outcome, len(ids))
	for i, id := range ids {
		outs[i] = &model.Outcome{LogID: id, Handle: &model.HandleResult{
			Code: model.CodeFail, Msg: model.T(text), AtMs: s.now().UnixMilli(), NoRetry: true, End: model.EndKilled,
		}}
	}
	return s.cfg.Completion.Results(ctx, outs)
}

// ClearInput says which log rows to delete.
type ClearInput struct {
	GroupID int32 // 0 is every group: for administrators
	JobID   int32 // 0 is every job
	Type    int   // 1 to 9, as in the Java console
}

// selection translates the types of the Java console. Type 9, everything, ends
// at the present: what is planned for the next second stays.
func (s *Service) selection(in ClearInput) (model.LogClear, bool) {
	c := model.LogClear{GroupID: max(in.GroupID, 0), JobID: max(in.JobID, 0)}
	now := s.seconds()
	switch in.Type {
	case 1:
		c.Before = now.AddDate(0, -1, 0)
	case 2:
		c.Before = now.AddDate(0, -3, 0)
	case 3:
		c.Before = now.AddDate(0, -6, 0)
	case 4:
		c.Before = now.AddDate(-1, 0, 0)
	case 5:
		c.Keep = 1000
	case 6:
		c.Keep = 10_000
	case 7:
		c.Keep = 30_000
	case 8:
		c.Keep = 100_000
	case 9:
		c.Before = now
	default:
		return c, false
	}
	return c, true
}

func clearObject(in ClearInput) string {
	return fmt.Sprintf("logs of group %d, job %d", max(in.GroupID, 0), max(in.JobID, 0))
}

// clearing returns what is to be cleared, when the principal may do it.
func (s *Service) clearing(ctx context.Context, p Principal, in ClearInput) (model.LogClear, error) {
	if in.GroupID > 0 && !p.Can(in.GroupID, model.RoleEditor) || in.GroupID <= 0 && !(p.known() && p.Admin) {
		return model.LogClear{}, s.denyThrown(ctx, p, "log.clear", clearObject(in))
	}
	c, ok := s.selection(in)
	if !ok {
		return c, invalid("use a type from 1 to 9", key(i18n.JoblogCleanTypeInvalid))
	}
	return c, nil
}

// ClearLogs deletes log rows and returns how many. Runs among them that are
// open are ended first, as failed and without a retry; the executor is not
// told. It works in small steps, and when ctx ends before it is done, what was
// deleted stays deleted.
func (s *Service) ClearLogs(ctx context.Context, p Principal, in ClearInput) (int, error) {
	object := clearObject(in)
	c, err := s.clearing(ctx, p, in)
	if err != nil {
		return 0, err
	}
	if err := s.endOpen(ctx, c); err != nil {
		return 0, err
	}
	total := 0
	for {
		n, err := s.store.DeleteLogs(ctx, c, clearBatch)
		total += n
		if err != nil {
			return total, fmt.Errorf("clear %s: %w", object, err)
		}
		if n < clearBatch {
			break
		}
	}
	s.record(ctx, p, "log.clear", object, fmt.Sprintf("type %d: %d rows", in.Type, total))
	return total, nil
}

// endOpen ends the open runs that are about to be cleared.
func (s *Service) endOpen(ctx context.Context, c model.LogClear) error {
	text := s.cfg.Lang.Text(i18n.JoblogCleared)
	last := int64(0)
	for {
		ids, err := s.store.OpenLogsToClear(ctx, c, clearBatch)
		if err != nil {
			return fmt.Errorf("read the open runs to clear: %w", err)
		}
		if len(ids) == 0 || ids[0] == last { // the same again: it cannot be ended, so it stays
			return nil
		}
		last = ids[0]
		if err := s.end(ctx, text, ids...); err != nil {
			return fmt.Errorf("end the runs to clear: %w", err)
		}
	}
}
