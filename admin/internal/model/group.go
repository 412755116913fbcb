package model

import (
	"strings"
	"time"
)

// Group is a row of xxl_job_group: an executor application and its addresses.
type Group struct {
	ID          int32
	AppName     string
	Title       string // name from master on
	Manual      bool   // address_type: true when the addresses were typed
	AddressList Text   // comma separated
	AccessToken string // of this group alone; "" is the global one. Never shown.
	UpdateTime  time.Time
	Old         *OldToken // nil is none. Never shown.
}

// OldToken is a token that counts beside the one of its group, so that executors
// can be given a new one one after the other.
type OldToken struct {
	Token string    // "" is the global one
	Until time.Time // zero is until somebody ends it
}

// OldAt returns the old token of the group if it counts at that time.
func (g *Group) OldAt(now time.Time) (token string, ok bool) {
	if g.Old == nil || !g.Old.Until.IsZero() && !now.Before(g.Old.Until) {
		return "", false
	}
	return g.Old.Token, true
}

// Addresses splits the address list; blanks are dropped and items trimmed.
func (g *Group) Addresses() []string {
	var list []string
	for item := range strings.SplitSeq(g.AddressList.S, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// GroupFilter selects groups for a list; the texts match as substrings.
type GroupFilter struct {
	AppName string
	Title   string
	Offset  int
	Limit   int // 0 is 10; at most 1,000
}

// Beat is a row of xxl_job_registry: a heartbeat of an executor.
type Beat struct {
	Group string // EXECUTOR
	Key   string // app name
	Value string // address
	At    time.Time
}

// UnknownApp are executors that are registered under an app name that no group
// has: nothing sends to them.
type UnknownApp struct {
	AppName   string
	Addresses []string // the first ones
	Count     int      // of the addresses
	LastBeat  time.Time
	// Since is when the node heard of one of them first; Before says that it was
	// registered before the node began to look.
	Since  time.Time
	Before bool
}

// Refused is who has called as an executor with a wrong access token. All texts but
// Client are what a stranger wrote, and cut.
type Refused struct {
	Client      string // the IP address that the calls came from
	AppName     string // "" where it named none
	Address     string // that it wanted to register, "" where it named none
	Call        string // the last one: registry, callback, …
	Count       int
	First, Last time.Time
}

// OpenRuns is how many runs of a group run at an address: taken by the executor
// there, and without a result.
type OpenRuns struct {
	GroupID int32
	Address string
	Count   int
}
