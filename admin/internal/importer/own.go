package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// declaredPrefix begins the settings that say what executors have declared of
// jobs: declared/GROUP/DIGEST.
const declaredPrefix = "declared/"

// kindUser stands beside model.ChangeJob and model.ChangeGroup.
const kindUser = "user"

// OwnReport says what became of what another database of ours holds beside
// Java's tables. It follows the jobs, groups and users that are copied; what is
// of others stays as it is in the target.
type OwnReport struct {
	Roles     Section `json:"roles"`       // viewer, operator and admin of groups
	Code      Section `json:"code_rights"` // to write code
	Views     Section `json:"views"`       // filters that users have saved
	Tags      Section `json:"tags"`
	Mutes     Section `json:"mutes"`
	Rules     Section `json:"alarm_rules"`
	Keys      Section `json:"keys"`
	OldTokens Section `json:"old_tokens"` // that count beside the tokens of groups
	Declared  Section `json:"declared"`   // jobs that executors have declared
	Changes   Section `json:"changes"`    // the history of jobs and groups
	Left      []Left  `json:"left"`
}

// freshIDs are the ids of the target that this import gives.
type freshIDs struct{ groups, jobs, users map[int32]bool }

func idSet[T any](id func(T) int32, list []T) map[int32]bool {
	set := make(map[int32]bool, len(list))
	for _, row := range list {
		set[id(row)] = true
	}
	return set
}

// rowsOf counts what became of the rows of one table.
type rowsOf struct {
	*Section
	r             *run
	foreign, kept int
}

// row is one that belongs to an object of the source. here says whether the
// object of the target has it already, put copies it.
func (o *rowsOf) row(kind string, id int32, here func(to int32) bool, put func(to int32)) {
	to, fresh, ok := o.r.follow(kind, id)
	switch {
	case !ok:
		o.foreign++
	case fresh:
		o.Copied++
		put(to)
	case here(to):
		o.Present++
	default:
		o.kept++
	}
}

func (o *rowsOf) end() {
	o.skip(o.foreign, "of what was not copied")
	o.skip(o.kept, "of what was here already, and stays as it is")
}

// follow says where an object of the source is, and whether this import copies
// it.
func (r *run) follow(kind string, id int32) (to int32, fresh, ok bool) {
	switch kind {
	case model.ChangeGroup:
		to, ok = r.groups[id]
		fresh = ok && r.fresh.groups[to]
	case model.ChangeJob:
		to, ok = r.jobs[id]
		fresh = ok && r.fresh.jobs[to]
	case kindUser:
		to, ok = r.users[id]
		fresh = ok && r.fresh.users[to]
	}
	return to, fresh, ok
}

// planOwn decides what follows the groups, jobs and users.
func (r *run) planOwn(ctx context.Context) error {
	r.report.Own = new(OwnReport)
	src, dst, out, report := r.src.Own, r.dst.Own, &r.out.Own, r.report.Own
	if dst == nil {
		dst = new(store.Own)
	}
	r.fresh = freshIDs{idSet(groupID, r.out.Groups), idSet(jobID, r.out.Jobs), idSet(userID, r.out.Users)}
	r.planRights()
	tags := rowsOf{Section: &report.Tags, r: r}
	for _, t := range src.Tags {
		with := func(to int32) store.JobTag { return store.JobTag{JobID: to, Tag: t.Tag} }
		tags.row(model.ChangeJob, t.JobID, func(to int32) bool { return slices.Contains(dst.Tags, with(to)) },
			func(to int32) { out.Tags = append(out.Tags, with(to)) })
	}
	tags.end()
	rules := rowsOf{Section: &report.Rules, r: r}
	for _, rule := range src.Rules {
		rules.row(rule.Kind, rule.ObjectID, func(to int32) bool {
			rule.ObjectID = to
			return slices.ContainsFunc(dst.Rules, func(d model.AlarmRule) bool { return d.AlarmKey == rule.AlarmKey })
		}, func(to int32) { rule.ObjectID = to; out.Rules = append(out.Rules, rule) })
	}
	rules.end()
	r.planMutes(dst)
	r.planViews(dst)
	r.planKeys(dst)
	if err := r.planDeclared(ctx); err != nil {
		return err
	}
	return r.countLeft(ctx)
}

// planRights gives copied users their roles, and counts these, the rights to
// write code, and the old tokens of groups, which are in rows that come anyway.
func (r *run) planRights() {
	report := r.report.Own
	fresh, there := byID(userID, r.out.Users), byID(userID, r.dst.Users)
	roles, code := rowsOf{Section: &report.Roles, r: r}, rowsOf{Section: &report.Code, r: r}
	for _, u := range r.src.Users {
		for id, role := range u.Own {
			group, ok := r.groups[id]
			if !ok {
				roles.foreign++
				continue
			}
			roles.row(kindUser, u.ID, func(to int32) bool { return there[to].Own[group] == role }, func(to int32) {
				if fresh[to].Own == nil {
					fresh[to].Own = make(map[int32]model.Role)
				}
				fresh[to].Own[group] = role
			})
		}
		if u.Code {
			code.row(kindUser, u.ID, func(to int32) bool { return there[to].Code }, func(int32) {})
		}
	}
	roles.end()
	code.end()
	groups := byID(groupID, r.dst.Groups)
	tokens := rowsOf{Section: &report.OldTokens, r: r}
	ended := 0
	for _, g := range r.src.Groups {
		if g.Old == nil {
			continue
		}
		if _, ok := g.OldAt(r.Now); !ok {
			ended++
			continue
		}
		tokens.row(model.ChangeGroup, g.ID, func(to int32) bool { return groups[to].Old != nil }, func(int32) {})
	}
	tokens.end()
	tokens.skip(ended, "that do not count any more")
}

func (r *run) planMutes(dst *store.Own) {
	mutes := rowsOf{Section: &r.report.Own.Mutes, r: r}
	ended := 0
	for _, m := range r.src.Own.Mutes {
		if !m.Until.After(r.Now) {
			ended++
			continue
		}
		mutes.row(m.Kind, m.ObjectID, func(to int32) bool {
			return slices.ContainsFunc(dst.Mutes, func(d model.Mute) bool {
				return d.Kind == m.Kind && d.ObjectID == to
			})
		}, func(to int32) { m.ObjectID = to; r.out.Own.Mutes = append(r.out.Own.Mutes, m) })
	}
	mutes.end()
	mutes.skip(ended, "that have ended")
}

// planViews copies saved filters, whose addresses may name groups and jobs.
func (r *run) planViews(dst *store.Own) {
	views := rowsOf{Section: &r.report.Own.Views, r: r}
	for _, v := range r.src.Own.Views {
		query, ok := r.query(v.Query)
		if !ok {
			views.foreign++
			continue
		}
		v.Query = query
		views.row(kindUser, v.UserID, func(to int32) bool {
			return slices.ContainsFunc(dst.Views, func(d model.View) bool {
				return d.UserID == to && d.Page == v.Page && d.Name == v.Name
			})
		}, func(to int32) { v.UserID = to; r.out.Own.Views = append(r.out.Own.Views, v) })
	}
	views.end()
}

// query names groups and jobs in the query of a page as the target does. ok is
// false when one of them is not there.
func (r *run) query(text string) (string, bool) {
	q, err := url.ParseQuery(text)
	if err != nil {
		return text, true // the page says so
	}
	changed := false
	for name, to := range map[string]ids{"group": r.groups, "job": r.jobs} {
		id, err := strconv.ParseInt(q.Get(name), 10, 32)
		if err != nil || id == 0 { // all, or a name
			continue
		}
		there, ok := to[int32(id)]
		if !ok {
			return "", false
		}
		if there != int32(id) {
			q.Set(name, strconv.Itoa(int(there)))
			changed = true
		}
	}
	if changed {
		text = q.Encode()
	}
	return text, true
}

// planKeys copies API keys with the hashes of their secrets, so that who holds one
// can go on with it. They are known by these hashes.
func (r *run) planKeys(dst *store.Own) {
	there := make(map[string]bool)
	for _, k := range dst.Keys {
		there[k.Hash] = true
	}
	more := len(r.dst.Groups) > 0
	for _, k := range r.src.Own.Keys {
		item := Item{Action: Copied, ID: k.ID, Name: k.Name}
		groups, missing := r.keyGroups(k)
		switch {
		case there[k.Hash]:
			item.Action = Present
		case !k.Valid(r.Now):
			item.Action, item.Notes = Skipped, []string{"it was revoked or has expired"}
		case !k.AllGroups && len(groups) == 0:
			item.Action, item.Notes = Skipped, []string{"none of its groups is here"}
		default:
			if len(missing) > 0 {
				item.Notes = append(item.Notes, "left out of its groups: "+strings.Join(missing, ", "))
			}
			if k.AllGroups && more {
				item.Notes = append(item.Notes, "it counts for all groups, also for those that were here before")
			}
			row := *k
			row.GroupIDs = groups
			r.out.Own.Keys = append(r.out.Own.Keys, &row)
		}
		r.report.Own.Keys.add(item)
	}
}

func (r *run) keyGroups(k *model.Key) (groups []int32, missing []string) {
	for _, id := range k.GroupIDs {
		if to, ok := r.groups[id]; ok {
			groups = append(groups, to)
		} else {
			missing = append(missing, strconv.Itoa(int(id)))
		}
	}
	return groups, missing
}

// planDeclared copies what is known of declared jobs: without it the executor that
// declares them again would find jobs that somebody has made by hand.
func (r *run) planDeclared(ctx context.Context) error {
	from, err := r.Source.SettingsWith(ctx, declaredPrefix)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	here, err := r.Target.SettingsWith(ctx, declaredPrefix)
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	declared := rowsOf{Section: &r.report.Own.Declared, r: r}
	for name, value := range from {
		group, digest, _ := strings.Cut(strings.TrimPrefix(name, declaredPrefix), "/")
		id, err := strconv.ParseInt(group, 10, 32)
		var record map[string]json.RawMessage
		var job int32
		if err != nil || json.Unmarshal([]byte(value), &record) != nil || json.Unmarshal(record["job"], &job) != nil {
			declared.foreign++
			continue
		}
		to, ok := r.groups[int32(id)]
		if !ok {
			declared.foreign++
			continue
		}
		name := declaredPrefix + strconv.Itoa(int(to)) + "/" + digest
		declared.row(model.ChangeJob, job, func(int32) bool { return here[name] != "" }, func(to int32) {
			record["job"] = json.RawMessage(strconv.Itoa(int(to)))
			if r.out.Settings == nil {
				r.out.Settings = make(map[string]string)
			}
			r.out.Settings[name] = encoded(record).S
		})
	}
	declared.end()
	return nil
}

// encoded is JSON of what was JSON before.
func encoded(v map[string]json.RawMessage) model.Text {
	b, err := json.Marshal(v)
	if err != nil {
		return model.Text{} // never: each value has been read
	}
	return model.T(string(b))
}
