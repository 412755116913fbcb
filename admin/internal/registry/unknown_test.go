package registry

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// TestUnknown: executors without a group are told of while they are there and
// until they have one, no more of them than was asked for.
func TestUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(auto(1, "a"))
		r, _ := start(t, p)
		wait(10 * time.Second)
		began := time.Now()
		for _, beat := range [][2]string{
			{"a", "http://known/"}, {"lost", "http://2/"}, {"lost", "http://1/"}, {"other", "http://3/"}, {"bad", "<no address>"},
		} {
			require.NoError(t, r.Beat("EXECUTOR", beat[0], beat[1]))
		}
		require.NoError(t, r.Beat("ADMIN", "lost", "http://admin/"))
		wait(20 * time.Second)
		require.NoError(t, r.Beat("EXECUTOR", "lost", "http://2/"))
		list, names := r.Unknown(1)
		assert.Equal(t, []model.UnknownApp{{
			AppName: "lost", Addresses: []string{"http://1/", "http://2/"}, Count: 2, LastBeat: time.Now(), Since: began,
		}}, list)
		assert.Equal(t, 2, names)

		for _, n := range []string{"3", "4", "5", "6"} {
			require.NoError(t, r.Beat("EXECUTOR", "lost", "http://"+n+"/"))
		}
		list, _ = r.Unknown(1)
		assert.Len(t, list[0].Addresses, unknownAddresses)
		assert.Equal(t, 6, list[0].Count)

		p.set(func() { p.groups = append(p.groups, auto(2, "lost")) })
		r.GroupsChanged()
		synctest.Wait()
		list, names = r.Unknown(9)
		assert.Equal(t, "other", list[0].AppName)
		assert.Equal(t, 1, names)
		wait(Expiry + time.Second)
		_, names = r.Unknown(9)
		assert.Zero(t, names, "who is gone is not told of")
	})
}
