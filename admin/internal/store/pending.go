package store

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// Pending says what Migrate would do, one thing a line, and changes nothing.
// An empty list means that the schema is up to date. The error is ErrSchema
// where Migrate would refuse the database.
func (s *Store) Pending(ctx context.Context) ([]string, error) {
	if err := s.probe(ctx); err != nil {
		return nil, fmt.Errorf("pending: %w", err)
	}
	sc := s.probed()
	if n := len(sc.missing); n > 0 && n < len(javaTables) && !sc.MadeByUs {
		return nil, fmt.Errorf("pending: %w: %s missing; name an empty database, or restore these tables",
			ErrSchema, strings.Join(sc.missing, ", "))
	}
	var list []string
	for _, table := range sc.missing {
		list = append(list, "create table "+table)
	}
	files, err := s.pendingFiles(ctx)
	if err != nil {
		return nil, fmt.Errorf("pending: %w", err)
	}
	list = append(list, files...)
	if !sc.timeZone {
		list = append(list, "add column xxl_job_info.x_time_zone")
	}
	if !sc.nextIndex {
		list = append(list, "add index x_status_next on xxl_job_info")
	}
	return list, nil
}

// pendingFiles are the migrations that are not on record.
func (s *Store) pendingFiles(ctx context.Context) ([]string, error) {
	done := s.migrationsDone(ctx)
	entries, err := fs.ReadDir(migrationFiles, "migrations/"+s.db.Name)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		number, _, _ := strings.Cut(e.Name(), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil || slices.Contains(done, version) {
			continue
		}
		if version == 1 && len(s.schema.missing) == 0 {
			continue // Java's tables are there, and stay as they are
		}
		list = append(list, "run migration "+e.Name()+what[version])
	}
	return list, nil
}

// what says in words what a migration makes.
var what = map[int64]string{2: " (our own tables xxljob_…)"}

// migrationsDone reads the table of migrations; none where there is no such
// table yet.
func (s *Store) migrationsDone(ctx context.Context) []int64 {
	done, err := sqldb.SelectIDs[int64](ctx, s.db.Reader(), s.db.SQL("SELECT version_id FROM "+migrationTable+
		" WHERE version_id > ?"), 0)
	if err != nil {
		return nil
	}
	return done
}
