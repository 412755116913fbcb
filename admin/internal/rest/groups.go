package rest

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// groupInput is what an editor sets of a group.
type groupInput struct {
	AppName     string   `json:"app_name"`
	Title       string   `json:"title"`
	AddressMode string   `json:"address_mode"`
	Addresses   []string `json:"addresses"`
}

// groupView is a group as it is answered.
type groupView struct {
	ID int32 `json:"id"`
	groupInput

	TokenSet  bool           `json:"token_set"`
	UpdatedAt *string        `json:"updated_at"`
	Standing  *groupStanding `json:"standing"`
}

// groupStanding is how the executors of a group stand as it is answered.
type groupStanding struct {
	StartedJobs int        `json:"started_jobs"`
	LastBeat    *string    `json:"last_beat"`
	Dead        int        `json:"dead"`
	OpenRuns    int        `json:"open_runs"`
	InFlight    int        `json:"in_flight"`
	Queued      int        `json:"queued"`
	Gone        []goneView `json:"gone"`
	Node        string     `json:"node"`
}

// goneView is an address that a group does not have any more, and where runs run.
type goneView struct {
	Address  string `json:"address"`
	OpenRuns int    `json:"open_runs"`
}

// The modes of addresses.
const (
	automatic = "automatic"
	manual    = "manual"
)

func viewGroup(g *ops.Group) groupView {
	v := groupView{
		ID: g.ID, TokenSet: g.TokenSet, UpdatedAt: atOrNull(g.UpdateTime),
		groupInput: groupInput{AppName: g.AppName, Title: g.Title, AddressMode: automatic},
	}
	if v.Addresses = orEmpty(g.Addresses()); g.Manual {
		v.AddressMode = manual
	}
	return v
}

// viewStanding is a group with how its executors stand.
func (c *call) viewStanding(st *ops.Standing) groupView {
	v := viewGroup(st.Group)
	v.Standing = &groupStanding{
		StartedJobs: st.Started, LastBeat: atOrNull(st.LastBeat), Dead: st.Dead, OpenRuns: st.Open,
		InFlight: st.InFlight, Queued: st.Queued, Gone: make([]goneView, len(st.Gone)), Node: c.s.cfg.Parts.Node,
	}
	for i, a := range st.Gone {
		v.Standing.Gone[i] = goneView{a.Address, a.Open}
	}
	return v
}

// groupETag is the version of what an editor sets: what the registry finds is
// no part of it.
func groupETag(g *ops.Group) string {
	v := viewGroup(g).groupInput
	if v.AddressMode == automatic {
		v.Addresses = nil
	}
	return etagOf(v)
}

func (c *call) showGroup(ctx context.Context, id int32) error {
	st, err := c.s.cfg.Ops.Standing(ctx, c.who, id)
	if err != nil {
		return err
	}
	return c.withETag(http.StatusOK, groupETag(st.Group), c.viewStanding(st))
}

// groupSorts are the orders of groups beside that by app name.
var groupSorts = func() []string {
	var list []string
	for _, sort := range ops.StandingSorts() {
		list = append(list, sort, "-"+sort)
	}
	return list
}()

func listGroups(ctx context.Context, c *call) error {
	limit, m, err := c.paging()
	if err != nil {
		return err
	}
	app, err := c.short("app_name", 64)
	if err != nil {
		return err
	}
	sort, err := c.choice("sort", groupSorts...)
	if err != nil {
		return err
	}
	groups, err := c.s.cfg.Ops.Standings(ctx, c.who)
	if err != nil {
		return err
	}
	of := func(st *ops.Standing) mark {
		if sort == "" {
			return mark{Text: st.AppName, More: st.Title, ID: int64(st.ID)}
		}
		p := st.Place(sort)
		return mark{Text: p.Text, Number: p.Number, ID: p.ID}
	}
	order := func(a, b mark) int {
		if sort == "" {
			return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.More, b.More), cmp.Compare(a.ID, b.ID))
		}
		return ops.ComparePlaces(sort, ops.StandingPlace{Number: a.Number, Text: a.Text, ID: a.ID},
			ops.StandingPlace{Number: b.Number, Text: b.Text, ID: b.ID})
	}
	groups = slices.DeleteFunc(groups, func(st *ops.Standing) bool {
		return !strings.Contains(strings.ToLower(st.AppName), strings.ToLower(app)) ||
			m != nil && order(of(st), *m) <= 0
	})
	slices.SortFunc(groups, func(a, b *ops.Standing) int { return order(of(a), of(b)) })
	groups, more := cut(groups, limit)
	answer := page[groupView]{Items: make([]groupView, 0, len(groups))}
	var last mark
	for _, st := range groups {
		answer.Items, last = append(answer.Items, c.viewStanding(st)), of(st)
	}
	answer.NextCursor = c.next(more, last)
	return c.json(http.StatusOK, answer)
}

// unknownView is an app name without a group as it is answered.
type unknownView struct {
	AppName   string   `json:"app_name"`
	Addresses []string `json:"addresses"`
	Count     int      `json:"count"`
	LastBeat  *string  `json:"last_beat"`
	Since     *string  `json:"registered_since"`
}

// listUnknown tells of executors whose app names no group has.
func listUnknown(ctx context.Context, c *call) error {
	list, names, err := c.s.cfg.Ops.Unknown(ctx, c.who)
	if err != nil {
		return err
	}
	answer := struct {
		items[unknownView]

		AppNames int `json:"app_names"`
	}{items[unknownView]{make([]unknownView, len(list))}, names}
	for i, u := range list {
		v := unknownView{u.AppName, orEmpty(u.Addresses), u.Count, atOrNull(u.LastBeat), nil}
		if !u.Before {
			v.Since = atOrNull(u.Since)
		}
		answer.Items[i] = v
	}
	return c.json(http.StatusOK, answer)
}

// refusedView is who has called with a wrong token as it is answered.
type refusedView struct {
	Client  string  `json:"client"`
	AppName string  `json:"app_name"`
	Address string  `json:"address"`
	Call    string  `json:"call"`
	Count   int     `json:"count"`
	First   *string `json:"first"`
	Last    *string `json:"last"`
}

// listRefused tells of executors that come with a wrong token.
func listRefused(ctx context.Context, c *call) error {
	list, err := c.s.cfg.Ops.Refused(ctx, c.who)
	if err != nil {
		return err
	}
	answer := struct {
		items[refusedView]

		Node string `json:"node"`
	}{items[refusedView]{make([]refusedView, len(list))}, c.s.cfg.Parts.Node}
	for i, r := range list {
		answer.Items[i] = refusedView{
			r.Client, r.AppName, r.Address, r.Call, r.Count, atOrNull(r.First), atOrNull(r.Last),
		}
	}
	return c.json(http.StatusOK, answer)
}

func getGroup(ctx context.Context, c *call) error {
	id, err := c.id32("group_id")
	if err != nil {
		return err
	}
	return c.showGroup(ctx, id)
}

// group reads a group from the body.
func (c *call) group(id int32) (*model.Group, error) {
	var in groupInput
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	var f faults
	mode := enum(&f, "/address_mode", in.AddressMode, automatic, automatic, manual)
	if mode == automatic && len(in.Addresses) > 0 {
		f.add("/addresses", "they go with address_mode manual")
	}
	return &model.Group{
		ID: id, AppName: in.AppName, Title: in.Title, Manual: mode == manual,
		AddressList: model.T(strings.Join(in.Addresses, ",")),
	}, f.err()
}

func createGroup(ctx context.Context, c *call) error {
	in, err := c.group(0)
	if err != nil {
		return err
	}
	id, err := c.s.cfg.Ops.CreateGroup(ctx, c.who, in)
	if err != nil {
		return err
	}
	st, err := c.s.cfg.Ops.Standing(ctx, c.who, id)
	if err != nil {
		return err
	}
	c.w.Header().Set("ETag", groupETag(st.Group))
	return c.created(http.StatusCreated, "/v1/groups/"+strconv.Itoa(int(id)), c.viewStanding(st))
}

func updateGroup(ctx context.Context, c *call) error {
	id, err := c.id32("group_id")
	if err != nil {
		return err
	}
	if _, err := c.matches(""); err != nil {
		return err
	}
	in, err := c.group(id)
	if err != nil {
		return err
	}
	err = c.s.cfg.Ops.EditGroup(ctx, c.who, in, func(g *ops.Group) bool {
		ok, err := c.matches(groupETag(g))
		return ok && err == nil
	})
	if err != nil {
		return err
	}
	return c.showGroup(ctx, id)
}

func deleteGroup(ctx context.Context, c *call) error {
	id, err := c.id32("group_id")
	if err != nil {
		return err
	}
	g, err := c.s.cfg.Ops.Group(ctx, c.who, id)
	if err != nil {
		return err
	}
	ok, err := c.matches(groupETag(g))
	if err != nil {
		return err
	}
	if !ok {
		return ops.ErrStale
	}
	if err := c.s.cfg.Ops.DeleteGroup(ctx, c.who, id); err != nil {
		return err
	}
	return c.gone()
}

// items is a list that has no pages.
type items[T any] struct {
	Items []T `json:"items"`
}

func rotateToken(ctx context.Context, c *call) error {
	id, err := c.id32("group_id")
	if err != nil {
		return err
	}
	var in struct {
		OverlapSeconds int64 `json:"overlap_seconds"`
	}
	if err := c.decodeIf(&in); err != nil {
		return err
	}
	overlap := time.Duration(min(max(in.OverlapSeconds, -1), 1<<32)) * time.Second
	if in.OverlapSeconds < 0 {
		overlap = ops.OverlapEndless
	}
	token, err := c.s.cfg.Ops.RotateToken(ctx, c.who, id, overlap)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, struct {
		Token string `json:"token"`
	}{token})
}
