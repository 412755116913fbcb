package ops

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const (
	minToken     = 16 // characters of an access token; those that we make have 26 or more
	maxToken     = 255
	maxAddresses = textColumn
)

// publicToken is the token with which the Java admin is shipped.
const publicToken = "default_token"

// Group is a group as it is shown: its access token is never in it.
type Group struct {
	model.Group
	TokenSet bool // the group has an access token of its own
	// OldCounts says that the token from before counts too, until OldUntil, or with
	// the zero time until somebody ends it.
	OldCounts bool
	OldUntil  time.Time
}

// shown hides the tokens of a group.
func (s *Service) shown(g *model.Group) *Group {
	view := &Group{Group: *g, TokenSet: g.AccessToken != ""}
	if _, view.OldCounts = g.OldAt(s.now()); view.OldCounts {
		view.OldUntil = g.Old.Until
	}
	view.AccessToken, view.Old = "", nil
	return view
}

func (s *Service) shownAll(list []*model.Group) []*Group {
	views := make([]*Group, 0, len(list))
	for _, g := range list {
		views = append(views, s.shown(g))
	}
	return views
}

func groupObject(id int32) string { return "group " + id32(id) }

// ListGroups returns a page of groups by app name, title and id, and how many
// there are. For administrators; others see PermittedGroups.
func (s *Service) ListGroups(ctx context.Context, p Principal, f model.GroupFilter) ([]*Group, int, error) {
	if err := s.needAdmin(ctx, p, "group.list", ""); err != nil {
		return nil, 0, err
	}
	list, total, err := s.store.Groups(ctx, f)
	return s.shownAll(list), total, err
}

// PermittedGroups returns the groups that the principal may see, by app
// name, title and id.
func (s *Service) PermittedGroups(ctx context.Context, p Principal) ([]*Group, error) {
	if err := s.needLogin(ctx, p, "group.list"); err != nil {
		return nil, err
	}
	list, err := s.store.AllGroups(ctx)
	if err != nil {
		return nil, err
	}
	return s.shownAll(slices.DeleteFunc(list, func(g *model.Group) bool { return !p.Can(g.ID, model.RoleViewer) })), nil
}

// Group returns a group that the principal may see. For an unknown id
// the error has no text, as in Java.
func (s *Service) Group(ctx context.Context, p Principal, id int32) (*Group, error) {
	g, err := s.group(ctx, id)
	if !p.Can(id, model.RoleViewer) {
		return nil, s.denyThrown(ctx, p, "group.get", groupObject(id))
	}
	if err != nil {
		return nil, err
	}
	return s.shown(g), nil
}

// needOwner refuses who is no admin of the group.
func (s *Service) needOwner(ctx context.Context, p Principal, group int32, action string) error {
	if p.Can(group, model.RoleAdmin) {
		return nil
	}
	e := s.deny(ctx, p, action, groupObject(group))
	e.Detail = "only administrators and admins of this executor (group) may do this"
	e.Thrown = true
	return e
}

func (s *Service) group(ctx context.Context, id int32) (*model.Group, error) {
	g, err := s.store.Group(ctx, id)
	switch {
	case notFound(err):
		return nil, &Error{Kind: NotFound, Detail: "there is no executor (group) " + id32(id)}
	case err != nil:
		return nil, fmt.Errorf("read group %d: %w", id, err)
	}
	return g, nil
}

// CreateGroup stores a new group and returns its id. Of in AppName, Title,
// Manual and AddressList are used. The addresses of a group that is not manual
// come from the registry a moment later. For administrators.
func (s *Service) CreateGroup(ctx context.Context, p Principal, in *model.Group) (int32, error) {
	if err := s.needAdmin(ctx, p, "group.create", ""); err != nil {
		return 0, err
	}
	g := &model.Group{
		AppName: strings.TrimSpace(in.AppName), Title: strings.TrimSpace(in.Title), Manual: in.Manual,
		AddressList: in.AddressList, UpdateTime: s.seconds(),
	}
	if err := s.checkGroup(g); err != nil {
		return 0, err
	}
	if err := s.checkAppName(ctx, g); err != nil {
		return 0, err
	}
	if !g.Manual {
		g.AddressList = model.Text{}
	}
	if err := s.store.CreateGroup(ctx, g); err != nil {
		return 0, fmt.Errorf("create a group: %w", refused(err))
	}
	s.record(ctx, p, "group.create", groupObject(g.ID), groupDiff(&model.Group{}, g))
	s.changed(ctx, p, change{kind: model.ChangeGroup, id: g.ID, action: "create", after: groupState(g)})
	s.cfg.Registry.GroupsChanged()
	return g.ID, nil
}

// UpdateGroup changes AppName, Title, Manual and AddressList of a group; never
// its token. For admins of the group; the AppName is for administrators.
func (s *Service) UpdateGroup(ctx context.Context, p Principal, in *model.Group) error {
	return s.EditGroup(ctx, p, in, nil)
}

// EditGroup is UpdateGroup where match, unless it is nil, says that the group
// as it stands, without its token, is the one that is meant. Else it returns
// ErrStale.
func (s *Service) EditGroup(ctx context.Context, p Principal, in *model.Group, match func(*Group) bool) error {
	return s.editGroup(ctx, p, in, "update", match)
}

// editGroup is EditGroup with the action of the history.
func (s *Service) editGroup(
	ctx context.Context, p Principal, in *model.Group, action string, match func(*Group) bool,
) error {
	if err := s.needOwner(ctx, p, in.ID, "group.update"); err != nil {
		return err
	}
	want := &model.Group{
		ID: in.ID, AppName: strings.TrimSpace(in.AppName), Title: strings.TrimSpace(in.Title), Manual: in.Manual,
		AddressList: in.AddressList,
	}
	if err := s.checkGroup(want); err != nil {
		return err
	}
	unlock, err := s.lockEdits(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	old, err := s.group(ctx, in.ID)
	if err != nil {
		return err
	}
	if match != nil && !match(s.shown(old)) {
		return ErrStale
	}
	if want.AppName != old.AppName {
		if err := s.needAdmin(ctx, p, "group.rename", groupObject(in.ID)); err != nil {
			return err
		}
		if err := s.checkAppName(ctx, want); err != nil {
			return err
		}
	}
	g := *old
	g.AppName, g.Title, g.Manual, g.UpdateTime = want.AppName, want.Title, want.Manual, s.seconds()
	switch {
	case want.Manual:
		g.AddressList = want.AddressList
	case old.Manual || want.AppName != old.AppName:
		g.AddressList = model.Text{} // those of somebody else; the registry knows the right ones
	}
	if err := s.store.UpdateGroup(ctx, &g); err != nil {
		return fmt.Errorf("update group %d: %w", g.ID, refused(err))
	}
	s.record(ctx, p, "group.update", groupObject(g.ID), groupDiff(old, &g))
	s.changed(ctx, p, change{
		kind: model.ChangeGroup, id: g.ID, action: action, before: groupState(old), after: groupState(&g),
	})
	s.cfg.Registry.GroupsChanged()
	return nil
}

// checkGroup checks a group in Java's order, and puts the addresses of a
// manual one in order.
func (s *Service) checkGroup(g *model.Group) error {
	switch n := chars(g.AppName); {
	case g.AppName == "":
		return invalid("it is the name under which executors register", key(i18n.SystemPleaseInput), lit("AppName"))
	case n < 4 || n > 64:
		return invalid("", key(i18n.JobgroupFieldAppnameLength))
	case markup(g.AppName) || control(g.AppName) || !storable(g.AppName):
		return invalid("use letters, digits and hyphens", lit("AppName"), key(i18n.SystemInvalid))
	case g.Title == "":
		return invalid("it is the name that people see", key(i18n.SystemPleaseInput), key(i18n.JobgroupFieldTitle))
	case markup(g.Title) || control(g.Title):
		return noMarkup(key(i18n.JobgroupFieldTitle))
	}
	if e := fits(field{key(i18n.JobgroupFieldTitle), g.Title, s.cfg.TitleMax}); e != nil {
		return e
	}
	if !g.Manual {
		return nil
	}
	list, e := checkAddresses(g.AddressList.S)
	if e != nil {
		return e
	}
	g.AddressList = model.T(strings.Join(list, ","))
	return nil
}

// checkAddresses splits the addresses of a manual group.
func checkAddresses(text string) ([]string, *Error) {
	if blank(text) {
		return nil, invalid("give at least one address such as http://10.0.0.5:9999/",
			key(i18n.JobgroupFieldAddressTypeLimit))
	}
	if e := fits(field{key(i18n.JobgroupFieldRegistryList), text, maxAddresses}); e != nil {
		return nil, e
	}
	list := strings.Split(text, ",")
	for i, item := range list {
		if list[i] = strings.TrimSpace(item); list[i] == "" {
			return nil, invalid("there is an empty address between two commas",
				key(i18n.JobgroupFieldRegistryListInvalid)).own("refused.address.empty")
		}
	}
	for _, item := range list {
		if e := checkAddress(item); e != nil {
			return nil, e
		}
	}
	return list, nil
}

// checkAddress refuses what is no address of an executor. Addresses of one's
// own link are refused: cloud machines serve their secrets there.
func checkAddress(addr string) *Error {
	low := strings.ToLower(addr)
	if !strings.HasPrefix(low, "http://") && !strings.HasPrefix(low, "https://") {
		return invalid("an address begins with http:// or https://",
			key(i18n.JobgroupFieldRegistryListInvalid), lit("[2]")).own("refused.address.http")
	}
	shown := cut(addr, maxValue)
	bad := func(why string) *Error {
		return invalid(why, key(i18n.JobgroupFieldRegistryListInvalid), lit("("+shown+")"))
	}
	u, err := url.Parse(addr)
	switch {
	case err != nil || u.Hostname() == "" || markup(addr) || control(addr) || strings.ContainsRune(addr, ' '):
		return bad("write http://host:port/").own("refused.address.form", shown)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.ContainsRune(addr, '#'):
		return bad("an address has no user, no query and no fragment").own("refused.address.extra", shown)
	case len(addr) > 255:
		return bad("an address has at most 255 characters").own("refused.address.long", 255)
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		if numeric(u.Hostname()) {
			return bad("write an IPv4 address as four numbers").own("refused.address.four", shown)
		}
		return nil
	}
	if ip = ip.Unmap(); ip.IsUnspecified() || ip.IsMulticast() || ip.IsLinkLocalUnicast() {
		return bad("this address cannot be that of an executor").own("refused.address.link", shown)
	}
	return nil
}

// numeric reports whether a host that is no IP address could be taken for one
// by a resolver: 2852039166, 0xa9fea9fe or 169.254.43518.
func numeric(host string) bool {
	last := host[strings.LastIndexByte(strings.TrimSuffix(host, "."), '.')+1:]
	return strings.Trim(last, "0123456789.") == "" || strings.HasPrefix(strings.ToLower(last), "0x")
}

// checkAppName refuses an app name that another group has: both would get the
// same executors.
func (s *Service) checkAppName(ctx context.Context, g *model.Group) error {
	all, err := s.store.AllGroups(ctx)
	if err != nil {
		return fmt.Errorf("read groups: %w", err)
	}
	for _, other := range all {
		if other.AppName == g.AppName && other.ID != g.ID {
			return &Error{
				Kind: Conflict, Parts: []Part{lit("AppName "), key(i18n.SystemRepeat)},
				Detail: "group " + id32(other.ID) + " has this name",
			}
		}
	}
	return nil
}

// DeleteGroup deletes a group that has no jobs and is not the last one;
// RestoreGroup brings it back. For an
// unknown id the error is of kind NotFound and has no text. For
// administrators.
func (s *Service) DeleteGroup(ctx context.Context, p Principal, id int32) error {
	if err := s.needAdmin(ctx, p, "group.delete", groupObject(id)); err != nil {
		return err
	}
	old, err := s.group(ctx, id)
	if err != nil {
		return err
	}
	jobs, err := s.store.CountJobs(ctx, id)
	if err != nil {
		return fmt.Errorf("count the jobs of group %d: %w", id, err)
	}
	if jobs > 0 {
		return &Error{
			Kind: Conflict, Parts: []Part{key(i18n.JobgroupDelLimit0)},
			Detail: fmt.Sprintf("move or delete its %d jobs first", jobs),
		}
	}
	all, err := s.store.AllGroups(ctx)
	if err != nil {
		return fmt.Errorf("read groups: %w", err)
	}
	if len(all) < 2 {
		return &Error{Kind: Conflict, Parts: []Part{key(i18n.JobgroupDelLimit1)}}
	}
	was := groupState(old)
	was.TokenSet = old.AccessToken != ""
	c := s.entry(p, change{kind: model.ChangeGroup, id: id, action: "delete", before: was})
	d := &model.Deleted{Kind: c.Kind, ObjectID: id, GroupID: id, Name: old.Title, At: c.At, User: p.Name}
	if err := s.store.RemoveGroup(ctx, c, d); err != nil {
		return fmt.Errorf("delete group %d: %w", id, err)
	}
	s.record(ctx, p, "group.delete", groupObject(id), groupDiff(old, &model.Group{}))
	s.removed(ctx, c, d)
	s.cfg.Registry.GroupsChanged()
	return nil
}
