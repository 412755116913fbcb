package model

import (
	"strconv"
	"strings"
	"time"
)

// User is a row of xxl_job_user and what we keep beside it.
type User struct {
	ID         int32
	Username   string
	JavaHash   string // password column: MD5 or SHA-256 hex of Java, or unusable
	Hash       string // our own hash in its encoded form; "" until first used
	Admin      bool   // role 1
	Permission Text   // group ids, comma separated
	// Own is what we keep beside Permission, by group: see [User.Roles]. nil is
	// nothing.
	Own  map[int32]Role
	Code bool // may write code that executors run, where an editor; administrators may without it
}

// Groups lists the group ids of Permission.
func (u *User) Groups() []int32 {
	var ids []int32
	for item := range strings.SplitSeq(u.Permission.S, ",") {
		if n, err := strconv.ParseInt(strings.TrimSpace(item), 10, 32); err == nil {
			ids = append(ids, int32(n))
		}
	}
	return ids
}

// Mark is the place of a user in a list of this order.
func (u *User) Mark(order string) Mark {
	m := Mark{ID: int64(u.ID)}
	switch {
	case order == OrderUser:
		m.Text = u.Username
	case order == OrderRole && u.Admin:
		m.Number = 1
	}
	return m
}

// UserFilter selects users for a list; Username matches as a substring.
type UserFilter struct {
	Username string
	Admin    *bool
	GroupID  int32 // those with a role in this group, or with what is left of one; 0 is all
	AfterID  int32 // id above; not with an Order
	Order    Order
	Offset   int
	Limit    int // 0 is 10; at most 1,000
}

// Session is a login. The id that the browser holds is never stored: Key is
// its SHA-256.
type Session struct {
	Key     string // hex of the SHA-256 of the session id
	UserID  int32
	Created time.Time
	Expires time.Time
	Seen    time.Time
	Client  string // address that it began from; "" is unknown
	Agent   string // what its browser calls itself, cut to 255 characters
}

// ID names a login where its key has no business: in addresses and lists.
func (s *Session) ID() string { return s.Key[:min(len(s.Key), SessionIDLen)] }

// SessionIDLen is the length of Session.ID, of hexadecimal digits.
const SessionIDLen = 16

// SessionFilter selects logins that count, for a list; those last used come
// first. A login ends at its Expires, and when it was not used for Idle; one
// with a life of more than Long, when it was not used for LongIdle.
type SessionFilter struct {
	UserID               int32 // 0 is everybody
	Now                  time.Time
	Idle, Long, LongIdle time.Duration
	Order                Order // OrderSeen, OrderCreated, OrderExpires or OrderUser; goes on by Offset
	Offset               int
	Limit                int // 0 is 10; at most 1,000
}

// Audit is one line of what people and scripts have changed.
type Audit struct {
	ID     int64
	At     time.Time
	User   string // name; "" for the admin itself
	Action string // "job.update" …
	Object string // "job 7"
	Detail string
}

// AuditFilter selects lines of the audit log. Zero fields select everything.
type AuditFilter struct {
	User     string    // part of the name
	Action   string    // "job.update", or "job" for all that begin with "job."
	Object   string    // "job 7", or "job" for all jobs
	Text     string    // part of the detail
	From, To time.Time // from … before
	BeforeID int64     // id below
	Order    Order     // OrderTime alone: it is that of the ids
	Limit    int       // 1 to 1,000; 0 is 10
}
