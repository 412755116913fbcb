package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/jobfile"
)

// world is what there is, for names.
func world(ctx context.Context, c *client.Client) (jobfile.World, error) {
	w := jobfile.World{Code: func(id int32) (string, error) {
		code, err := c.Code(ctx, id)
		if err != nil {
			return "", err
		}
		return code.Code, nil
	}}
	for g, err := range c.Groups(ctx, "") {
		if err != nil {
			return w, err
		}
		w.Groups = append(w.Groups, g)
	}
	for j, err := range c.Jobs(ctx, client.JobFilter{Sort: "id"}) {
		if err != nil {
			return w, err
		}
		w.Jobs = append(w.Jobs, j)
	}
	return w, nil
}

// groupsByID maps the ids of groups to them; there is none of an id that is not
// in it.
func groupsByID(ctx context.Context, c *client.Client) (map[int32]*client.Group, error) {
	groups := make(map[int32]*client.Group)
	for g, err := range c.Groups(ctx, "") {
		if err != nil {
			return nil, err
		}
		groups[g.ID] = g
	}
	return groups, nil
}

// AsID reads the id of a job or group.
func AsID(text string) (int32, bool) {
	id, err := strconv.ParseInt(text, 10, 32)
	return int32(id), err == nil && id > 0 //nolint:gosec // parsed as 32 bits wide
}

// findGroup returns the group of an id or an app name.
func findGroup(ctx context.Context, c *client.Client, name string) (*client.Group, error) {
	if id, ok := AsID(name); ok {
		return c.Group(ctx, id)
	}
	var found []*client.Group
	for g, err := range c.Groups(ctx, name) {
		if err != nil {
			return nil, err
		}
		if g.AppName == name {
			found = append(found, g)
		}
	}
	switch len(found) {
	case 0:
		return nil, notFound("there is no group %q: xxl-job-admin executor list shows them", name)
	case 1:
		return found[0], nil
	}
	return nil, UsageError{Err: fmt.Errorf("there are %d groups %q: give the id of one (%d, %d …)",
		len(found), name, found[0].ID, found[1].ID)}
}

// FindJob returns the job of an id, a name, or a group and a name: 7, settle or
// orders/settle.
func FindJob(ctx context.Context, c *client.Client, name string) (*client.Job, error) {
	if id, ok := AsID(name); ok {
		return c.Job(ctx, id)
	}
	filter, want := client.JobFilter{Name: name}, name
	if app, rest, ok := strings.Cut(name, "/"); ok {
		g, err := findGroup(ctx, c, app)
		if err == nil {
			filter, want = client.JobFilter{GroupID: g.ID, Name: rest}, rest
		} else if coded := new(codedError); !errors.As(err, coded) { // else the name has a slash
			return nil, err
		}
	}
	var ids []string
	var found *client.Job
	for j, err := range c.Jobs(ctx, filter) {
		if err != nil {
			return nil, err
		}
		if j.Name == want {
			found = j
			ids = append(ids, strconv.Itoa(int(j.ID)))
		}
	}
	switch len(ids) {
	case 0:
		return nil, notFound("there is no job %q: xxl-job-admin job list shows them", name)
	case 1:
		return found, nil
	}
	return nil, UsageError{Err: fmt.Errorf("there are %d jobs %q: give the id of one (%s), or its group: GROUP/NAME",
		len(ids), name, strings.Join(ids, ", "))}
}

// findTarget is FindJob for what is done to a job. A key may do it without being
// allowed to look: then only the id is known.
func findTarget(ctx context.Context, c *client.Client, name string) (*client.Job, error) {
	j, err := FindJob(ctx, c, name)
	if id, ok := AsID(name); ok && errors.Is(err, client.ErrForbidden) {
		return &client.Job{ID: id}, nil
	}
	return j, err
}
