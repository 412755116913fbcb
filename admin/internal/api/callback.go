package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

const (
	// resultsAtOnce is how many results are handed on together. Executors of
	// before 3.4.1 post all that they have.
	resultsAtOnce = 5000
	// resultsWait is how long an answer waits for the database. Executors give
	// up after 3 s (at most 10 s), and send again.
	resultsWait = 20 * time.Second
)

// registry takes a heartbeat.
func (c *call) registry(ctx context.Context, body []byte) wire.Response {
	return c.register(ctx, body, c.api.cfg.Registry.Beat)
}

// registryRemove ends a registration; an unknown one is a success.
func (c *call) registryRemove(ctx context.Context, body []byte) wire.Response {
	return c.register(ctx, body, c.api.cfg.Registry.Remove)
}

func (c *call) register(ctx context.Context, body []byte, do func(group, app, address string) error) wire.Response {
	req, err := wire.DecodeRegistry(body)
	if err != nil {
		return unreadable(err)
	}
	c.said = req
	group, app := strings.TrimSpace(req.Group.String), strings.TrimSpace(req.Key.String)
	addr := strings.TrimSpace(req.Value.String)
	if group == "" || app == "" || addr == "" {
		return refusal(wire.TextIllegal)
	}
	if !c.caller.mayRegister(app) {
		c.api.cfg.Logger.WarnContext(ctx, "registration with a foreign token refused",
			slog.String("app_name", app), slog.String("addr", addr))
		return refusal(c.foreignText())
	}
	if err := do(group, app, addr); err != nil {
		return refusal(err.Error())
	}
	return success
}

// foreignText refuses what belongs to a group with another token, in the words
// of the caller's generation.
func (c *call) foreignText() string {
	if c.caller.app == "" {
		return wire.TextTokenWrong
	}
	return wire.TextTokenInvalid
}

// callback takes results. Its success means that they are durable.
func (c *call) callback(ctx context.Context, body []byte) wire.Response {
	items, err := wire.DecodeCallbacks(body)
	if err != nil && !errors.Is(err, wire.ErrNoBody) { // null is an empty list, as for Java
		return unreadable(err)
	}
	c.items = len(items)
	ctx, cancel := context.WithTimeout(ctx, resultsWait)
	defer cancel()
	outs, foreign, err := c.outcomes(ctx, items)
	for len(outs) > 0 && err == nil {
		n := min(len(outs), resultsAtOnce)
		err = c.api.cfg.Completion.Results(ctx, outs[:n:n])
		outs = outs[n:]
	}
	switch {
	case err != nil:
		if ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) {
			c.api.cfg.Logger.WarnContext(ctx, "results not stored, the executor will send them again",
				slog.Int("count", len(items)), slog.Any("err", err))
		}
		return refusal(wire.PrefixInvokeError + "the results could not be stored, send them again")
	case foreign != 0:
		return refusal(fmt.Sprintf("%s logId:%d is a run of another group.", c.foreignText(), foreign))
	default:
		return success
	}
}

// outcomes turns results into what the completion takes. Results that leave
// their run open are left out, and so are those of foreign runs, of which the
// first id is returned.
func (c *call) outcomes(
	ctx context.Context, items []wire.CallbackItem,
) (outs []*model.Outcome, foreign int64, err error) {
	groups := map[int64]int32{}
	if !c.caller.mayAll() {
		if groups, err = c.groupsOf(ctx, items); err != nil {
			return nil, 0, err
		}
	}
	type room struct { // one allocation for all results of a post
		outcome model.Outcome
		handle  model.HandleResult
	}
	rooms := make([]room, len(items))
	outs = make([]*model.Outcome, 0, len(items))
	open, strangers, now := 0, 0, time.Now().UnixMilli()
	for i := range items {
		it := &items[i]
		if it.Code <= 0 {
			open++
			continue
		}
		if group, known := groups[it.LogID]; known && !c.caller.owns(group) {
			foreign = firstOf(foreign, it.LogID)
			strangers++
			continue
		}
		rm := &rooms[i]
		rm.handle = model.HandleResult{
			Code: it.Code, Msg: model.Text{S: it.Msg.String, Valid: it.Msg.Valid}, AtMs: now, NoRetry: it.NoRetry,
		}
		rm.outcome = model.Outcome{LogID: it.LogID, Handle: &rm.handle}
		outs = append(outs, &rm.outcome)
	}
	if strangers > 0 {
		c.api.cfg.Logger.WarnContext(ctx, "results for runs of another group refused",
			slog.String("app_name", c.caller.app), slog.Int("count", strangers), slog.Int64("log_id", foreign))
	}
	if open > 0 {
		c.api.cfg.Logger.WarnContext(ctx, "results without a code ignored, their runs stay open",
			slog.Int("count", open))
	}
	return outs, foreign, nil
}

func firstOf(a, b int64) int64 {
	if a != 0 {
		return a
	}
	return b
}

// groupsOf returns the groups of the runs, as far as they exist.
func (c *call) groupsOf(ctx context.Context, items []wire.CallbackItem) (map[int64]int32, error) {
	ids := make([]int64, 0, len(items))
	for i := range items {
		ids = append(ids, items[i].LogID)
	}
	if len(ids) == 0 {
		return nil, nil //nolint:nilnil // reading the nil map is right
	}
	return c.api.cfg.Logs.GroupsOfLogs(ctx, ids)
}
