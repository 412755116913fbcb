package admin

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/alarm"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/link"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// Defaults of [Config].
const (
	DefaultDB              = "sqlite:xxl-job.db"
	DefaultAdminUser       = "admin"
	DefaultExecutorTimeout = 3 * time.Second
	DefaultShards          = 16
	DefaultLogDays         = 30
	DefaultRetryDelay      = 3 * time.Second
	DefaultSessionLife     = 7 * 24 * time.Hour
	DefaultAPIRate         = 50
)

// Dialect says which release's console an interface speaks where a request
// itself does not show it.
type Dialect string

// The dialects of the Java console (admin.md 0).
const (
	DialectAuto Dialect = "auto" // A on a database of before 3.2.0, else C
	DialectA    Dialect = "A"    // 2.x to 3.1.1
	DialectC    Dialect = "C"    // 3.3.0 to 3.4.2
)

// Sharing says whether Java nodes run on the same database.
type Sharing string

// The values of Sharing.
const (
	SharedAuto Sharing = "auto" // yes if the Java admin made the schema
	SharedYes  Sharing = "yes"
	SharedNo   Sharing = "no"
)

// JobsFromCode says what becomes of jobs that executors declare in their code.
type JobsFromCode string

// The values of JobsFromCode.
const (
	JobsOff    JobsFromCode = wire.DeclareOff
	JobsCreate JobsFromCode = wire.DeclareCreate
	JobsUpdate JobsFromCode = wire.DeclareUpdate
)

// Config describes an Admin. The zero value of every field selects the default
// named in its comment; only AccessToken, or AllowInsecureToken, is required.
type Config struct {
	// DB names the database: sqlite:FILE, mysql://user:pw@host:port/name or
	// postgres://user:pw@host:port/name. Default sqlite:xxl-job.db. It is
	// opened, and migrated, by Run.
	DB string

	// AccessToken is the token that executors and this admin show each other
	// where a group has none of its own. The public default of Java,
	// "default_token", and an empty one are refused unless AllowInsecureToken
	// is set. It is never logged.
	AccessToken        string
	AllowInsecureToken bool // default false

	// AdminUser and AdminPassword are the administrator that the first opening
	// of a database sets or creates. Default "admin", and a password that is
	// generated and passed to OnPassword once.
	AdminUser     string
	AdminPassword string // the password; it is stored as a hash and never logged
	// OnPassword is told a generated password, once. It is good for the page /setup
	// alone, where it is replaced. Default: it is lost, and
	// `xxl-job-admin user passwd` sets another.
	OnPassword func(user, password string)

	// Language of stored messages, errors and mails: zh_CN, zh_TC or en.
	// Default zh_CN, as in Java.
	Language string
	Dialect  Dialect // default auto
	// TimeZone is the zone of DATETIME columns and of schedules without a zone
	// of their own. Default time.Local.
	TimeZone       *time.Location
	SharedWithJava Sharing // default auto
	// Node names this process among those on one database. Default: host name,
	// process id and a random part. It must be another one at each start.
	Node string

	// ExecutorTimeout bounds one call to an executor, 1s to 10s. Default 3s.
	ExecutorTimeout time.Duration
	// InsecureExecutorTLS accepts any certificate of an https executor, as Java
	// does. Default false.
	InsecureExecutorTLS bool
	// Shards is the number of scheduling shards of a new database, 1 to 1024.
	// Default 16.
	Shards int
	// Horizon is how far ahead runs are planned, 200ms to 10s, and PlanEvery
	// the time between two passes. Defaults 1s and 500ms.
	Horizon, PlanEvery time.Duration
	// RetryDelay is the time between a failed run and its retry. Default 3s.
	RetryDelay time.Duration
	// LogDays is how many days log rows are kept, 3 or more. 0 is the default,
	// 30; 1, 2 and below 0 keep all, as in Java.
	LogDays int
	// LogKeepPerJob is how many log rows of one job are kept; 0 is no such limit.
	LogKeepPerJob int
	// CodeEditing allows the code of script jobs to be edited, by administrators
	// and by who has been given the permission. Default false.
	CodeEditing bool

	// JobsFromCode says what becomes of jobs that executors declare in their
	// code: JobsOff refuses them, JobsCreate creates those that do not exist,
	// JobsUpdate besides changes what nobody but the code has changed. Nothing
	// is ever deleted. Default JobsCreate.
	JobsFromCode JobsFromCode

	// Alarms are the channels that failed runs are reported to. Default none.
	Alarms []AlarmChannel
	// AlarmsToLoopback allows webhooks and chats on this machine. Default false:
	// who may name a channel could else reach what listens only here.
	AlarmsToLoopback bool
	// SessionLife is the longest life of a login. Default 7 days.
	SessionLife time.Duration

	// TrustedProxies are the addresses and networks ("10.0.0.0/8") of reverse
	// proxies whose X-Forwarded headers are believed. Default none.
	TrustedProxies []string
	// TrustedOrigins are the origins ("https://jobs.example.com") that browsers
	// may post from beside our own, as a proxy that rewrites Host needs it.
	// Default none.
	TrustedOrigins []string

	// APIRate is how many requests a second one API key, or one user, may send
	// to /v1, and twice as many at once. Default 50; below 0 is no limit.
	APIRate int

	// PublicURL is the address under which people open the console, such as
	// https://jobs.example.com/xxl-job-admin: where alarms and listings lead to,
	// and what the setup tells executors. It has no user, query or fragment. It is
	// never taken from a request. Default: there are no links.
	PublicURL string

	// MetricsToken is asked for by /metrics as a bearer token. Default: /metrics
	// answers requests from this machine only.
	MetricsToken string

	// Logger takes all messages. Default slog.Default().
	Logger *slog.Logger
}

// AlarmChannel is one way to tell people of failed runs: mail, webhook,
// DingTalk, WeCom, Feishu or Slack. ParseAlarms reads a list of them.
type AlarmChannel = alarm.Channel

// ParseAlarms reads alarm channels as a JSON array. Unknown fields and faulty
// channels are errors that say what is wrong.
func ParseAlarms(r io.Reader) ([]AlarmChannel, error) { return alarm.ParseChannels(r) }

// withDefaults fills what was left out.
func (c Config) withDefaults() Config {
	c.DB = cmp.Or(c.DB, DefaultDB)
	c.AdminUser = cmp.Or(c.AdminUser, DefaultAdminUser)
	c.Language = cmp.Or(c.Language, i18n.ZhCN.String())
	c.Dialect = cmp.Or(c.Dialect, DialectAuto)
	c.SharedWithJava = cmp.Or(c.SharedWithJava, SharedAuto)
	c.ExecutorTimeout = cmp.Or(c.ExecutorTimeout, DefaultExecutorTimeout)
	c.Shards = cmp.Or(c.Shards, DefaultShards)
	c.Horizon = cmp.Or(c.Horizon, time.Second)
	c.PlanEvery = cmp.Or(c.PlanEvery, 500*time.Millisecond)
	c.RetryDelay = cmp.Or(c.RetryDelay, DefaultRetryDelay)
	c.LogDays = cmp.Or(c.LogDays, DefaultLogDays)
	c.SessionLife = cmp.Or(c.SessionLife, DefaultSessionLife)
	c.APIRate = cmp.Or(c.APIRate, DefaultAPIRate)
	c.JobsFromCode = cmp.Or(c.JobsFromCode, JobsCreate)
	if c.TimeZone == nil {
		c.TimeZone = time.Local
	}
	if c.OnPassword == nil {
		c.OnPassword = func(string, string) {}
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}

// validate reports every fault at once.
func (c Config) validate() error {
	var faults []error
	bad := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if !c.AllowInsecureToken && strings.TrimSpace(c.AccessToken) == "" {
		bad("AccessToken is empty: set one, or AllowInsecureToken for a trial on a closed network")
	}
	if !c.AllowInsecureToken && c.AccessToken == publicToken {
		bad("AccessToken is the public default of xxl-job: choose another, or set AllowInsecureToken")
	}
	if err := store.CheckDSN(c.DB); err != nil {
		bad("DB: %w", err)
	}
	if _, err := i18n.Parse(c.Language); err != nil {
		bad("Language: %w", err)
	}
	if _, err := httpx.ParseProxies(c.TrustedProxies); err != nil {
		bad("TrustedProxies: %w", err)
	}
	if _, err := link.Parse(c.PublicURL); err != nil {
		bad("PublicURL %w", err)
	}
	if c.Dialect != DialectAuto && c.Dialect != DialectA && c.Dialect != DialectC {
		bad("Dialect %q is not auto, A or C", c.Dialect)
	}
	if c.SharedWithJava != SharedAuto && c.SharedWithJava != SharedYes && c.SharedWithJava != SharedNo {
		bad("SharedWithJava %q is not auto, yes or no", c.SharedWithJava)
	}
	if c.JobsFromCode != JobsOff && c.JobsFromCode != JobsCreate && c.JobsFromCode != JobsUpdate {
		bad("JobsFromCode %q is not off, create or update", c.JobsFromCode)
	}
	within := func(name string, d, low, high time.Duration) {
		if d < low || d > high {
			bad("%s %v is not between %v and %v", name, d, low, high)
		}
	}
	within("ExecutorTimeout", c.ExecutorTimeout, time.Second, 10*time.Second)
	within("Horizon", c.Horizon, 200*time.Millisecond, 10*time.Second)
	within("PlanEvery", c.PlanEvery, 50*time.Millisecond, c.Horizon)
	within("RetryDelay", c.RetryDelay, 0, time.Hour)
	within("SessionLife", c.SessionLife, time.Minute, 365*24*time.Hour)
	if c.Shards < 1 || c.Shards > 1024 {
		bad("Shards %d is not between 1 and 1024", c.Shards)
	}
	return errors.Join(faults...)
}
