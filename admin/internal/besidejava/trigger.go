package besidejava

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// HeaderPlanned tells the counting executor which instant a trigger of the Java
// node is for; 0 is a retry or a misfire. Triggers of ours have it in their
// logDateTime.
const HeaderPlanned = "X-Beside-Planned"

// call is a trigger that waits for a thread of the pool.
type call struct {
	job     int32
	retries int   // -1: those of the job
	planned int64 // 0: a retry or a misfire
	param   sql.NullString
}

// queue hands a trigger to the pool; a full queue drops it, as in 2.5.0.
func (n *Node) queue(ctx context.Context, c call) {
	select {
	case n.triggers <- c:
	default:
		n.fault(ctx, "trigger", errors.New("the queue of the trigger pool is full"))
	}
}

// pool is one of the threads that trigger.
func (n *Node) pool(ctx context.Context) {
	for {
		select {
		case c := <-n.triggers:
			n.fault(ctx, "trigger", n.trigger(ctx, c))
		case <-ctx.Done():
			return
		}
	}
}

// job is what a trigger reads of a job and its group.
type job struct {
	group, retries, timeout int
	route, handler, block   string
	param                   sql.NullString
	addresses               sql.NullString
	glueType                string
}

const jobStatement = "SELECT job_group, executor_fail_retry_count, executor_timeout, executor_route_strategy, " +
	"executor_handler, executor_block_strategy, executor_param, glue_type FROM xxl_job_info WHERE id = ?"

func (n *Node) readJob(ctx context.Context, id int32) (job, error) {
	var j job
	err := n.cfg.DB.QueryRowContext(ctx, jobStatement, id).Scan(&j.group, &j.retries, &j.timeout, &j.route,
		&j.handler, &j.block, &j.param, &j.glueType)
	if err != nil {
		return j, fmt.Errorf("job %d: %w", id, err)
	}
	err = n.cfg.DB.QueryRowContext(ctx, "SELECT address_list FROM xxl_job_group WHERE id = ?", j.group).
		Scan(&j.addresses)
	if err != nil {
		return j, fmt.Errorf("group %d: %w", j.group, err)
	}
	return j, nil
}

// trigger inserts the log row, sends, and writes what came of it.
func (n *Node) trigger(ctx context.Context, c call) error {
	j, err := n.readJob(ctx, c.job)
	if err != nil {
		return err
	}
	now := time.Now()
	res, err := n.cfg.DB.ExecContext(ctx, "INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, "+
		"handle_code) VALUES (?, ?, ?, 0, 0)", j.group, c.job, wall(now))
	if err != nil {
		return fmt.Errorf("insert of the log row: %w", err)
	}
	logID, err := res.LastInsertId()
	if err != nil {
		return err
	}
	if c.retries >= 0 {
		j.retries = c.retries
	}
	if c.param.Valid {
		j.param = c.param
	}
	answer := wire.Response{Code: wire.CodeFail, Msg: wire.Str("no address")}
	address := n.route(c.job, j)
	if address != "" {
		answer = n.send(ctx, address, c, j, logID, now)
	}
	_, err = n.cfg.DB.ExecContext(ctx, "UPDATE xxl_job_log SET trigger_time = ?, trigger_code = ?, trigger_msg = ?, "+
		"executor_address = ?, executor_handler = ?, executor_param = ?, executor_sharding_param = NULL, "+
		"executor_fail_retry_count = ? WHERE id = ?",
		wall(now), answer.Code, answer.Msg.String, address, j.handler, j.param, j.retries, logID)
	if err != nil {
		return fmt.Errorf("update of log row %d: %w", logID, err)
	}
	n.count(func(counts *Counts) {
		if c.planned > 0 {
			counts.Fired++
		} else {
			counts.Retried++
		}
	})
	return nil
}

// route chooses an address: by turns, or the first.
func (n *Node) route(id int32, j job) string {
	if j.addresses.String == "" {
		return ""
	}
	list := strings.Split(j.addresses.String, ",")
	if j.route != "ROUND" {
		return list[0]
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turn[id]++
	return list[n.turn[id]%len(list)]
}

// send posts the trigger. A fault of the transport is an answer with code 500.
func (n *Node) send(ctx context.Context, address string, c call, j job, logID int64, at time.Time) wire.Response {
	body := (&wire.TriggerRequest{
		JobID: c.job, ExecutorHandler: wire.Str(j.handler), ExecutorParams: wire.Str(j.param.String),
		ExecutorBlockStrategy: wire.Str(j.block), ExecutorTimeout: int32(j.timeout), LogID: logID,
		LogDateTime: at.UnixMilli(), GlueType: wire.Str(j.glueType), BroadcastTotal: 1,
	}).Append(nil)
	fail := func(err error) wire.Response {
		return wire.Response{Code: wire.CodeFail, Msg: wire.Str("xxl-job remoting error(" + err.Error() + ")")}
	}
	url := strings.TrimSuffix(address, "/") + wire.PathRun
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return fail(err)
	}
	req.Header.Set(wire.HeaderToken, n.cfg.Token)
	req.Header.Set(HeaderPlanned, strconv.FormatInt(c.planned, 10))
	res, err := n.http.Do(req)
	if err != nil {
		return fail(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return fail(err)
	}
	answer, err := wire.DecodeResponse(text)
	if err != nil {
		return fail(err)
	}
	return answer
}
