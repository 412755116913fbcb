package ops

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func children(ids ...int32) func(*model.Job) {
	return func(j *model.Job) { j.Children = model.T(joinIDs(ids)) }
}

func withID(id int32) func(*model.Job) { return func(j *model.Job) { j.ID = id } }

func TestChildren(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	a, b := w.create(bean(w.gold)), w.create(bean(w.gold))
	foreign := w.create(bean(w.silver))

	id := w.create(bean(w.gold, func(j *model.Job) {
		j.Children = model.T(" " + id32(b) + " ," + id32(a) + "," + id32(b))
	}))
	assert.Equal(t, id32(b)+","+id32(a), w.load(id).Children.S, "in order, without blanks and repeats")

	_, err := w.CreateJob(ctx, w.mine, bean(w.gold, children(foreign)))
	refusal(t, err, Forbidden, "Child Job ID("+id32(foreign)+")Permission limit")
	refusal(t, w.UpdateJob(ctx, w.mine, bean(w.gold, withID(id), children(a, foreign))),
		Forbidden, "Child Job ID("+id32(foreign)+")Permission limit")
	require.NoError(t, w.UpdateJob(ctx, w.admin, bean(w.gold, withID(id), children(foreign))))
	_, err = w.CreateJob(ctx, w.mine, bean(w.gold, func(j *model.Job) { j.Children = model.T(id32(a) + ",x") }))
	refusal(t, err, Invalid, "Child Job ID(x)illegal")
}

// TestCheckChildren: a list as it is typed, of which nobody knows yet how long it is.
func TestCheckChildren(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	faults, err := w.CheckChildren(t.Context(), w.mine, 0, "x,y")
	require.NoError(t, err)
	assert.Len(t, faults, 2)
	faults, err = w.CheckChildren(t.Context(), w.mine, 0, strings.Repeat("x,", 200))
	require.NoError(t, err)
	require.Len(t, faults, 1, "one for the list, none for each of its items")
	assert.Contains(t, faults[0].Text(i18n.En), "Length limit[0-255]")
}

func TestChildCycle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	a := w.create(bean(w.gold))
	b := w.create(bean(w.gold, children(a)))
	c := w.create(bean(w.gold, children(b)))
	d := w.create(bean(w.gold, children(c, b)))

	err := w.UpdateJob(ctx, w.admin, bean(w.gold, withID(a), children(b)))
	refusal(t, err, Conflict, "Child Job ID("+id32(b)+") makes jobs trigger one another in a circle: "+
		strings.Join([]string{id32(a), id32(b), id32(a)}, " → "))
	err = w.UpdateJob(ctx, w.admin, bean(w.gold, withID(a), children(d)))
	refusal(t, err, Conflict, "Child Job ID("+id32(d)+") makes jobs trigger one another in a circle: "+
		strings.Join([]string{id32(a), id32(d), id32(b), id32(a)}, " → "))
	assert.Empty(t, w.load(a).Children.S)

	e := w.create(bean(w.gold, children(a, b, c, d)))
	require.NoError(t, w.UpdateJob(ctx, w.admin, bean(w.gold, withID(e), children(d, c))), "a diamond is no circle")
}

// A circle that another tool has made does not hang the walk, and a child that
// is gone does not stop it.
func TestChildCycleOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	a := w.create(bean(w.gold))
	b := w.create(bean(w.gold, children(a)))
	j := w.load(a)
	j.Children = model.T(id32(b) + ",88888,x")
	require.NoError(t, w.db.UpdateJob(ctx, j, nil))
	c := w.create(bean(w.gold))
	require.NoError(t, w.UpdateJob(ctx, w.admin, bean(w.gold, withID(c), children(b))))
}

// Two edits at once cannot close a circle together.
func TestChildCycleRace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	a, b := w.create(bean(w.gold)), w.create(bean(w.gold))
	errs := make(chan error, 2)
	go func() { errs <- w.UpdateJob(ctx, w.admin, bean(w.gold, withID(a), children(b))) }()
	go func() { errs <- w.UpdateJob(ctx, w.admin, bean(w.gold, withID(b), children(a))) }()
	first, second := <-errs, <-errs
	assert.True(t, (first == nil) != (second == nil), "one of %v and %v", first, second)
}

// Who goes away does not wait for the edits of others.
func TestEditGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.create(bean(w.gold))
	unlock, err := w.lockEdits(t.Context())
	require.NoError(t, err)
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, w.UpdateJob(ctx, w.admin, bean(w.gold, withID(id))), context.Canceled)
	require.ErrorIs(t, w.UpdateGroup(ctx, w.admin, &model.Group{ID: w.gold, AppName: "abcd", Title: "x"}), context.Canceled)
	require.ErrorIs(t, w.SetGroupToken(ctx, w.admin, w.gold, "", 0), context.Canceled)
}

func TestManyChildren(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var ids []int32
	for range 60 {
		ids = append(ids, w.create(bean(w.gold)))
	}
	id := w.create(bean(w.gold, children(ids...)))
	assert.Equal(t, joinIDs(ids), w.load(id).Children.S)
}

func FuzzSplitIDs(f *testing.F) {
	f.Add("1,2")
	f.Add(" 3 ,,x,-1,99999999999")
	f.Add("+7,7")
	f.Fuzz(func(t *testing.T, list string) {
		ids, bad := splitIDs(list)
		for i, id := range ids {
			if id <= 0 || slices.Contains(ids[:i], id) {
				t.Fatalf("splitIDs(%q) = %v: not positive or twice", list, ids)
			}
		}
		if strings.TrimSpace(list) != "" && len(ids) == 0 && len(bad) == 0 {
			t.Fatalf("splitIDs(%q) found nothing", list)
		}
		again, worse := splitIDs(joinIDs(ids))
		if len(worse) > 0 || !slices.Equal(again, ids) {
			t.Fatalf("splitIDs(%q) = %v, read back as %v, %v", list, ids, again, worse)
		}
	})
}

func FuzzCheckPermission(f *testing.F) {
	f.Add("1, 2,,3")
	f.Add("x")
	f.Fuzz(func(t *testing.T, list string) {
		text, e := checkPermission(list)
		if e != nil {
			return
		}
		for _, id := range (&model.User{Permission: text}).Groups() {
			if id <= 0 || !strings.Contains(list, strconv.Itoa(int(id))) {
				t.Fatalf("checkPermission(%q) = %q", list, text.S)
			}
		}
		if again, e := checkPermission(text.S); e != nil || again != text {
			t.Fatalf("checkPermission(%q) is not stable: %v", text.S, again)
		}
	})
}

func FuzzCheckAddresses(f *testing.F) {
	for _, s := range []string{
		"http://10.0.0.1:9999/", "http://a/,,http://b/", "https://[::1]:1/x,http://h", "http://u@h/", "http://0x7f.1/",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, e := checkAddresses(text)
		if e != nil {
			return
		}
		joined := strings.Join(list, ",")
		again, e := checkAddresses(joined)
		if e != nil || !slices.Equal(list, again) {
			t.Fatalf("checkAddresses(%q) = %q, read back as %q, %v", text, list, again, e)
		}
		if g := (&model.Group{AddressList: model.T(joined)}); !slices.Equal(g.Addresses(), list) {
			t.Fatalf("checkAddresses(%q) = %q, a group reads %q", text, list, g.Addresses())
		}
		if strings.ContainsAny(joined, " <>\n#?") {
			t.Fatalf("checkAddresses(%q) let %q through", text, joined)
		}
	})
}
