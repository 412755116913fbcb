package auth

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

var home = netip.MustParseAddr("192.0.2.1")

func TestLoginMovesJavaRowsOver(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		javaHash string
		password string
		want     bool
	}{
		{name: "MD5", javaHash: md5Hex("sesame-open"), password: "sesame-open", want: true},
		{name: "SHA-256", javaHash: sha256Hex("sesame-open"), password: "sesame-open", want: true},
		{name: "upper case", javaHash: strings.ToUpper(md5Hex("sesame-open")), password: "sesame-open", want: true},
		{name: "wrong", javaHash: md5Hex("sesame-open"), password: "sesame"},
		{name: "published MD5", javaHash: defaultMD5, password: "123456"},
		{name: "published SHA-256", javaHash: defaultSHA256, password: "123456"},
		{name: "published, upper case", javaHash: strings.ToUpper(defaultMD5), password: "123456"},
		{name: "the hash itself", javaHash: md5Hex("sesame-open"), password: md5Hex("sesame-open")},
		{name: "empty column", javaHash: "", password: ""},
		{name: "unusable", javaHash: unusable(), password: "!"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRows(model.User{Username: "admin", JavaHash: tt.javaHash, Admin: true})
			s, _ := newService(r, Config{})
			login, err := s.Login(t.Context(), LoginRequest{Name: "admin", Password: tt.password, Source: home})
			if !tt.want {
				require.ErrorIs(t, err, ErrBadLogin)
				assert.Empty(t, r.sessions)
				assert.Empty(t, r.users[1].Hash)
				return
			}
			require.NoError(t, err)
			u := r.users[1]
			assert.Equal(t, tt.javaHash, u.JavaHash, "Java's column stays as it is")
			require.True(t, strings.HasPrefix(u.Hash, "$argon2id$v=19$m=19456,t=2,p=1$"), u.Hash)
			who, err := s.Authenticate(t.Context(), login.ID)
			require.NoError(t, err)
			assert.Equal(t, "admin", who.Username)

			before := u.Hash
			_, err = s.Login(t.Context(), LoginRequest{Name: "admin", Password: tt.password, Source: home})
			require.NoError(t, err)
			assert.Equal(t, before, r.users[1].Hash, "moved over once")
		})
	}
}

func TestJavaColumnChangedElsewhereCounts(t *testing.T) {
	t.Parallel()
	r := newRows(model.User{Username: "admin", JavaHash: md5Hex("first-one"), Admin: true})
	s, _ := newService(r, Config{})
	login := func(password string) error {
		_, err := s.Login(t.Context(), LoginRequest{Name: "admin", Password: password, Source: home})
		return err
	}
	require.NoError(t, login("first-one"))

	u := r.users[1]
	u.JavaHash = sha256Hex("second-one") // a Java node, or a person with SQL
	r.users[1] = u
	require.ErrorIs(t, login("first-one"), ErrBadLogin)
	require.NoError(t, login("second-one"))

	u = r.users[1]
	u.JavaHash = defaultMD5
	r.users[1] = u
	require.ErrorIs(t, login("123456"), ErrBadLogin)
	require.ErrorIs(t, login("second-one"), ErrBadLogin)
}

func TestHashPasswordJavaColumn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		form JavaHash
		want string
	}{{JavaMD5, md5Hex("some-pass")}, {JavaSHA256, sha256Hex("some-pass")}} {
		s, _ := newService(newRows(), Config{JavaHash: tt.form})
		java, _, err := s.HashPassword(t.Context(), "some-pass")
		require.NoError(t, err)
		assert.Equal(t, tt.want, java)
	}
	s, _ := newService(newRows(), Config{})
	first, own, err := s.HashPassword(t.Context(), "some-pass")
	require.NoError(t, err)
	second, _, err := s.HashPassword(t.Context(), "some-pass")
	require.NoError(t, err)
	assert.NotEqual(t, first, second, "a constant there would be the key of Java's old cookie")
	assert.False(t, javaUsable(first))
	assert.LessOrEqual(t, len(first), 50)
	assert.LessOrEqual(t, len(own), 200)
	ok, err := s.CheckPassword(t.Context(), &model.User{JavaHash: first, Hash: own}, "some-pass")
	require.NoError(t, err)
	assert.True(t, ok)
	ok, err = s.CheckPassword(t.Context(), &model.User{JavaHash: second, Hash: own}, "some-pass")
	require.NoError(t, err)
	assert.False(t, ok, "bound to the column")
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	setup := func(t *testing.T, remember bool) (*Service, *clock, *rows, string) {
		t.Helper()
		r := newRows(model.User{Username: "anna", JavaHash: md5Hex("sesame-open")})
		s, clk := newService(r, Config{})
		login, err := s.Login(t.Context(), LoginRequest{Name: "anna", Password: "sesame-open", Remember: remember, Source: home})
		require.NoError(t, err)
		return s, clk, r, login.ID
	}
	t.Run("idle", func(t *testing.T) {
		t.Parallel()
		s, clk, r, id := setup(t, false)
		clk.add(11 * time.Hour)
		_, err := s.Authenticate(t.Context(), id)
		require.NoError(t, err)
		clk.add(11 * time.Hour)
		_, err = s.Authenticate(t.Context(), id)
		require.NoError(t, err)
		clk.add(12*time.Hour + time.Second)
		_, err = s.Authenticate(t.Context(), id)
		require.ErrorIs(t, err, ErrNoSession)
		assert.Empty(t, r.sessions, "it is deleted")
	})
	t.Run("too old", func(t *testing.T) {
		t.Parallel()
		s, clk, _, id := setup(t, false)
		for range 7 * 24 {
			_, err := s.Authenticate(t.Context(), id)
			require.NoError(t, err)
			clk.add(time.Hour)
		}
		clk.add(time.Second)
		_, err := s.Authenticate(t.Context(), id)
		require.ErrorIs(t, err, ErrNoSession)
	})
	t.Run("remembered", func(t *testing.T) {
		t.Parallel()
		s, clk, r, id := setup(t, true)
		clk.add(6 * 24 * time.Hour)
		_, err := s.Authenticate(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, 1, r.touches)
		clk.add(8 * 24 * time.Hour)
		_, err = s.Authenticate(t.Context(), id)
		require.ErrorIs(t, err, ErrNoSession)
	})
	t.Run("logout ends one of several", func(t *testing.T) {
		t.Parallel()
		s, _, _, id := setup(t, false)
		other, err := s.Login(t.Context(), LoginRequest{Name: "anna", Password: "sesame-open", Source: home})
		require.NoError(t, err)
		require.NoError(t, s.Logout(t.Context(), id))
		_, err = s.Authenticate(t.Context(), id)
		require.ErrorIs(t, err, ErrNoSession)
		_, err = s.Authenticate(t.Context(), other.ID)
		require.NoError(t, err)
	})
	t.Run("a new password ends all", func(t *testing.T) {
		t.Parallel()
		s, _, _, id := setup(t, false)
		require.NoError(t, s.SetPassword(t.Context(), 1, "another-one"))
		_, err := s.Authenticate(t.Context(), id)
		require.ErrorIs(t, err, ErrNoSession)
		_, err = s.Login(t.Context(), LoginRequest{Name: "anna", Password: "sesame-open", Source: home})
		require.ErrorIs(t, err, ErrBadLogin)
		_, err = s.Login(t.Context(), LoginRequest{Name: "anna", Password: "another-one", Source: home})
		require.NoError(t, err)
	})
	t.Run("removed user", func(t *testing.T) {
		t.Parallel()
		s, _, r, id := setup(t, false)
		delete(r.users, 1)
		_, err := s.Authenticate(t.Context(), id)
		require.ErrorIs(t, err, ErrNoSession)
	})
	t.Run("few writes", func(t *testing.T) {
		t.Parallel()
		s, clk, r, id := setup(t, false)
		for range 120 {
			clk.add(time.Second)
			_, err := s.Authenticate(t.Context(), id)
			require.NoError(t, err)
		}
		assert.Equal(t, 2, r.touches)
	})
	t.Run("nothing in the database is a session id", func(t *testing.T) {
		t.Parallel()
		s, _, r, id := setup(t, false)
		for key := range r.sessions {
			assert.NotContains(t, key, id)
			_, err := s.Authenticate(t.Context(), key)
			require.ErrorIs(t, err, ErrNoSession)
		}
	})
}

func TestForeignCookiesAreRefused(t *testing.T) {
	t.Parallel()
	r := newRows(model.User{Username: "admin", JavaHash: md5Hex("sesame-open"), Admin: true})
	s, _ := newService(r, Config{})
	// The value that is hard-coded in scripts for admin/123456 on releases up to 3.1.1.
	hexOfHash := fmt.Sprintf("%x", `{"id":1,"username":"admin","password":"`+md5Hex("sesame-open")+`","role":1,"permission":null}`)
	for _, id := range []string{"", "garbage", hexOfHash, strings.Repeat("A", 43), strings.Repeat("é", 30)} {
		_, err := s.Authenticate(t.Context(), id)
		require.ErrorIs(t, err, ErrNoSession)
		_, err = s.FromJava(t.Context(), id)
		require.ErrorIs(t, err, ErrNoSession)
	}
}

func TestJavaTokenOnlyWhereSwitchedOn(t *testing.T) {
	t.Parallel()
	const signature = "410e85abc17a4f6fa7549d426aa5d690"
	cookie := base64.RawURLEncoding.EncodeToString([]byte(`{"userId":"1","expireTime":0,"signature":"` + signature + `"}`))
	r := newRows(model.User{Username: "admin", JavaHash: sha256Hex("sesame-open"), Admin: true})
	r.tokens[1] = signature

	off, _ := newService(r, Config{})
	_, err := off.FromJava(t.Context(), cookie)
	require.ErrorIs(t, err, ErrNoSession)

	on, _ := newService(r, Config{JavaTokens: r})
	u, err := on.FromJava(t.Context(), cookie)
	require.NoError(t, err)
	assert.Equal(t, int32(1), u.ID)

	r.tokens[1] = "" // logged out there
	empty := base64.RawURLEncoding.EncodeToString([]byte(`{"userId":"1","signature":""}`))
	for _, c := range []string{cookie, empty} {
		_, err = on.FromJava(t.Context(), c)
		require.ErrorIs(t, err, ErrNoSession)
	}

	r.tokens[1] = signature
	u1 := r.users[1]
	u1.JavaHash = defaultSHA256
	r.users[1] = u1
	_, err = on.FromJava(t.Context(), cookie)
	require.ErrorIs(t, err, ErrNoSession, "the shipped account never logs in")
}

// wait returns how long a throttled login is to wait.
func wait(t *testing.T, err error) time.Duration {
	t.Helper()
	var throttled *ThrottledError
	require.ErrorAs(t, err, &throttled)
	return throttled.Wait
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	elsewhere := netip.MustParseAddr("198.51.100.7")
	try := func(t *testing.T, s *Service, name, password string, from netip.Addr) error {
		t.Helper()
		_, err := s.Login(t.Context(), LoginRequest{Name: name, Password: password, Source: from})
		return err
	}
	t.Run("ten for an account from many addresses", func(t *testing.T) {
		t.Parallel()
		s, clk := newService(newRows(model.User{Username: "admin", JavaHash: md5Hex("sesame-open")}), Config{})
		for i := range 10 {
			from := netip.AddrFrom4([4]byte{203, 0, 113, byte(i)})
			require.ErrorIs(t, try(t, s, "ADMIN ", "wrong", from), ErrBadLogin)
		}
		assert.Equal(t, 30*time.Second, wait(t, try(t, s, "admin", "sesame-open", elsewhere)))
		clk.add(30 * time.Second)
		require.NoError(t, try(t, s, "admin", "sesame-open", elsewhere))
	})
	t.Run("ten from an address for many accounts", func(t *testing.T) {
		t.Parallel()
		s, clk := newService(newRows(), Config{})
		for i := range 10 {
			require.ErrorIs(t, try(t, s, fmt.Sprintf("user%d", i), "wrong", home), ErrBadLogin)
		}
		assert.Equal(t, 6*time.Second, wait(t, try(t, s, "user11", "wrong", home)))
		require.ErrorIs(t, try(t, s, "user11", "wrong", elsewhere), ErrBadLogin)
		clk.add(6 * time.Second)
		require.ErrorIs(t, try(t, s, "user11", "wrong", home), ErrBadLogin)
	})
	t.Run("one IPv6 network is one address", func(t *testing.T) {
		t.Parallel()
		s, _ := newService(newRows(), Config{})
		for i := range 10 {
			from := netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i+1))
			require.ErrorIs(t, try(t, s, fmt.Sprintf("user%d", i), "wrong", from), ErrBadLogin)
		}
		wait(t, try(t, s, "user11", "wrong", netip.MustParseAddr("2001:db8::ffff")))
	})
	t.Run("guessing elsewhere does not lock out a known address", func(t *testing.T) {
		t.Parallel()
		s, _ := newService(newRows(model.User{Username: "admin", JavaHash: md5Hex("sesame-open")}), Config{})
		require.NoError(t, try(t, s, "admin", "sesame-open", home))
		for range 10 {
			require.ErrorIs(t, try(t, s, "admin", "wrong", elsewhere), ErrBadLogin)
		}
		wait(t, try(t, s, "admin", "sesame-open", elsewhere))
		require.NoError(t, try(t, s, "admin", "sesame-open", home))
	})
	t.Run("the old password of a change counts too", func(t *testing.T) {
		t.Parallel()
		r := newRows(model.User{Username: "anna", JavaHash: md5Hex("sesame-open")})
		s, clk := newService(r, Config{})
		u := r.users[1]
		for range 10 {
			ok, err := s.CheckPassword(t.Context(), &u, "wrong")
			require.NoError(t, err)
			require.False(t, ok)
		}
		_, err := s.CheckPassword(t.Context(), &u, "sesame-open")
		assert.Equal(t, 30*time.Second, wait(t, err))
		clk.add(30 * time.Second)
		for range 3 {
			ok, err := s.CheckPassword(t.Context(), &u, "sesame-open")
			require.NoError(t, err)
			require.True(t, ok)
		}
	})
	t.Run("right passwords cost nothing", func(t *testing.T) {
		t.Parallel()
		s, _ := newService(newRows(model.User{Username: "admin", JavaHash: md5Hex("sesame-open")}), Config{})
		for range 25 {
			require.NoError(t, try(t, s, "admin", "sesame-open", home))
		}
	})
	t.Run("a broken store costs nothing", func(t *testing.T) {
		t.Parallel()
		r := newRows(model.User{Username: "admin", JavaHash: md5Hex("sesame-open")})
		s, _ := newService(r, Config{})
		r.fail = errors.New("database is gone")
		for range 20 {
			require.ErrorIs(t, try(t, s, "admin", "sesame-open", home), r.fail)
		}
		r.fail = nil
		require.NoError(t, try(t, s, "admin", "sesame-open", home))
	})
}

func TestThrottleMemoryIsBounded(t *testing.T) {
	t.Parallel()
	th := newThrottle()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for range 10 {
		require.NoError(t, th.take("victim", home, now))
	}
	for i := range throttleEntries + 50 {
		from := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		require.NoError(t, th.take(strings.Repeat("x", 100)+fmt.Sprint(i), from, now))
	}
	assert.LessOrEqual(t, len(th.accounts.spent), throttleEntries)
	assert.LessOrEqual(t, len(th.sources.spent), throttleEntries)
	for key := range th.accounts.spent {
		require.LessOrEqual(t, len(key), 64)
	}
	require.Error(t, th.take("victim", netip.MustParseAddr("198.51.100.7"), now), "a flood does not free a blocked account")
	for i := range knownEntries + 50 {
		th.giveBack(fmt.Sprint(i), home, true, now)
	}
	assert.LessOrEqual(t, len(th.known), knownEntries)
}

func TestHasherRefusesCrowds(t *testing.T) {
	t.Parallel()
	h := newHasher(1, 1)
	leave, err := h.enter(t.Context())
	require.NoError(t, err)
	entered := make(chan func())
	go func() {
		next, err := h.enter(t.Context())
		assert.NoError(t, err)
		entered <- next
	}()
	// The second one waits; once it does, a third is refused.
	for len(h.queue) < 2 {
		select {
		case <-entered:
			t.Fatal("two at once")
		default:
		}
	}
	_, err = h.enter(t.Context())
	require.ErrorIs(t, err, ErrBusy)
	leave()
	(<-entered)()
	assert.Empty(t, h.queue)
	assert.Empty(t, h.slots)
}

// Every login goes through the hasher, so that its time tells nothing: while no
// hash can be made, none of them is answered.
func TestEveryLoginCostsAHash(t *testing.T) {
	t.Parallel()
	own := newHasher(1, 1)
	encoded, err := own.hash(t.Context(), "sesame-open")
	require.NoError(t, err)
	r := newRows(
		model.User{Username: "java", JavaHash: md5Hex("sesame-open")},
		model.User{Username: "shipped", JavaHash: defaultMD5},
		model.User{Username: "dead", JavaHash: unusable()},
		model.User{Username: "ours", JavaHash: "!", Hash: bind(encoded, "!")},
		model.User{Username: "stale", JavaHash: "!", Hash: bind(encoded, "?")},
		model.User{Username: "damaged", JavaHash: "!", Hash: bind("$argon2id$v=19$m=99999999,t=1,p=1$x$y", "!")},
	)
	s, _ := newService(r, Config{})
	full := newHasher(1, 0)
	_, err = full.enter(t.Context())
	require.NoError(t, err)
	works := s.hasher
	for _, name := range []string{"java", "shipped", "dead", "ours", "stale", "damaged", "nobody"} {
		for _, password := range []string{"sesame-open", "wrong", "123456", strings.Repeat("x", 2*maxPassword)} {
			s.hasher = full
			_, err := s.Login(t.Context(), LoginRequest{Name: name, Password: password, Source: home})
			require.ErrorIs(t, err, ErrBusy, "%s with %.20s", name, password)
		}
	}
	s.hasher = works
	for name, want := range map[string]error{"java": nil, "ours": nil, "stale": ErrBadLogin, "damaged": ErrBadLogin} {
		_, err := s.Login(t.Context(), LoginRequest{Name: name, Password: "sesame-open", Source: home})
		require.ErrorIs(t, err, want, name)
	}
}

func TestEnsureAdmin(t *testing.T) {
	t.Parallel()
	t.Run("empty database, generated", func(t *testing.T) {
		t.Parallel()
		r := newRows()
		s, _ := newService(r, Config{})
		printed, created, err := s.EnsureAdmin(t.Context(), "", "")
		require.NoError(t, err)
		require.True(t, created)
		require.Len(t, printed, 20)
		_, err = s.Login(t.Context(), LoginRequest{Name: "admin", Password: printed, Source: home})
		require.NoError(t, err)
		assert.False(t, javaUsable(r.users[1].JavaHash))

		printed, created, err = s.EnsureAdmin(t.Context(), "", "another-password")
		require.NoError(t, err)
		assert.False(t, created, "only the first opening")
		assert.Empty(t, printed)
	})
	t.Run("given", func(t *testing.T) {
		t.Parallel()
		s, _ := newService(newRows(), Config{})
		printed, created, err := s.EnsureAdmin(t.Context(), "root", "a-given-password")
		require.NoError(t, err)
		assert.True(t, created)
		assert.Empty(t, printed)
		_, err = s.Login(t.Context(), LoginRequest{Name: "root", Password: "a-given-password", Source: home})
		require.NoError(t, err)
	})
	t.Run("too short or the name", func(t *testing.T) {
		t.Parallel()
		s, _ := newService(newRows(), Config{})
		for _, p := range []string{"123456", "operator", strings.Repeat("x", 65)} {
			_, _, err := s.EnsureAdmin(t.Context(), "operator", p)
			require.Error(t, err)
		}
	})
	for _, hash := range []string{defaultMD5, defaultSHA256} {
		t.Run("the shipped row "+hash[:4], func(t *testing.T) {
			t.Parallel()
			r := newRows(model.User{Username: "admin", JavaHash: hash, Admin: true})
			r.sessions["old"] = model.Session{Key: "old", UserID: 1}
			s, _ := newService(r, Config{})
			printed, created, err := s.EnsureAdmin(t.Context(), "admin", "")
			require.NoError(t, err)
			require.True(t, created)
			assert.NotEqual(t, hash, r.users[1].JavaHash)
			assert.Empty(t, r.sessions)
			_, err = s.Login(t.Context(), LoginRequest{Name: "admin", Password: printed, Source: home})
			require.NoError(t, err)
			_, err = s.Login(t.Context(), LoginRequest{Name: "admin", Password: "123456", Source: home})
			require.ErrorIs(t, err, ErrBadLogin)
		})
	}
	t.Run("an old database with its own password", func(t *testing.T) {
		t.Parallel()
		r := newRows(
			model.User{Username: "admin", JavaHash: defaultMD5, Admin: true},
			model.User{Username: "chief", JavaHash: md5Hex("sesame-open"), Admin: true})
		s, _ := newService(r, Config{})
		printed, created, err := s.EnsureAdmin(t.Context(), "admin", "a-given-password")
		require.NoError(t, err)
		assert.False(t, created)
		assert.Empty(t, printed)
		assert.Equal(t, defaultMD5, r.users[1].JavaHash)
	})
	t.Run("a normal user of that name becomes administrator", func(t *testing.T) {
		t.Parallel()
		r := newRows(model.User{Username: "admin", JavaHash: md5Hex("sesame-open")})
		s, _ := newService(r, Config{})
		_, created, err := s.EnsureAdmin(t.Context(), "admin", "a-given-password")
		require.NoError(t, err)
		assert.True(t, created)
		assert.True(t, r.users[1].Admin)
		_, err = s.Login(t.Context(), LoginRequest{Name: "admin", Password: "sesame-open", Source: home})
		require.ErrorIs(t, err, ErrBadLogin)
	})
}

func TestConcurrentLogins(t *testing.T) {
	t.Parallel()
	r := newRows(model.User{Username: "anna", JavaHash: md5Hex("sesame-open")})
	s, _ := newService(r, Config{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			login, err := s.Login(t.Context(), LoginRequest{Name: "anna", Password: "sesame-open", Source: home})
			if assert.NoError(t, err) {
				_, err = s.Authenticate(t.Context(), login.ID)
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	assert.Len(t, r.sessions, 8)
}

func TestParsePHCRefusesGreed(t *testing.T) {
	t.Parallel()
	good := phc{time: 2, memory: 64, threads: 1, salt: make([]byte, 16), key: make([]byte, 32)}.String()
	_, err := parsePHC(good)
	require.NoError(t, err)
	for _, bad := range []string{
		"", "$", strings.Replace(good, "argon2id", "argon2i", 1), strings.Replace(good, "m=64", "m=4194304", 1),
		strings.Replace(good, "t=2", "t=1000", 1), strings.Replace(good, "p=1", "p=99", 1), good + "$", good + "=",
		strings.Replace(good, "v=19", "v=16", 1), strings.Replace(good, "p=1", "p=1,x=2", 1), strings.Replace(good, "m=64", "m=-1", 1),
	} {
		_, err := parsePHC(bad)
		assert.Error(t, err, bad)
	}
}

func FuzzParsePHC(f *testing.F) {
	f.Add(phc{time: 2, memory: 64, threads: 1, salt: make([]byte, 16), key: make([]byte, 32)}.String())
	f.Add("$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := parsePHC(s)
		if err != nil {
			return
		}
		if p.memory > maxArgonMemory || p.time > maxArgonTime || p.threads > maxArgonThreads || len(p.key) > maxArgonBytes {
			t.Fatalf("parsePHC(%q) = %+v, beyond the limits", s, p)
		}
		again, err := parsePHC(p.String())
		if err != nil || again.String() != p.String() {
			t.Fatalf("parsePHC(%q) does not round trip: %v", s, err)
		}
	})
}

func FuzzJavaToken(f *testing.F) {
	f.Add("eyJ1c2VySWQiOiIxIiwiZXhwaXJlVGltZSI6MCwic2lnbmF0dXJlIjoiNDEwZTg1YWJjMTdhNGY2ZmE3NTQ5ZDQyNmFhNWQ2OTAifQ")
	f.Add("garbage")
	f.Fuzz(func(t *testing.T, value string) {
		id, signature, ok := parseJavaToken(value)
		if ok && (id <= 0 || len(signature) < 16) {
			t.Fatalf("parseJavaToken(%q) = %d, %q", value, id, signature)
		}
	})
}

func BenchmarkHash(b *testing.B) {
	h := newHasher(1, 1)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.hash(b.Context(), "sesame-open"); err != nil {
			b.Fatal(err)
		}
	}
}
