package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/rest"
)

// beatsBack is how far back heartbeats are shown.
const beatsBack = 10 * time.Minute

// rest is the API under /v1. Its streams end with stopping.
func (s *system) rest(stopping <-chan struct{}) (httpx.Table, error) {
	server, err := rest.New(rest.Config{
		Ops: s.ops, Auth: s.auth, Requests: s.store, Rate: s.cfg.APIRate, Location: s.cfg.TimeZone, Lang: s.lang,
		NoSession: func(err error) bool { return errors.Is(err, auth.ErrNoSession) },
		Stopping:  stopping, Logger: s.part("rest"),
		Parts: rest.Parts{
			Probe: func(ctx context.Context, address string, g *model.Group) error {
				return s.client.Beat(ctx, target(address, g))
			},
			Addresses: s.addressStates, Faults: s.faults,
		},
	})
	if err != nil {
		return httpx.Table{}, err
	}
	return server.Table(), nil
}

// addressStates tells what this node and the database know of addresses.
func (s *system) addressStates(
	ctx context.Context, app string, addresses []string,
) (map[string]rest.AddressState, error) {
	beats, err := s.store.LiveBeats(ctx, time.Now().Add(-beatsBack))
	if err != nil {
		return nil, fmt.Errorf("read heartbeats: %w", err)
	}
	known, err := s.store.AddressInfos(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what is known of executors: %w", err)
	}
	states := make(map[string]rest.AddressState, len(addresses))
	same := make(map[string][]string, len(addresses)) // lanes make no difference of a slash at the end
	for _, a := range addresses {
		states[a] = rest.AddressState{}
		same[execclient.Key(a)] = append(same[execclient.Key(a)], a)
	}
	change := func(address string, f func(*rest.AddressState)) {
		for _, a := range same[execclient.Key(address)] {
			st := states[a]
			f(&st)
			states[a] = st
		}
	}
	for _, b := range beats {
		if b.Key == app {
			change(b.Value, func(st *rest.AddressState) { st.LastBeat = b.At })
		}
	}
	for _, a := range known {
		change(a.Address, func(st *rest.AddressState) { st.Dialect, st.Native = a.Dialect, a.Native })
	}
	for address, lane := range s.client.Stats() {
		change(address, func(st *rest.AddressState) {
			st.InFlight, st.Queued, st.DeadSince = lane.InFlight, lane.Depth, lane.DeadSince
			st.OldToken = lane.OldToken
			if lane.Dialect != "" { // newer than what is on record
				st.Dialect, st.Native = string(lane.Dialect), lane.Native
			}
		})
	}
	return states, nil
}
