package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/cli"
	"github.com/xxljob-go/xxljob/admin/internal/importer"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// importCmd copies another database into ours.
type importCmd struct {
	logFlags

	From         string `help:"${import_from}" required:"" placeholder:"URL" env:"XXL_JOB_ADMIN_IMPORT_FROM"`
	FromTimeZone string `help:"${import_from_zone}" placeholder:"ZONE" env:"-"`
	To           string `help:"${import_to}" placeholder:"URL" env:"XXL_JOB_ADMIN_DB"`
	DataDir      string `help:"${data_dir}" default:"xxl-job-data" placeholder:"DIR"`
	TimeZone     string `help:"${time_zone}" placeholder:"ZONE"`

	Logs           int  `help:"${import_logs}" default:"0" placeholder:"DAYS" env:"-"`
	Stopped        bool `help:"Copy all jobs switched off." env:"-"`
	NewPasswords   bool `help:"${import_passwords}" env:"-"`
	DryRun         bool `help:"Only report what would be copied." env:"-"`
	JSON           bool `name:"json" help:"Report as JSON." env:"-"`
	SharedWithJava bool `help:"Java admins run on the target, too, and need passwords of their kind." env:"-"`
}

// Run copies, and prints the report.
func (c *importCmd) Run(ctx context.Context, con cli.Console) error {
	target := database{DataDir: c.DataDir, DB: c.To, TimeZone: c.TimeZone}
	fromZone, toZone, err := c.check(&target)
	if err != nil {
		return err
	}
	log := c.logger(con.Err)
	source, err := store.Open(ctx, store.Options{DSN: c.From, Location: fromZone, Logger: log})
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	defer source.Close()
	st, done, err := c.openTarget(ctx, target, log)
	if err != nil {
		return err
	}
	defer done()
	cfg := importer.Config{
		Source: source, Target: st, SourceName: place(c.From), TargetName: place(target.dsn()),
		DryRun: c.DryRun, Stopped: c.Stopped, Now: time.Now(), Carry: auth.Carry,
	}
	if c.Logs > 0 {
		cfg.LogsAt = time.Now().AddDate(0, 0, -c.Logs)
	}
	if fromZone.String() != toZone.String() {
		cfg.JobZone = fromZone.String()
	}
	if c.NewPasswords {
		cfg.Passwords = c.passwords(st, log)
	}
	report, err := importer.Run(ctx, cfg)
	if err != nil {
		return err
	}
	if c.JSON {
		encoder := json.NewEncoder(con.Out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(report)
	}
	return report.WriteText(con.Out)
}

// check refuses mistakes before anything is opened or made.
func (c *importCmd) check(target *database) (from, to *time.Location, err error) {
	if err := store.CheckDSN(c.From); err != nil {
		return nil, nil, cli.UsageError{Err: fmt.Errorf("--from: %w", err)}
	}
	if err := store.CheckDSN(target.dsn()); err != nil {
		return nil, nil, cli.UsageError{Err: fmt.Errorf("--to: %w", err)}
	}
	if place(c.From) == place(target.dsn()) {
		return nil, nil, cli.UsageError{Err: errors.New("--from and --to are the same database; " +
			"the admin opens that of a Java admin as it is: xxl-job-admin serve --db URL")}
	}
	if c.Logs < 0 {
		return nil, nil, cli.UsageError{Err: errors.New("--logs must be a number of days, 0 for no logs")}
	}
	if file, ok := strings.CutPrefix(c.From, "sqlite:"); ok {
		if _, err := os.Stat(strings.TrimPrefix(file, "//")); errors.Is(err, fs.ErrNotExist) { // it would be made
			return nil, nil, cli.UsageError{Err: fmt.Errorf("--from: there is no file %s", file)}
		}
	}
	if to, err = loadZone(c.TimeZone); err != nil {
		return nil, nil, cli.UsageError{Err: fmt.Errorf("--time-zone: %w", err)}
	}
	from = to
	if c.FromTimeZone != "" {
		if from, err = loadZone(c.FromTimeZone); err != nil {
			return nil, nil, cli.UsageError{Err: fmt.Errorf("--from-time-zone: %w", err)}
		}
	}
	return from, to, nil
}

// openTarget opens the target, with its schema. A dry run makes neither: where
// there is no SQLite file yet, an empty one elsewhere shows the same.
func (c *importCmd) openTarget(ctx context.Context, db database, log *slog.Logger) (*store.Store, func(), error) {
	remove := func() {}
	if file, ok := strings.CutPrefix(db.dsn(), "sqlite:"); ok && c.DryRun {
		if _, err := os.Stat(strings.TrimPrefix(file, "//")); errors.Is(err, fs.ErrNotExist) {
			dir, err := os.MkdirTemp("", "xxl-job-import-")
			if err != nil {
				return nil, nil, err
			}
			remove = func() { _ = os.RemoveAll(dir) }
			db.DB = "sqlite:" + filepath.Join(dir, databaseFile)
		}
	}
	st, err := db.openStore(ctx, log, !c.DryRun)
	if err != nil {
		remove()
		return nil, nil, fmt.Errorf("--to: %w", err)
	}
	done := func() {
		_ = st.Close() // every transaction has ended
		remove()
	}
	if !c.DryRun {
		if err := st.Migrate(ctx); err != nil {
			done()
			return nil, nil, fmt.Errorf("--to: %w", err)
		}
	}
	return st, done, nil
}

// passwords makes up a password for each new user.
func (c *importCmd) passwords(
	st *store.Store, log *slog.Logger,
) func(ctx context.Context) (password, javaHash, ownHash string, err error) {
	shared := "no"
	if c.SharedWithJava {
		shared = "yes"
	}
	logins := passwords(st, shared, log)
	return func(ctx context.Context) (password, javaHash, ownHash string, err error) {
		password = strings.ToLower(rand.Text()[:20])
		javaHash, ownHash, err = logins.HashPassword(ctx, password)
		return password, javaHash, ownHash, err
	}
}

// place is a database without user, password and parameters. A report shows it,
// and the target remembers the source by it.
func place(dsn string) string {
	if file, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		file = strings.TrimPrefix(file, "//")
		if abs, err := filepath.Abs(file); err == nil {
			file = abs
		}
		return "sqlite:" + file
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return "database"
	}
	return u.Scheme + "://" + u.Host + u.Path
}
