package rest

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// difference is a field that a change has changed.
type difference struct {
	Field  string `json:"field"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// changeView is a change as it is answered.
type changeView struct {
	ID          int64        `json:"id"`
	At          string       `json:"at"`
	User        string       `json:"user"`
	Kind        string       `json:"kind"`
	ObjectID    int32        `json:"object_id"`
	Action      string       `json:"action"`
	Differences []difference `json:"differences"`
}

func viewChange(ch *model.Change) (changeView, error) {
	v := changeView{
		ID: ch.ID, At: at(ch.At), User: ch.User, Kind: ch.Kind, ObjectID: ch.ObjectID, Action: ch.Action,
		Differences: []difference{},
	}
	before, err := fields(ch.Before)
	if err != nil {
		return v, err
	}
	after, err := fields(ch.After)
	if err != nil {
		return v, err
	}
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !reflect.DeepEqual(before[name], after[name]) {
			v.Differences = append(v.Differences, difference{name, worded(name, before), worded(name, after)})
		}
	}
	return v, nil
}

// worded is a value as the rest of the interface writes it: names of choices are
// in lower case.
func worded(name string, values map[string]any) any {
	text, ok := values[name].(string)
	switch name {
	case "schedule_type", "misfire", "route", "block", "code_type":
		if ok {
			return strings.ToLower(text)
		}
	}
	return values[name]
}

// fields are the fields of a state; none for NULL.
func fields(state model.Text) (map[string]any, error) {
	values := map[string]any{}
	if !state.Valid {
		return values, nil
	}
	err := json.Unmarshal([]byte(state.S), &values)
	return values, err
}

// changesOf lists the changes of an object.
type changesOf func(ctx context.Context, p ops.Principal, id int32, limit int, before int64) ([]*model.Change, error)

func listJobChanges(ctx context.Context, c *call) error {
	return listChanges(ctx, c, "job_id", c.s.cfg.Ops.JobChanges)
}

func listGroupChanges(ctx context.Context, c *call) error {
	return listChanges(ctx, c, "group_id", c.s.cfg.Ops.GroupChanges)
}

func listChanges(ctx context.Context, c *call, name string, of changesOf) error {
	id, err := c.id32(name)
	if err != nil {
		return err
	}
	limit, m, err := c.paging()
	if err != nil {
		return err
	}
	list, err := of(ctx, c.who, id, limit+1, m.before())
	if err != nil {
		return err
	}
	list, more := cut(list, limit)
	answer := page[changeView]{Items: make([]changeView, 0, len(list))}
	var last mark
	for _, ch := range list {
		v, err := viewChange(ch)
		if err != nil {
			return err
		}
		answer.Items, last = append(answer.Items, v), mark{ID: ch.ID}
	}
	answer.NextCursor = c.next(more, last)
	return c.json(http.StatusOK, answer)
}

// before is the id that a page lies below; 0 is the newest.
func (m *mark) before() int64 {
	if m == nil {
		return 0
	}
	return m.ID
}

func getChange(ctx context.Context, c *call) error {
	id, err := c.id64("change_id")
	if err != nil {
		return err
	}
	ch, err := c.s.cfg.Ops.Change(ctx, c.who, id)
	if err != nil {
		return err
	}
	return c.showChange(ch)
}

func (c *call) showChange(ch *model.Change) error {
	v, err := viewChange(ch)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, v)
}

func undoChange(ctx context.Context, c *call) error {
	id, err := c.id64("change_id")
	if err != nil {
		return err
	}
	var in struct {
		Force bool `json:"force"`
	}
	if err := c.decodeIf(&in); err != nil {
		return err
	}
	ch, err := c.s.cfg.Ops.Undo(ctx, c.who, id, in.Force)
	if err != nil {
		return err
	}
	return c.showChange(ch)
}
