package main

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin"
	"github.com/xxljob-go/xxljob/admin/internal/alarm"
	"github.com/xxljob-go/xxljob/admin/internal/cli"
	"github.com/xxljob-go/xxljob/admin/internal/link"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

const (
	defaultDataDir = "xxl-job-data"
	databaseFile   = "xxl-job.db"
	tokenFile      = "access-token"
	maxTokenFile   = 4 << 10
)

// database are the flags of every command that opens the database.
type database struct {
	DataDir  string `help:"${data_dir}" default:"xxl-job-data" placeholder:"DIR"`
	DB       string `help:"${db}" name:"db" placeholder:"URL"`
	TimeZone string `help:"${time_zone}" placeholder:"ZONE"`
}

// dsn returns the database to open.
func (d *database) dsn() string {
	return cmp.Or(d.DB, "sqlite:"+filepath.Join(d.DataDir, databaseFile))
}

// isSQLite reports whether the database is a file of this machine.
func (d *database) isSQLite() bool { return strings.HasPrefix(d.dsn(), "sqlite:") }

// check refuses what is no name of a database.
func (d *database) check() error {
	if err := store.CheckDSN(d.dsn()); err != nil {
		return cli.UsageError{Err: fmt.Errorf("--db: %w", err)}
	}
	return nil
}

// prepare makes the data folder, which only this user may look into.
func (d *database) prepare() error {
	if err := os.MkdirAll(d.DataDir, 0o700); err != nil {
		return fmt.Errorf("make the data folder (choose another with --data-dir): %w", err)
	}
	return nil
}

// logFlags say what is logged.
type logFlags struct {
	LogFormat string `help:"Form of log lines on standard error: json or text." enum:"json,text" default:"json"`
	LogLevel  string `help:"${log_level}" enum:"debug,info,warn,error" default:"info"`
}

// logger writes to w.
func (f *logFlags) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if f.LogFormat == "text" {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// settings are the flags of the admin itself.
type settings struct {
	database

	AccessToken        string `help:"${access_token}" placeholder:"TOKEN"`
	AllowInsecureToken bool   `help:"Accept an empty --access-token= or the public default_token."`
	AdminUser          string `help:"${admin_user}" default:"admin" placeholder:"NAME"`
	AdminPassword      string `help:"${admin_password}" placeholder:"PASSWORD"`

	Language       string `help:"Language of stored messages and mails: zh_CN, zh_TC or en." default:"zh_CN"`
	Dialect        string `help:"${dialect}" enum:"auto,A,C" default:"auto"`
	SharedWithJava string `help:"${shared_with_java}" enum:"auto,yes,no" default:"auto"`
	Node           string `help:"${node}" placeholder:"NAME"`

	ExecutorTimeout     time.Duration `help:"Limit of one call to an executor, 1s to 10s." default:"3s"`
	InsecureExecutorTLS bool          `help:"${insecure_executor_tls}" name:"insecure-executor-tls"`
	Shards              int           `help:"Scheduling shards of a new database, 1 to 1024." default:"16"`
	RetryDelay          time.Duration `help:"Time between a failed run and its retry." default:"3s"`
	LogDays             int           `help:"${log_days}" default:"30"`
	LogKeepPerJob       int           `help:"Logs kept of each job besides; 0 is no limit." default:"0"`
	SessionLife         time.Duration `help:"Longest life of a login." default:"168h"`
	APIRate             int           `help:"Requests a second of one API key or user, -1 for no limit." default:"50"`
	Horizon             time.Duration `help:"${horizon}" default:"1s"`
	PlanEvery           time.Duration `help:"Time between two planning passes, 50ms to the horizon." default:"500ms"`
	TrustedProxies      []string      `help:"${trusted_proxies}" placeholder:"ADDR,NET"`
	TrustedOrigins      []string      `help:"${trusted_origins}" placeholder:"URL"`
	PublicURL           string        `help:"${public_url}" name:"public-url" placeholder:"URL"`
	CodeEditing         bool          `help:"Allow the code of script jobs to be edited."`
	JobsFromCode        string        `help:"${jobs_from_code}" enum:"off,create,update" default:"create"`
	AlarmsToLoopback    bool          `help:"Allow webhooks and chats of --alarms on this machine."`
	Alarms              string        `help:"JSON file with alarm channels." type:"path" placeholder:"FILE"`
}

// config makes the admin's configuration, but for the token.
func (s *settings) config(log *slog.Logger) (admin.Config, error) {
	zone, err := loadZone(s.TimeZone)
	if err != nil {
		return admin.Config{}, cli.UsageError{Err: fmt.Errorf("--time-zone: %w", err)}
	}
	if len(s.AdminPassword) > 0 && (len(s.AdminPassword) < 8 || len(s.AdminPassword) > 64) {
		return admin.Config{}, cli.UsageError{Err: errors.New("--admin-password must have 8 to 64 characters")}
	}
	if err := s.check(); err != nil {
		return admin.Config{}, err
	}
	if _, err := link.Parse(s.PublicURL); err != nil {
		return admin.Config{}, cli.UsageError{Err: fmt.Errorf("--public-url %w", err)}
	}
	channels, err := s.channels()
	if err != nil {
		return admin.Config{}, cli.UsageError{Err: fmt.Errorf("--alarms: %w", err)}
	}
	return admin.Config{
		DB: s.dsn(), AllowInsecureToken: s.AllowInsecureToken,
		AdminUser: s.AdminUser, AdminPassword: s.AdminPassword,
		Language: s.Language, Dialect: admin.Dialect(s.Dialect), TimeZone: zone,
		SharedWithJava: admin.Sharing(s.SharedWithJava), Node: s.Node,
		ExecutorTimeout: s.ExecutorTimeout, InsecureExecutorTLS: s.InsecureExecutorTLS, Shards: s.Shards,
		RetryDelay: s.RetryDelay, LogDays: cmp.Or(s.LogDays, -1), LogKeepPerJob: s.LogKeepPerJob,
		Horizon: s.Horizon, PlanEvery: s.PlanEvery,
		TrustedProxies: s.TrustedProxies, TrustedOrigins: s.TrustedOrigins, PublicURL: s.PublicURL,
		JobsFromCode: admin.JobsFromCode(s.JobsFromCode),
		CodeEditing:  s.CodeEditing, Alarms: channels, AlarmsToLoopback: s.AlarmsToLoopback,
		SessionLife: s.SessionLife, APIRate: cmp.Or(s.APIRate, -1), Logger: log,
	}, nil
}

func (s *settings) channels() ([]alarm.Channel, error) {
	if s.Alarms == "" {
		return nil, nil
	}
	file, err := os.Open(s.Alarms)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return alarm.ParseChannels(file)
}

// generatesToken reports whether the token is that of the data folder.
func (s *settings) generatesToken() bool { return s.AccessToken == "" && !s.AllowInsecureToken }

// needsToken refuses to generate a token for the nodes on a database server: one
// that lies in a folder of this machine is not that of the cluster.
func (s *settings) needsToken() error {
	if !s.generatesToken() || s.isSQLite() {
		return nil
	}
	return cli.UsageError{Err: fmt.Errorf("give --access-token (or %s_ACCESS_TOKEN): executors and all "+
		"nodes on one database need the same one. The public default_token of a Java admin also wants "+
		"--allow-insecure-token", envPrefix)}
}

// token returns the access token: the flag's, else that of the data folder,
// where one is generated at the first start. generated is set for a new one.
func (s *settings) token() (token, path string, generated bool, err error) {
	if !s.generatesToken() {
		return s.AccessToken, "", false, nil
	}
	path = filepath.Join(s.DataDir, tokenFile)
	if token, err = readToken(path); err == nil {
		return token, path, false, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", "", false, err
	}
	raw := make([]byte, 24)
	_, _ = rand.Read(raw) // never fails
	token = hex.EncodeToString(raw)
	if err := writeToken(path, token); err != nil {
		return "", "", false, err
	}
	return token, path, true, nil
}

func readToken(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the access token: %w", err)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxTokenFile))
	if err != nil {
		return "", fmt.Errorf("read the access token: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	if token == "" {
		return "", fmt.Errorf("%s is empty: write a token into it, or delete it for a new one", path)
	}
	return token, nil
}

// writeToken keeps the token for the next start. The file is there as a whole
// or not at all.
func writeToken(path, token string) (err error) {
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("keep the access token: %w", err)
	}
	if _, err = file.WriteString(token + "\n"); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("keep the access token: %w", err)
	}
	return nil
}

// hideDSN is a database for messages, without its password.
func hideDSN(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil || u.User == nil {
		if i := strings.LastIndex(dsn, "@"); i >= 0 {
			return "…" + dsn[i:]
		}
		return dsn
	}
	return u.Redacted()
}
