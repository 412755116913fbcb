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
			Probe: s.probe, Addresses: s.addressStates, Node: s.node, Faults: s.faults,
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
) (map[string]model.AddressState, error) {
	beats, err := s.store.LiveBeats(ctx, time.Now().Add(-beatsBack))
	if err != nil {
		return nil, fmt.Errorf("read heartbeats: %w", err)
	}
	known, err := s.store.AddressInfos(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what is known of executors: %w", err)
	}
	states := make(map[string]model.AddressState, len(addresses))
	same := make(map[string][]string, len(addresses)) // lanes make no difference of a slash at the end
	for _, a := range addresses {
		states[a] = model.AddressState{Faults: s.client.Faults(a), Release: s.client.Release(a)}
		same[execclient.Key(a)] = append(same[execclient.Key(a)], a)
	}
	change := func(address string, f func(*model.AddressState)) {
		for _, a := range same[execclient.Key(address)] {
			st := states[a]
			f(&st)
			states[a] = st
		}
	}
	for _, b := range beats {
		if b.Key == app {
			change(b.Value, func(st *model.AddressState) { st.LastBeat = b.At })
		}
	}
	for address, reg := range s.registry.Registrations(app) {
		change(address, func(st *model.AddressState) { st.Since, st.Before = reg.Since, reg.Before })
	}
	for _, a := range known {
		change(a.Address, func(st *model.AddressState) {
			if st.Dialect, st.Native = a.Dialect, a.Native; !st.Release.Known() {
				st.Release = model.Release{Native: a.Native}
			}
		})
	}
	for address, lane := range s.client.Stats() {
		change(address, func(st *model.AddressState) {
			st.InFlight, st.Queued, st.Conns, st.DeadSince = lane.InFlight, lane.Depth, lane.Conns, lane.DeadSince
			st.OldToken = lane.OldToken
			if lane.Dialect != "" { // newer than what is on record
				st.Dialect, st.Native = string(lane.Dialect), lane.Native
			}
		})
	}
	return states, nil
}
