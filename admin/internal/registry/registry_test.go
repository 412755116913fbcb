package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errAway = errors.New("database away")

// played is a database in memory.
type played struct {
	mu     sync.Mutex
	beats  map[key]time.Time
	groups []*model.Group
	fault  error
	refuse int32 // a group whose list it does not take
	hangs  bool
	saves  [][]model.Beat
	gone   []model.Beat
	sets   []int32
}

func newPlayed(groups ...*model.Group) *played {
	return &played{beats: make(map[key]time.Time), groups: groups}
}

func (p *played) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *played) enter(ctx context.Context) error {
	p.mu.Lock()
	hangs, fault := p.hangs, p.fault
	p.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return fault
}

func (p *played) SaveBeats(ctx context.Context, beats []model.Beat) error {
	if err := p.enter(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saves = append(p.saves, slices.Clone(beats))
	for _, b := range beats {
		p.beats[key{b.Group, b.Key, b.Value}] = b.At.Truncate(time.Second)
	}
	return nil
}

func (p *played) DeleteBeats(ctx context.Context, beats []model.Beat) error {
	if err := p.enter(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = append(p.gone, beats...)
	for _, b := range beats {
		delete(p.beats, key{b.Group, b.Key, b.Value})
	}
	return nil
}

func (p *played) LiveBeats(ctx context.Context, since time.Time) ([]model.Beat, error) {
	if err := p.enter(ctx); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []model.Beat
	for k, at := range p.beats {
		if !at.Before(since) {
			list = append(list, model.Beat{Group: k.group, Key: k.app, Value: k.address, At: at})
		}
	}
	return list, nil
}

func (p *played) ExpireBeats(ctx context.Context, before time.Time) (int, error) {
	if err := p.enter(ctx); err != nil {
		return 0, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for k, at := range p.beats {
		if at.Before(before) {
			delete(p.beats, k)
			n++
		}
	}
	return n, nil
}

func (p *played) AllGroups(ctx context.Context) ([]*model.Group, error) {
	if err := p.enter(ctx); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []*model.Group
	for _, g := range p.groups {
		c := *g
		list = append(list, &c)
	}
	return list, nil
}

func (p *played) SetAddresses(ctx context.Context, id int32, list model.Text, _ time.Time) error {
	if err := p.enter(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if id == p.refuse {
		return errors.New("too long")
	}
	p.sets = append(p.sets, id)
	for _, g := range p.groups {
		if g.ID == id {
			g.AddressList = list
		}
	}
	return nil
}

func (p *played) list(id int32) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, g := range p.groups {
		if g.ID == id {
			return g.AddressList.S
		}
	}
	return ""
}

func (p *played) on(app, address string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.beats[key{groupExecutor, app, address}]
	return ok
}

func start(t *testing.T, p *played) (r *Registry, stop func()) {
	t.Helper()
	r = New(Config{Store: p})
	require.NoError(t, r.Refresh(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); r.Run(ctx) }()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return r, stop
}

func wait(d time.Duration) { <-time.After(d) }

func auto(id int32, app string) *model.Group { return &model.Group{ID: id, AppName: app} }

func addresses(r *Registry, id int32) string {
	g, ok := r.Group(id)
	if !ok {
		return "no group"
	}
	return g.AddressList.S
}

func TestBeatIsSeenAtOnceAndStoredSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(auto(1, "a"), auto(2, "a"), &model.Group{ID: 3, AppName: "a", Manual: true, AddressList: model.T("http://typed/")})
		r, _ := start(t, p)
		assert.Empty(t, addresses(r, 1))
		require.NoError(t, r.Beat(" EXECUTOR", "a ", " http://2/ "))
		require.NoError(t, r.Beat("EXECUTOR", "a", "http://1/"))
		require.NoError(t, r.Beat("EXECUTOR", "a", "http://1/"))
		require.NoError(t, r.Beat("ADMIN", "a", "http://admin/"))
		assert.Equal(t, "http://1/,http://2/", addresses(r, 1))
		assert.Equal(t, "http://1/,http://2/", addresses(r, 2), "groups may share an app")
		assert.Equal(t, "http://typed/", addresses(r, 3))
		assert.Len(t, r.ByApp("a"), 3)
		assert.Len(t, r.Groups(), 3)
		assert.True(t, r.Registered("http://1"), "a slash makes no difference")
		assert.True(t, r.Registered("http://admin/"))
		assert.False(t, r.Registered("http://3/"))
		assert.False(t, p.on("a", "http://1/"))
		wait(2 * time.Second)
		assert.True(t, p.on("a", "http://1/"))
		assert.Len(t, p.saves, 1, "one statement for all of them")
		assert.Len(t, p.saves[0], 3)
		wait(5 * time.Second)
		assert.Equal(t, "http://1/,http://2/", p.list(1))
		assert.Equal(t, "http://typed/", p.list(3), "what was typed is never touched")
		sets := len(p.sets)
		wait(30 * time.Second)
		assert.Len(t, p.sets, sets, "written only when it has changed")
	})
}

func TestRemoveCountsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(auto(1, "a"))
		r, _ := start(t, p)
		require.NoError(t, r.Beat("EXECUTOR", "a", "x"))
		wait(6 * time.Second)
		require.NoError(t, r.Remove("EXECUTOR", "a", "x"))
		assert.Empty(t, addresses(r, 1))
		assert.False(t, r.Registered("x"))
		require.NoError(t, r.Remove("EXECUTOR", "a", "never seen"))
		wait(2 * time.Second)
		assert.False(t, p.on("a", "x"))
		// Away and back before anything is written: the last news counts.
		require.NoError(t, r.Beat("EXECUTOR", "a", "y"))
		require.NoError(t, r.Remove("EXECUTOR", "a", "y"))
		require.NoError(t, r.Beat("EXECUTOR", "a", "y"))
		wait(6 * time.Second)
		assert.True(t, p.on("a", "y"))
		assert.Equal(t, "y", addresses(r, 1))
	})
}

func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(auto(1, "a"))
		r, _ := start(t, p)
		require.NoError(t, r.Beat("EXECUTOR", "a", "x"))
		wait(Expiry - time.Second)
		assert.Equal(t, "x", addresses(r, 1))
		assert.True(t, r.Registered("x"))
		wait(2*time.Second + DefaultRefresh)
		assert.Empty(t, addresses(r, 1))
		assert.False(t, r.Registered("x"))
		assert.Empty(t, p.list(1))
		assert.False(t, p.on("a", "x"))
	})
}

func TestRegistrations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(auto(1, "a"))
		wait(time.Minute)
		require.NoError(t, p.SaveBeats(t.Context(), []model.Beat{{Group: "EXECUTOR", Key: "a", Value: "http://old/", At: time.Now()}}))
		wait(10 * time.Second)
		began := time.Now()
		r, _ := start(t, p)
		wait(10 * time.Second)
		require.NoError(t, r.Beat("EXECUTOR", "a", "http://new/"))
		first := time.Now()
		wait(20 * time.Second)
		require.NoError(t, r.Beat("EXECUTOR", "a", "http://new/"))
		require.NoError(t, r.Beat("EXECUTOR", "b", "http://other/"))
		all := r.Registrations("a")
		assert.Len(t, all, 2)
		assert.True(t, all["http://old/"].Before, "it was there when this node began to look")
		assert.Equal(t, began, all["http://old/"].Since)
		assert.Equal(t, Registration{Last: time.Now(), Since: first}, all["http://new/"])
		wait(6 * time.Second)
		assert.Equal(t, first, r.Registrations("a")["http://new/"].Since, "reading it again changes nothing")

		require.NoError(t, r.Remove("EXECUTOR", "a", "http://new/"))
		assert.NotContains(t, r.Registrations("a"), "http://new/")
		wait(10 * time.Second)
		require.NoError(t, r.Beat("EXECUTOR", "a", "http://new/"))
		assert.Equal(t, time.Now(), r.Registrations("a")["http://new/"].Since, "it has come anew")
		wait(Expiry + DefaultRefresh + time.Second)
		assert.Empty(t, r.Registrations("a"))
		require.NoError(t, r.Beat("EXECUTOR", "a", "http://old/"))
		assert.False(t, r.Registrations("a")["http://old/"].Before)
	})
}

// A beat that reached another node counts here too, and so does a removal.
func TestTwoNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(auto(1, "a"))
		r1, _ := start(t, p)
		r2, _ := start(t, p)
		require.NoError(t, r1.Beat("EXECUTOR", "a", "x"))
		wait(7 * time.Second)
		assert.Equal(t, "x", addresses(r2, 1))
		require.NoError(t, r2.Remove("EXECUTOR", "a", "x"))
		wait(7 * time.Second)
		assert.Empty(t, addresses(r1, 1))
	})
}

func TestFaultsOfTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(auto(1, "a"))
		r, _ := start(t, p)
		p.set(func() { p.fault = errAway })
		require.NoError(t, r.Beat("EXECUTOR", "a", "x"))
		require.NoError(t, r.Beat("EXECUTOR", "a", "y"))
		wait(30 * time.Second)
		assert.Equal(t, "x,y", addresses(r, 1), "what was heard is not forgotten meanwhile")
		require.NoError(t, r.Remove("EXECUTOR", "a", "y"))
		p.set(func() { p.fault = nil })
		wait(2 * time.Second)
		assert.True(t, p.on("a", "x"))
		assert.False(t, p.on("a", "y"), "the older news do not overtake the newer")
		assert.Equal(t, "x", addresses(r, 1))

		p.set(func() { p.hangs = true })
		require.NoError(t, r.Beat("EXECUTOR", "a", "z"))
		wait(roundTimeout + 2*time.Second)
		p.set(func() { p.hangs = false })
		wait(roundTimeout + 2*time.Second)
		assert.True(t, p.on("a", "z"))
	})
}

func TestAGroupThatTheDatabaseRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(auto(1, "a"), auto(2, "b"))
		p.refuse = 1
		r, _ := start(t, p)
		require.NoError(t, r.Beat("EXECUTOR", "a", "x"))
		require.NoError(t, r.Beat("EXECUTOR", "b", "y"))
		wait(7 * time.Second)
		assert.Equal(t, "x", addresses(r, 1), "it works all the same")
		assert.Equal(t, "y", p.list(2), "and keeps nobody from his list")
	})
}

func TestStopWritesWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(auto(1, "a"))
		r, stop := start(t, p)
		require.NoError(t, r.Beat("EXECUTOR", "a", "x"))
		stop()
		assert.True(t, p.on("a", "x"))
	})
}

func TestGroupsChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed()
		r, _ := start(t, p)
		require.NoError(t, r.Beat("EXECUTOR", "a", "x"))
		p.set(func() { p.groups = append(p.groups, auto(7, "a")) })
		r.GroupsChanged()
		synctest.Wait()
		assert.Equal(t, "x", addresses(r, 7))
		p.set(func() { p.groups = nil })
		r.GroupsChanged()
		synctest.Wait()
		_, ok := r.Group(7)
		assert.False(t, ok)
		assert.Empty(t, r.ByApp("a"))
	})
}

// What another node has seen first is read when somebody misses it, once a
// second at most.
func TestMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(auto(1, "a"))
		r1, _ := start(t, p)
		r2, _ := start(t, p)
		wait(100 * time.Millisecond)
		require.NoError(t, r1.Beat("EXECUTOR", "a", "x"))
		wait(flushEvery)
		assert.Empty(t, addresses(r2, 1))
		r2.Missed()
		synctest.Wait()
		assert.Equal(t, "x", addresses(r2, 1))
		p.set(func() { p.groups = append(p.groups, auto(2, "a")) })
		for range 9 {
			r2.Missed()
			wait(100 * time.Millisecond)
			assert.Equal(t, "no group", addresses(r2, 2), "not again within a second")
		}
		wait(100 * time.Millisecond)
		r2.Missed()
		synctest.Wait()
		assert.Equal(t, "x", addresses(r2, 2))
	})
}

func TestRefusals(t *testing.T) {
	r := New(Config{Store: newPlayed()})
	long := strings.Repeat("字", 255)
	tests := []struct {
		name, group, app, address string
		want                      error
	}{
		{"fits", "EXECUTOR", long, long, nil},
		{"blank group", " ", "a", "x", ErrIllegal},
		{"blank app", "EXECUTOR", "", "x", ErrIllegal},
		{"blank address", "EXECUTOR", "a", "\t", ErrIllegal},
		{"long group", strings.Repeat("g", 51), "a", "x", ErrTooLong},
		{"long app", "EXECUTOR", long + "x", "x", ErrTooLong},
		{"long address", "EXECUTOR", "a", long + "x", ErrTooLong},
		{"nul", "EXECUTOR", "a\x00b", "x", ErrCharacter},
		{"no utf-8", "EXECUTOR", "a\xff", "x", ErrCharacter},
		{"four bytes", "EXECUTOR", "a", "http://😀/", ErrCharacter},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.ErrorIs(t, r.Beat(tt.group, tt.app, tt.address), tt.want)
			assert.ErrorIs(t, r.Remove(tt.group, tt.app, tt.address), tt.want)
		})
	}
}

// The beats that wait for a database that is away are bounded; executors that
// are known to wait are not refused.
func TestBusy(t *testing.T) {
	r := New(Config{Store: newPlayed(auto(1, "a"))})
	require.NoError(t, r.Refresh(t.Context()))
	for i := range maxPending {
		require.NoError(t, r.Beat("EXECUTOR", "a", fmt.Sprint(i)))
	}
	assert.ErrorIs(t, r.Beat("EXECUTOR", "a", "one more"), ErrBusy)
	assert.NoError(t, r.Beat("EXECUTOR", "a", "1"))
	assert.Equal(t, maxPending-1, strings.Count(addresses(r, 1), ","))
}

// Registrations of one app do not cost the others anything, nor does a refresh
// look at every beat for every group.
func BenchmarkRefresh(b *testing.B) {
	p := newPlayed()
	for i := range 2000 {
		app := fmt.Sprint("app", i)
		p.groups = append(p.groups, auto(int32(i+1), app))
		for k := range 5 {
			p.beats[key{groupExecutor, app, fmt.Sprint("http://10.0.0.", k, ":", i)}] = time.Now().Add(time.Hour)
		}
	}
	r := New(Config{Store: p})
	b.ReportAllocs()
	for b.Loop() {
		if err := r.Refresh(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// The token that Java's schema ships with is none, unless that is allowed; and
// what is no address is stored, but never asked to run anything.
func TestPublicTokenAndBadAddresses(t *testing.T) {
	t.Parallel()
	for _, allow := range []bool{false, true} {
		g := &model.Group{ID: 1, AppName: "a", AccessToken: publicToken}
		r := New(Config{AllowPublicToken: allow})
		r.adopt([]model.Beat{
			{Group: groupExecutor, Key: "a", Value: "http://10.0.0.1:9999/", At: time.Now()},
			{Group: groupExecutor, Key: "a", Value: "<script>alert(1)</script>", At: time.Now()},
			{Group: groupExecutor, Key: "a", Value: "http://x,http://y", At: time.Now()},
		}, []*model.Group{g}, time.Now())
		got, ok := r.Group(1)
		require.True(t, ok)
		assert.Equal(t, "http://10.0.0.1:9999/", got.AddressList.S)
		if allow {
			assert.Equal(t, publicToken, got.AccessToken)
		} else {
			assert.Empty(t, got.AccessToken)
		}
	}
}
