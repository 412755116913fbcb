package xxljob

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/internal/journal"
	"github.com/xxljob-go/xxljob/internal/script"
)

// defaultToken is the access token that Java admins ship with. It is public,
// and whoever knows it can run jobs, so it counts as no token.
const defaultToken = "default_token"

// Config describes an Executor. AdminAddrs, AppName and AccessToken are
// required; the zero value of every other field selects the default named in
// its comment. NewExecutor copies it, so later changes have no effect.
type Config struct {
	// AdminAddrs are the base URLs of the nodes of ONE admin cluster, with the
	// context path if there is one, e.g. "http://admin:8080/xxl-job-admin".
	// They are tried in order until one accepts a call. An element may hold
	// several addresses separated by commas, as Java's setting does.
	AdminAddrs []string
	// AppName is the name of the executor group in the admin.
	AppName string
	// AccessToken is the shared secret of admin and executor. An empty token
	// and the public default of Java admins ("default_token") are refused,
	// unless AllowInsecureToken is set. It is never logged.
	AccessToken string
	// AllowInsecureToken permits an empty or public token. Whoever reaches the
	// port can then run this executor's jobs.
	AllowInsecureToken bool

	// Address is the URL announced to the admin, verbatim, for an executor
	// behind NAT or mounted in another server. Default "http://host:port/"
	// ("https" with TLS) of Host and the port listened on.
	Address string
	// Host is the host name or IP address announced when Address is empty.
	// Default: the source address of the route to the admin; a loopback
	// address only if every admin is on loopback.
	Host string
	// Port is the TCP port to listen on, on all interfaces. Default 9999.
	Port int
	// Listener is listened on instead of Port; Run closes it. Default none.
	Listener net.Listener
	// TLS makes the executor's own server speak TLS. Java admins call https
	// addresses without verifying them. Default nil, plain HTTP.
	TLS *tls.Config
	// AdminTLS is used for https admin addresses. Default nil, the system's
	// certificate authorities.
	AdminTLS *tls.Config
	// AdminProxy chooses an HTTP proxy for calls to admins, e.g.
	// http.ProxyFromEnvironment. Default nil, no proxy, whatever the
	// environment says.
	AdminProxy func(*http.Request) (*url.URL, error)
	// AdminTimeout limits one call to one admin. Default 3s, from 1s to 10s.
	AdminTimeout time.Duration
	// JavaJobs also brings declared jobs into an admin of Java's master branch.
	// Default: it does not.
	JavaJobs JavaJobs
	// RegistryInterval is the time between heartbeats to the admin, which
	// forgets an executor after 90 s without one. Default 30s, minimum 1s.
	RegistryInterval time.Duration

	// LogPath is the folder for run logs, scripts and the journal. Promises
	// about results hold as long as it survives. Default "xxl-job-logs" in the
	// working directory.
	LogPath string
	// LogRetentionDays is the number of days that run logs are kept; below 3,
	// as in Java, they are kept for ever. Default 30; -1 keeps all.
	LogRetentionDays int
	// MaxRunLogBytes bounds one run's log; what is written past it is dropped
	// after a mark. Default 64 MiB; negative: no limit.
	MaxRunLogBytes int64
	// MaxLogBytes bounds all run logs together: the oldest days go first.
	// Default 0, no limit.
	MaxLogBytes int64

	// Sync says when the journal is synced to the disk. The default,
	// SyncInterval, survives a killed process and risks 50 ms at a power loss.
	Sync Sync
	// MaxJournalBytes bounds the journal on disk, which grows while no admin
	// can be reached. When it is full new triggers are refused; results are
	// never dropped. Default 1 GiB.
	MaxJournalBytes int64
	// RememberMax is the number of triggers of the last 24 h that a repeat is
	// recognised of, at most 32 bytes of memory each; the last 100,000 always
	// are. Default 1,000,000.
	RememberMax int
	// LockWait is how long Run waits for the journal's lock, which a previous
	// process that is still ending may hold. Default 20s; negative: no wait.
	LockWait time.Duration
	// RecoverMaxAge is the age, by the trigger's logDateTime, up to which a run
	// cut off by a crash is run again if its handler is Repeatable; older ones
	// are reported failed. Java admins call a run lost after 10 min. Default
	// 5min; negative: never run again.
	RecoverMaxAge time.Duration

	// ShutdownTimeout is the limit of the shutdown that follows the end of
	// Run's context, without DrainDelay; see Shutdown. Default 30s.
	ShutdownTimeout time.Duration
	// DrainDelay is how long triggers are still accepted after the executor
	// has been deregistered at shutdown, because a Java admin goes on routing
	// to it for up to 30 s. Default 0; 35s is advised under Kubernetes. At the
	// end of Run's context it comes before ShutdownTimeout, so that the
	// termination grace period must be longer than both together.
	DrainDelay time.Duration
	// IdleTimeout is the time after which the goroutine of a job without
	// triggers ends; its handler's Destroy hook then runs. Default 90s.
	IdleTimeout time.Duration

	// MaxConcurrent bounds the runs of this process at one time; others wait.
	// Default 0, no limit.
	MaxConcurrent int
	// MaxQueuePerJob bounds the triggers that wait for one job. Default 10,000.
	MaxQueuePerJob int
	// MaxQueueBytes bounds the memory of all waiting triggers. Default 64 MiB.
	MaxQueueBytes int64
	// MaxJobs bounds the jobs that are live at one time. Default 10,000.
	MaxJobs int
	// MaxStranded bounds the goroutines of one handler that go on although
	// their run has been reported. Default 100.
	MaxStranded int
	// MaxConns bounds the connections to the executor's server. Default 10,000.
	MaxConns int

	// Scripts says whether and how GLUE scripts run. Default: refused.
	Scripts ScriptConfig

	// Logger receives the executor's own log. Default slog.Default.
	Logger *slog.Logger
	// LogRuns makes what handlers write with Run.Logger go to Logger too.
	LogRuns bool
	// Hooks are called when something happens, for metrics and traces.
	Hooks Hooks

	// For tests: an admin in the same bubble; what is called between records.
	dialAdmin func(ctx context.Context, network, addr string) (net.Conn, error)
	failpoint func(name string)
}

// Sync says when the journal is synced to the disk.
type Sync int

// The values of Config.Sync.
const (
	// SyncInterval syncs 50 ms after a write at the latest. What a killed
	// process wrote survives; a power loss can take the last 50 ms.
	SyncInterval Sync = Sync(journal.SyncInterval)
	// SyncAlways syncs before a trigger is answered and before a result is sent.
	SyncAlways Sync = Sync(journal.SyncAlways)
	// SyncNever leaves it to the operating system.
	SyncNever Sync = Sync(journal.SyncNever)
)

// ScriptConfig says how GLUE scripts, which an admin sends as source code, are
// run. Whoever holds the access token can then run code as this process's user.
type ScriptConfig struct {
	// Enabled switches scripts on. Default false.
	Enabled bool
	// MaxOutputBytes bounds the output kept of one script. Default 64 MiB;
	// negative: no bound but MaxRunLogBytes.
	MaxOutputBytes int64
	// Env returns the environment of scripts. Default nil, this process's.
	Env func() []string
	// Dir is the working directory of scripts. Default this process's.
	Dir string
	// Commands replaces the interpreter of a glue type, e.g.
	// {"GLUE_PYTHON": "/opt/python/bin/python3"}. Default: looked up in PATH.
	Commands map[string]string
}

// withDefaults returns cfg with every default filled in.
func (cfg Config) withDefaults() Config {
	cfg.AdminAddrs = splitAddrs(cfg.AdminAddrs)
	cfg.Port = cmp.Or(cfg.Port, 9999)
	cfg.AdminTimeout = cmp.Or(cfg.AdminTimeout, 3*time.Second)
	cfg.RegistryInterval = cmp.Or(cfg.RegistryInterval, 30*time.Second)
	cfg.LogPath = cmp.Or(cfg.LogPath, "xxl-job-logs")
	cfg.LogRetentionDays = cmp.Or(cfg.LogRetentionDays, 30)
	cfg.MaxRunLogBytes = cmp.Or(cfg.MaxRunLogBytes, 64<<20)
	cfg.MaxJournalBytes = cmp.Or(cfg.MaxJournalBytes, 1<<30)
	cfg.RememberMax = cmp.Or(cfg.RememberMax, 1_000_000)
	cfg.LockWait = cmp.Or(cfg.LockWait, 20*time.Second)
	cfg.RecoverMaxAge = cmp.Or(cfg.RecoverMaxAge, 5*time.Minute)
	cfg.ShutdownTimeout = cmp.Or(cfg.ShutdownTimeout, 30*time.Second)
	cfg.IdleTimeout = cmp.Or(cfg.IdleTimeout, 90*time.Second)
	cfg.MaxQueuePerJob = cmp.Or(cfg.MaxQueuePerJob, 10_000)
	cfg.MaxQueueBytes = cmp.Or(cfg.MaxQueueBytes, 64<<20)
	cfg.MaxJobs = cmp.Or(cfg.MaxJobs, 10_000)
	cfg.MaxStranded = cmp.Or(cfg.MaxStranded, 100)
	cfg.MaxConns = cmp.Or(cfg.MaxConns, 10_000)
	cfg.Scripts.MaxOutputBytes = cmp.Or(cfg.Scripts.MaxOutputBytes, 64<<20)
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	cfg.Hooks.log = cfg.Logger
	if cfg.failpoint == nil {
		cfg.failpoint = failpointFromEnv()
	}
	return cfg
}

// splitAddrs splits comma-separated lists, trims blanks and trailing slashes,
// and skips empty elements.
func splitAddrs(lists []string) []string {
	var addrs []string
	for _, list := range lists {
		for addr := range strings.SplitSeq(list, ",") {
			if addr = strings.TrimRight(strings.TrimSpace(addr), "/"); addr != "" {
				addrs = append(addrs, addr)
			}
		}
	}
	return addrs
}

// validate returns every fault of cfg, each naming its field.
func (cfg *Config) validate() error {
	return errors.Join(
		cfg.validateAdmin(),
		cfg.validateToken(),
		cfg.validateAddress(),
		cfg.validateLimits(),
	)
}

func (cfg *Config) validateAdmin() error {
	var errs []error
	if len(cfg.AdminAddrs) == 0 {
		errs = append(errs, errors.New("AdminAddrs is empty: give the URL of at least one admin"))
	}
	for _, addr := range cfg.AdminAddrs {
		u, err := url.Parse(addr)
		switch {
		case err != nil:
			errs = append(errs, errors.New("AdminAddrs holds an address that is no URL"))
		case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			errs = append(errs, fmt.Errorf("AdminAddrs holds %q: it must begin with http:// or https:// and a host",
				u.Redacted()))
		case u.RawQuery != "" || u.Fragment != "":
			errs = append(errs, fmt.Errorf("AdminAddrs holds %q: it must have no query and no fragment", u.Redacted()))
		}
	}
	switch {
	case strings.TrimSpace(cfg.AppName) == "":
		errs = append(errs, errors.New("AppName is empty: give the name of the executor group in the admin"))
	case strings.TrimSpace(cfg.AppName) != cfg.AppName || strings.ContainsAny(cfg.AppName, "/\\\x00\r\n"):
		errs = append(errs, fmt.Errorf("AppName %q has outer blanks, a slash or a control character", cfg.AppName))
	case len(cfg.AppName) > 200:
		errs = append(errs, errors.New("AppName is longer than 200 bytes"))
	}
	if g := cfg.JavaJobs.Group; g < 0 || g > math.MaxInt32 {
		errs = append(errs, fmt.Errorf("JavaJobs.Group is %d: it must be the id of a group", g))
	} else if g == 0 && cfg.JavaJobs.Update {
		errs = append(errs, errors.New("JavaJobs.Update needs JavaJobs.Group, the id of the executor's group"))
	}
	if d := cfg.AdminTimeout; d < time.Second || d > 10*time.Second {
		errs = append(errs, fmt.Errorf("AdminTimeout is %v: it must be from 1s to 10s", d))
	}
	if d := cfg.RegistryInterval; d < time.Second {
		errs = append(errs, fmt.Errorf("RegistryInterval is %v: it must be at least 1s", d))
	}
	return errors.Join(errs...)
}

func (cfg *Config) validateToken() error {
	if strings.ContainsAny(cfg.AccessToken, "\r\n\x00") {
		return errors.New("AccessToken holds a control character")
	}
	if cfg.AllowInsecureToken {
		return nil
	}
	switch strings.TrimSpace(cfg.AccessToken) {
	case "":
		return errors.New("AccessToken is empty: without a token anyone who reaches the port runs your jobs; " +
			"set the admin's token, or AllowInsecureToken to go without")
	case defaultToken:
		return errors.New("AccessToken is the public default \"default_token\": choose a secret token in admin and " +
			"executor, or set AllowInsecureToken to keep it")
	}
	return nil
}

func (cfg *Config) validateAddress() error {
	var errs []error
	if cfg.Address != "" {
		u, err := url.Parse(cfg.Address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			errs = append(errs, fmt.Errorf("Address %q must be a URL that begins with http:// or https:// and a host",
				cfg.Address))
		}
	}
	if cfg.Port < 1 || cfg.Port > 65535 {
		errs = append(errs, fmt.Errorf("Port is %d: it must be from 1 to 65535", cfg.Port))
	}
	if strings.ContainsAny(cfg.Host, "/ \r\n") {
		errs = append(errs, fmt.Errorf("Host %q must be a host name or an IP address", cfg.Host))
	}
	return errors.Join(errs...)
}

func (cfg *Config) validateLimits() error {
	var errs []error
	atLeast := func(name string, value, least int64) {
		if value < least {
			errs = append(errs, fmt.Errorf("%s is %d: it must be at least %d", name, value, least))
		}
	}
	atLeast("MaxConcurrent", int64(cfg.MaxConcurrent), 0)
	atLeast("MaxQueuePerJob", int64(cfg.MaxQueuePerJob), 1)
	atLeast("MaxQueueBytes", cfg.MaxQueueBytes, 1)
	atLeast("MaxJobs", int64(cfg.MaxJobs), 1)
	atLeast("MaxStranded", int64(cfg.MaxStranded), 1)
	atLeast("MaxConns", int64(cfg.MaxConns), 1)
	atLeast("MaxLogBytes", cfg.MaxLogBytes, 0)
	atLeast("MaxJournalBytes", cfg.MaxJournalBytes, 256<<10)
	atLeast("RememberMax", int64(cfg.RememberMax), 1)
	if cfg.Sync < SyncInterval || cfg.Sync > SyncNever {
		errs = append(errs, fmt.Errorf("Sync is %d: it must be SyncInterval, SyncAlways or SyncNever", cfg.Sync))
	}
	for glueType := range cfg.Scripts.Commands {
		if _, known := script.Lookup(glueType); !known {
			errs = append(errs, fmt.Errorf("Scripts.Commands holds %q: no script has that glue type", glueType))
		}
	}
	positive := func(name string, d time.Duration) {
		if d <= 0 {
			errs = append(errs, fmt.Errorf("%s is %v: it must be above 0", name, d))
		}
	}
	positive("ShutdownTimeout", cfg.ShutdownTimeout)
	positive("IdleTimeout", cfg.IdleTimeout)
	if cfg.DrainDelay < 0 {
		errs = append(errs, fmt.Errorf("DrainDelay is %v: it must not be negative", cfg.DrainDelay))
	}
	return errors.Join(errs...)
}
