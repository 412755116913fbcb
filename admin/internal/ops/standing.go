package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// mostGone is how many addresses a standing names that its group does not have any
// more.
const mostGone = 20

// AddressStanding is an address of a group, and how it stands.
type AddressStanding struct {
	Address string
	model.AddressState

	Open int // runs of the group that run there
}

// Standing is a group and how its executors stand. What it says of calls is what
// this node has seen.
type Standing struct {
	*Group
	At []AddressStanding // its addresses, in order
	// Gone are addresses that it does not have any more and where runs of it still
	// run, as far as the admin knows: those with most first, at most 20.
	Gone     []AddressStanding
	Dead     int       // addresses that do not answer this node
	InFlight int       // requests without an answer yet
	Queued   int       // triggers that wait here
	Open     int       // runs that run, at addresses that are gone too
	Started  int       // jobs
	LastBeat time.Time // of any of its executors; zero is never
}

// Standings returns the groups that the principal may see and how their executors
// stand, by app name, title and id.
func (s *Service) Standings(ctx context.Context, p Principal) ([]*Standing, error) {
	groups, err := s.PermittedGroups(ctx, p)
	if err != nil {
		return nil, err
	}
	return s.standings(ctx, p, groups)
}

// Standing is Standings for one group.
func (s *Service) Standing(ctx context.Context, p Principal, id int32) (*Standing, error) {
	g, err := s.Group(ctx, p, id)
	if err != nil {
		return nil, err
	}
	list, err := s.standings(ctx, p, []*Group{g})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

func (s *Service) standings(ctx context.Context, p Principal, groups []*Group) ([]*Standing, error) {
	started, err := s.StartedByGroup(ctx, p)
	if err != nil {
		return nil, err
	}
	open, err := s.openByAddress(ctx)
	if err != nil {
		return nil, err
	}
	states := map[int32]map[string]model.AddressState{}
	if s.cfg.States != nil {
		plain := make([]*model.Group, len(groups))
		for i, g := range groups {
			plain[i] = &g.Group
		}
		if states, err = s.cfg.States(ctx, plain); err != nil {
			return nil, fmt.Errorf("how addresses stand: %w", err)
		}
	}
	list := make([]*Standing, len(groups))
	for i, g := range groups {
		list[i] = standing(g, states[g.ID], open[g.ID])
		if list[i].Started = started[g.ID]; s.cfg.LastBeat != nil {
			list[i].LastBeat = s.cfg.LastBeat(g.AppName)
		}
	}
	return list, nil
}

// standing puts together how a group stands, from the states of its addresses and
// the runs that run, by the keys of theirs.
func standing(g *Group, states map[string]model.AddressState, open map[string]openAt) *Standing {
	st := &Standing{Group: g}
	here := make(map[string]bool)
	for _, address := range g.Addresses() {
		at := AddressStanding{Address: address, AddressState: states[address]}
		if key := addressKey(address); !here[key] {
			at.Open, here[key] = open[key].count, true
		}
		st.InFlight, st.Queued, st.Open = st.InFlight+at.InFlight, st.Queued+at.Queued, st.Open+at.Open
		if !at.DeadSince.IsZero() {
			st.Dead++
		}
		st.At = append(st.At, at)
	}
	for key, o := range open {
		if !here[key] {
			st.Open += o.count
			st.Gone = append(st.Gone, AddressStanding{Address: o.address, Open: o.count})
		}
	}
	slices.SortFunc(st.Gone, func(a, b AddressStanding) int {
		return cmp.Or(cmp.Compare(b.Open, a.Open), strings.Compare(a.Address, b.Address))
	})
	st.Gone = st.Gone[:min(len(st.Gone), mostGone)]
	return st
}

// openAt is an address as runs have it, and how many run there.
type openAt struct {
	address string
	count   int
}

// openByAddress counts the runs that run by group and by the key of their address.
func (s *Service) openByAddress(ctx context.Context) (map[int32]map[string]openAt, error) {
	list, err := s.store.OpenByAddress(ctx)
	if err != nil {
		return nil, fmt.Errorf("count what runs: %w", err)
	}
	open := make(map[int32]map[string]openAt)
	for _, o := range list {
		if open[o.GroupID] == nil {
			open[o.GroupID] = make(map[string]openAt)
		}
		key := addressKey(o.Address)
		open[o.GroupID][key] = openAt{o.Address, open[o.GroupID][key].count + o.Count}
	}
	return open, nil
}

// OpenAt counts the runs of a group that run, by address: a function of an address
// in any spelling.
func (s *Service) OpenAt(ctx context.Context, p Principal, group int32) (func(address string) int, error) {
	if !p.Can(group, model.RoleViewer) {
		return nil, s.denyThrown(ctx, p, "group.get", groupObject(group))
	}
	open, err := s.openByAddress(ctx)
	if err != nil {
		return nil, err
	}
	return func(address string) int { return open[group][addressKey(address)].count }, nil
}

// addressKey is an address without what makes no difference to the way there.
func addressKey(address string) string { return strings.TrimSuffix(strings.TrimSpace(address), "/") }

// standingKeys are the orders of groups by how they stand: each is a number or a
// text.
var standingKeys = map[string]func(*Standing) (int64, string){
	"need":      func(s *Standing) (int64, string) { return s.need(), "" },
	"name":      func(s *Standing) (int64, string) { return 0, s.Title },
	"addresses": func(s *Standing) (int64, string) { return int64(len(s.At)), "" },
	"beat": func(s *Standing) (int64, string) {
		if s.LastBeat.IsZero() {
			return 0, ""
		}
		return s.LastBeat.UnixMilli(), ""
	},
	"open":     func(s *Standing) (int64, string) { return int64(s.Open), "" },
	"inflight": func(s *Standing) (int64, string) { return int64(s.InFlight), "" },
	"queued":   func(s *Standing) (int64, string) { return int64(s.Queued), "" },
}

// StandingSorts are the orders of standings, each also with a minus in front: need
// has those first that need a look.
func StandingSorts() []string {
	return []string{"need", "name", "addresses", "beat", "open", "inflight", "queued"}
}

// need is lesser for groups that need a look sooner: those with started jobs and
// without an address first, then those of which some do not answer; last those with
// neither an address nor started jobs, which nobody misses.
func (s *Standing) need() int64 {
	switch {
	case len(s.At) == 0 && s.Started > 0:
		return 0
	case s.Dead > 0:
		return 1
	case len(s.At) > 0:
		return 2
	}
	return 3
}

// StandingPlace is the place of a standing in an order; ID makes it one of its own.
type StandingPlace struct {
	Number int64
	Text   string
	ID     int64
}

// Place is the place of a standing in an order of StandingSorts.
func (s *Standing) Place(sort string) StandingPlace {
	p := StandingPlace{ID: int64(s.ID)}
	if key := standingKeys[strings.TrimPrefix(sort, "-")]; key != nil {
		p.Number, p.Text = key(s)
	}
	return p
}

// ComparePlaces compares places in an order of StandingSorts.
func ComparePlaces(sort string, a, b StandingPlace) int {
	if strings.HasPrefix(sort, "-") {
		a.Number, b.Number, a.Text, b.Text = b.Number, a.Number, b.Text, a.Text
	}
	return cmp.Or(cmp.Compare(a.Number, b.Number), strings.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID))
}
