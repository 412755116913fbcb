package model

import "time"

// Deleted is the deletion of a job or group that can be brought back. What it was
// is the state before in the change of the deletion.
type Deleted struct {
	ChangeID int64
	Kind     string // ChangeJob or ChangeGroup
	ObjectID int32
	GroupID  int32 // of the job; of a group its own id
	Name     string
	At       time.Time
	Made     time.Time // when it was created; zero where it is not known
	User     string
	Versions int // of its code
}

// Mark is the place of a deletion in a list of this order.
func (d *Deleted) Mark(order string) Mark {
	m := Mark{ID: d.ChangeID}
	if order == OrderName {
		m.Text = d.Name
	}
	return m
}

// DeletedFilter selects deletions, the newest first unless Order says otherwise.
type DeletedFilter struct {
	Kind     string // ChangeJob or ChangeGroup
	GroupID  int32  // 0 is all
	GroupIDs []int32
	Name     string // part of it
	BeforeID int64  // only with a smaller ChangeID; 0 is the newest; not with an Order of another kind
	Order    Order
	Limit    int
}

// Impact is what the deletion of jobs touches.
type Impact struct {
	Running  int // runs that an executor has taken
	Planned  int // runs that have not been sent
	Versions int // of code
}
