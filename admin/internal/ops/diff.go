package ops

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// diff collects what an edit changed, for the audit log.
type diff struct{ b strings.Builder }

// text notes a changed text.
func (d *diff) text(name, from, to string) {
	if from != to {
		d.note(name, fmt.Sprintf("%q → %q", cut(from, maxValue), cut(to, maxValue)))
	}
}

// value notes a changed number or flag.
func (d *diff) value(name string, from, to any) {
	if from != to {
		d.note(name, fmt.Sprintf("%v → %v", from, to))
	}
}

// roles notes the groups in which a role has changed.
func (d *diff) roles(from, to map[int32]model.Role) {
	var list []string
	for _, id := range slices.Sorted(maps.Keys(maps.Collect(func(yield func(int32, bool) bool) {
		for _, of := range []map[int32]model.Role{from, to} {
			for id := range of {
				if !yield(id, true) {
					return
				}
			}
		}
	}))) {
		if from[id] != to[id] {
			list = append(list, fmt.Sprintf("group %d %s → %s", id, roleWord(from[id]), roleWord(to[id])))
		}
	}
	if len(list) > 0 {
		d.note("roles", strings.Join(list, ", "))
	}
}

func roleWord(r model.Role) string { return cmp.Or(r.String(), "none") }

// size notes a changed text by its size alone: code, and what is secret.
func (d *diff) size(name, from, to string) {
	if from != to {
		d.note(name, fmt.Sprintf("%d → %d bytes", len(from), len(to)))
	}
}

func (d *diff) note(name, what string) {
	if d.b.Len() > 0 {
		d.b.WriteString("; ")
	}
	d.b.WriteString(name + ": " + what)
}

func (d *diff) String() string { return d.b.String() }

// jobDiff lists what differs between two versions of a job.
func jobDiff(a, b *model.Job) string {
	var d diff
	d.value("group", a.GroupID, b.GroupID)
	d.text("name", a.Name, b.Name)
	d.text("author", a.Author.S, b.Author.S)
	d.text("alarm_email", a.AlarmEmail.S, b.AlarmEmail.S)
	d.text("schedule_type", string(a.ScheduleType), string(b.ScheduleType))
	d.text("schedule_conf", a.ScheduleConf.S, b.ScheduleConf.S)
	d.text("time_zone", a.TimeZone, b.TimeZone)
	d.text("misfire", string(a.Misfire), string(b.Misfire))
	d.text("route", string(a.Route), string(b.Route))
	d.text("block", string(a.Block), string(b.Block))
	d.text("handler", a.Handler.S, b.Handler.S)
	d.text("param", a.Param.S, b.Param.S)
	d.value("timeout", a.TimeoutSec, b.TimeoutSec)
	d.value("retries", a.Retries, b.Retries)
	d.text("children", a.Children.S, b.Children.S)
	d.text("glue_type", a.GlueType, b.GlueType)
	d.size("glue_source", a.GlueSource.S, b.GlueSource.S)
	return d.String()
}

// groupDiff lists what differs between two versions of a group.
func groupDiff(a, b *model.Group) string {
	var d diff
	d.text("app_name", a.AppName, b.AppName)
	d.text("title", a.Title, b.Title)
	d.value("manual", a.Manual, b.Manual)
	d.text("addresses", a.AddressList.S, b.AddressList.S)
	return d.String()
}

// userDiff lists what differs between two versions of a user.
func userDiff(a, b *model.User) string {
	var d diff
	d.value("admin", a.Admin, b.Admin)
	d.roles(a.Roles(), b.Roles())
	d.value("code", a.Code, b.Code)
	return d.String()
}
