package ops

import (
	"context"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// jobReader reads jobs. Job returns store.ErrNotFound for an unknown id.
type jobReader interface {
	Job(ctx context.Context, id int32) (*model.Job, error)
	Jobs(ctx context.Context, f model.JobFilter) ([]*model.Job, int, error)
	JobsByID(ctx context.Context, ids []int32) (map[int32]*model.Job, error)
	JobIDs(ctx context.Context, f model.JobFilter, limit int) ([]int32, error)
	CountJobs(ctx context.Context, groupID int32) (int, error)
	StartedByGroup(ctx context.Context) (map[int32]int, error)
}

// jobWriter changes jobs.
type jobWriter interface {
	CreateJob(ctx context.Context, j *model.Job) error
	UpdateJob(ctx context.Context, j *model.Job, resetNextMs *int64) error
	// MoveJob is UpdateJob for a job whose planned runs another node has; it
	// returns a *store.PlannedError where nextMs lies before one of them.
	MoveJob(ctx context.Context, j *model.Job, nextMs int64) error
	RegroupJobs(ctx context.Context, ids []int32, group int32, now time.Time) error
	SetRunning(ctx context.Context, id int32, running bool, nextMs int64) error
	RemoveJob(ctx context.Context, c *model.Change, d *model.Deleted) error
	SaveGlue(ctx context.Context, v *model.GlueVersion) error
	GlueVersions(ctx context.Context, jobID int32) ([]*model.GlueVersion, error)
}

// groupStore reads and changes groups.
type groupStore interface {
	Group(ctx context.Context, id int32) (*model.Group, error)
	Groups(ctx context.Context, f model.GroupFilter) ([]*model.Group, int, error)
	AllGroups(ctx context.Context) ([]*model.Group, error)
	CreateGroup(ctx context.Context, g *model.Group) error
	UpdateGroup(ctx context.Context, g *model.Group) error
	RemoveGroup(ctx context.Context, c *model.Change, d *model.Deleted) error
	SetGroupToken(ctx context.Context, id int32, token string, old *model.OldToken, at time.Time) error
	EndOldToken(ctx context.Context, id int32) error
}

// logStore reads and deletes log rows.
type logStore interface {
	Logs(ctx context.Context, f model.LogFilter) ([]*model.Log, int, error)
	Log(ctx context.Context, id int64) (*model.Log, error)
	DeleteLogs(ctx context.Context, c model.LogClear, max int) (int, error)
	OpenLogsToClear(ctx context.Context, c model.LogClear, max int) ([]int64, error)
	Reports(ctx context.Context, from, to time.Time) ([]model.DayReport, error)
	TotalTriggers(ctx context.Context) (int64, error)
}

// userStore reads and changes users.
type userStore interface {
	Users(ctx context.Context, f model.UserFilter) ([]*model.User, int, error)
	User(ctx context.Context, id int32) (*model.User, error)
	CreateUser(ctx context.Context, u *model.User) error
	UpdateUser(ctx context.Context, u *model.User) error
	DeleteUser(ctx context.Context, id int32) error
	SetPassword(ctx context.Context, id int32, javaHash, ownHash string) error
	UserByName(ctx context.Context, name string) (*model.User, error)
	SetRole(ctx context.Context, userID, groupID int32, role model.Role) (before, after *model.User, err error)
}

// auditStore keeps what people have changed.
type auditStore interface {
	AddAudit(ctx context.Context, a model.Audit) error
	Audits(ctx context.Context, f model.AuditFilter) ([]model.Audit, error)
}

// changeStore keeps what jobs and groups were before and after changes.
type changeStore interface {
	AddChange(ctx context.Context, c *model.Change) error
	Change(ctx context.Context, id int64) (*model.Change, error)
	Changes(ctx context.Context, kind string, objectID int32, limit int, beforeID int64) ([]*model.Change, error)
}

// deletedStore keeps what was deleted. It returns store.ErrNotFound for what is
// not on record.
type deletedStore interface {
	Deleted(ctx context.Context, kind string, id int32) (*model.Deleted, error)
	DeletedList(ctx context.Context, f model.DeletedFilter) ([]*model.Deleted, error)
	RestoreJob(ctx context.Context, d *model.Deleted, j *model.Job, tags []string, c *model.Change) error
	RestoreGroup(ctx context.Context, d *model.Deleted, g *model.Group, c *model.Change) error
	Impact(ctx context.Context, jobIDs []int32) (model.Impact, error)
	Parents(ctx context.Context, limit int) ([]*model.Job, error)
}

// tagStore keeps the tags of jobs.
type tagStore interface {
	SetTags(ctx context.Context, jobID int32, tags []string) error
	Tags(ctx context.Context, jobIDs []int32) (map[int32][]string, error)
	TagCounts(ctx context.Context, groups []int32, limit int) ([]model.TagCount, error)
}

// viewStore keeps the filters that users have saved.
type viewStore interface {
	SaveView(ctx context.Context, v model.View) error
	Views(ctx context.Context, userID int32, page string) ([]model.View, error)
	DeleteView(ctx context.Context, v model.View) error
}

// keyStore keeps API keys.
type keyStore interface {
	CreateKey(ctx context.Context, k *model.Key) error
	Key(ctx context.Context, id int64) (*model.Key, error)
	KeyByHash(ctx context.Context, hash string) (*model.Key, error)
	Keys(ctx context.Context, f model.KeyFilter) ([]*model.Key, error)
	TouchKey(ctx context.Context, id int64, used time.Time) error
	RevokeKey(ctx context.Context, id int64, at time.Time) error
}

// Store is what the package needs of the database; package store has it all.
type Store interface {
	jobReader
	jobWriter
	groupStore
	logStore
	runViewStore
	userStore
	auditStore
	changeStore
	deletedStore
	tagStore
	viewStore
	keyStore
	alarmStore
	muteStore
	settingStore
	clearCounter
}

// Scheduler is what the package needs of the scheduling loop.
type Scheduler interface {
	// Owns reports whether this node plans the job.
	Owns(jobID int32) bool
	// Started says that the job fires from now on, perhaps before the next
	// pass.
	Started(ctx context.Context, jobID int32) error
	// Change runs write, which changes the job's row, while nothing of the job
	// is planned on this node. When write has succeeded it cancels the runs of
	// the job that a schedule made and that have not been sent, and deletes
	// their rows: when Change returns nil, none of them can be sent from this
	// node any more. An error of write is returned as it is, and nothing is
	// cancelled.
	//
	// Writing first and cancelling after would not do for an edit: a pass in
	// between may plan by the new schedule, and what it planned would be
	// cancelled too, never to be planned again.
	Change(ctx context.Context, jobID int32, write func(ctx context.Context) error) error
}

// TriggerInput is how to run a job once.
type TriggerInput struct {
	Param     *string           // overrides the job's own parameter; nil is the job's own
	Addresses []string          // overrides the group's addresses; empty is the group's
	Type      model.TriggerType // "" is MANUAL
	Again     int64             // the run that is run again; 0 for none
	Shard     *Shard            // the part of a broadcast to run, alone; nil is the whole job
	Cause     model.Cause       // for the Dispatcher: TriggerJob makes it
}

// Shard is a part of a broadcast.
type Shard struct{ Index, Total int32 }

// Dispatcher records runs and sends them. It returns when they are on record.
type Dispatcher interface {
	// Trigger records and sends one run, or one for each shard of a broadcast.
	Trigger(ctx context.Context, job *model.Job, in TriggerInput) (logIDs []int64, err error)
}

// Executors talks to executors. An error means that no answer came; its text
// may be shown.
type Executors interface {
	// Kill ends what runs of the job at address.
	Kill(ctx context.Context, address string, group *model.Group, jobID int32) (wire.Response, error)
	// Log reads a part of the log of a run.
	Log(
		ctx context.Context, address string, group *model.Group, r wire.LogRequest,
	) (wire.Response, wire.LogResult, error)
}

// Registry knows which executors are there.
type Registry interface {
	// Group returns a group with its addresses as last known.
	Group(id int32) (*model.Group, bool)
	// GroupsChanged says that groups should be read again. It does not block.
	GroupsChanged()
}

// Completion ends runs. It returns when the results are durable; the first
// result of a run wins.
type Completion interface {
	// Results stores results of runs.
	Results(ctx context.Context, outs []*model.Outcome) error
}

// Passwords makes and checks password hashes and ends sessions; package auth
// has it all.
type Passwords interface {
	// HashPassword returns what Java's password column and our own get.
	HashPassword(ctx context.Context, password string) (javaHash, ownHash string, err error)
	// CheckPassword reports whether the password is the user's.
	CheckPassword(ctx context.Context, u *model.User, password string) (bool, error)
	// EndSessions ends all logins of a user.
	EndSessions(ctx context.Context, userID int32) error
}
