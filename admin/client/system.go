package client

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// What a key may do.
const (
	VerbRead  = "read"  // look
	VerbRun   = "run"   // start and end runs
	VerbEdit  = "edit"  // change jobs
	VerbCode  = "code"  // with VerbEdit: write code of script jobs, where the admin allows it
	VerbAdmin = "admin" // everything; for keys without a restriction to groups
)

// KeyInput describes a new API key.
type KeyInput struct {
	Name      string     `json:"name"`
	Verbs     []string   `json:"verbs"`                // VerbRead …
	GroupIDs  []int32    `json:"group_ids,omitempty"`  // only these groups; nil is all
	ExpiresAt *time.Time `json:"expires_at,omitempty"` // nil is never
}

// Key is an API key without its secret.
type Key struct {
	KeyInput

	ID         int64      `json:"id"`
	Prefix     string     `json:"prefix"` // how its secret begins
	CreatedBy  string     `json:"created_by"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at"` // nil: never
	RevokedAt  *time.Time `json:"revoked_at"`   // nil: it is valid
}

// KeyCreated is a new key with its secret, which is not shown again.
type KeyCreated struct {
	Key

	Secret string `json:"secret"`
}

// KeyFilter says how keys are listed.
type KeyFilter struct {
	Sort string // id, name, last_used_at or expires_at; with - the other way round; default -id
}

// Keys lists the API keys.
func (c *Client) Keys(ctx context.Context, f KeyFilter) iter.Seq2[*Key, error] {
	return pages[Key](ctx, c, "/keys", values("sort", f.Sort))
}

// Key returns a key, or ErrNotFound.
func (c *Client) Key(ctx context.Context, id int64) (*Key, error) {
	return get[Key](ctx, c, at("/keys/", id, ""))
}

// CreateKey creates a key. If the answer is lost, the key is there and its secret
// is not to be had: the error is then ErrConflict.
func (c *Client) CreateKey(ctx context.Context, in KeyInput) (*KeyCreated, error) {
	return post[KeyCreated](ctx, c, "/keys", in)
}

// RevokeKey revokes a key at once.
func (c *Client) RevokeKey(ctx context.Context, id int64) error {
	return c.do(ctx, &call{method: http.MethodDelete, path: at("/keys/", id, "")})
}

// Roles of a user.
const (
	RoleAdmin = "admin" // may do everything
	RoleUser  = "user"  // may what User.Roles say
)

// GroupRole is what a user may do in a group: RoleViewer, RoleOperator,
// RoleEditor or RoleGroupAdmin.
type GroupRole struct {
	GroupID int32  `json:"group_id"`
	Role    string `json:"role"`
}

// Roles in a group. Each holds what those before it hold.
const (
	RoleViewer     = "viewer"   // sees jobs, runs, logs, addresses and alarms
	RoleOperator   = "operator" // also runs, kills, retries, starts, stops, probes and mutes
	RoleEditor     = "editor"   // also changes jobs, tags and alarm rules, and clears logs
	RoleGroupAdmin = "admin"    // also sets title, addresses and token, and who has which role
)

// UserInput is what is set of a user.
type UserInput struct {
	Password string `json:"password,omitempty"` // 4 to 20 characters; "" leaves it as it is
	Role     string `json:"role"`               // RoleAdmin or RoleUser
	// GroupIDs are the groups whose editor the user is to be; its lower roles in
	// others stay. Without Roles.
	GroupIDs []int32 `json:"group_ids,omitempty"`
	// Roles are all that the user may do, by group; nil says nothing, an empty one
	// takes them all away.
	Roles []GroupRole `json:"roles,omitzero"`
	// MayWriteCode lets a user write code of script jobs, where the admin allows it;
	// nil leaves it as it is.
	MayWriteCode *bool `json:"may_write_code,omitempty"`
}

// UserCreate is a new user. Its password is required.
type UserCreate struct {
	UserInput

	Username string `json:"username"` // 4 to 20 characters
}

// User is a user.
type User struct {
	ID       int32       `json:"id"`
	Username string      `json:"username"`
	Role     string      `json:"role"`
	GroupIDs []int32     `json:"group_ids"` // whose editor or admin it is
	Roles    []GroupRole `json:"roles"`
	// MayWriteCode says that the user may write code of script jobs, where the admin
	// allows it; administrators may without it.
	MayWriteCode bool `json:"may_write_code"`
}

// UserFilter selects users. Zero fields select everything.
type UserFilter struct {
	Username string // part of the name
	Sort     string // id, username or role; with - the other way round; default id
}

// Users lists users.
func (c *Client) Users(ctx context.Context, f UserFilter) iter.Seq2[*User, error] {
	return pages[User](ctx, c, "/users", values("username", f.Username, "sort", f.Sort))
}

// User returns a user, or ErrNotFound.
func (c *Client) User(ctx context.Context, id int32) (*User, error) {
	return get[User](ctx, c, at("/users/", id, ""))
}

// CreateUser creates a user.
func (c *Client) CreateUser(ctx context.Context, in UserCreate) (*User, error) {
	return post[User](ctx, c, "/users", in)
}

// UpdateUser replaces role and groups of a user, and the password if one is given.
func (c *Client) UpdateUser(ctx context.Context, id int32, in UserInput) (*User, error) {
	return object[User](ctx, c, &call{method: http.MethodPut, path: at("/users/", id, ""), in: in})
}

// DeleteUser deletes a user, whose logins end.
func (c *Client) DeleteUser(ctx context.Context, id int32) error {
	return c.do(ctx, &call{method: http.MethodDelete, path: at("/users/", id, "")})
}

// AuditRecord is one line of what people and scripts have changed.
type AuditRecord struct {
	ID     int64     `json:"id"`
	At     time.Time `json:"at"`
	User   string    `json:"user"` // "" for the admin itself
	Action string    `json:"action"`
	Object string    `json:"object"`
	Detail string    `json:"detail"`
}

// AuditFilter selects audit records. Zero fields select all.
type AuditFilter struct {
	User   string    // part of the name
	Action string    // "job.update", or "job" for all that begin with "job."
	Object string    // "job 7", or "job" for all jobs
	Text   string    // part of the detail
	From   time.Time // at or after
	To     time.Time // before
	Sort   string    // -at, which is the default, or at; ExportAudit does not know it
}

func (f AuditFilter) query(more ...string) url.Values {
	return values(append(more, "user", f.User, "action", f.Action, "object", f.Object, "text", f.Text,
		"from", instant(f.From), "to", instant(f.To))...)
}

// Audit lists the audit log. The error, if any, comes last. For
// keys with VerbAdmin.
func (c *Client) Audit(ctx context.Context, f AuditFilter) iter.Seq2[*AuditRecord, error] {
	return pages[AuditRecord](ctx, c, "/audit", f.query("sort", f.Sort))
}

// ExportAudit writes the audit log to w as it comes, newest first; format is
// ndjson or csv. After an error a part of it may have been written. For keys with
// VerbAdmin.
func (c *Client) ExportAudit(ctx context.Context, f AuditFilter, format string, w io.Writer) error {
	return c.do(ctx, &call{
		method: http.MethodGet, path: "/audit/export", query: f.query("format", format), accept: "*/*",
		raw: func(resp *http.Response) error {
			_, err := io.Copy(w, resp.Body)
			return err
		},
	})
}

// Session is who asks.
type Session struct {
	Name     string   `json:"name"`
	Source   string   `json:"source"` // key or session
	Verbs    []string `json:"verbs"`
	GroupIDs []int32  `json:"group_ids"` // nil is all
	// Roles are those of a user who is no administrator.
	Roles []GroupRole `json:"roles"`
}

// Session returns what the key may do.
func (c *Client) Session(ctx context.Context) (*Session, error) {
	return get[Session](ctx, c, "/session")
}

// Day is the runs of one day.
type Day struct {
	Day     string `json:"day"` // 2006-01-02
	Running int    `json:"running"`
	Success int    `json:"success"`
	Failed  int    `json:"failed"`
}

// Overview is the numbers of the groups that the key sees. What is not kept by
// group is nil for a key that does not see them all.
type Overview struct {
	Jobs      int    `json:"jobs"`
	Triggers  *int64 `json:"triggers"`  // since the database exists
	Executors int    `json:"executors"` // distinct addresses
	Running   int    `json:"running"`   // of the days; up to 10,000 where Triggers is nil
	Success   *int   `json:"success"`
	Failed    *int   `json:"failed"`
	Days      []Day  `json:"days"`
}

// Overview returns totals and the runs of each day. Zero times are a week ago and
// today.
func (c *Client) Overview(ctx context.Context, from, to time.Time) (*Overview, error) {
	return get[Overview](ctx, c, "/overview", "from", day(from), "to", day(to))
}

// States of a node.
const (
	NodeAlive  = "alive"
	NodeSilent = "silent" // not seen for longer than a lease lasts
	NodeGone   = "gone"   // it has stopped, or was forgotten after a while of silence
)

// Node is a process of the cluster.
type Node struct {
	Name      string     `json:"name"`
	State     string     `json:"state"` // NodeAlive, NodeSilent or NodeGone
	SeenAt    time.Time  `json:"seen_at"`
	Host      string     `json:"host"`       // "" of one that has not said
	Version   string     `json:"version"`    // "" of one that has not said
	StartedAt *time.Time `json:"started_at"` // nil of one that has not said
	Shards    int        `json:"shards"`     // that it schedules
	Faults    []string   `json:"faults"`     // what it last said was wrong
}

// ShardLease says who schedules a shard.
type ShardLease struct {
	Index     int32      `json:"index"`
	Owner     string     `json:"owner"`      // "" while nobody has it
	ExpiresAt *time.Time `json:"expires_at"` // nil without a lease
	Due       int        `json:"due"`        // jobs that are due and not planned
	DueSince  *time.Time `json:"due_since"`  // the oldest of these times; nil without any
}

// JavaNodes is what Java admins on the same database have left in the rows of
// runs: they do not say that they are there.
type JavaNodes struct {
	Shared   bool       `json:"shared"`    // rows are written so that Java nodes can live beside ours
	Runs     int        `json:"runs"`      // of the newest triggers, those of a Java admin
	LookedAt int        `json:"looked_at"` // how many triggers were looked at
	Address  string     `json:"address"`   // of the Java admin that made the newest of these
	LastAt   *time.Time `json:"last_at"`   // when it made that; nil: there is none
}

// Cluster is the cluster as the database knows it.
type Cluster struct {
	Node    string       `json:"node"` // which has answered
	Nodes   []Node       `json:"nodes"`
	Shards  []ShardLease `json:"shards"`
	LeaseMs int64        `json:"lease_ms"` // milliseconds that a node that vanishes holds its shards
	Java    JavaNodes    `json:"java"`
}

// Cluster returns nodes, shards and leases. For administrators.
func (c *Client) Cluster(ctx context.Context) (*Cluster, error) {
	return get[Cluster](ctx, c, "/cluster")
}

// Health says whether a node works.
type Health struct {
	Status string   `json:"status"` // ready or not_ready
	Faults []string `json:"faults"`
}

// Health asks the node whether it works. That it does not is no error.
func (c *Client) Health(ctx context.Context) (*Health, error) {
	out := new(Health)
	err := c.do(ctx, &call{method: http.MethodGet, path: "/health", out: out, also: http.StatusServiceUnavailable})
	if err != nil {
		return nil, err
	}
	return out, nil
}
