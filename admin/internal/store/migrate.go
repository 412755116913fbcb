package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

//go:embed migrations
var migrationFiles embed.FS

const (
	migrationTable = "xxljob_migrations"
	lockName       = "schedule_lock"
)

// settingTable is made before anything else: its first row says that what
// follows is ours, so that a migration that was cut off can go on.
const settingTable = "CREATE TABLE IF NOT EXISTS xxljob_setting (\n" +
	"    name varchar(190) NOT NULL PRIMARY KEY,\n    value text NOT NULL\n)"

// Migrate makes the schema of an empty database, or adds what is missing to
// the schema of a Java admin: our own tables, one column that may be NULL, one
// index, and the row that schedulers lock. Nothing is renamed, changed or
// dropped. It may be called again, also by two nodes at once. The error is
// ErrSchema when the database holds only a part of the tables.
func (s *Store) Migrate(ctx context.Context) error {
	unlock, err := s.db.LockMigration(ctx)
	if err != nil {
		return fmt.Errorf("migrate: wait for another node: %w", err)
	}
	err = s.migrate(ctx)
	return errors.Join(err, unlock())
}

func (s *Store) migrate(ctx context.Context) error {
	if err := s.probe(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	sc := s.probed()
	if n := len(sc.missing); n > 0 && n < len(javaTables) && !sc.MadeByUs {
		return fmt.Errorf("migrate: %w: %s missing; name an empty database, or restore these tables",
			ErrSchema, strings.Join(sc.missing, ", "))
	}
	if err := s.prepareSettings(ctx, len(sc.missing) == len(javaTables)); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	folder, err := fs.Sub(migrationFiles, "migrations/"+s.db.Name)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := s.db.RunMigrations(ctx, folder, migrationTable); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := s.addToJava(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return s.probe(ctx)
}

// prepareSettings makes the table of settings; in an empty database its first
// row says that all tables are ours.
func (s *Store) prepareSettings(ctx context.Context, empty bool) error {
	text := settingTable
	if s.db.Name == sqldb.MySQL {
		text += " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"
	}
	if err := s.db.Patiently(ctx, text); err != nil {
		return err
	}
	if !empty {
		return nil
	}
	return s.db.Patiently(ctx, s.db.Bind("INSERT INTO xxljob_setting (name, value) VALUES (?, ?)"+
		s.db.Upsert("name")), madeByKey, madeByValue)
}

// addToJava adds what the Java admin does not see to its tables.
func (s *Store) addToJava(ctx context.Context) error {
	if err := s.probe(ctx); err != nil {
		return err
	}
	sc := s.probed()
	if !sc.timeZone {
		text := "ALTER TABLE xxl_job_info ADD COLUMN x_time_zone varchar(64) DEFAULT NULL"
		if err := s.db.Patiently(ctx, text); err != nil {
			return fmt.Errorf("add the column x_time_zone: %w", err)
		}
	}
	if !sc.nextIndex {
		text := "CREATE INDEX x_status_next ON xxl_job_info (trigger_status, trigger_next_time)"
		if err := s.db.Patiently(ctx, text); err != nil {
			return fmt.Errorf("add an index on the next times: %w", err)
		}
	}
	text := s.db.Bind("INSERT INTO xxl_job_lock (lock_name) VALUES (?)" + s.db.Upsert("lock_name"))
	err := s.db.Patiently(ctx, text, lockName)
	if err != nil {
		return fmt.Errorf("add the row %s: %w", lockName, err)
	}
	return nil
}
