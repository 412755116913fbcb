//go:build linux

package main

import (
	"cmp"
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// round is one measured row of triggers.
type round struct {
	totals

	wall      time.Duration // until the last answer
	all       time.Duration // until the last result
	cpu       time.Duration // of the executor, until the last result
	idle      int64         // resident bytes after the start, before any trigger
	peak      int64         // largest resident bytes
	answerP50 time.Duration
	answerP99 time.Duration
	resultP50 time.Duration
	resultP99 time.Duration
}

// cpuMicros is the CPU for one answered trigger, refused ones included.
func (r round) cpuMicros() float64     { return micros(r.cpu, r.accepted+r.refused) }
func (r round) acceptRate() float64    { return perSecond(r.accepted, r.wall) }
func (r round) completeRate() float64  { return perSecond(r.accepted-r.lost, r.all) }
func (r round) peakMegabytes() float64 { return megabytes(r.peak) }
func (r round) idleMegabytes() float64 { return megabytes(r.idle) }

// measure sends triggers for a handler and waits for their results.
func (b *bench) measure(ctx context.Context, e *executor, l load) (round, error) {
	l.book = b.newBook(l.count)
	before, err := e.usage()
	if err != nil {
		return round{}, err
	}
	begin := time.Now()
	wall, all, answerErr := b.waves(ctx, e, l, begin)
	after, err := e.usage()
	if err != nil {
		return round{}, fmt.Errorf("%s after its triggers: %w\n%s", e.name, err, e.tail())
	}
	pause(ctx, aftermath)
	r := round{
		totals: l.book.totals(wire.CodeSuccess), wall: wall, all: max(all, wall),
		cpu: after.cpu - before.cpu, idle: before.now, peak: after.peak,
	}
	answers, results := l.book.times()
	r.answerP50, r.answerP99 = percentile(answers, 0.5), percentile(answers, 0.99)
	r.resultP50, r.resultP99 = percentile(results, 0.5), percentile(results, 0.99)
	b.judge(e, r.totals, answerErr)
	return r, ctx.Err()
}

// waves sends the triggers of a load, at most l.wave at once, and waits for the
// results of each wave. It returns how long the sending took, and when the last
// result came.
func (b *bench) waves(ctx context.Context, e *executor, l load, begin time.Time) (wall, all time.Duration, err error) {
	end := l.from + l.count
	l.count = min(l.count, cmp.Or(l.wave, l.count))
	for ; l.from < end && ctx.Err() == nil; l.from += l.count {
		l.count = min(l.count, end-l.from)
		took, answerErr := e.send(l, b.opt.conns)
		wall, err = wall+took, cmp.Or(err, answerErr)
		all = await(ctx, l.book).Sub(begin)
	}
	return wall, all, err
}

// judge makes faults of what our executor did wrong, and notes of what Java's
// did.
func (b *bench) judge(e *executor, t totals, answerErr error) {
	say := b.report.note
	if e.ours {
		say = b.report.fault
	}
	if answerErr != nil {
		say("%s: %v", e.name, answerErr)
	}
	if !t.clean() {
		say("%s: of %d triggers %d were accepted and %d refused, %d were not answered; %d results lost, %d doubled, "+
			"%d of refused triggers, %d with a wrong code, %d of unknown triggers",
			e.name, t.sent, t.accepted, t.refused, t.failed, t.lost, t.doubled, t.ghost, t.wrong, t.unknown)
	}
}

// series are the rounds of one executor in one place.
type series struct {
	name   string
	place  string
	ours   bool
	rounds []round
}

// throughput measures our executor, Java's and the bare files in turns.
func (b *bench) throughput(ctx context.Context) error {
	for _, p := range b.places() {
		kinds := []kind{b.ours}
		if b.java != nil {
			kinds = append(kinds, *b.java)
		}
		rows := make([]series, len(kinds))
		var floors []floor
		for n := range b.opt.rounds {
			f, err := b.floorRound(p)
			if err != nil {
				return fmt.Errorf("cost of files alone: %w", err)
			}
			floors = append(floors, f)
			for i, k := range kinds {
				progress("throughput, log path in %s, round %d of %d: %s", p.name, n+1, b.opt.rounds, k.name)
				rows[i].name, rows[i].place, rows[i].ours = k.name, p.name, k.ours
				r, err := b.throughputRound(ctx, k, p)
				switch {
				case err == nil:
					rows[i].rounds = append(rows[i].rounds, r)
				case k.ours || ctx.Err() != nil:
					return err
				default:
					b.report.note("a round of %s is left out: %v", k.name, err)
				}
			}
		}
		for _, row := range rows {
			if len(row.rounds) > 0 {
				b.report.series = append(b.report.series, row)
			}
		}
		b.report.floors = append(b.report.floors, floorSeries{place: p.name, floors: floors})
	}
	return nil
}

func (b *bench) floorRound(p place) (f floor, err error) {
	syscall.Sync() // each round begins with nothing left to write
	err = p.within(func(dir string) error {
		f, err = measureFloor(dir, max(b.opt.triggers/4, 1))
		return err
	})
	return f, err
}

func (b *bench) throughputRound(ctx context.Context, k kind, p place) (r round, err error) {
	syscall.Sync()
	err = b.withExecutor(ctx, k, p, func(e *executor) error {
		idle, err := memoryOf(e.pid())
		if err != nil {
			return err
		}
		if err := b.warmUp(ctx, e, "bench", b.opt.jobs); err != nil {
			return err
		}
		r, err = b.measure(ctx, e, load{handler: "bench", jobs: b.opt.jobs, count: b.opt.triggers})
		r.idle = idle.now
		return err
	})
	return r, err
}
