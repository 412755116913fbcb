package model

import (
	"slices"
	"strings"
	"time"
)

// Verb is something that an API key may be used for.
type Verb string

// The verbs.
const (
	VerbRead  Verb = "read"  // look at jobs, runs and executors
	VerbRun   Verb = "run"   // start, retry and end runs, ask executors
	VerbEdit  Verb = "edit"  // change jobs
	VerbCode  Verb = "code"  // with VerbEdit: write code that executors run, where the admin allows it
	VerbAdmin Verb = "admin" // everything
)

// Verbs lists all verbs.
func Verbs() []Verb { return []Verb{VerbRead, VerbRun, VerbEdit, VerbCode, VerbAdmin} }

// Key is an API key. The secret that its holder shows is never stored: Hash is
// its SHA-256.
type Key struct {
	ID        int64
	Name      string
	Prefix    string // how the secret begins, to recognise it by
	Hash      string // hex of the SHA-256 of the secret
	Verbs     []Verb
	AllGroups bool    // in every group
	GroupIDs  []int32 // else in these
	CreatedBy string  // name of the user
	Created   time.Time
	Expires   time.Time // zero is never
	Used      time.Time // last request, to the minute; zero is none
	Revoked   time.Time // zero while it counts
}

// KeyFilter selects API keys for a list, the newest first.
type KeyFilter struct {
	Order Order // OrderID, OrderName, OrderUsed or OrderExpires
	Limit int   // 0 is 10; at most 1,000
}

// Mark is the place of a key in a list of this order.
func (k *Key) Mark(order string) Mark {
	m, at := Mark{ID: k.ID}, time.Time{}
	switch order {
	case OrderName:
		m.Text = k.Name
	case OrderUsed:
		at = k.Used
	case OrderExpires:
		at = k.Expires
	}
	if !at.IsZero() {
		m.Number = at.UnixMilli()
	}
	return m
}

// Can reports whether the key has the verb; VerbAdmin has them all.
func (k *Key) Can(v Verb) bool {
	return slices.Contains(k.Verbs, v) || slices.Contains(k.Verbs, VerbAdmin)
}

// Valid reports whether the key counts at now.
func (k *Key) Valid(now time.Time) bool {
	return k.Revoked.IsZero() && (k.Expires.IsZero() || now.Before(k.Expires))
}

// JoinVerbs is the form in which verbs are stored.
func JoinVerbs(verbs []Verb) string {
	parts := make([]string, len(verbs))
	for i, v := range verbs {
		parts[i] = string(v)
	}
	return strings.Join(parts, ",")
}

// SplitVerbs reads what JoinVerbs has written; what is no verb is left out.
func SplitVerbs(s string) []Verb {
	var verbs []Verb
	for part := range strings.SplitSeq(s, ",") {
		if v := Verb(part); slices.Contains(Verbs(), v) {
			verbs = append(verbs, v)
		}
	}
	return verbs
}

// Request is a POST with an idempotency key, and what it was answered.
type Request struct {
	Owner       string // who has sent it: "key 7", "user 3"
	Key         string // the idempotency key
	Fingerprint string // hex of the SHA-256 of method, path and body
	Created     time.Time
	Status      int    // of the answer; 0 while it is under way
	Headers     string // of the answer, as JSON
	Body        string
}

// The kinds of objects whose changes are kept. Jobs and groups are also what
// alarms, rules and mute windows are about; those of a rule or a mute window have
// the id of the job or group, and say in their states which it is.
const (
	ChangeJob   = "job"
	ChangeGroup = "group"
	ChangeRule  = "rule"
	ChangeMute  = "mute"
)

// Change is a change of a job, a group, a rule or a mute window: what an editor
// sets of it as JSON, before and after.
type Change struct {
	ID       int64
	At       time.Time
	User     string
	Kind     string // ChangeJob …
	ObjectID int32
	Action   string // create, update, delete, restore, start, stop, move, code, undo
	Before   Text   // NULL where it was not there
	After    Text   // NULL where it is not there any more
}

// Mute says that a job or group raises no alarms until then.
type Mute struct {
	Kind     string // ChangeJob or ChangeGroup
	ObjectID int32
	Until    time.Time
	User     string
	Reason   string
}

// View is a filter of a list that a user has saved under a name.
type View struct {
	UserID int32
	Page   string // "jobs", "runs"
	Name   string
	Query  string // of the URL
}
