package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// lane is where the runs of a job wait for one another.
type lane struct {
	job     int32
	address string // without the slash at its end
}

func laneOf(job int32, address string) lane { return lane{job, strings.TrimSuffix(address, "/")} }

// SetBehind sets Behind of those rows that an executor has taken and that wait
// there: behind the earliest open run of their job at their address, if the job
// lets its runs wait for one another. It asks nobody; an executor that has lost
// that run without a word works on the next one already.
func (s *Store) SetBehind(ctx context.Context, rows []*model.Log) error {
	var open []*model.Log
	var ids []int32
	for _, l := range rows {
		if l.Taken() {
			open, ids = append(open, l), append(ids, l.JobID)
		}
	}
	first := map[lane]int64{}
	for chunk := range slices.Chunk(sqldb.SortedIDs(ids), sqldb.IDBatch) {
		if err := s.firstTaken(ctx, chunk, first); err != nil {
			return fmt.Errorf("runs that wait: %w", err)
		}
	}
	for _, l := range open {
		if id := first[laneOf(l.JobID, l.Address.S)]; id != 0 && id < l.ID {
			l.Behind = id
		}
	}
	return nil
}

// firstTaken adds the earliest open run that an executor has taken, by job and
// address, of those jobs whose runs wait for one another.
func (s *Store) firstTaken(ctx context.Context, jobs []int64, first map[lane]int64) error {
	args := append(sqldb.Padded(jobs), string(model.BlockSerial))
	rows, err := s.db.Reader().QueryContext(ctx, s.db.SQL("SELECT r.job_id, l.executor_address, MIN(r.log_id) "+
		"FROM xxljob_run r JOIN xxl_job_log l ON l.id = r.log_id JOIN xxl_job_info j ON j.id = r.job_id "+
		"WHERE r.job_id IN ("+sqldb.Marks(len(args)-1)+") AND j.executor_block_strategy = ? "+
		"AND l.trigger_code + 0 = 200 AND l.handle_code + 0 = 0 GROUP BY r.job_id, l.executor_address"), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var job int32
		var address model.Text
		var id int64
		if err := rows.Scan(&job, scanText{&address}, &id); err != nil {
			return err
		}
		at := laneOf(job, address.S)
		if known, ok := first[at]; !ok || id < known {
			first[at] = id
		}
	}
	return rows.Err()
}
