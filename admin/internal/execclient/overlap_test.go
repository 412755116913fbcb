package execclient

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestOverlap: while two tokens of a group count, each executor is sent the one
// that it takes, and is asked about the other only when that changes.
func TestOverlap(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]func(token, app string, got *recorder) func(*peer){
		"release": func(token, _ string, got *recorder) func(*peer) { return release(token, got) },
		"master":  master, "ours": ours,
	} {
		for who, has := range map[string]string{"has the new one": "new", "has the old one": "old", "has the common one": "common"} {
			t.Run(name+" "+who, func(t *testing.T) {
				t.Parallel()
				var got recorder
				target := Target{
					Address: executor(t, kind(has, "app", &got)), AppName: "app", Token: "new", Old: has, Overlap: true,
				}
				if has == "common" {
					target.Old = ""
				}
				client := newClient(t, Config{GlobalToken: "common"})
				assert.Equal(t, Accepted, trigger(client, target, 1).Kind)
				first := len(got.all())
				assert.LessOrEqual(t, first, 3)
				assert.Equal(t, Accepted, trigger(client, target, 2).Kind)
				assert.NoError(t, client.Beat(t.Context(), target))
				seen := got.all()
				assert.Len(t, seen, first+2, "it is remembered")
				assert.Equal(t, has, seen[first].header.Get(wire.HeaderToken))
				assert.Equal(t, has, seen[first+1].header.Get(wire.HeaderToken))
			})
		}
	}
}

// TestOverlapEnds: an executor that was given the new token is asked with it, and
// one that has neither refuses once for each.
func TestOverlapEnds(t *testing.T) {
	t.Parallel()
	var got recorder
	has := "old"
	target := Target{Token: "new", Old: "old", Overlap: true}
	target.Address = executor(t, func(p *peer) { release(has, &got)(p) })
	client := newClient(t, Config{})
	assert.Equal(t, Accepted, trigger(client, target, 1).Kind)
	assert.True(t, client.Stats()[laneKey(target.Address)].OldToken)

	var other recorder
	lost := target
	lost.Address = executor(t, release("another", &other))
	for range 2 {
		r := trigger(client, lost, 2)
		assert.Equal(t, Refused, r.Kind)
		assert.Equal(t, wire.TextTokenWrong, r.Msg)
	}
	assert.Len(t, other.all(), 4)

	same := target
	same.Old = "new"
	same.Address = executor(t, release("another", &other))
	assert.Equal(t, Refused, trigger(client, same, 3).Kind)
	assert.Len(t, other.all(), 5, "two that are one are asked once")

	over := target
	over.Overlap = false
	assert.Equal(t, Refused, trigger(client, over, 4).Kind, "the old one is not sent any more")
}
