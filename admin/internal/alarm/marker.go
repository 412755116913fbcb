package alarm

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// The bounds of storing what became of alarms.
const (
	markQueue   = 4096
	markBatch   = 512
	markTimeout = 10 * time.Second
)

// mark is a row and what to store in it.
type mark struct {
	logID  int64
	status model.AlarmStatus
}

// tally waits for the channels of one alarm and then marks its row: sent if all
// have sent it, else failed.
type tally struct {
	logID   int64 // 0: nothing to mark
	marker  *marker
	pending atomic.Int32
	failed  atomic.Bool
}

func (t *tally) done(ok bool) {
	if !ok {
		t.failed.Store(true)
	}
	if t.pending.Add(-1) > 0 {
		return
	}
	status := model.AlarmSent
	if t.failed.Load() {
		status = model.AlarmFailed
	}
	t.marker.put(t.logID, status)
}

// marker stores what became of alarms, many rows at a time. One that cannot be
// stored is left to the caller's sweep.
type marker struct {
	store    func(ctx context.Context, logIDs []int64, status model.AlarmStatus) error
	log      *slog.Logger
	queue    chan mark // never closed: lanes may write to the last moment
	unmarked atomic.Int64
}

func newMarker(cfg *Config) *marker {
	return &marker{
		store: cfg.Mark, log: cfg.Logger.With(slog.String("part", "alarm")), queue: make(chan mark, markQueue),
	}
}

// put queues a mark. It never blocks.
func (m *marker) put(logID int64, status model.AlarmStatus) {
	if logID == 0 || m.store == nil {
		return
	}
	select {
	case m.queue <- mark{logID: logID, status: status}:
	default:
		m.unmarked.Add(1)
	}
}

// run stores marks until ctx has ended, and then what waits, within
// markTimeout.
func (m *marker) run(ctx context.Context) {
	for {
		select {
		case first := <-m.queue:
			m.flush(ctx, m.gather(first))
		case <-ctx.Done():
			m.drain(ctx)
			return
		}
	}
}

func (m *marker) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), markTimeout)
	defer cancel()
	for {
		select {
		case first := <-m.queue:
			m.flush(ctx, m.gather(first))
		default:
			return
		}
	}
}

// gather takes what waits beside first.
func (m *marker) gather(first mark) []mark {
	batch := []mark{first}
	for len(batch) < markBatch {
		select {
		case next := <-m.queue:
			batch = append(batch, next)
		default:
			return batch
		}
	}
	return batch
}

// flush stores a batch, one call for each status.
func (m *marker) flush(ctx context.Context, batch []mark) {
	byStatus := make(map[model.AlarmStatus][]int64)
	for _, one := range batch {
		byStatus[one.status] = append(byStatus[one.status], one.logID)
	}
	for status, ids := range byStatus {
		if err := m.storeOne(ctx, ids, status); err != nil {
			m.unmarked.Add(int64(len(ids)))
			m.log.WarnContext(ctx, "alarm status not stored", slog.Int("count", len(ids)), slog.Any("err", err))
		}
	}
}

// storeOne stores one status, with two more attempts after a fault. It does not
// give up what it is doing when ctx ends, only what it would do next.
func (m *marker) storeOne(ctx context.Context, ids []int64, status model.AlarmStatus) error {
	for attempt := 0; ; attempt++ {
		call, cancel := context.WithTimeout(context.WithoutCancel(ctx), markTimeout)
		err := m.store(call, ids, status)
		cancel()
		if err == nil || attempt == 2 || !pause(ctx, nil, pauses[attempt]) {
			return err
		}
	}
}
