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
	"github.com/xxljob-go/xxljob/admin/internal/registry"
	"github.com/xxljob-go/xxljob/admin/internal/rest"
	"github.com/xxljob-go/xxljob/admin/internal/store"
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
	k, err := s.knowledge(ctx)
	if err != nil {
		return nil, err
	}
	return s.statesAt(k, app, addresses), nil
}

// groupStates is addressStates for the addresses of groups.
func (s *system) groupStates(
	ctx context.Context, groups []*model.Group,
) (map[int32]map[string]model.AddressState, error) {
	k, err := s.knowledge(ctx)
	if err != nil {
		return nil, err
	}
	states := make(map[int32]map[string]model.AddressState, len(groups))
	for _, g := range groups {
		states[g.ID] = s.statesAt(k, g.AppName, g.Addresses())
	}
	return states, nil
}

// knowledge is what is known of all addresses, by their keys: lanes make no
// difference of a slash at the end.
type knowledge struct {
	beats map[string]map[string]time.Time // by app name
	known map[string]store.AddressInfo
	lanes map[string]execclient.LaneStats
}

func (s *system) knowledge(ctx context.Context) (*knowledge, error) {
	beats, err := s.store.LiveBeats(ctx, time.Now().Add(-beatsBack))
	if err != nil {
		return nil, fmt.Errorf("read heartbeats: %w", err)
	}
	known, err := s.store.AddressInfos(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what is known of executors: %w", err)
	}
	k := &knowledge{
		beats: make(map[string]map[string]time.Time), known: make(map[string]store.AddressInfo, len(known)),
		lanes: make(map[string]execclient.LaneStats),
	}
	for _, b := range beats {
		if k.beats[b.Key] == nil {
			k.beats[b.Key] = make(map[string]time.Time)
		}
		if key := execclient.Key(b.Value); b.At.After(k.beats[b.Key][key]) {
			k.beats[b.Key][key] = b.At
		}
	}
	for _, a := range known {
		k.known[execclient.Key(a.Address)] = a
	}
	for address, lane := range s.client.Stats() {
		k.lanes[execclient.Key(address)] = lane
	}
	return k, nil
}

// statesAt tells what is known of addresses of an app.
func (s *system) statesAt(k *knowledge, app string, addresses []string) map[string]model.AddressState {
	registered := make(map[string]registry.Registration)
	for address, reg := range s.registry.Registrations(app) {
		registered[execclient.Key(address)] = reg
	}
	states := make(map[string]model.AddressState, len(addresses))
	for _, address := range addresses {
		key := execclient.Key(address)
		reg := registered[key]
		st := model.AddressState{
			Faults: s.client.Faults(address), Release: s.client.Release(address),
			LastBeat: k.beats[app][key], Since: reg.Since, Before: reg.Before,
		}
		if a, ok := k.known[key]; ok {
			if st.Dialect, st.Native = a.Dialect, a.Native; !st.Release.Known() {
				st.Release = model.Release{Native: a.Native}
			}
		}
		if lane, ok := k.lanes[key]; ok {
			st.InFlight, st.Queued, st.Conns, st.DeadSince = lane.InFlight, lane.Depth, lane.Conns, lane.DeadSince
			st.OldToken = lane.OldToken
			if lane.Dialect != "" { // newer than what is on record
				st.Dialect, st.Native = string(lane.Dialect), lane.Native
			}
		}
		states[address] = st
	}
	return states
}
