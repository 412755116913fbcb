package ops

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// told is all that an error says, without the ids that were asked for.
func told(err error, o target) string {
	var e *Error
	if !errors.As(err, &e) {
		return "no refusal"
	}
	text := strings.Join([]string{
		e.Kind.String(), e.Text(i18n.En), e.Words(i18n.En), e.Own, e.Detail, strconv.FormatBool(e.Thrown),
	}, "|")
	for _, id := range []int64{int64(o.job), int64(o.shell), int64(o.deleted), o.log, o.ended, o.change, o.alarm} {
		text = strings.ReplaceAll(text, strconv.FormatInt(id, 10), "ID")
	}
	return text
}

// TestForeignIsAsMissing: every action on jobs, runs and changes of a group in which
// the caller has no role is refused in the very words in which it is refused for ids
// that there are not.
func TestForeignIsAsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	there := w.target()
	missing := there
	missing.job, missing.running, missing.shell, missing.deleted = 999_001, 999_002, 999_003, 999_004
	missing.log, missing.ended, missing.change = 999_005, 999_006, 999_007
	missing.alarm = 999_008
	foreign, absent := actions(there), actions(missing)
	for name, p := range map[string]Principal{
		"silver":   {UserID: 9, Name: "silver", Roles: SameRole(model.RoleAdmin, w.silver), Code: true, Source: "login"},
		"no group": {UserID: 8, Name: "lonely", Source: "login"},
		"key":      KeyPrincipal(&model.Key{Name: "k", Verbs: []model.Verb{model.VerbAdmin}, GroupIDs: []int32{w.silver}}),
	} {
		for i, a := range foreign {
			got, want := told(a.do(t.Context(), w, p), there), told(absent[i].do(t.Context(), w, p), missing)
			assert.Equal(t, want, got, "%s by %s", a.name, name)
		}
	}
}

// TestDeletedOfOwnGroup: who could see a job learns that it is gone, and not that
// he may not see it; who sees every group learns it of every id.
func TestDeletedOfOwnGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.target()
	viewer := Principal{UserID: 9, Name: "v", Roles: SameRole(model.RoleViewer, w.gold), Source: "login"}
	_, err := w.Job(t.Context(), viewer, o.deleted)
	assert.Equal(t, NotFound, asError(t, err).Kind)
	_, err = w.DeletedJob(t.Context(), viewer, o.deleted)
	require.NoError(t, err)
	for name, p := range map[string]Principal{"key": {Name: "key:all", Everywhere: model.RoleViewer, Source: sourceKey}, "admin": w.admin} {
		_, err = w.Job(t.Context(), p, 999_001)
		assert.Equal(t, NotFound, asError(t, err).Kind, name)
		_, err = w.Log(t.Context(), p, 999_001)
		assert.Equal(t, NotFound, asError(t, err).Kind, name)
		_, err = w.Change(t.Context(), p, 999_001)
		assert.Equal(t, NotFound, asError(t, err).Kind, name)
	}
}
