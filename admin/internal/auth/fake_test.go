package auth

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

var errNoRow = errors.New("no such row")

// rows keeps users and sessions in memory, as the tables do; names compare as
// in MySQL, without case and blanks at the end.
type rows struct {
	mu       sync.Mutex
	users    map[int32]model.User
	sessions map[string]model.Session
	tokens   map[int32]string
	settings map[string]string
	fail     error // of every call, while set
	touches  int
}

func newRows(list ...model.User) *rows {
	r := &rows{users: map[int32]model.User{}, sessions: map[string]model.Session{}, tokens: map[int32]string{}, settings: map[string]string{}}
	for i, u := range list {
		u.ID = int32(i + 1)
		r.users[u.ID] = u
	}
	return r
}

func (r *rows) User(_ context.Context, id int32) (*model.User, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u, ok := r.users[id]
	if r.fail != nil {
		return nil, r.fail
	}
	if !ok {
		return nil, errNoRow
	}
	return &u, nil
}

func (r *rows) UserByName(_ context.Context, name string) (*model.User, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return nil, r.fail
	}
	for _, u := range r.users {
		if strings.EqualFold(u.Username, strings.TrimRight(name, " ")) {
			return &u, nil
		}
	}
	return nil, errNoRow
}

func (r *rows) Users(_ context.Context, f model.UserFilter) ([]*model.User, int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*model.User
	for _, u := range r.users {
		if f.Admin == nil || *f.Admin == u.Admin {
			u.Hash, u.JavaHash = "", ""
			list = append(list, &u)
		}
	}
	return list, len(list), r.fail
}

func (r *rows) CreateUser(_ context.Context, u *model.User) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	u.ID = int32(len(r.users) + 1)
	r.users[u.ID] = *u
	return r.fail
}

func (r *rows) UpdateUser(_ context.Context, u *model.User) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users[u.ID] = *u
	return r.fail
}

func (r *rows) SetOwnHash(_ context.Context, id int32, ownHash string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	u, ok := r.users[id]
	if !ok {
		return errNoRow
	}
	u.Hash = ownHash
	r.users[id] = u
	return r.fail
}

func (r *rows) SetPassword(_ context.Context, id int32, javaHash, ownHash string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	u, ok := r.users[id]
	if !ok {
		return errNoRow
	}
	u.JavaHash, u.Hash = javaHash, ownHash
	r.users[id] = u
	return r.fail
}

func (r *rows) CreateSession(_ context.Context, s *model.Session) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions[s.Key] = *s
	return r.fail
}

func (r *rows) Session(_ context.Context, key string) (*model.Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.sessions[key]
	if r.fail != nil {
		return nil, r.fail
	}
	if !ok {
		return nil, errNoRow
	}
	return &s, nil
}

func (r *rows) TouchSession(_ context.Context, key string, seen time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sessions[key]
	s.Seen = seen
	r.sessions[key] = s
	r.touches++
	return r.fail
}

func (r *rows) DeleteSession(_ context.Context, key string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sessions, key)
	return r.fail
}

func (r *rows) DeleteUserSessions(_ context.Context, userID int32) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, s := range r.sessions {
		if s.UserID == userID {
			delete(r.sessions, key)
		}
	}
	return r.fail
}

func (r *rows) Sessions(_ context.Context, f model.SessionFilter) ([]*model.Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*model.Session
	for _, s := range r.sessions {
		if f.UserID == 0 || f.UserID == s.UserID {
			list = append(list, &s)
		}
	}
	return list, r.fail
}

func (r *rows) SessionByID(_ context.Context, id string) (*model.Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sessions {
		if s.ID() == id {
			return &s, r.fail
		}
	}
	return nil, cmp.Or(r.fail, errNoRow)
}

func (r *rows) JavaToken(_ context.Context, id int32) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tokens[id], r.fail
}

func (r *rows) Setting(_ context.Context, key string) (value string, ok bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	value, ok = r.settings[key]
	return value, ok, r.fail
}

func (r *rows) SetSetting(_ context.Context, key, value string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settings[key] = value
	return r.fail
}

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func newService(r *rows, c Config) (*Service, *clock) {
	clk := &clock{t: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	c.Users, c.Sessions, c.Now = r, r, clk.now
	c.NotFound = func(err error) bool { return errors.Is(err, errNoRow) }
	return New(c), clk
}
