package dispatch

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// probe finds the address of a FAILOVER or BUSYOVER run by asking executors in
// order, those that are known to be dead last; notes it on record; and sends.
func (d *Dispatcher) probe(ctx context.Context, e *entry) {
	d.prepare(e) // the group may have appeared since planning
	var report []string
	for _, addr := range d.probeOrder(e.addrs) {
		ok, line := d.ask(ctx, e, addr)
		report = append(report, line)
		if ctx.Err() != nil || !d.allowed(e) {
			d.drop(e) // the next owner asks again
			return
		}
		if !ok {
			continue
		}
		e.note = strings.Join(report, "<br><br>")
		if err := d.cfg.SetAddress(ctx, e.Run.LogID, addr); err != nil {
			// Not sent: nobody else could tell where to. It stays on record.
			d.cfg.Logger.WarnContext(ctx, "address of a run not noted, the run is left to recovery",
				slog.Int64("log_id", e.Run.LogID), slog.Any("err", err))
			d.drop(e)
			return
		}
		e.Run.Address = addr
		d.send(e)
		return
	}
	e.note = strings.Join(report, "<br><br>")
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
	t := execclient.Target{Address: addr, AppName: e.group.AppName, Token: e.group.AccessToken}
	var err error
	var msg string
	title := i18n.JobconfBeat
	if e.Job.Route == model.RouteBusyover {
		title = i18n.JobconfIdleBeat
		ok, msg, err = d.cfg.Client.IdleBeat(ctx, t, e.Run.JobID)
	} else {
		err = d.cfg.Client.Beat(ctx, t)
		ok = err == nil
	}
	code := model.CodeSuccess
	if err != nil {
		ok, msg = false, err.Error()
	}
	if !ok {
		code = model.CodeFail
	}
	line = d.cfg.Lang.Text(title) + "：<br>address：" + escape(addr) +
		"<br>code：" + strconv.Itoa(int(code)) + "<br>msg：" + escape(msg)
	return ok, line
}
