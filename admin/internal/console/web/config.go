package web

import (
	"context"
	"log/slog"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/forecast"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/link"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/pulse"
)

// Executors is what the pages of executors ask of the admin. Without its
// functions the pages say nothing of addresses, and nobody can be asked.
type Executors struct {
	// Addresses tells of addresses at which executors of the app are.
	Addresses func(ctx context.Context, appName string, addresses []string) (map[string]model.AddressState, error)
	// Lanes tells of every address that this node sends to, without what its
	// registration says. The keys are as parts.LaneKey returns them.
	Lanes func() map[string]model.AddressState
	// LastBeat is when an executor of the app was last heard of; zero is never.
	LastBeat func(appName string) time.Time
	// Probe asks the executor at an address of the group what harms nobody.
	Probe func(ctx context.Context, address string, group *model.Group) *model.Probe
	// A run that was triggered LostAfter ago or longer counts as lost once its
	// executor beats no more and did not answer twice, GoneTwice apart.
	LostAfter, GoneTwice time.Duration
}

// history reads the last runs of jobs, the oldest first, for jobs that the
// visitor may see.
type history interface {
	RecentRuns(ctx context.Context, jobIDs []int32, each int) (map[int32][]model.Recent, error)
}

// logins is what the package needs of package auth.
type logins interface {
	Login(ctx context.Context, req auth.LoginRequest) (*auth.Login, error)
	Authenticate(ctx context.Context, id string) (*model.User, error)
	Logout(ctx context.Context, id string) error
	Setup(ctx context.Context) (auth.Setup, error)
	SetupUser(ctx context.Context, id string) (*model.User, error)
}

// Cluster is what the foot line says of this node.
type Cluster struct {
	Node   string
	Held   int      // shards that this node schedules
	Total  int      // all shards
	Faults []string // what is wrong here, in words; empty when all is well

	Nodes    []ClusterNode // the live ones, by name
	Silent   []string      // nodes that vanished without a word, by name, until they are forgotten
	Orphans  int           // shards whose lease has ended and that nobody has taken
	JavaSeen time.Time     // when a run that a Java node made was last seen; zero is never, by this node
}

// ClusterNode is a node of the admin that is alive.
type ClusterNode struct {
	Name   string
	Seen   time.Time // its last renewal
	Shards int       // that it holds
	Me     bool
}

// Config describes a Server. Ops, Auth and History are required.
type Config struct {
	Ops  *ops.Service
	Auth logins
	// History knows the last runs of jobs.
	History history
	// Cluster says how this node is. Nil says nothing.
	Cluster func(ctx context.Context) Cluster
	// Executors tells of executors' addresses.
	Executors Executors
	// Pulse is what this node did within the last hour. Nil says nothing.
	Pulse *pulse.Pulse
	// Forecast returns the coming hour of some groups; ok is false while it is not
	// known. Nil says nothing.
	Forecast func(ctx context.Context, see func(group int32) bool) (hour *forecast.Hour, ok bool)
	// Links makes addresses of pages for those who are elsewhere. Default: there are
	// none.
	Links link.Base
	// Setup is what the setup of a new database shows.
	Setup Setup
	// Location is the zone of all times on the pages. Default time.Local.
	Location *time.Location
	// Lang is the language of visitors whose browser names none of ours. The
	// default is simplified Chinese.
	Lang i18n.Lang
	// CodeEditing shows the editor of script jobs.
	CodeEditing bool
	// Version is that of the program.
	Version string
	// Proxies are the reverse proxies whose headers are believed.
	Proxies httpx.Proxies
	// Stopping ends streams. Nil never does.
	Stopping <-chan struct{}
	Logger   *slog.Logger     // nil discards
	Now      func() time.Time // nil is time.Now
}

// Setup is what the setup of a new database shows.
type Setup struct {
	// Token is the common token of executors; "" where there is none.
	Token string
	// Apps returns the executors that are there, whether they have a group or
	// not. Nil: nobody is ever there.
	Apps func(ctx context.Context) ([]App, error)
}

// App is an executor that has registered.
type App struct{ Name, Address string }

// StreamsPerUser is how many live logs one user may read at a time.
const StreamsPerUser = 8
