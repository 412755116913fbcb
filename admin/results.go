package admin

import (
	"context"
	"log/slog"

	"github.com/xxljob-go/xxljob/admin/internal/metrics"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// results is the store as package completion sees it. Results that end no run
// leave a trace here: a number, and where it matters a line in the log.
type results struct {
	*store.Store

	void func(metrics.Void)
	log  *slog.Logger
}

// Finish implements completion.Store.
func (r results) Finish(
	ctx context.Context, outs []*model.Outcome, decide func(ends []*store.Ending, load store.Loader) error,
) ([]*store.Ending, error) {
	ends, err := r.Store.Finish(ctx, outs, decide)
	for _, e := range ends {
		if e.Err == nil && e.Outcome.Handle != nil {
			r.look(ctx, e)
		}
	}
	return ends, err
}

// look counts a result that ended no run.
func (r results) look(ctx context.Context, e *store.Ending) {
	switch e.Status {
	case store.FinishStored:
	case store.FinishUnknown:
		r.void(metrics.ResultUnknown)
	case store.FinishRepeated:
		if e.Log == nil || e.Log.HandleCode == e.Outcome.Handle.Code {
			r.void(metrics.ResultRepeated)
			return
		}
		r.late(ctx, e)
	case store.FinishLate:
		r.late(ctx, e)
	}
}

// late tells of a result that contradicts what is on record: of a run that was
// given up, killed, or whose trigger had failed.
func (r results) late(ctx context.Context, e *store.Ending) {
	r.void(metrics.ResultLate)
	r.log.InfoContext(ctx, "result came after its run had ended", slog.Int64("log_id", e.Outcome.LogID),
		slog.Int("code", int(e.Outcome.Handle.Code)), slog.Bool("kept", e.Status == store.FinishLate))
}
