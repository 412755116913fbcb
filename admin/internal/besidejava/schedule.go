package besidejava

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/cron"
)

const (
	lockStatement = "SELECT * FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE"
	dueStatement  = "SELECT id, schedule_type, schedule_conf, misfire_strategy, trigger_last_time, trigger_next_time " +
		"FROM xxl_job_info AS t WHERE t.trigger_status = 1 AND t.trigger_next_time <= ? ORDER BY id ASC LIMIT ?"
	moveStatement = "UPDATE xxl_job_info SET trigger_last_time = ?, trigger_next_time = ?%s " +
		"WHERE id = ? AND trigger_status = 1"
)

// due is a job of a schedule pass.
type due struct {
	id                  int32
	kind, conf, misfire string
	last, next          int64
	stop                bool // it has no next time
}

// entry is a job in a slot of the ring.
type entry struct {
	job     int32
	planned int64
}

// executor of statements: a connection or a transaction.
type runner interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// schedule is the schedule thread.
func (n *Node) schedule(ctx context.Context) {
	for {
		if n.resting.Load() {
			if !pause(ctx, 100*time.Millisecond) {
				return
			}
			continue
		}
		begin := time.Now()
		found, err := n.pass(ctx)
		n.fault(ctx, "schedule pass", err)
		if time.Since(begin) >= time.Second {
			continue
		}
		now := time.Now()
		rest := now.Truncate(time.Second).Add(time.Second).Sub(now)
		if found == 0 && err == nil {
			rest = preRead - time.Duration(now.UnixMilli()%1000)*time.Millisecond
		}
		if !pause(ctx, rest) {
			return
		}
	}
}

// pass is one pass: lock, read, fire or push to the ring, move on, commit.
func (n *Node) pass(ctx context.Context) (found int, err error) {
	tx, err := n.cfg.DB.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { // Java commits in a finally block, also after a fault
		if commitErr := tx.Commit(); err == nil {
			err = commitErr
		}
	}()
	begin := time.Now()
	if err := discard(ctx, tx, lockStatement); err != nil {
		return 0, fmt.Errorf("schedule_lock: %w", err)
	}
	now := time.Now()
	n.count(func(c *Counts) {
		c.Passes++
		c.LongestLock = max(c.LongestLock, now.Sub(begin))
	})
	other := runner(n.cfg.DB)
	if n.cfg.Release.OneTransaction {
		other = tx
	}
	jobs, err := readDue(ctx, other, now)
	if err != nil {
		return 0, err
	}
	for i := range jobs {
		n.plan(ctx, &jobs[i], now)
	}
	return len(jobs), n.move(ctx, other, jobs)
}

// discard runs a query whose rows nobody looks at.
func discard(ctx context.Context, r runner, query string) error {
	rows, err := r.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++ // as in Java nobody asks whether the row was there
	}
	return rows.Err()
}

func readDue(ctx context.Context, r runner, now time.Time) ([]due, error) {
	rows, err := r.QueryContext(ctx, dueStatement, now.Add(preRead).UnixMilli(), preReadCount)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var jobs []due
	for rows.Next() {
		var d due
		if err := rows.Scan(&d.id, &d.kind, &d.conf, &d.misfire, &d.last, &d.next); err != nil {
			return nil, err
		}
		jobs = append(jobs, d)
	}
	return jobs, rows.Err()
}

// plan takes one of the three branches.
func (n *Node) plan(ctx context.Context, d *due, now time.Time) {
	ms := now.UnixMilli()
	late := ms > d.next || (n.cfg.Release.EqualIsLate && ms == d.next)
	switch {
	case ms > d.next+preRead.Milliseconds():
		if d.misfire == "FIRE_ONCE_NOW" {
			n.queue(ctx, call{job: d.id, retries: -1})
		}
		n.refresh(d, now)
	case late:
		n.queue(ctx, call{job: d.id, retries: -1, planned: d.next})
		n.refresh(d, now)
	default:
		n.push(entry{job: d.id, planned: d.next})
		n.refresh(d, time.UnixMilli(d.next))
	}
}

// refresh computes the next time after from. What lies between the last time
// and the next is skipped.
func (n *Node) refresh(d *due, from time.Time) {
	planned := d.next
	d.last = planned
	next := d.after(from)
	if next.IsZero() {
		d.last, d.next, d.stop = 0, 0, true
		return
	}
	d.next = next.UnixMilli()
	n.count(func(c *Counts) {
		for at := d.after(time.UnixMilli(planned)); at.Before(next) && !at.IsZero(); at = d.after(at) {
			c.Skipped[Instant{Job: d.id, Ms: at.UnixMilli()}] = true
		}
	})
}

// after returns the first instant of the schedule after t, the zero time if
// there is none.
func (d *due) after(t time.Time) time.Time {
	if d.kind == "FIX_RATE" {
		seconds, err := strconv.ParseInt(d.conf, 10, 64)
		if err != nil {
			return time.Time{}
		}
		return t.Add(time.Duration(seconds) * time.Second)
	}
	schedule, err := cron.Parse(d.conf)
	if err != nil {
		return time.Time{}
	}
	return schedule.Next(t.UTC())
}

// move writes the new times.
func (n *Node) move(ctx context.Context, r runner, jobs []due) error {
	if !n.cfg.Release.OneTransaction {
		for _, d := range jobs {
			status := ""
			if d.stop {
				status = ", trigger_status = 0"
			}
			if _, err := r.ExecContext(ctx, fmt.Sprintf(moveStatement, status), d.last, d.next, d.id); err != nil {
				return err
			}
		}
		return nil
	}
	for len(jobs) > 0 {
		size := min(batchSize, len(jobs))
		text, args := moveBatch(jobs[:size])
		if _, err := r.ExecContext(ctx, text, args...); err != nil {
			return err
		}
		jobs = jobs[size:]
	}
	return nil
}

// moveBatch is the statement of 3.4.0 for many jobs.
func moveBatch(jobs []due) (text string, args []any) {
	var last, next, status, ids strings.Builder
	var lastArgs, nextArgs, statusArgs, idArgs []any
	for _, d := range jobs {
		last.WriteString(" WHEN ? THEN ?")
		next.WriteString(" WHEN ? THEN ?")
		lastArgs, nextArgs = append(lastArgs, d.id, d.last), append(nextArgs, d.id, d.next)
		if d.stop {
			status.WriteString(" WHEN ? THEN 0")
			statusArgs = append(statusArgs, d.id)
		}
		ids.WriteString(",?")
		idArgs = append(idArgs, d.id)
	}
	text = "UPDATE xxl_job_info SET trigger_last_time = CASE id" + last.String() +
		" END, trigger_next_time = CASE id" + next.String() + " END"
	if status.Len() > 0 {
		text += ", trigger_status = CASE id" + status.String() + " ELSE trigger_status END"
	}
	text += " WHERE id IN (" + ids.String()[1:] + ") AND trigger_status = 1"
	return text, append(append(append(lastArgs, nextArgs...), statusArgs...), idArgs...)
}

// push puts a job into its slot.
func (n *Node) push(e entry) {
	n.mu.Lock()
	defer n.mu.Unlock()
	slot := e.planned / 1000 % ringSlots
	n.ring[slot] = append(n.ring[slot], e)
}

// turnRing is the ring thread: at every full second it fires what its slots
// hold.
func (n *Node) turnRing(ctx context.Context) {
	for {
		now := time.Now()
		if !pause(ctx, now.Truncate(time.Second).Add(time.Second).Sub(now)) {
			return
		}
		for _, e := range n.takeSlots(time.Now().Unix() % ringSlots) {
			n.queue(ctx, call{job: e.job, retries: -1, planned: e.planned})
		}
	}
}

func (n *Node) takeSlots(second int64) (taken []entry) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for back := range int64(n.cfg.Release.LookBack + 1) {
		slot := (second + ringSlots - back) % ringSlots
		taken = append(taken, n.ring[slot]...)
		n.ring[slot] = nil
	}
	return taken
}
