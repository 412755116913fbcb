package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const changePage = 200

// copyChanges copies the history of jobs and groups that is new since the last
// import. What it says of other objects gets their ids here.
func (r *run) copyChanges(ctx context.Context) error {
	foreign := 0
	for last := r.old.changes; ; {
		page, err := r.Source.ChangesAfter(ctx, last, changePage)
		if err != nil {
			return fmt.Errorf("source: %w", err)
		}
		if len(page) == 0 {
			break
		}
		var out []*model.Change
		for _, c := range page {
			last = c.ID
			if !r.change(c) {
				foreign++
				continue
			}
			out = append(out, c)
		}
		r.report.Own.Changes.Copied += len(out)
		if r.DryRun {
			continue
		}
		if err := r.Target.ImportChanges(ctx, out, r.prefix+"changes", strconv.FormatInt(last, 10)); err != nil {
			return err
		}
	}
	r.report.Own.Changes.skip(foreign, "of what was not copied")
	return nil
}

// change makes a change of the source one of the target. It is false for one of
// what was not copied, or was deleted here since.
func (r *run) change(c *model.Change) bool {
	before, ok1 := fields(c.Before)
	after, ok2 := fields(c.After)
	if !ok1 || !ok2 {
		return false
	}
	kind := c.Kind
	if kind == model.ChangeRule || kind == model.ChangeMute {
		state := after
		if state == nil {
			state = before
		}
		if json.Unmarshal(state["kind"], &kind) != nil {
			return false
		}
	}
	copied, now := r.copied, r.jobs
	if kind == model.ChangeGroup {
		copied, now = r.made, r.groups
	}
	if _, ok := copied[c.ObjectID]; !ok {
		return false
	}
	to, ok := now[c.ObjectID]
	if !ok {
		return false
	}
	c.ObjectID = to
	for _, state := range []map[string]json.RawMessage{before, after} {
		r.state(state, to)
	}
	if before != nil {
		c.Before = encoded(before)
	}
	if after != nil {
		c.After = encoded(after)
	}
	return true
}

// fields reads the state of an object; nil is none. ok is false when it is no
// object of JSON.
func fields(text model.Text) (state map[string]json.RawMessage, ok bool) {
	if !text.Valid {
		return nil, true
	}
	return state, json.Unmarshal([]byte(text.S), &state) == nil && state != nil
}

// state sets the ids in what the history keeps of a job, a rule or a mute window
// whose object is to. Ids that are not here become 0: they would be those of
// others.
func (r *run) state(state map[string]json.RawMessage, to int32) {
	if _, ok := state["object_id"]; ok {
		state["object_id"] = number(to)
	}
	for name, list := range map[string]ids{"group_id": r.groups, "code_version": r.versions} {
		var id int32
		if json.Unmarshal(state[name], &id) == nil {
			state[name] = number(list[id])
		}
	}
	var children string
	if json.Unmarshal(state["children"], &children) == nil && children != "" {
		var kept []string
		for text := range strings.SplitSeq(children, ",") {
			id, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
			if there, ok := r.jobs[int32(id)]; ok && err == nil { //nolint:gosec // parsed as 32 bits wide
				kept = append(kept, strconv.Itoa(int(there)))
			}
		}
		state["children"] = json.RawMessage(strconv.Quote(strings.Join(kept, ",")))
	}
}

func number(n int32) json.RawMessage { return json.RawMessage(strconv.Itoa(int(n))) }
