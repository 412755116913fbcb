package rest

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// loginView is a session as it is answered.
type loginView struct {
	ID        string `json:"id"`
	UserID    int32  `json:"user_id"`
	Username  string `json:"username"`
	This      bool   `json:"this"`
	Client    string `json:"client"`
	Agent     string `json:"agent"`
	CreatedAt string `json:"created_at"`
	SeenAt    string `json:"seen_at"`
	ExpiresAt string `json:"expires_at"`
}

// listSessions answers with everybody's sessions for administrators, with their
// own for others.
func listSessions(ctx context.Context, c *call) error {
	limit, m, err := c.paging()
	if err != nil {
		return err
	}
	user, err := c.number("user_id", 0, 1, 1<<31-1)
	if err != nil {
		return err
	}
	if user == 0 && !c.who.Admin {
		user = int(c.who.UserID)
	}
	offset := 0
	if m != nil {
		offset = int(m.Number)
	}
	order, err := c.order(nil, model.OrderSeen, model.OrderCreated, model.OrderExpires, model.OrderUser)
	if err != nil {
		return err
	}
	list, err := c.s.cfg.Ops.ListSessions(ctx, c.who, model.SessionFilter{
		UserID: int32(user), Order: order, Offset: offset, Limit: limit + 1,
	})
	if err != nil {
		return err
	}
	list, more := cut(list, limit)
	this := ""
	if c.user != nil {
		this = auth.SessionID(c.session)
	}
	answer := page[loginView]{Items: make([]loginView, 0, len(list))}
	for _, v := range list {
		answer.Items = append(answer.Items, loginView{
			ID: v.ID, UserID: v.UserID, Username: v.Username, This: v.ID == this, Client: v.Client, Agent: v.Agent,
			CreatedAt: at(v.Created), SeenAt: at(v.Seen), ExpiresAt: at(v.Expires),
		})
	}
	answer.NextCursor = c.next(more, mark{Number: int64(offset + limit)})
	return c.json(http.StatusOK, answer)
}

func endSession(ctx context.Context, c *call) error {
	id := c.r.PathValue("session_id")
	if id == "" || len(id) > model.SessionIDLen || strings.Trim(id, "0123456789abcdef") != "" {
		return badParam("session_id", "the id of a session")
	}
	if err := c.s.cfg.Ops.EndSession(ctx, c.who, id); err != nil {
		return err
	}
	return c.gone()
}

func endUserSessions(ctx context.Context, c *call) error {
	id, err := c.id32("user_id")
	if err != nil {
		return err
	}
	n, err := c.s.cfg.Ops.EndUserSessions(ctx, c.who, id, "")
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, struct {
		Ended int `json:"ended"`
	}{n})
}

func getRetention(ctx context.Context, c *call) error {
	v, err := c.s.cfg.Ops.Retention(ctx, c.who)
	if err != nil {
		return err
	}
	type cleaned struct {
		At       string `json:"at"`
		Node     string `json:"node"`
		Runs     int64  `json:"runs"`
		Audits   int64  `json:"audit_records"`
		Alarms   int64  `json:"alarms"`
		Sessions int64  `json:"sessions"`
	}
	answer := struct {
		ops.Retention

		Source string   `json:"source"`
		Last   *cleaned `json:"last_cleaned"`
	}{Retention: v.Retention, Source: "node"}
	if v.Set {
		answer.Source = "setting"
	}
	last, ok, err := c.s.cfg.Ops.LastCleaned(ctx, c.who)
	if err != nil {
		return err
	}
	if ok {
		answer.Last = &cleaned{at(last.At), last.Node, last.Runs, last.Audits, last.Alarms, last.Sessions}
	}
	return c.json(http.StatusOK, answer)
}

// retentionParams are the parameters of previewRetention.
var retentionParams = []string{"run_days", "keep_per_job", "audit_days", "alarm_days", "default"}

// expiry is what goes because of its age.
type expiry struct {
	Before *string `json:"before"` // null: nothing goes
	counted
}

// counted is a number of rows that may be larger.
type counted struct {
	Rows int  `json:"rows"`
	More bool `json:"more"`
}

func expired(before time.Time, n ops.Count) expiry {
	return expiry{Before: atOrNull(before), counted: counted{n.N, n.More}}
}

// previewRetention says what a retention deletes. What is left out is as it is,
// or with default=true as the node was started.
func previewRetention(ctx context.Context, c *call) error {
	v, err := c.s.cfg.Ops.Retention(ctx, c.who)
	if err != nil {
		return err
	}
	fresh, err := c.choice("default", "true", "false")
	if err != nil {
		return err
	}
	in := v.Retention
	if fresh == "true" {
		in = v.Default
	}
	for name, to := range map[string]*int{
		"run_days": &in.RunDays, "keep_per_job": &in.KeepPerJob,
		"audit_days": &in.AuditDays, "alarm_days": &in.AlarmDays,
	} {
		if *to, err = c.number(name, *to, 0, 1<<31-1); err != nil {
			return err
		}
	}
	e, err := c.s.cfg.Ops.RetentionEffect(ctx, c.who, in)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, struct {
		ops.Retention

		Runs   expiry `json:"runs"`
		Audits expiry `json:"audit_records"`
		Alarms expiry `json:"alarms"`
	}{in, expired(e.RunsBefore, e.Runs), expired(e.AuditsBefore, e.Audits), expired(e.AlarmsBefore, e.Alarms)})
}

func setRetention(ctx context.Context, c *call) error {
	var in struct {
		ops.Retention

		AlarmDays *int `json:"alarm_days"` // left out, it stays: it came later than the others
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	if in.AlarmDays == nil {
		now, err := c.s.cfg.Ops.Retention(ctx, c.who)
		if err != nil {
			return err
		}
		in.AlarmDays = &now.AlarmDays
	}
	in.Retention.AlarmDays = *in.AlarmDays
	if err := c.s.cfg.Ops.SetRetention(ctx, c.who, &in.Retention); err != nil {
		return err
	}
	return getRetention(ctx, c)
}

func resetRetention(ctx context.Context, c *call) error {
	if err := c.s.cfg.Ops.SetRetention(ctx, c.who, nil); err != nil {
		return err
	}
	return getRetention(ctx, c)
}

func getCluster(ctx context.Context, c *call) error {
	v, err := c.s.cfg.Ops.Cluster(ctx, c.who)
	if err != nil {
		return err
	}
	type node struct {
		Name      string   `json:"name"`
		State     string   `json:"state"`
		SeenAt    string   `json:"seen_at"`
		Host      string   `json:"host"`
		Version   string   `json:"version"`
		StartedAt *string  `json:"started_at"`
		Shards    int      `json:"shards"`
		Faults    []string `json:"faults"`
	}
	type lease struct {
		Index     int32   `json:"index"`
		Owner     string  `json:"owner"`
		ExpiresAt *string `json:"expires_at"`
		Due       int     `json:"due"`
		DueSince  *string `json:"due_since"`
	}
	type java struct {
		Shared  bool    `json:"shared"`
		Runs    int     `json:"runs"`
		Looked  int     `json:"looked_at"`
		Address string  `json:"address"`
		LastAt  *string `json:"last_at"`
	}
	answer := struct {
		Node   string  `json:"node"`
		Nodes  []node  `json:"nodes"`
		Shards []lease `json:"shards"`
		Lease  int64   `json:"lease_ms"`
		Java   java    `json:"java"`
	}{Nodes: make([]node, 0, len(v.Nodes)), Shards: make([]lease, 0, len(v.Shards)), Lease: v.Lease.Milliseconds()}
	for _, n := range v.Nodes {
		if n.This {
			answer.Node = n.Name
		}
		answer.Nodes = append(answer.Nodes, node{
			n.Name, n.State, at(n.Seen), n.Host, n.Version, atOrNull(n.Started), n.Shards, orEmpty(n.Faults),
		})
	}
	for _, s := range v.Shards {
		answer.Shards = append(answer.Shards, lease{s.Index, s.Owner, atOrNull(s.Expires), s.Due, atOrNull(s.Since)})
	}
	answer.Java = java{v.Java.Shared, v.Java.Runs, v.Java.Looked, v.Java.Address, atOrNull(v.Java.Last)}
	return c.json(http.StatusOK, answer)
}

func getAbout(ctx context.Context, c *call) error {
	v, err := c.s.cfg.Ops.About(ctx, c.who)
	if err != nil {
		return err
	}
	type loop struct {
		Name    string `json:"name"`
		LastAt  string `json:"last_at"`
		LimitMs int64  `json:"limit_ms"`
		Late    bool   `json:"late"`
	}
	type database struct {
		Kind       string `json:"kind"`
		Version    string `json:"version"`
		Generation string `json:"generation"`
		Migration  int64  `json:"migration"`
		MadeByUs   bool   `json:"made_by_us"`
	}
	answer := struct {
		Version   string    `json:"version"`
		Revision  string    `json:"revision"`
		Go        string    `json:"go"`
		Node      string    `json:"node"`
		StartedAt string    `json:"started_at"`
		UptimeMs  int64     `json:"uptime_ms"`
		Restarts  int       `json:"restarts"`
		PublicURL *string   `json:"public_url"` // null: links are not made
		Loops     []loop    `json:"loops"`
		Database  *database `json:"database"` // null but for administrators
	}{
		Version: v.Version, Revision: v.Revision, Go: v.Go, Node: v.Node, StartedAt: at(v.Started),
		UptimeMs: max(c.s.now().Sub(v.Started), time.Millisecond).Milliseconds(), Restarts: v.Restarts,
		Loops: make([]loop, 0, len(v.Loops)),
	}
	if v.PublicURL != "" {
		answer.PublicURL = &v.PublicURL
	}
	for _, l := range v.Loops {
		answer.Loops = append(answer.Loops, loop{l.Name, at(l.Last), l.Limit.Milliseconds(), l.Late})
	}
	if db := v.Database; db.Kind != "" {
		answer.Database = &database{db.Kind, db.Version, db.Generation, db.Migration, db.MadeByUs}
	}
	return c.json(http.StatusOK, answer)
}
