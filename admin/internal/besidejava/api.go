package besidejava

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

const handleStatement = "UPDATE xxl_job_log SET handle_time = ?, handle_code = ?, handle_msg = ? WHERE id = ?"

// Handler returns what executors post to: results and heartbeats. As in Java
// they are acknowledged before they are stored.
func (n *Node) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(wire.PathCallback, func(w http.ResponseWriter, r *http.Request) {
		n.take(w, r, func(ctx context.Context, body []byte) error {
			items, err := wire.DecodeCallbacks(body)
			if err != nil {
				return err
			}
			for _, item := range items {
				if err := n.result(ctx, item); err != nil {
					return fmt.Errorf("result of run %d: %w", item.LogID, err)
				}
			}
			return nil
		})
	})
	mux.HandleFunc(wire.PathRegistry, func(w http.ResponseWriter, r *http.Request) {
		n.take(w, r, func(ctx context.Context, body []byte) error {
			beat, err := wire.DecodeRegistry(body)
			if err != nil {
				return err
			}
			_, err = n.exec(ctx, "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, "+
				"update_time) VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE update_time = VALUES(update_time)",
				beat.Group.String, beat.Key.String, beat.Value.String, wall(time.Now()))
			return err
		})
	})
	return mux
}

// take acknowledges a request and stores what it brought afterwards.
func (n *Node) take(w http.ResponseWriter, r *http.Request, store func(ctx context.Context, body []byte) error) {
	if r.Header.Get(wire.HeaderToken) != n.cfg.Token {
		refuse(w, wire.TextTokenWrong)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || !n.group.Go(func(ctx context.Context) { n.fault(ctx, r.URL.Path, store(ctx, body)) }) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write(wire.AppendResponse(nil, wire.Response{Code: wire.CodeSuccess})) // a client that is gone asks again
}

// result checks whether the run has a result already and stores this one
// otherwise: two statements, and nothing between them.
func (n *Node) result(ctx context.Context, item wire.CallbackItem) error {
	var code int
	var msg sql.NullString
	err := n.cfg.DB.QueryRowContext(ctx, "SELECT handle_code, handle_msg FROM xxl_job_log WHERE id = ?", item.LogID).
		Scan(&code, &msg)
	if errors.Is(err, sql.ErrNoRows) {
		return errors.New("log item not found")
	}
	if err != nil {
		return err
	}
	if code > 0 {
		n.count(func(c *Counts) { c.Repeats++ })
		return nil
	}
	text := item.Msg.String
	if msg.Valid {
		text = msg.String + "<br>" + text
	}
	if _, err := n.exec(ctx, handleStatement, wall(time.Now()), item.Code, text, item.LogID); err != nil {
		return err
	}
	n.count(func(c *Counts) { c.Results++ })
	return nil
}
