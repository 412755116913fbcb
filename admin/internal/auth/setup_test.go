package auth

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// fresh is a service on an empty database that has printed a password.
func fresh(t *testing.T) (s *Service, clk *clock, r *rows, printed string) {
	t.Helper()
	r = newRows()
	s, clk = newService(r, Config{Settings: r})
	printed, created, err := s.EnsureAdmin(t.Context(), "", "")
	require.NoError(t, err)
	require.True(t, created)
	return s, clk, r, printed
}

// phase is how far the setup is.
func phase(t *testing.T, s *Service) Phase {
	t.Helper()
	state, err := s.Setup(t.Context())
	require.NoError(t, err)
	if state.Phase != SetupClosed {
		assert.Equal(t, "admin", state.Name)
		assert.True(t, state.Alone)
	}
	return state.Phase
}

// TestPrintedPasswordIsForTheSetupAlone: nothing else takes it, and once it is
// replaced it is worth nothing.
func TestPrintedPasswordIsForTheSetupAlone(t *testing.T) {
	t.Parallel()
	s, _, r, printed := fresh(t)
	assert.Equal(t, SetupPassword, phase(t, s))
	_, err := s.Login(t.Context(), LoginRequest{Name: "admin", Password: printed, Source: home})
	require.ErrorIs(t, err, ErrSetup)
	assert.Empty(t, r.sessions)
	_, err = s.Login(t.Context(), LoginRequest{Name: "admin", Password: "wrong", Source: home, Setup: true})
	require.ErrorIs(t, err, ErrBadLogin)

	login, err := s.Login(t.Context(), LoginRequest{Name: "admin", Password: printed, Source: home, Setup: true, Remember: true})
	require.NoError(t, err)
	assert.True(t, login.Setup)
	assert.Equal(t, 7*24*time.Hour, r.sessions[sha256Hex(login.ID)].Expires.Sub(s.now()), "not remembered")
	u, err := s.Authenticate(t.Context(), login.ID)
	require.ErrorIs(t, err, ErrSetup)
	require.ErrorIs(t, err, ErrNoSession, "to those who know nothing of a setup it is no session")
	assert.Nil(t, u)
	u, err = s.SetupUser(t.Context(), login.ID)
	require.NoError(t, err)
	require.ErrorIs(t, s.FinishSetup(t.Context()), ErrNoSetup, "first the password")

	for password, want := range map[string]error{
		"short": ErrPasswordLength, strings.Repeat("x", 65): ErrPasswordLength, printed: ErrPasswordSame,
	} {
		require.ErrorIs(t, s.ChoosePassword(t.Context(), u.ID, password), want)
	}
	assert.Equal(t, SetupPassword, phase(t, s))
	require.NoError(t, s.ChoosePassword(t.Context(), u.ID, "a-password-of-mine"))
	assert.Equal(t, SetupExecutor, phase(t, s))
	assert.Empty(t, r.sessions, "they have ended")
	require.ErrorIs(t, s.ChoosePassword(t.Context(), u.ID, "another-of-mine"), ErrNoSetup)
	_, err = s.Login(t.Context(), LoginRequest{Name: "admin", Password: printed, Source: home, Setup: true})
	require.ErrorIs(t, err, ErrBadLogin)
	login, err = s.Login(t.Context(), LoginRequest{Name: "admin", Password: "a-password-of-mine", Source: home, Setup: true})
	require.NoError(t, err)
	assert.False(t, login.Setup)
	_, err = s.Authenticate(t.Context(), login.ID)
	require.NoError(t, err)
	_, err = s.SetupUser(t.Context(), login.ID)
	require.ErrorIs(t, err, ErrNoSession)

	require.NoError(t, s.FinishSetup(t.Context()))
	assert.Equal(t, SetupClosed, phase(t, s))
	require.ErrorIs(t, s.FinishSetup(t.Context()), ErrNoSetup)
}

// TestSetupIsClosedByTime: who never connects an executor leaves nothing open.
func TestSetupIsClosedByTime(t *testing.T) {
	t.Parallel()
	s, clk, _, _ := fresh(t)
	clk.add(30 * 24 * time.Hour)
	assert.Equal(t, SetupPassword, phase(t, s), "the password has to be replaced, however late")
	require.NoError(t, s.ChoosePassword(t.Context(), 1, "a-password-of-mine"))
	clk.add(setupOpen)
	assert.Equal(t, SetupExecutor, phase(t, s))
	clk.add(time.Second)
	assert.Equal(t, SetupClosed, phase(t, s))
	require.ErrorIs(t, s.FinishSetup(t.Context()), ErrNoSetup)
}

// TestSetupIsClosedByAnotherPassword: the command line, a Java node and a person
// with SQL end it too.
func TestSetupIsClosedByAnotherPassword(t *testing.T) {
	t.Parallel()
	t.Run("command line", func(t *testing.T) {
		t.Parallel()
		s, _, r, printed := fresh(t)
		beside, _ := newService(r, Config{}) // another process
		require.NoError(t, beside.SetPassword(t.Context(), 1, "of-the-command-line"))
		assert.Equal(t, SetupExecutor, phase(t, s))
		require.ErrorIs(t, s.ChoosePassword(t.Context(), 1, "a-password-of-mine"), ErrNoSetup)
		_, err := s.Login(t.Context(), LoginRequest{Name: "admin", Password: printed, Source: home, Setup: true})
		require.ErrorIs(t, err, ErrBadLogin)
		_, err = s.Login(t.Context(), LoginRequest{Name: "admin", Password: "of-the-command-line", Source: home})
		require.NoError(t, err)
	})
	t.Run("Java's column", func(t *testing.T) {
		t.Parallel()
		s, _, r, printed := fresh(t)
		u := r.users[1]
		u.JavaHash = md5Hex("sesame-open")
		r.users[1] = u
		_, err := s.Login(t.Context(), LoginRequest{Name: "admin", Password: printed, Source: home, Setup: true})
		require.ErrorIs(t, err, ErrBadLogin)
		login, err := s.Login(t.Context(), LoginRequest{Name: "admin", Password: "sesame-open", Source: home})
		require.NoError(t, err)
		assert.False(t, login.Setup)
		require.ErrorIs(t, s.ChoosePassword(t.Context(), 1, "a-password-of-mine"), ErrNoSetup)
	})
	t.Run("the user is gone", func(t *testing.T) {
		t.Parallel()
		s, _, r, _ := fresh(t)
		delete(r.users, 1)
		assert.Equal(t, SetupClosed, phase(t, s))
		require.ErrorIs(t, s.ChoosePassword(t.Context(), 1, "a-password-of-mine"), errNoRow)
	})
}

// TestNoSetup: a password of one's own, or an administrator of old, needs none.
func TestNoSetup(t *testing.T) {
	t.Parallel()
	r := newRows()
	s, _ := newService(r, Config{Settings: r})
	_, _, err := s.EnsureAdmin(t.Context(), "", "a-given-password")
	require.NoError(t, err)
	assert.Equal(t, SetupClosed, phase(t, s))
	require.ErrorIs(t, s.ChoosePassword(t.Context(), 1, "a-password-of-mine"), ErrNoSetup)
	login, err := s.Login(t.Context(), LoginRequest{Name: "admin", Password: "a-given-password", Source: home, Setup: true})
	require.NoError(t, err)
	assert.False(t, login.Setup)
	_, err = s.SetupUser(t.Context(), login.ID)
	require.ErrorIs(t, err, ErrNoSession)
}

// TestOneOfManyReplacesThePrintedPassword: of those who have it at the same time
// one wins, and the others are told.
func TestOneOfManyReplacesThePrintedPassword(t *testing.T) {
	t.Parallel()
	s, _, _, _ := fresh(t)
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() { errs[i] = s.ChoosePassword(t.Context(), 1, "a-password-of-mine-"+string(rune('a'+i))) })
	}
	wg.Wait()
	won := 0
	for i, err := range errs {
		if err != nil {
			require.ErrorIs(t, err, ErrNoSetup)
			continue
		}
		won++
		_, err := s.Login(t.Context(), LoginRequest{Name: "admin", Password: "a-password-of-mine-" + string(rune('a'+i)), Source: home})
		require.NoError(t, err)
	}
	assert.Equal(t, 1, won)
}

// TestSetupOnARealStore: what is on record survives a restart.
func TestSetupOnARealStore(t *testing.T) {
	t.Parallel()
	st, err := store.Open(t.Context(), store.Options{DSN: "sqlite:" + filepath.Join(t.TempDir(), "admin.db")})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, st.Close()) })
	require.NoError(t, st.Migrate(t.Context()))
	next := func() *Service {
		return New(Config{
			Users: st, Sessions: st, Settings: st,
			NotFound: func(err error) bool { return errors.Is(err, store.ErrNotFound) },
		})
	}
	printed, _, err := next().EnsureAdmin(t.Context(), "", "")
	require.NoError(t, err)
	s := next()
	_, created, err := s.EnsureAdmin(t.Context(), "", "")
	require.NoError(t, err)
	require.False(t, created)
	_, err = s.Login(t.Context(), LoginRequest{Name: "admin", Password: printed, Source: home})
	require.ErrorIs(t, err, ErrSetup)
	login, err := s.Login(t.Context(), LoginRequest{Name: "admin", Password: printed, Source: home, Setup: true})
	require.NoError(t, err)
	require.NoError(t, st.CreateUser(t.Context(), &model.User{Username: "anna", JavaHash: md5Hex("sesame-open")}))
	state, err := s.Setup(t.Context())
	require.NoError(t, err)
	assert.Equal(t, Setup{Phase: SetupPassword, Name: "admin"}, state)
	require.NoError(t, s.ChoosePassword(t.Context(), login.User.ID, "a-password-of-mine"))
	s = next()
	_, _, err = s.EnsureAdmin(t.Context(), "", "")
	require.NoError(t, err)
	_, err = s.Login(t.Context(), LoginRequest{Name: "admin", Password: "a-password-of-mine", Source: home})
	require.NoError(t, err)
	require.NoError(t, s.FinishSetup(t.Context()))
	state, err = next().Setup(t.Context())
	require.NoError(t, err)
	assert.Equal(t, SetupClosed, state.Phase)
}
