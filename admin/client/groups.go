package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Modes of a group's addresses.
const (
	AddressAutomatic = "automatic" // executors register
	AddressManual    = "manual"    // Group.Addresses was typed
)

// GroupInput is what an editor sets of a group: the executors of one app name.
type GroupInput struct {
	AppName     string   `json:"app_name"` // 4 to 64 characters
	Title       string   `json:"title"`
	AddressMode string   `json:"address_mode,omitempty"` // AddressAutomatic (default) or AddressManual
	Addresses   []string `json:"addresses,omitempty"`    // of AddressManual
}

// Group is a group as it is.
type Group struct {
	GroupInput

	ID        int32          `json:"id"`
	TokenSet  bool           `json:"token_set"` // it has an access token of its own
	UpdatedAt *time.Time     `json:"updated_at"`
	Standing  *GroupStanding `json:"standing"` // how its executors stand

	ETag string `json:"-"` // version for UpdateGroup and DeleteGroup; "" in lists
}

// GroupStanding is how the executors of a group stand. What it says of calls is what
// one node of the admin has seen.
type GroupStanding struct {
	StartedJobs int        `json:"started_jobs"`
	LastBeat    *time.Time `json:"last_beat"` // of any of its executors
	Dead        int        `json:"dead"`      // addresses that do not answer the node
	OpenRuns    int        `json:"open_runs"` // taken by an executor and without a result; also where Gone says
	InFlight    int        `json:"in_flight"` // calls without an answer yet
	Queued      int        `json:"queued"`    // calls that wait
	// Gone are addresses that the group does not have any more, and where runs of it
	// have no result, at most 20.
	Gone []GoneAddress `json:"gone"`
	Node string        `json:"node"` // that tells
}

// GoneAddress is an address that a group does not have any more.
type GoneAddress struct {
	Address  string `json:"address"`
	OpenRuns int    `json:"open_runs"`
}

// GroupFilter says which groups are listed, and in which order. The zero value is
// all of them, by app name.
type GroupFilter struct {
	AppName string // a part of it
	// Sort is need (those first that need a look), name, addresses, beat, open, inflight
	// or queued; a minus in front turns it round. "" is by app name.
	Sort string
}

// GroupsBy lists the groups that match. The error, if any, comes last.
func (c *Client) GroupsBy(ctx context.Context, f GroupFilter) iter.Seq2[*Group, error] {
	return pages[Group](ctx, c, "/groups", values("app_name", f.AppName, "sort", f.Sort))
}

// Groups lists the groups whose app names contain appName, "" being all. The
// error, if any, comes last.
func (c *Client) Groups(ctx context.Context, appName string) iter.Seq2[*Group, error] {
	return c.GroupsBy(ctx, GroupFilter{AppName: appName})
}

// UnknownGroup is an app name under which executors are registered and that no
// group has.
type UnknownGroup struct {
	AppName   string     `json:"app_name"`
	Addresses []string   `json:"addresses"` // the first five
	Count     int        `json:"count"`     // of the addresses
	LastBeat  *time.Time `json:"last_beat"`
	// RegisteredSince is when the node heard of the first of them; nil where that was
	// before the node began to look.
	RegisteredSince *time.Time `json:"registered_since"`
}

// UnknownGroups lists app names under which executors are registered and that no
// group has, at most 100, and tells how many there are. It is for who sees every
// group.
func (c *Client) UnknownGroups(ctx context.Context) (list []UnknownGroup, appNames int, err error) {
	out, err := get[struct {
		Items    []UnknownGroup `json:"items"`
		AppNames int            `json:"app_names"`
	}](ctx, c, "/groups/unknown")
	if err != nil {
		return nil, 0, err
	}
	return out.Items, out.AppNames, nil
}

// RefusedExecutor is who has called as an executor with a wrong access token.
type RefusedExecutor struct {
	Client  string     `json:"client"`   // the IP address that the calls came from
	AppName string     `json:"app_name"` // as the caller has it, cut; "" where it named none
	Address string     `json:"address"`  // that it wanted to register, cut; "" where it named none
	Call    string     `json:"call"`     // the last one: registry, callback, …
	Count   int        `json:"count"`
	First   *time.Time `json:"first"`
	Last    *time.Time `json:"last"`
}

// RefusedExecutors lists who has called as an executor with a wrong access token
// within the last hour, and with the right one not since, as the node of the admin
// that answers has seen it; node is its name. Who came last is first, at most 100. It
// is for who sees every group.
func (c *Client) RefusedExecutors(ctx context.Context) (list []RefusedExecutor, node string, err error) {
	out, err := get[struct {
		Items []RefusedExecutor `json:"items"`
		Node  string            `json:"node"`
	}](ctx, c, "/groups/refused")
	if err != nil {
		return nil, "", err
	}
	return out.Items, out.Node, nil
}

func (c *Client) group(ctx context.Context, r *call) (*Group, error) {
	var g Group
	r.out = &g
	if err := c.do(ctx, r); err != nil {
		return nil, err
	}
	g.ETag = r.tag
	return &g, nil
}

// Group returns a group, or ErrNotFound.
func (c *Client) Group(ctx context.Context, id int32) (*Group, error) {
	return c.group(ctx, &call{method: http.MethodGet, path: at("/groups/", id, "")})
}

// CreateGroup creates a group.
func (c *Client) CreateGroup(ctx context.Context, in GroupInput) (*Group, error) {
	return c.group(ctx, &call{method: http.MethodPost, path: "/groups", in: in})
}

// UpdateGroup replaces what an editor sets of a group. etag is Group.ETag, or "*".
func (c *Client) UpdateGroup(ctx context.Context, id int32, etag string, in GroupInput) (*Group, error) {
	return c.group(ctx, &call{method: http.MethodPut, path: at("/groups/", id, ""), ifTag: etag, in: in})
}

// DeleteGroup deletes a group without jobs. etag is as for UpdateGroup.
func (c *Client) DeleteGroup(ctx context.Context, id int32, etag string) error {
	return c.do(ctx, &call{method: http.MethodDelete, path: at("/groups/", id, ""), ifTag: etag})
}

// Release is what is known of the program at an address.
type Release struct {
	Native bool `json:"native"` // it is one of our own executors
	// The releases of Java's executor that answer as it does, the first and the last,
	// or "master"; "" while unknown.
	VersionFrom string `json:"version_from"`
	VersionTo   string `json:"version_to"`
}

// Versions is the release for people, "" while unknown.
func (r Release) Versions() string {
	switch {
	case r.Native:
		return "ours"
	case r.VersionFrom == r.VersionTo:
		return r.VersionFrom
	}
	return r.VersionFrom + " to " + r.VersionTo
}

// Address is where an executor of a group is. What it says of calls is what one
// node of the admin has seen.
type Address struct {
	Release

	Address  string     `json:"address"`
	LastBeat *time.Time `json:"last_beat"` // nil for an address that was typed
	// RegisteredSince is when the node heard of it first; nil where that was before
	// the node began to look, and for one that is not registered.
	RegisteredSince *time.Time `json:"registered_since"`
	Dialect         string     `json:"dialect"`     // of the protocol it speaks; "" while unknown
	OpenRuns        int        `json:"open_runs"`   // of the group, that it has taken and that have no result
	InFlight        int        `json:"in_flight"`   // calls that it has not answered
	Queued          int        `json:"queued"`      // calls that wait
	Connections     int        `json:"connections"` // open ones
	DeadSince       *time.Time `json:"dead_since"`
	Node            string     `json:"node"` // that tells
}

// AddressFault is how calls ended that got no proper answer, one after the other
// for the same reason.
type AddressFault struct {
	Message string     `json:"message"`
	Path    string     `json:"path"` // what was asked for, the last time
	Count   int        `json:"count"`
	First   *time.Time `json:"first"`
	Last    *time.Time `json:"last"`
}

// AddressDetail is an address with what runs there.
type AddressDetail struct {
	Address

	GroupID int32          `json:"group_id"`
	Present bool           `json:"present"` // an executor of the group is there; else only runs were
	Faults  []AddressFault `json:"faults"`  // newest first
	Running []Run          `json:"running"` // at most 50, newest first
	Recent  []Run          `json:"recent"`  // at most 20, newest first
}

// Address returns what is known of an address of a group: one at which an
// executor is, or at which runs were lately. Else the error is ErrNotFound.
func (c *Client) Address(ctx context.Context, groupID int32, address string) (*AddressDetail, error) {
	return get[AddressDetail](ctx, c, at("/groups/", groupID, "/address"), "address", address)
}

// Addresses lists where executors of a group are, and how they are.
func (c *Client) Addresses(ctx context.Context, groupID int32) ([]Address, error) {
	out, err := get[page[Address]](ctx, c, at("/groups/", groupID, "/addresses"))
	if err != nil {
		return nil, err
	}
	return out.Items, nil
}

// ProbeResult is what an address answered.
type ProbeResult struct {
	Release // what follows from the answers

	Address    string      `json:"address"`
	OK         bool        `json:"ok"`          // every answer was as it should be
	Message    string      `json:"message"`     // the first that was not
	DurationMs int64       `json:"duration_ms"` // milliseconds
	Steps      []ProbeStep `json:"steps"`
	Evidence   []Evidence  `json:"evidence"` // that the release follows from
}

// ProbeStep is a question of a probe: beat, idle_beat, log or unnamed.
type ProbeStep struct {
	Name       string `json:"name"`
	OK         bool   `json:"ok"`
	Code       int32  `json:"code"`        // of the answer; 0 without one
	Message    string `json:"message"`     // what the executor said, or why there is no answer
	DurationMs int64  `json:"duration_ms"` // milliseconds
}

// Evidence is what an executor did and from which its release follows.
type Evidence struct {
	What string `json:"what"` // a word for programs
	Text string `json:"text"` // for people
	Said string `json:"said"` // in the words of the executor, where they matter
}

// Probe asks the executors of a group questions that harm nobody, of which not one
// starts or ends anything; with address only that one.
func (c *Client) Probe(ctx context.Context, groupID int32, address string) ([]ProbeResult, error) {
	in := struct {
		Address string `json:"address,omitempty"`
	}{address}
	out, err := post[page[ProbeResult]](ctx, c, at("/groups/", groupID, "/probe"), in)
	if err != nil {
		return nil, err
	}
	return out.Items, nil
}

// RotateToken gives a group a new access token and returns it. It is not shown
// again; executors with another one are refused from then on.
func (c *Client) RotateToken(ctx context.Context, groupID int32) (string, error) {
	out, err := post[struct {
		Token string `json:"token"`
	}](ctx, c, at("/groups/", groupID, "/token"), nil)
	if err != nil {
		return "", err
	}
	return out.Token, nil
}

// RotateTokenSlowly is RotateToken, but the old token counts too for so long, at
// most 90 days, so that executors can be given the new one one after the other. A
// negative overlap lasts until the group gets another token.
func (c *Client) RotateTokenSlowly(ctx context.Context, groupID int32, overlap time.Duration) (string, error) {
	in := struct {
		OverlapSeconds int64 `json:"overlap_seconds"`
	}{int64(overlap / time.Second)}
	if overlap < 0 {
		in.OverlapSeconds = -1
	}
	out, err := post[struct {
		Token string `json:"token"`
	}](ctx, c, at("/groups/", groupID, "/token"), in)
	if err != nil {
		return "", err
	}
	return out.Token, nil
}

// Change is a change of a job, a group, a rule for alarms or a mute window.
type Change struct {
	ID          int64        `json:"id"`
	At          time.Time    `json:"at"`
	User        string       `json:"user"`
	Kind        string       `json:"kind"` // KindJob, KindGroup, "rule" or "mute"
	ObjectID    int32        `json:"object_id"`
	Action      string       `json:"action"` // create, update, delete, restore, start, stop, move, code or undo
	Differences []Difference `json:"differences"`
}

// Difference is a field that a change has set.
type Difference struct {
	Field  string `json:"field"`
	Before any    `json:"before"` // any JSON value; nil where it was not there
	After  any    `json:"after"`  // any JSON value; nil where it is not there any more
}

// JobChanges lists who changed what of a job, newest first; of one that was
// deleted, too.
func (c *Client) JobChanges(ctx context.Context, jobID int32) iter.Seq2[*Change, error] {
	return pages[Change](ctx, c, at("/jobs/", jobID, "/changes"), nil)
}

// GroupChanges lists who changed what of a group, newest first; of one that was
// deleted, too.
func (c *Client) GroupChanges(ctx context.Context, groupID int32) iter.Seq2[*Change, error] {
	return pages[Change](ctx, c, at("/groups/", groupID, "/changes"), nil)
}

// Change returns a change, or ErrNotFound.
func (c *Client) Change(ctx context.Context, id int64) (*Change, error) {
	return get[Change](ctx, c, at("/changes/", id, ""))
}

// UndoChange sets back what a change has changed, and returns the change that did
// so. What was created is deleted, what was deleted comes back, as RestoreJob and
// RestoreGroup do it. ErrConflict says that it was changed since, or has run; force
// undoes it all the same.
func (c *Client) UndoChange(ctx context.Context, id int64, force bool) (*Change, error) {
	in := struct {
		Force bool `json:"force,omitempty"`
	}{force}
	return post[Change](ctx, c, at("/changes/", id, "/undo"), in)
}
