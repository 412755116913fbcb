package client

import (
	"context"
	"iter"
	"net/http"
	"strconv"
	"time"
)

// Login is a session of the console. [Session] is something else: who asks.
type Login struct {
	ID        string    `json:"id"` // 16 hexadecimal digits; not what its cookie holds
	UserID    int32     `json:"user_id"`
	Username  string    `json:"username"` // "" of a user who is gone
	This      bool      `json:"this"`     // the one that asks; never with a key
	Client    string    `json:"client"`   // address that it began from; "" is unknown
	Agent     string    `json:"agent"`    // what the browser calls itself
	CreatedAt time.Time `json:"created_at"`
	SeenAt    time.Time `json:"seen_at"`    // last used, to the minute
	ExpiresAt time.Time `json:"expires_at"` // at the latest
}

// LoginFilter selects logins. Zero fields select everything.
type LoginFilter struct {
	UserID int32
	// Sort is seen_at, created_at, expires_at or username; with - the other way
	// round; default -seen_at.
	Sort string
}

// Logins lists the logins that count. The error, if any, comes last. For keys with
// VerbAdmin; for others it is ErrForbidden.
func (c *Client) Logins(ctx context.Context, f LoginFilter) iter.Seq2[*Login, error] {
	return pages[Login](ctx, c, "/sessions", values("user_id", number(f.UserID), "sort", f.Sort))
}

// EndLogin ends a login at once, on every node. ErrNotFound says that it has
// ended. For keys with VerbAdmin.
func (c *Client) EndLogin(ctx context.Context, id string) error {
	return c.do(ctx, &call{method: http.MethodDelete, path: "/sessions/" + id})
}

// EndLogins ends the logins of a user, at most 1,000, and returns how many. The
// user may log in again. ErrNotFound says that there is no such user.
func (c *Client) EndLogins(ctx context.Context, userID int32) (int, error) {
	out, err := object[struct {
		Ended int `json:"ended"`
	}](ctx, c, &call{method: http.MethodDelete, path: at("/users/", userID, "/sessions")})
	if err != nil {
		return 0, err
	}
	return out.Ended, nil
}

// RetentionInput says how long rows are kept. All fields are set: 0 is for ever,
// or without limit.
type RetentionInput struct {
	RunDays    int `json:"run_days"`     // whole days of runs beside today: 3 to 3650
	KeepPerJob int `json:"keep_per_job"` // newest runs of each job, whatever their age: up to 10,000,000
	AuditDays  int `json:"audit_days"`   // days of the audit log: 7 to 3650
	AlarmDays  int `json:"alarm_days"`   // days of alarms after they have ended: 1 to 3650
}

// Where a retention comes from.
const (
	RetentionOfNode    = "node"    // the node was started with it
	RetentionOfSetting = "setting" // SetRetention has set it for all nodes
)

// Retention is how long rows are kept now.
type Retention struct {
	RetentionInput

	Source      string   `json:"source"`       // RetentionOfNode or RetentionOfSetting
	LastCleaned *Cleaned `json:"last_cleaned"` // nil: nothing was ever deleted
}

// Cleaned is what was last deleted, by any node.
type Cleaned struct {
	At           time.Time `json:"at"`
	Node         string    `json:"node"`
	Runs         int64     `json:"runs"`
	AuditRecords int64     `json:"audit_records"`
	Alarms       int64     `json:"alarms"`   // that had ended
	Sessions     int64     `json:"sessions"` // logins that had expired
}

// Retention returns how long rows are kept, and what was cleaned last.
func (c *Client) Retention(ctx context.Context) (*Retention, error) {
	return get[Retention](ctx, c, "/retention")
}

// Expiry is what goes because of its age.
type Expiry struct {
	Before *time.Time `json:"before"` // what is from before goes; nil: nothing does
	Rows   int        `json:"rows"`
	More   bool       `json:"more"` // there are more: it was not counted beyond 100,000
}

// RetentionEffect is what a retention deletes when it begins to count. What
// KeepPerJob deletes is not counted.
type RetentionEffect struct {
	RetentionInput

	Runs         Expiry `json:"runs"`
	AuditRecords Expiry `json:"audit_records"`
	Alarms       Expiry `json:"alarms"` // that have ended
}

// PreviewRetention returns what SetRetention with the same would delete; with nil
// what ResetRetention would. Nothing is changed. For administrators.
func (c *Client) PreviewRetention(ctx context.Context, in *RetentionInput) (*RetentionEffect, error) {
	if in == nil {
		return get[RetentionEffect](ctx, c, "/retention/preview", "default", "true")
	}
	return get[RetentionEffect](ctx, c, "/retention/preview", "run_days", strconv.Itoa(in.RunDays),
		"keep_per_job", strconv.Itoa(in.KeepPerJob), "audit_days", strconv.Itoa(in.AuditDays),
		"alarm_days", strconv.Itoa(in.AlarmDays)) // each of them, also 0
}

// SetRetention says for all nodes how long rows are kept, and returns what counts
// now. It does within a minute; what is deleted does not come back. For
// administrators.
func (c *Client) SetRetention(ctx context.Context, in RetentionInput) (*Retention, error) {
	return object[Retention](ctx, c, &call{method: http.MethodPut, path: "/retention", in: in})
}

// ResetRetention lets every node keep rows as it was started, and returns what
// counts now on the one that answers. For administrators.
func (c *Client) ResetRetention(ctx context.Context) (*Retention, error) {
	return object[Retention](ctx, c, &call{method: http.MethodDelete, path: "/retention"})
}

// Loop is something that a node does again and again.
type Loop struct {
	Name    string    `json:"name"`
	LastAt  time.Time `json:"last_at"`  // when it last did its work
	LimitMs int64     `json:"limit_ms"` // milliseconds that it may take
	Late    bool      `json:"late"`     // it takes longer
}

// Database is the database of a node, without what is secret in its address.
type Database struct {
	Kind       string `json:"kind"`       // sqlite, mysql or postgres
	Version    string `json:"version"`    // of the server
	Generation string `json:"generation"` // of the schema of Java
	Migration  int64  `json:"migration"`  // number of our newest one that it has
	MadeByUs   bool   `json:"made_by_us"` // the tables of Java, too
}

// About is what a node is.
type About struct {
	Version   string    `json:"version"`
	Revision  string    `json:"revision"` // that it was built from; "" is unknown
	Go        string    `json:"go"`       // version, system and processor
	Node      string    `json:"node"`     // its name
	StartedAt time.Time `json:"started_at"`
	UptimeMs  int64     `json:"uptime_ms"`  // milliseconds
	Restarts  int       `json:"restarts"`   // of loops that ended before their time
	PublicURL string    `json:"public_url"` // where links in alarms lead to; "" makes none
	Loops     []Loop    `json:"loops"`
	Database  *Database `json:"database"` // nil but for administrators
}

// About returns what the node is that answers, and how its loops are.
func (c *Client) About(ctx context.Context) (*About, error) {
	return get[About](ctx, c, "/about")
}
