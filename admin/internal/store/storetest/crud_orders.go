package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// walk reads a list in an order, two at a time, each page behind the last one.
func walk[T any](
	t *testing.T, order string, read func(model.Order) ([]T, error), mark func(T, string) model.Mark,
) (all []T) {
	t.Helper()
	o := model.OrderOf(order)
	for range 20 {
		list, err := read(o)
		require.NoError(t, err, order)
		if len(list) == 0 {
			return all
		}
		require.LessOrEqual(t, len(list), 2)
		all = append(all, list...)
		m := mark(list[len(list)-1], o.By)
		o.After = &m
	}
	t.Errorf("%s: the list has no end", order)
	return all
}

// inOrder checks that a list read page by page holds each of ids once, in the order
// of less, and backwards with a minus.
func inOrder[T any](
	t *testing.T, order string, read func(model.Order) ([]T, error), mark func(T, string) model.Mark,
	compare func(a, b T) int,
) {
	t.Helper()
	up := walk(t, order, read, mark)
	ids := make(map[int64]bool)
	for i, v := range up {
		id := mark(v, "").ID
		assert.False(t, ids[id], "%s: %d comes twice", order, id)
		ids[id] = true
		if i > 0 {
			assert.LessOrEqual(t, compare(up[i-1], v), 0, "%s at %d", order, i)
		}
	}
	assert.Greater(t, len(up), 4, order)
	down := walk(t, "-"+order, read, mark)
	slices.Reverse(down)
	assert.Equal(t, up, down, "-"+order)
}

func (f *fixture) alarmOrders(t *testing.T) {
	ctx := t.Context()
	const group = 31
	// Several have the same last time and count, and two the same end.
	for i := range int32(7) {
		a := alarmOf(400+i, group)
		a.Last, a.Count = apiNow.Add(time.Duration(i%3)*time.Minute), int64(1+i%2)
		require.NoError(t, f.RaiseAlarms(ctx, []model.AlarmRecord{a}))
	}
	read := func(ended bool, kind string, object int32) func(model.Order) ([]*model.AlarmRecord, error) {
		return func(o model.Order) ([]*model.AlarmRecord, error) {
			return f.Alarms(ctx, model.AlarmFilter{
				GroupIDs: []int32{group}, Ended: ended, Kind: kind, ObjectID: object, Order: o, Limit: 2,
			})
		}
	}
	mark := (*model.AlarmRecord).Mark
	open := read(false, "", 0)
	byID := func(a, b *model.AlarmRecord) int { return int(a.ID - b.ID) }
	inOrder(t, model.OrderFirst, open, mark, byID)
	inOrder(t, model.OrderLast, open, mark, func(a, b *model.AlarmRecord) int { return a.Last.Compare(b.Last) })
	inOrder(t, model.OrderCount, open, mark, func(a, b *model.AlarmRecord) int { return int(a.Count - b.Count) })
	unknown, err := open(model.Order{By: "message", Ascending: true})
	require.NoError(t, err)
	newest, err := open(model.Order{})
	require.NoError(t, err)
	assert.Equal(t, newest, unknown, "an order that is not known is the list's own")

	for i, a := range walk(t, model.OrderFirst, open, mark) {
		ended, err := f.EndAlarm(ctx, a.ID, apiNow.Add(time.Duration(7-i)/2*time.Hour))
		require.NoError(t, err)
		require.True(t, ended)
	}
	gone := read(true, "", 0)
	byEnd := func(a, b *model.AlarmRecord) int { return a.Recovered.Compare(b.Recovered) }
	inOrder(t, model.OrderFirst, gone, mark, byID)
	inOrder(t, model.OrderEnded, gone, mark, byEnd)
	for i := range 5 { // of one object
		a := alarmOf(400, group)
		require.NoError(t, f.RaiseAlarms(ctx, []model.AlarmRecord{a}))
		list, err := f.Alarms(ctx, model.AlarmFilter{Kind: a.Kind, ObjectID: a.ObjectID})
		require.NoError(t, err)
		_, err = f.EndAlarm(ctx, list[0].ID, apiNow.Add(time.Duration(10+i)*time.Hour))
		require.NoError(t, err)
	}
	inOrder(t, model.OrderFirst, read(true, model.ChangeJob, 400), mark, byID)
	inOrder(t, model.OrderEnded, read(true, model.ChangeJob, 400), mark, byEnd)
	n, err := f.ExpireAlarms(ctx, apiNow.Add(24*time.Hour), 1000)
	require.NoError(t, err)
	assert.Equal(t, 12, n)
}

// alarmAcks: an acknowledgement counts until the alarm is raised again.
func (f *fixture) alarmAcks(t *testing.T) {
	ctx := t.Context()
	a, other := alarmOf(501, 32), alarmOf(502, 32)
	require.NoError(t, f.RaiseAlarms(ctx, []model.AlarmRecord{a, other}))
	of := func(acked *bool) []*model.AlarmRecord {
		t.Helper()
		list, err := f.Alarms(ctx, model.AlarmFilter{GroupIDs: []int32{32}, Acked: acked})
		require.NoError(t, err)
		return list
	}
	yes, no := true, false
	assert.Len(t, of(&no), 2)
	assert.Empty(t, of(&yes))
	id := of(nil)[1].ID // the older one
	for i, user := range []string{"anna", "béla"} {
		acked, err := f.AckAlarm(ctx, id, user, apiNow.Add(time.Duration(i)*time.Second))
		require.NoError(t, err)
		assert.True(t, acked)
	}
	acked := of(&yes)
	require.Len(t, acked, 1)
	assert.Equal(t, id, acked[0].ID)
	assert.Equal(t, "béla", acked[0].AckedBy, "the last one counts")
	sameTime(t, apiNow.Add(time.Second), acked[0].Acked, "acknowledged")
	assert.Len(t, of(&no), 1)
	one, err := f.Alarm(ctx, id)
	require.NoError(t, err)
	assert.Equal(t, acked[0], one)
	_, err = f.Alarm(ctx, 1<<40)
	require.ErrorIs(t, err, store.ErrNotFound)

	require.NoError(t, f.RaiseAlarms(ctx, []model.AlarmRecord{a}))
	assert.Empty(t, of(&yes), "it was raised again")
	one, err = f.Alarm(ctx, id)
	require.NoError(t, err)
	assert.True(t, one.Acked.IsZero())
	assert.Empty(t, one.AckedBy)

	_, err = f.AckAlarm(ctx, id, "anna", apiNow)
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, f.UnackAlarm(ctx, id))
	}
	assert.Empty(t, of(&yes))
	_, err = f.AckAlarm(ctx, id, "anna", apiNow)
	require.NoError(t, err)
	for _, open := range of(nil) {
		_, err := f.EndAlarm(ctx, open.ID, apiNow)
		require.NoError(t, err)
	}
	done, err := f.AckAlarm(ctx, id, "anna", apiNow)
	require.NoError(t, err)
	assert.False(t, done, "it has ended")
	ended, err := f.Alarms(ctx, model.AlarmFilter{GroupIDs: []int32{32}, Ended: true, Acked: &yes})
	require.NoError(t, err)
	require.Len(t, ended, 1)
	assert.Equal(t, "anna", ended[0].AckedBy, "who had it stays on record")
	n, err := f.ExpireAlarms(ctx, apiNow.Add(time.Hour), 10)
	require.NoError(t, err)
	assert.Equal(t, 2, n)
}

// listOrders: users and audit lines.
func (f *fixture) listOrders(t *testing.T) {
	ctx := t.Context()
	for i := range 6 {
		u := &model.User{Username: fmt.Sprintf("order%d", (i*5)%6), JavaHash: "unusable", Admin: i%2 == 0}
		require.NoError(t, f.CreateUser(ctx, u))
		line := model.Audit{At: apiNow, User: "order", Action: "order.test", Object: "job 1"}
		require.NoError(t, f.AddAudit(ctx, line))
	}
	users := func(o model.Order) ([]*model.User, error) {
		list, _, err := f.Users(ctx, model.UserFilter{Username: "order", Order: o, Limit: 2})
		return list, err
	}
	mark := (*model.User).Mark
	inOrder(t, model.OrderID, users, mark, func(a, b *model.User) int { return int(a.ID - b.ID) })
	inOrder(t, model.OrderUser, users, mark, func(a, b *model.User) int {
		return strings.Compare(a.Username, b.Username)
	})
	inOrder(t, model.OrderRole, users, mark, func(a, b *model.User) int {
		return int(a.Mark(model.OrderRole).Number - b.Mark(model.OrderRole).Number)
	})
	audits := func(o model.Order) ([]model.Audit, error) {
		return f.Audits(ctx, model.AuditFilter{Action: "order", Order: o, Limit: 2})
	}
	inOrder(t, model.OrderTime, audits, func(a model.Audit, _ string) model.Mark { return model.Mark{ID: a.ID} },
		func(a, b model.Audit) int { return int(a.ID - b.ID) })
}
