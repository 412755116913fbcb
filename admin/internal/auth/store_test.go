package auth

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// The whole way on a real database: a Java row, the first opening, logins,
// sessions and their ends.
func TestOnARealStore(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), store.Options{DSN: "sqlite:" + filepath.Join(t.TempDir(), "admin.db")})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, st.Close()) })
	require.NoError(t, st.Migrate(t.Context()))
	require.NoError(t, st.CreateUser(t.Context(), &model.User{Username: "admin", JavaHash: defaultSHA256, Admin: true}))
	require.NoError(t, st.CreateUser(t.Context(), &model.User{Username: "anna", JavaHash: md5Hex("sesame-open")}))
	s := New(Config{
		Users: st, Sessions: st, JavaTokens: st,
		NotFound: func(err error) bool { return errors.Is(err, store.ErrNotFound) },
	})
	login := func(name, password string) (*Login, error) {
		return s.Login(t.Context(), LoginRequest{Name: name, Password: password, Source: home})
	}

	_, err = login("admin", "123456")
	require.ErrorIs(t, err, ErrBadLogin)
	printed, created, err := s.EnsureAdmin(t.Context(), "", "")
	require.NoError(t, err)
	require.True(t, created)
	_, created, err = s.EnsureAdmin(t.Context(), "", "")
	require.NoError(t, err)
	assert.False(t, created)
	chief, err := login("admin", printed)
	require.NoError(t, err)
	u, err := s.Authenticate(t.Context(), chief.ID)
	require.NoError(t, err)
	assert.True(t, u.Admin)

	_, err = login("nobody", "sesame-open")
	require.ErrorIs(t, err, ErrBadLogin)
	first, err := login("anna", "sesame-open")
	require.NoError(t, err)
	second, err := login("anna", "sesame-open")
	require.NoError(t, err)
	row, err := st.UserByName(t.Context(), "anna")
	require.NoError(t, err)
	assert.Equal(t, md5Hex("sesame-open"), row.JavaHash)
	_, ok := bound(row.Hash, row.JavaHash)
	assert.True(t, ok)

	require.NoError(t, s.Logout(t.Context(), first.ID))
	_, err = s.Authenticate(t.Context(), first.ID)
	require.ErrorIs(t, err, ErrNoSession)
	_, err = s.Authenticate(t.Context(), second.ID)
	require.NoError(t, err)
	require.NoError(t, st.DeleteUser(t.Context(), row.ID))
	_, err = s.Authenticate(t.Context(), second.ID)
	require.ErrorIs(t, err, ErrNoSession)

	n, err := st.ExpireSessions(t.Context(), time.Now().Add(8*24*time.Hour))
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	_, err = s.Authenticate(t.Context(), chief.ID)
	require.ErrorIs(t, err, ErrNoSession)
}
