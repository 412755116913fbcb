package ops

import (
	"context"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

// System tells of the admin itself.
type System interface {
	// Cluster tells of nodes, shards and leases.
	Cluster(ctx context.Context) (*ClusterView, error)
	// About tells of this node.
	About(ctx context.Context) (*AboutView, error)
}

// The states of a node.
const (
	NodeAlive  = "alive"
	NodeSilent = "silent" // it has not been seen for longer than a lease lasts
	NodeGone   = "gone"   // it has stopped, or was forgotten after a while of silence
)

// NodeView is a node on this database.
type NodeView struct {
	Name    string
	This    bool // which has answered
	State   string
	Seen    time.Time
	Host    string // "" of one that has not said
	Version string
	Started time.Time // zero of one that has not said
	Shards  int       // that it schedules
	Faults  []string  // what it last said was wrong, in words
}

// ShardView is a scheduling shard.
type ShardView struct {
	Index   int32
	Owner   string    // "" while nobody has it
	Expires time.Time // of the lease; zero without one
	Due     int       // jobs that are due and not planned
	Since   time.Time // the oldest of these times; zero without any
}

// JavaView is what is known of Java admins on the same database. It is what they
// left in the rows of runs: they do not say that they are there.
type JavaView struct {
	Shared  bool // rows are written so that Java nodes can live beside us
	Looked  int  // newest triggers that were looked at
	Runs    int  // of these a Java admin has made
	Address string
	Last    time.Time // of the newest of these; zero for none
	LogID   int64
	Adopted int64 // open runs of Java nodes that this node has taken over since its start
}

// ClusterView is the cluster as the database knows it.
type ClusterView struct {
	Now    time.Time // by the clock of the database, which leases live by
	Lease  time.Duration
	Nodes  []NodeView
	Shards []ShardView
	Java   JavaView
}

// LoopView is a loop of this node.
type LoopView struct {
	Name  string
	Last  time.Time     // when it last did its work
	Limit time.Duration // how long it may take
	Late  bool
}

// DatabaseView is the database without what is secret in its address.
type DatabaseView struct {
	Kind       string // sqlite, mysql, postgres
	Version    string // of the server
	Generation string // of Java's schema, S1 to S5
	Migration  int64  // number of our newest migration that it has
	MadeByUs   bool   // Java's tables too
}

// AboutView is what this node is.
type AboutView struct {
	Version  string
	Revision string // that it was built from; "" is unknown
	Built    time.Time
	Go       string // version, system and processor
	Node     string
	Started  time.Time
	// PublicURL is where links in alarms lead to; "" makes none.
	PublicURL string
	Restarts  int // of loops that ended before their time
	Loops     []LoopView
	Database  DatabaseView // empty but for administrators
}

func (s *Service) needSystem() error {
	if s.cfg.System == nil {
		e := &Error{
			Kind: Unavailable, Parts: []Part{key(i18n.SystemNotFound)}, Detail: "nothing is known of the node",
		}
		return e.own("refused.system.off")
	}
	return nil
}

// Cluster returns nodes, shards and leases. For administrators.
func (s *Service) Cluster(ctx context.Context, p Principal) (*ClusterView, error) {
	if err := s.needAdmin(ctx, p, "cluster.get", ""); err != nil {
		return nil, err
	}
	if err := s.needSystem(); err != nil {
		return nil, err
	}
	return s.cfg.System.Cluster(ctx)
}

// About returns what this node is; of the database administrators are told.
func (s *Service) About(ctx context.Context, p Principal) (*AboutView, error) {
	if err := s.needLogin(ctx, p, "about.get"); err != nil {
		return nil, err
	}
	if err := s.needSystem(); err != nil {
		return nil, err
	}
	v, err := s.cfg.System.About(ctx)
	if err != nil {
		return nil, err
	}
	if !p.Admin {
		v.Database = DatabaseView{}
	}
	return v, nil
}
