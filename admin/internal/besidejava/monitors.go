package besidejava

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ids runs a query for ids.
func (n *Node) ids(ctx context.Context, query string, args ...any) ([]int64, error) {
	rows, err := n.cfg.DB.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		list = append(list, id)
	}
	return list, rows.Err()
}

// exec runs a statement and returns how many rows it changed.
func (n *Node) exec(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := n.cfg.DB.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// failMonitor claims failed runs one by one, queues their retries, and says
// that the alarm went well, as for a job without an address for mail.
func (n *Node) failMonitor(ctx context.Context) error {
	list, err := n.ids(ctx, "SELECT id FROM xxl_job_log WHERE !((trigger_code in (0, 200) and handle_code = 0) OR "+
		"(handle_code = 200)) AND alarm_status = 0 ORDER BY id ASC LIMIT ?", failLimit)
	if err != nil {
		return err
	}
	for _, id := range list {
		claimed, err := n.exec(ctx, "UPDATE xxl_job_log SET alarm_status = -1 WHERE id = ? AND alarm_status = 0", id)
		if err != nil {
			return err
		}
		if claimed == 0 {
			continue // another node has it
		}
		if err := n.failed(ctx, id); err != nil {
			return fmt.Errorf("failed run %d: %w", id, err)
		}
	}
	return nil
}

func (n *Node) failed(ctx context.Context, id int64) error {
	var c call
	var msg sql.NullString
	err := n.cfg.DB.QueryRowContext(ctx, "SELECT job_id, executor_fail_retry_count, executor_param, trigger_msg "+
		"FROM xxl_job_log WHERE id = ?", id).Scan(&c.job, &c.retries, &c.param, &msg)
	if err != nil {
		return err
	}
	if c.retries > 0 {
		c.retries--
		n.queue(ctx, c)
		if _, err := n.exec(ctx, "UPDATE xxl_job_log SET trigger_msg = ? WHERE id = ?",
			msg.String+"<br><br>retry<br>", id); err != nil {
			return err
		}
	}
	_, err = n.exec(ctx, "UPDATE xxl_job_log SET alarm_status = 2 WHERE id = ? AND alarm_status = -1", id)
	return err
}

// lostMonitor fails runs whose executor is not registered.
func (n *Node) lostMonitor(ctx context.Context) error {
	list, err := n.ids(ctx, "SELECT t.id FROM xxl_job_log AS t LEFT JOIN xxl_job_registry AS t2 "+
		"ON t.executor_address = t2.registry_value WHERE t.trigger_code = 200 AND t.handle_code = 0 "+
		"AND t.trigger_time <= ? AND t2.id IS NULL", wall(time.Now().Add(-n.cfg.Pace.LostAfter)))
	if err != nil {
		return err
	}
	for _, id := range list {
		n.count(func(c *Counts) { c.Lost++ })
		if _, err := n.exec(ctx, handleStatement, wall(time.Now()), 500, "lost", id); err != nil {
			return err
		}
	}
	return nil
}

// registryMonitor forgets dead executors and rewrites every automatic group.
func (n *Node) registryMonitor(ctx context.Context) error {
	groups, err := n.groups(ctx)
	if err != nil || len(groups) == 0 {
		return err
	}
	dead := wall(time.Now().Add(-deadAfter))
	list, err := n.ids(ctx, "SELECT t.id FROM xxl_job_registry AS t WHERE t.update_time < ?", dead)
	if err != nil {
		return err
	}
	for _, id := range list {
		if _, err := n.exec(ctx, "DELETE FROM xxl_job_registry WHERE id IN (?)", id); err != nil {
			return err
		}
	}
	alive, err := n.alive(ctx, dead)
	if err != nil {
		return err
	}
	for id, app := range groups {
		addresses := alive[app]
		slices.Sort(addresses)
		value := sql.NullString{String: strings.Join(addresses, ","), Valid: len(addresses) > 0}
		if _, err := n.exec(ctx, "UPDATE xxl_job_group SET app_name = ?, address_type = 0, address_list = ?, "+
			"update_time = ? WHERE id = ?", app, value, wall(time.Now()), id); err != nil {
			return err
		}
	}
	return nil
}

// groups returns the automatic groups: their application names by id.
func (n *Node) groups(ctx context.Context) (map[int64]string, error) {
	rows, err := n.cfg.DB.QueryContext(ctx, "SELECT id, app_name FROM xxl_job_group WHERE address_type = 0")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	groups := map[int64]string{}
	for rows.Next() {
		var id int64
		var app string
		if err := rows.Scan(&id, &app); err != nil {
			return nil, err
		}
		groups[id] = app
	}
	return groups, rows.Err()
}

// alive returns the registered addresses by application.
func (n *Node) alive(ctx context.Context, dead string) (map[string][]string, error) {
	rows, err := n.cfg.DB.QueryContext(ctx, "SELECT registry_key, registry_value FROM xxl_job_registry "+
		"WHERE registry_group = 'EXECUTOR' AND update_time > ?", dead)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	alive := map[string][]string{}
	for rows.Next() {
		var app, address string
		if err := rows.Scan(&app, &address); err != nil {
			return nil, err
		}
		if !slices.Contains(alive[app], address) {
			alive[app] = append(alive[app], address)
		}
	}
	return alive, rows.Err()
}

// report counts three days.
func (n *Node) report(ctx context.Context) error {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for back := range 3 {
		day := today.AddDate(0, 0, -back)
		var total, running, good sql.NullInt64
		err := n.cfg.DB.QueryRowContext(ctx, "SELECT COUNT(handle_code), SUM(CASE WHEN (trigger_code in (0, 200) and "+
			"handle_code = 0) then 1 else 0 end), SUM(CASE WHEN handle_code = 200 then 1 else 0 end) FROM xxl_job_log "+
			"WHERE trigger_time BETWEEN ? and ?", wall(day), wall(day.Add(24*time.Hour-time.Second))).
			Scan(&total, &running, &good)
		if err != nil {
			return err
		}
		changed, err := n.exec(ctx, "UPDATE xxl_job_log_report SET running_count = ?, suc_count = ?, fail_count = ?, "+
			"update_time = ? WHERE trigger_day = ?", running.Int64, good.Int64,
			total.Int64-running.Int64-good.Int64, wall(time.Now()), wall(day))
		if err != nil {
			return err
		}
		if changed > 0 {
			continue
		}
		if _, err := n.exec(ctx, "INSERT INTO xxl_job_log_report (trigger_day, running_count, suc_count, fail_count) "+
			"VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE running_count = VALUES(running_count)",
			wall(day), running.Int64, good.Int64, total.Int64-running.Int64-good.Int64); err != nil {
			return err
		}
	}
	return nil
}
