package httpx

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Permission says who may use a route. The zero value is none: a table with
// such a route is refused.
type Permission int

// The permissions.
const (
	Anonymous     Permission = iota + 1 // everybody: login pages, health
	LoggedIn                            // any user
	Admin                               // administrators
	ExecutorToken                       // executors and scripts with a token

	// Users with this role in the group of the object, or a greater one. The
	// operation judges it on the object that it loads.
	Viewer
	Operator
	Editor
	GroupAdmin
)

// String returns the name of the permission, as the route matrix prints it.
func (p Permission) String() string {
	switch p {
	case Anonymous:
		return "anonymous"
	case LoggedIn:
		return "logged-in"
	case Admin:
		return "admin"
	case ExecutorToken:
		return "executor-token"
	case Viewer:
		return "viewer"
	case Operator:
		return "operator"
	case Editor:
		return "editor"
	case GroupAdmin:
		return "group-admin"
	}
	return "none"
}

// Role is the role that the permission asks for in the group of the object,
// model.RoleNone where it asks for none.
func (p Permission) Role() model.Role {
	switch p {
	case Viewer:
		return model.RoleViewer
	case Operator:
		return model.RoleOperator
	case Editor:
		return model.RoleEditor
	case GroupAdmin:
		return model.RoleAdmin
	}
	return model.RoleNone
}

// Route is one path of an interface.
type Route struct {
	Path       string   // as a ServeMux pattern without method and host, "/jobinfo/add"
	Methods    []string // which it takes; never empty
	Permission Permission
	Changes    bool // changes state, so GET, HEAD and OPTIONS are not among Methods
	Handler    Handler
}

// Table is the routes of one interface.
type Table struct {
	Name   string // for errors
	Routes []Route
	// Guard returns the handler of a route behind the check of its permission.
	// It is asked for every route that is not Anonymous, and may be nil when
	// there is none.
	Guard func(route Route) Handler
	// WrongMethod answers a method that a route does not take; the header
	// Allow is set already. Nil answers a 405.
	WrongMethod func(route Route) Handler
	// Render writes errors. Nil is RenderJSON.
	Render Render
	Logger *slog.Logger // nil discards
}

// Prefixes are the context paths under which everything is served.
func Prefixes() []string { return []string{"", "/xxl-job-admin"} }

// Mount registers the tables on mux under every prefix. It returns an error
// that names every fault, and then nothing is registered.
func Mount(mux *http.ServeMux, prefixes []string, tables ...Table) error {
	var faults []error
	seen := map[string]string{}
	for _, t := range tables {
		for _, route := range t.Routes {
			if err := t.check(route); err != nil {
				faults = append(faults, fmt.Errorf("route %s of %s: %w", route.Path, t.Name, err))
			}
			for _, m := range route.Methods {
				key := m + " " + route.Path
				if other, ok := seen[key]; ok {
					faults = append(faults, fmt.Errorf("route %s of %s: %s has it too", key, t.Name, other))
				}
				seen[key] = t.Name
			}
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	for _, t := range tables {
		t.mount(mux, prefixes)
	}
	return nil
}

func (t Table) check(route Route) error {
	switch {
	case route.Permission.String() == "none":
		return errors.New("it has no permission")
	case route.Permission != Anonymous && t.Guard == nil:
		return errors.New("its table has no guard")
	case route.Handler == nil:
		return errors.New("it has no handler")
	case len(route.Methods) == 0:
		return errors.New("it takes no method")
	case !strings.HasPrefix(route.Path, "/"):
		return errors.New("its path does not begin with a slash")
	}
	if route.Changes {
		for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodOptions} {
			if slices.Contains(route.Methods, m) {
				return fmt.Errorf("it changes state, by %s too", m)
			}
		}
	}
	return nil
}

// mount groups the routes by path, so that one handler answers every method.
func (t Table) mount(mux *http.ServeMux, prefixes []string) {
	log := t.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	render := t.Render
	if render == nil {
		render = RenderJSON
	}
	byPath := map[string][]Route{}
	for _, route := range t.Routes {
		byPath[route.Path] = append(byPath[route.Path], route)
	}
	for path, routes := range byPath {
		h := Adapt(t.dispatch(routes), render, log)
		for _, prefix := range prefixes {
			under := WithPrefix(prefix, h)
			if path != "/" {
				mux.Handle(prefix+path, under)
				continue
			}
			mux.Handle(prefix+"/{$}", under)
			if prefix != "" {
				mux.Handle(prefix, under)
			}
		}
	}
}

// dispatch chooses among the routes of one path by method.
func (t Table) dispatch(routes []Route) Handler {
	byMethod := map[string]Handler{}
	for _, route := range routes {
		h := route.Handler
		if route.Permission != Anonymous {
			h = t.Guard(route)
		}
		for _, m := range route.Methods {
			byMethod[m] = h
		}
	}
	if h, ok := byMethod[http.MethodGet]; ok && byMethod[http.MethodHead] == nil {
		byMethod[http.MethodHead] = h
	}
	allow := make([]string, 0, len(byMethod))
	for m := range byMethod {
		allow = append(allow, m)
	}
	slices.Sort(allow)
	wrong := methodNotAllowed
	if t.WrongMethod != nil {
		wrong = t.WrongMethod(slices.MaxFunc(routes, func(a, b Route) int {
			return cmp.Compare(a.Permission, b.Permission)
		}))
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		if h := byMethod[r.Method]; h != nil {
			return h(w, r)
		}
		w.Header().Set("Allow", strings.Join(allow, ", "))
		return wrong(w, r)
	}
}

func methodNotAllowed(w http.ResponseWriter, r *http.Request) error {
	return &Error{
		Status: http.StatusMethodNotAllowed,
		Msg:    "method " + r.Method + " is not taken here: send " + w.Header().Get("Allow"),
	}
}
