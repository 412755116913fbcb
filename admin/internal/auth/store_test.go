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

// TestCarry: a password of ours works in another database, whatever that has in
// Java's column; what is no password of ours is not carried over.
func TestCarry(t *testing.T) {
	t.Parallel()
	s := New(Config{})
	for name, javaHash := range map[string]string{"unusable": unusable(), "as Java does": md5Hex("open sesame")} {
		encoded, err := s.hasher.hash(t.Context(), "open sesame")
		require.NoError(t, err)
		java, own, ok := Carry(javaHash, bind(encoded, javaHash))
		require.True(t, ok, name)
		assert.Equal(t, name == "unusable", java == javaHash, "a hash that is quick to guess stays behind")
		good, err := s.check(t.Context(), &model.User{JavaHash: java, Hash: own}, "open sesame")
		require.NoError(t, err)
		assert.True(t, good, name)
		bad, err := s.check(t.Context(), &model.User{JavaHash: java, Hash: own}, "open")
		require.NoError(t, err)
		assert.False(t, bad, name)
		_, _, ok = Carry("changed by a Java admin", bind(encoded, javaHash))
		assert.False(t, ok)
	}
	for _, own := range []string{"", "x", bind("x", "!")} {
		_, _, ok := Carry("!", own)
		assert.False(t, ok, own)
	}
}
