package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// noGroup is the answer to a declaration where nobody has made the group yet.
const noGroup = "there is no executor group with this app name: create it, and the jobs follow within ten minutes"

// declareJobs makes the jobs that an executor declares in its code, in the
// group of the app that it names. The payload is a wire.DeclareResult as JSON.
func (c *call) declareJobs(ctx context.Context, body []byte) wire.Response {
	req, err := wire.DecodeDeclare(body)
	if err != nil {
		return unreadable(err)
	}
	group := slices.Min(c.caller.jobGroups()) // one at least, or the caller was refused
	result, err := c.api.cfg.Declarer.Declare(ctx, group, c.caller.app, req.Jobs)
	var refused *ops.Error
	switch {
	case errors.As(err, &refused):
		return refusal(refused.Error())
	case ctx.Err() != nil:
		return refusal(wire.PrefixInvokeError + "cut off, declare the jobs again")
	case err != nil:
		return c.failure(ctx, fmt.Errorf("declared jobs: %w", err))
	}
	payload, err := json.Marshal(result)
	if err != nil {
		return c.failure(ctx, fmt.Errorf("answer to declared jobs: %w", err))
	}
	answer := success
	answer.Payload = wire.Str(string(payload))
	return answer
}
