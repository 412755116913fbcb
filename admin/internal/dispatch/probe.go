package dispatch

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Bounds of a probe: what a lane may take too, and how much of the route
// message is kept.
const (
	probeLimit = 60 * time.Second
	maxReport  = 6000
)

// probe finds the address of a FAILOVER or BUSYOVER run by asking executors in
// order, those that are known to be dead last; notes it on record; and sends.
func (d *Dispatcher) probe(ctx context.Context, e *entry) {
	d.prepare(e) // the group may have appeared since planning
	if len(e.addrs) == 0 {
		d.unaddressed(e)
		return
	}
	end := time.Now().Add(probeLimit)
	var report strings.Builder
	for _, addr := range d.probeOrder(e.addrs) {
		ok, line := d.ask(ctx, e, addr)
		if report.Len() > 0 {
			line = "<br><br>" + line
		}
		if report.Len()+len(line) <= maxReport {
			report.WriteString(line)
		}
		switch {
		case ctx.Err() != nil:
			d.drop(e) // the next owner asks again
			return
		case !d.allowed(e):
			d.hold(e)
			return
		case ok:
			e.note, e.Run.Address, e.unnoted = report.String(), addr, true
			d.prepare(e)
			d.noteAndSend(e)
			return
		}
		if time.Now().After(end) {
			break
		}
	}
	e.note = report.String()
	d.fail(e, d.noAddress(e))
}

func (d *Dispatcher) probeOrder(addrs []string) []string {
	order := slices.Clone(addrs)
	slices.SortStableFunc(order, func(a, b string) int {
		switch da, db := d.cfg.Client.Dead(a), d.cfg.Client.Dead(b); {
		case da == db:
			return 0
		case da:
			return 1
		default:
			return -1
		}
	})
	return order
}

// ask probes one address and returns the line of Java's route message.
func (d *Dispatcher) ask(ctx context.Context, e *entry, addr string) (ok bool, line string) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	t := targetOf(addr, e.group)
	var err error
	var msg string
	title := i18n.JobconfBeat
	began := time.Now()
	if e.Job.Route == model.RouteBusyover {
		title = i18n.JobconfIdleBeat
		ok, msg, err = d.cfg.Client.IdleBeat(ctx, t, e.Run.JobID)
	} else {
		err = d.cfg.Client.Beat(ctx, t)
		ok = err == nil
	}
	took := time.Since(began)
	code := model.CodeSuccess
	if err != nil {
		ok, msg = false, err.Error()
	}
	if !ok {
		code = model.CodeFail
	}
	ms := strconv.FormatFloat(float64(took)/float64(time.Millisecond), 'f', 1, 64)
	line = d.cfg.Lang.Text(title) + "：<br>address：" + escape(addr) +
		"<br>code：" + strconv.Itoa(int(code)) + "<br>msg：" + escape(msg) +
		"<br>" + model.AskedTook + "：" + ms + " ms"
	return ok, line
}
