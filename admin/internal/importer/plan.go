package importer

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/cron"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// publicToken is the token that Java's schema ships for every group. It is no
// secret, so that it is not copied.
const publicToken = "default_token"

// numbers gives out ids: the same one where it is free, else one above all.
type numbers struct {
	taken map[int32]bool
	last  int32
}

func newNumbers[T any](id func(T) int32, target, source []T) *numbers {
	n := &numbers{taken: make(map[int32]bool)}
	for _, row := range target {
		n.taken[id(row)] = true
		n.last = max(n.last, id(row))
	}
	for _, row := range source {
		n.last = max(n.last, id(row))
	}
	return n
}

func (n *numbers) take(id int32) (got int32, action string) {
	if !n.taken[id] {
		n.taken[id] = true
		return id, Copied
	}
	n.last++
	return n.last, Remapped
}

func groupID(g *model.Group) int32 { return g.ID }
func jobID(j *model.Job) int32     { return j.ID }
func userID(u *model.User) int32   { return u.ID }

func byID[T any](id func(T) int32, list []T) map[int32]T {
	all := make(map[int32]T, len(list))
	for _, row := range list {
		all[id(row)] = row
	}
	return all
}

// planGroups decides which groups are copied, and where the others are.
func (r *run) planGroups() {
	free := newNumbers(groupID, r.dst.Groups, r.src.Groups)
	there := byID(groupID, r.dst.Groups)
	names := make(map[string]int) // app names of the source
	for _, g := range r.src.Groups {
		names[g.AppName]++
	}
	for _, g := range r.src.Groups {
		item := Item{Action: Present, ID: int64(g.ID), Name: g.AppName}
		if to, ok := r.old.groups[g.ID]; ok {
			if there[to] == nil {
				item.Action, item.Notes = Skipped, []string{"was imported before and deleted here since"}
			} else {
				r.groups[g.ID] = to
			}
			if _, made := r.old.made[g.ID]; made {
				r.made[g.ID] = to // also a deleted one stays on record
			}
			r.report.Groups.add(item)
			continue
		}
		if to := r.sameGroup(g, names[g.AppName] == 1); to != nil {
			r.groups[g.ID] = to.ID
			if to.ID != g.ID {
				item.Notes = append(item.Notes, fmt.Sprintf("the group of this app name here has the id %d", to.ID))
			}
			r.report.Groups.add(item)
			continue
		}
		r.copyGroup(g, free, item)
	}
}

// sameGroup finds a group in the target, or among those that are copied where
// the target bears an app name only once.
func (r *run) sameGroup(g *model.Group, only bool) *model.Group {
	var found *model.Group
	for _, to := range r.dst.Groups {
		if to.AppName != g.AppName {
			continue
		}
		if to.Title == g.Title {
			return to
		}
		if found == nil && only {
			found = to
		}
	}
	if found != nil || r.Target.Info().Generation != "S5" {
		return found
	}
	for _, to := range slices.Concat(r.dst.Groups, r.out.Groups) {
		if strings.EqualFold(to.AppName, g.AppName) {
			return to
		}
	}
	return nil
}

func (r *run) copyGroup(g *model.Group, free *numbers, item Item) {
	row := *g
	if !row.Manual { // its executors register here by themselves
		row.AddressList = model.Text{}
	}
	if row.AccessToken == publicToken {
		row.AccessToken = ""
		item.Notes = append(item.Notes, "its access token is the public default, which was not copied")
	}
	if _, ok := row.OldAt(r.Now); !ok || row.Old.Token == publicToken {
		row.Old = nil
	}
	if err := r.Target.CheckGroup(&row); err != nil {
		item.Action, item.Notes = Skipped, []string{err.Error()}
		r.report.Groups.add(item)
		return
	}
	row.ID, item.Action = free.take(g.ID)
	item.NewID = int64(row.ID)
	r.groups[g.ID], r.made[g.ID] = row.ID, row.ID
	r.out.Groups = append(r.out.Groups, &row)
	r.report.Groups.add(item)
}

// planUsers decides which users are copied.
func (r *run) planUsers(ctx context.Context) error {
	free := newNumbers(userID, r.dst.Users, r.src.Users)
	there := make(map[string]*model.User, len(r.dst.Users))
	for _, u := range r.dst.Users {
		there[strings.ToLower(u.Username)] = u
	}
	for _, u := range r.src.Users {
		item := Item{Action: Present, ID: int64(u.ID), Name: u.Username}
		if here := there[strings.ToLower(u.Username)]; here != nil {
			if here.Admin != u.Admin {
				item.Notes = append(item.Notes, "is an administrator on one side only, and stays what it is here")
			}
			r.users[u.ID] = here.ID
			r.report.Users.add(item)
			continue
		}
		row := *u
		row.Own, row.JavaHash, row.Hash = nil, "", ""
		row.Permission = r.permission(u, &item)
		if err := r.Target.CheckUser(&row); err != nil {
			item.Action, item.Notes = Skipped, []string{err.Error()}
			r.report.Users.add(item)
			continue
		}
		if err := r.password(ctx, u, &row, &item); err != nil {
			return fmt.Errorf("user %q: %w", u.Username, err)
		}
		row.ID, item.Action = free.take(u.ID)
		item.NewID = int64(row.ID)
		r.users[u.ID] = row.ID
		there[strings.ToLower(u.Username)] = &row
		r.out.Users = append(r.out.Users, &row)
		r.report.Users.add(item)
	}
	return nil
}

// password makes the hashes of a new user.
func (r *run) password(ctx context.Context, from, u *model.User, item *Item) (err error) {
	if r.Passwords != nil {
		if r.DryRun {
			return nil
		}
		item.Password, u.JavaHash, u.Hash, err = r.Passwords(ctx)
		return err
	}
	if r.Carry != nil {
		java, own, ok := r.Carry(from.JavaHash, from.Hash)
		if ok {
			u.JavaHash, u.Hash = java, own
			r.report.Passwords++
			return nil
		}
	}
	random := make([]byte, 20)
	_, _ = rand.Read(random) // never fails
	u.JavaHash = "!" + hex.EncodeToString(random)
	return nil
}

// permission names the groups of the target.
func (r *run) permission(u *model.User, item *Item) model.Text {
	if u.Permission.S == "" {
		return u.Permission
	}
	var list []string
	for text := range strings.SplitSeq(u.Permission.S, ",") {
		id, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
		to, ok := r.groups[int32(id)] //nolint:gosec // parsed as 32 bits wide
		if err != nil || !ok {
			item.Notes = append(item.Notes, fmt.Sprintf("permission on group %q left out: there is none", text))
			continue
		}
		list = append(list, strconv.Itoa(int(to)))
	}
	return model.T(strings.Join(list, ","))
}

// jobNotes says why a job would not fire by itself, or would fail when it does: a
// Java database takes any text.
func jobNotes(j *model.Job) []string {
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	switch j.ScheduleType {
	case model.ScheduleNone:
	case model.ScheduleCron:
		if _, err := cron.Parse(strings.TrimSpace(j.ScheduleConf.S)); err != nil {
			add("its schedule %q is refused, so it does not fire: %v", j.ScheduleConf.S, err)
		}
	case model.ScheduleFixRate:
		if n, err := strconv.ParseInt(strings.TrimSpace(j.ScheduleConf.S), 10, 32); err != nil || n < 1 {
			add("its schedule %q is refused, so it does not fire: it is no number of seconds", j.ScheduleConf.S)
		}
	default:
		add("its schedule type %q is unknown, so it does not fire", j.ScheduleType)
	}
	if j.Route != "" && !slices.Contains(model.Routes(), j.Route) {
		add("its route strategy %q is unknown: its runs fail", j.Route)
	}
	if !slices.Contains(model.GlueTypes(), j.GlueType) {
		add("its code type %q is unknown: executors refuse it", j.GlueType)
	}
	return notes
}
