package alarm

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// The bounds of a Book.
const (
	bookKeys  = 4096 // alarms, and deliveries, that wait to be stored
	bookBatch = 100  // of them that one pass stores
	bookLimit = 10 * time.Second
)

// bookStore is what a Book needs of package store.
type bookStore interface {
	RaiseAlarms(ctx context.Context, list []model.AlarmRecord) error
	SaveDelivery(ctx context.Context, k model.AlarmKey, d model.AlarmDelivery) error
	Mutes(ctx context.Context, now time.Time) ([]model.Mute, error)
}

// BookConfig describes a Book. Store is required.
type BookConfig struct {
	Store  bookStore
	Every  time.Duration // between two passes; default 2 s
	Logger *slog.Logger  // default: nothing is logged
}

// Book puts alarms on record off the path of runs, and knows what is muted.
// Alarms of one key that come between two passes are one row to write. All
// methods are safe for concurrent use.
type Book struct {
	cfg BookConfig
	log *slog.Logger

	mu        sync.Mutex
	raised    map[model.AlarmKey]*model.AlarmRecord
	delivered map[deliveredKey]model.AlarmDelivery
	mutes     map[muteKey]time.Time
	lost      int64
}

type deliveredKey struct {
	alarm   model.AlarmKey
	channel string
}

type muteKey struct {
	kind string
	id   int32
}

// NewBook returns an empty Book. It starts nothing.
func NewBook(cfg BookConfig) *Book {
	cfg.Every = cmp.Or(cfg.Every, 2*time.Second)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Book{
		cfg: cfg, log: cfg.Logger.With(slog.String("part", "alarm book")),
		raised: make(map[model.AlarmKey]*model.AlarmRecord), delivered: make(map[deliveredKey]model.AlarmDelivery),
	}
}

// Raised takes an alarm to be put on record; its Count and Muted are set here.
// It never blocks. When 4,096 others wait already it is dropped and counted.
func (b *Book) Raised(r model.AlarmRecord) {
	job := int32(0)
	if r.Kind == model.ChangeJob {
		job = r.ObjectID
	}
	r.Count, r.Muted, r.Message = 1, 0, cut(r.Message, maxMessage)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mutedLocked(r.GroupID, job, time.Now()) {
		r.Muted = 1
	}
	b.addLocked(r)
}

// addLocked adds up what waits of one key; the later one has the last word.
func (b *Book) addLocked(r model.AlarmRecord) {
	known := b.raised[r.AlarmKey]
	if known == nil {
		if len(b.raised) >= bookKeys {
			b.lost++
			return
		}
		b.raised[r.AlarmKey] = &r
		return
	}
	r.Count, r.Muted = r.Count+known.Count, r.Muted+known.Muted
	if r.Last.Before(known.Last) {
		r.Last, r.LogID, r.Message, r.GroupID = known.Last, known.LogID, known.Message, known.GroupID
	}
	*known = r
}

// Delivered notes what became of an alarm in a channel; the zero key is a test.
// It never blocks.
func (b *Book) Delivered(k model.AlarmKey, channel string, err error) {
	d := model.AlarmDelivery{Channel: channel, At: time.Now()}
	if err != nil {
		d.Error = cut(err.Error(), 500)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.delivered) < bookKeys {
		b.delivered[deliveredKey{k, channel}] = d
	}
}

// Muted reports whether alarms of a job are muted now: by a window of its own,
// or of its group. Job 0 asks for the group alone.
func (b *Book) Muted(group, job int32) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mutedLocked(group, job, time.Now())
}

func (b *Book) mutedLocked(group, job int32, now time.Time) bool {
	until := b.mutes[muteKey{model.ChangeGroup, group}]
	if own := b.mutes[muteKey{model.ChangeJob, job}]; job != 0 && own.After(until) {
		until = own
	}
	return now.Before(until)
}

// Refresh reads the mute windows: Run does so at every pass, so a window that
// another node was told of counts within seconds.
func (b *Book) Refresh(ctx context.Context) error {
	list, err := b.cfg.Store.Mutes(ctx, time.Now())
	if err != nil {
		return err
	}
	mutes := make(map[muteKey]time.Time, len(list))
	for _, m := range list {
		mutes[muteKey{m.Kind, m.ObjectID}] = m.Until
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mutes = mutes
	return nil
}

// Run stores what comes, and keeps the mute windows fresh, until ctx ends; then
// it stores what waits, within 10 s.
func (b *Book) Run(ctx context.Context) {
	ticker := time.NewTicker(b.cfg.Every)
	defer ticker.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), bookLimit)
			defer cancel()
			for err := error(nil); err == nil && b.waiting() > 0; {
				err = b.store(last)
			}
			return
		case <-ticker.C:
		}
		pass, cancel := context.WithTimeout(ctx, bookLimit)
		err := b.Refresh(pass)
		if err == nil {
			err = b.store(pass)
		}
		cancel()
		if err != nil && !failing && ctx.Err() == nil {
			b.log.WarnContext(ctx, "alarms not put on record", slog.Any("err", err))
		}
		failing = err != nil
		if lost := b.takeLost(); lost > 0 {
			b.log.WarnContext(ctx, "alarms left out of the record", slog.Int64("count", lost))
		}
	}
}

func (b *Book) takeLost() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	lost := b.lost
	b.lost = 0
	return lost
}

func (b *Book) waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.raised) + len(b.delivered)
}

// store stores one batch. What cannot be stored goes on waiting.
func (b *Book) store(ctx context.Context) error {
	if batch := b.takeRaised(); len(batch) > 0 {
		if err := b.cfg.Store.RaiseAlarms(ctx, batch); err != nil {
			b.giveBack(batch)
			return err
		}
	}
	for k, d := range b.takeDelivered() {
		if err := b.cfg.Store.SaveDelivery(ctx, k.alarm, d); err != nil {
			return err // the next delivery says more than this one
		}
	}
	return nil
}

func (b *Book) takeRaised() []model.AlarmRecord {
	b.mu.Lock()
	defer b.mu.Unlock()
	var batch []model.AlarmRecord
	for key, r := range b.raised {
		if len(batch) == bookBatch {
			break
		}
		batch = append(batch, *r)
		delete(b.raised, key)
	}
	return batch
}

func (b *Book) giveBack(batch []model.AlarmRecord) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for r := range slices.Values(batch) {
		b.addLocked(r)
	}
}

// takeDelivered takes deliveries of alarms that are on record.
func (b *Book) takeDelivered() map[deliveredKey]model.AlarmDelivery {
	b.mu.Lock()
	defer b.mu.Unlock()
	batch := make(map[deliveredKey]model.AlarmDelivery)
	for k, d := range b.delivered {
		if len(batch) == bookBatch {
			break
		}
		if b.raised[k.alarm] == nil {
			batch[k] = d
			delete(b.delivered, k)
		}
	}
	return batch
}
