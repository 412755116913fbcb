package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// migrateCmd makes the schema.
type migrateCmd struct {
	database
	logFlags

	DryRun bool `help:"Only list what would be done." env:"-"`
}

// Run migrates the database, or says what that would do.
func (c *migrateCmd) Run(ctx context.Context, con cli.Console) error {
	if c.DryRun {
		return c.list(ctx, con)
	}
	st, err := c.openStore(ctx, c.logger(con.Err), true)
	if err != nil {
		return err
	}
	defer st.Close()
	pending, err := printPending(ctx, con, st)
	if err != nil || pending == 0 {
		return err
	}
	if err := st.Migrate(ctx); err != nil {
		return err
	}
	info := st.Info()
	fmt.Fprintf(con.Out, "done: %s %s, schema %s\n", info.Dialect, info.Version, info.Generation)
	return nil
}

// list says what would be done. A SQLite file that is not there is not made:
// an empty one elsewhere shows the same.
func (c *migrateCmd) list(ctx context.Context, con cli.Console) error {
	db := c.database
	if err := db.check(); err != nil {
		return err
	}
	if file, ok := strings.CutPrefix(db.dsn(), "sqlite:"); ok {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			dir, err := os.MkdirTemp("", "xxl-job-migrate-")
			if err != nil {
				return err
			}
			defer func() { _ = os.RemoveAll(dir) }()
			fmt.Fprintln(con.Out, "create the file "+file)
			db.DB = "sqlite:" + filepath.Join(dir, databaseFile)
		}
	}
	st, err := db.openStore(ctx, c.logger(con.Err), false)
	if err != nil {
		return err
	}
	defer st.Close()
	_, err = printPending(ctx, con, st)
	return err
}

// printPending prints what Migrate would do, and returns how much that is.
func printPending(ctx context.Context, con cli.Console, st *store.Store) (int, error) {
	pending, err := st.Pending(ctx)
	if err != nil {
		return 0, err
	}
	for _, line := range pending {
		fmt.Fprintln(con.Out, line)
	}
	if len(pending) == 0 {
		fmt.Fprintln(con.Out, "nothing to do: the schema is up to date")
	}
	return len(pending), nil
}

// openStore opens the database for a command that is not the admin. With create
// a data folder that is missing is made.
func (d *database) openStore(ctx context.Context, log *slog.Logger, create bool) (*store.Store, error) {
	zone, err := loadZone(d.TimeZone)
	if err != nil {
		return nil, cli.UsageError{Err: fmt.Errorf("--time-zone: %w", err)}
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	if create && d.DB == "" {
		if err := d.prepare(); err != nil {
			return nil, err
		}
	}
	return store.Open(ctx, store.Options{DSN: d.dsn(), Location: zone, Logger: log})
}
