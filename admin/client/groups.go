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

	ID        int32      `json:"id"`
	TokenSet  bool       `json:"token_set"` // it has an access token of its own
	UpdatedAt *time.Time `json:"updated_at"`

	ETag string `json:"-"` // version for UpdateGroup and DeleteGroup; "" in lists
}

// Groups lists the groups whose app names contain appName, "" being all. The
// error, if any, comes last.
func (c *Client) Groups(ctx context.Context, appName string) iter.Seq2[*Group, error] {
	return pages[Group](ctx, c, "/groups", values("app_name", appName))
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

// Address is where an executor of a group is.
type Address struct {
	Address   string     `json:"address"`
	LastBeat  *time.Time `json:"last_beat"` // nil for an address that was typed
	Dialect   string     `json:"dialect"`   // of the protocol it speaks; "" while unknown
	Native    bool       `json:"native"`    // it is one of our own executors
	InFlight  int        `json:"in_flight"` // calls that it has not answered
	Queued    int        `json:"queued"`    // calls that wait
	DeadSince *time.Time `json:"dead_since"`
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
	Address    string `json:"address"`
	OK         bool   `json:"ok"`
	Message    string `json:"message"`
	DurationMs int64  `json:"duration_ms"` // milliseconds
}

// Probe asks the executors of a group whether they are there; with address only
// that one.
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

// Change is a change of a job or group.
type Change struct {
	ID          int64        `json:"id"`
	At          time.Time    `json:"at"`
	User        string       `json:"user"`
	Kind        string       `json:"kind"` // KindJob or KindGroup
	ObjectID    int32        `json:"object_id"`
	Action      string       `json:"action"` // create, update, delete, start, stop, move, code or undo
	Differences []Difference `json:"differences"`
}

// Difference is a field that a change has set.
type Difference struct {
	Field  string `json:"field"`
	Before any    `json:"before"` // any JSON value; nil where it was not there
	After  any    `json:"after"`  // any JSON value; nil where it is not there any more
}

// JobChanges lists who changed what of a job, newest first.
func (c *Client) JobChanges(ctx context.Context, jobID int32) iter.Seq2[*Change, error] {
	return pages[Change](ctx, c, at("/jobs/", jobID, "/changes"), nil)
}

// GroupChanges lists who changed what of a group, newest first.
func (c *Client) GroupChanges(ctx context.Context, groupID int32) iter.Seq2[*Change, error] {
	return pages[Change](ctx, c, at("/groups/", groupID, "/changes"), nil)
}

// Change returns a change, or ErrNotFound.
func (c *Client) Change(ctx context.Context, id int64) (*Change, error) {
	return get[Change](ctx, c, at("/changes/", id, ""))
}

// UndoChange sets a job or group back to what it was before an update, a start or
// a stop, and returns the change that did so. ErrConflict says that it was changed
// since; force undoes it all the same.
func (c *Client) UndoChange(ctx context.Context, id int64, force bool) (*Change, error) {
	in := struct {
		Force bool `json:"force,omitempty"`
	}{force}
	return post[Change](ctx, c, at("/changes/", id, "/undo"), in)
}
