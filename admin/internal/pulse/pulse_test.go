package pulse

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestPulse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := New(nil)
		assert.Equal(t, time.Now(), p.Since())
		for range 98 {
			p.Sent(2 * time.Millisecond)
		}
		p.Sent(-time.Second)
		p.Sent(3 * time.Second)
		for kind := model.EndOpen; kind <= model.EndReplaced; kind++ {
			p.Ended(kind)
		}
		p.Ended(model.EndOK)
		l := LatenessOf(p.Last(10), time.Second)
		assert.Equal(t, int64(100), l.Sent)
		assert.Equal(t, int64(1), l.Late)
		assert.InEpsilon(t, 2*time.Millisecond, l.P50, .2)
		assert.InEpsilon(t, 2*time.Millisecond, l.P99, .2)
		p.Sent(3 * time.Second)
		assert.InEpsilon(t, 3*time.Second, LatenessOf(p.Last(10), time.Second).P99, .2)

		<-time.After(5 * time.Minute)
		p.Ended(model.EndFailed)
		list := p.Last(Minutes + 9)
		assert.Len(t, list, Minutes)
		now := list[Minutes-1]
		assert.Equal(t, time.Now().Truncate(time.Minute).Unix(), now.Start.Unix())
		assert.Equal(t, [3]int64{0, 1, 0}, [3]int64{now.OK, now.Failed, now.Timeout})
		then := list[Minutes-6]
		assert.Equal(t, [4]int64{2, 2, 1, 1}, [4]int64{then.OK, then.Failed, then.Timeout, then.Lost},
			"what a person ended, and what was skipped, does not count")
		assert.Zero(t, LatenessOf(p.Last(5), time.Second), "nothing was sent since")

		<-time.After(Minutes * time.Minute)
		for _, m := range p.Last(Minutes) {
			assert.Zero(t, m.OK+m.Failed+m.Timeout+m.Lost, "an hour later nothing is left")
		}
		p.Ended(model.EndOK)
		assert.Equal(t, int64(1), p.Last(1)[0].OK)
		assert.Empty(t, p.Last(-1))
	})
}

func TestSteps(t *testing.T) {
	t.Parallel()
	for late := time.Microsecond; late < 15*time.Minute; late += late/7 + 1 {
		step := stepOf(late)
		assert.LessOrEqual(t, late, most(step)+1)
		assert.True(t, step == 0 || most(step-1) < late+1, late)
	}
	assert.Equal(t, steps-1, stepOf(1<<62))
}

func TestTogether(t *testing.T) {
	t.Parallel()
	p := New(nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				p.Sent(time.Millisecond)
				p.Ended(model.EndOK)
				_ = p.Last(2)
			}
		})
	}
	wg.Wait()
	ok := int64(0)
	for _, m := range p.Last(Minutes) {
		ok += m.OK
	}
	assert.Equal(t, int64(8000), ok)
}

func BenchmarkSent(b *testing.B) {
	p := New(nil)
	b.ReportAllocs()
	for b.Loop() {
		p.Sent(2 * time.Millisecond)
	}
}
