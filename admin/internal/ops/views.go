package ops

import (
	"context"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const (
	maxViews    = 50 // of a user and a page
	maxViewName = 64 // characters
	maxQuery    = 2000
)

// viewPages are the pages that have views.
var viewPages = map[string]bool{"jobs": true, "runs": true}

// Views returns the filters of a page ("jobs", "runs") that the user has saved,
// by name. A caller that is no user has none.
func (s *Service) Views(ctx context.Context, p Principal, page string) ([]model.View, error) {
	if err := s.needLogin(ctx, p, "view.list"); err != nil {
		return nil, err
	}
	if p.UserID == 0 {
		return nil, nil
	}
	return s.store.Views(ctx, p.UserID, page)
}

// SaveView keeps a filter of a page under a name, over what was there. The query
// is that of the page's address, as it is.
func (s *Service) SaveView(ctx context.Context, p Principal, v model.View) error {
	if err := s.needViews(ctx, p, v.Page); err != nil {
		return err
	}
	switch {
	case blank(v.Name) || control(v.Name) || !storable(v.Name) || size(v.Name, maxViewName) > maxViewName:
		return invalid(fmt.Sprintf("a name has 1 to %d characters, none of them a control character", maxViewName),
			key(i18n.SystemInvalid)).own("refused.view.name", maxViewName)
	case control(v.Query) || !storable(v.Query) || len(v.Query) > maxQuery:
		return invalid(fmt.Sprintf("a query has at most %d bytes", maxQuery), key(i18n.SystemInvalid)).
			own("refused.view.query", maxQuery)
	}
	list, err := s.store.Views(ctx, p.UserID, v.Page)
	if err != nil {
		return err
	}
	if len(list) >= maxViews && !hasView(list, v.Name) {
		e := &Error{
			Kind: Conflict, Parts: []Part{key(i18n.SystemLengthLimit)},
			Detail: fmt.Sprintf("there are %d views already: delete one first", maxViews),
		}
		return e.own("refused.view.many", maxViews)
	}
	v.UserID = p.UserID
	return refused(s.store.SaveView(ctx, v))
}

func hasView(list []model.View, name string) bool {
	for _, v := range list {
		if v.Name == name {
			return true
		}
	}
	return false
}

// DeleteView forgets a view of the user. One that is not there is no error.
func (s *Service) DeleteView(ctx context.Context, p Principal, page, name string) error {
	if err := s.needViews(ctx, p, page); err != nil {
		return err
	}
	return s.store.DeleteView(ctx, model.View{UserID: p.UserID, Page: page, Name: name})
}

// needViews refuses who has no views, and pages that have none.
func (s *Service) needViews(ctx context.Context, p Principal, page string) error {
	if err := s.needLogin(ctx, p, "view.save"); err != nil {
		return err
	}
	if p.UserID == 0 {
		e := &Error{
			Kind: Forbidden, Parts: []Part{key(i18n.SystemPermissionLimit)},
			Detail: "views belong to users: log in, an API key has none",
		}
		return e.own("refused.view.key")
	}
	if !viewPages[page] {
		return invalid("jobs and runs have views", key(i18n.SystemInvalid)).own("refused.view.page")
	}
	return nil
}
