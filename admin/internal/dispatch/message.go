package dispatch

import (
	"html"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// maxMessage bounds trigger_msg, which the column TEXT of MySQL holds in 64 KiB
// of UTF-8, and maxPart what executors and operators put into it.
const (
	maxMessage = 16000
	maxPart    = 4000
)

// escape makes foreign text safe inside trigger_msg, which is HTML.
func escape(s string) string {
	if len(s) > maxPart {
		s = strings.ToValidUTF8(s[:maxPart], "") + " …"
	}
	return html.EscapeString(s)
}

// noAddress is the result of a run that no executor could be chosen for.
func (d *Dispatcher) noAddress(e *entry) execclient.Result {
	return execclient.Result{Kind: execclient.NotSent, Code: model.CodeFail,
		Msg: d.cfg.Text("jobconf_trigger_address_empty")}
}

// message is trigger_msg in the form that the log page of Java 3.3.0 and later
// shows (admin.md 4.5), with our own wording.
func (d *Dispatcher) message(e *entry, code int32, r execclient.Result) string {
	var b strings.Builder
	b.Grow(900)
	line := func(title, value string) {
		if b.Len() > 0 {
			b.WriteString("<br>")
		}
		b.WriteString(title)
		b.WriteString("：")
		b.WriteString(value)
	}
	d.head(e, line)
	b.WriteString(`<br><br><span style="color:#00c0ef;" > >>>>>>>>>>>`)
	b.WriteString(d.cfg.Text("jobconf_trigger_run"))
	b.WriteString(`<<<<<<<<<<< </span><br>`)
	addr := escape(e.Run.Address)
	if addr == "" {
		addr = "address route fail."
		if e.note != "" {
			addr = "address route fail, " + e.note
		}
	}
	line(d.cfg.Text("joblog_field_executorAddress"), addr)
	if e.Run.Handler.S != "" {
		line("JobHandler", escape(e.Run.Handler.S))
	}
	line(d.cfg.Text("jobinfo_field_executorparam"), escape(e.Run.Param.S))
	line(d.cfg.Text("joblog_field_triggerMsg"), outcomeText(code, r))
	if b.Len() > maxMessage {
		return strings.ToValidUTF8(b.String()[:maxMessage], "")
	}
	return b.String()
}

// head writes the lines on what was triggered and why.
func (d *Dispatcher) head(e *entry, line func(title, value string)) {
	regType := "jobgroup_field_addressType_0"
	if e.group != nil && e.group.Manual {
		regType = "jobgroup_field_addressType_1"
	}
	addrs := "null"
	if e.addrs != nil {
		addrs = escape("[" + strings.Join(e.addrs, ", ") + "]")
	}
	route := d.cfg.Text(routeKey(e.Job.Route))
	if e.Run.Sharded {
		route += "(" + e.Run.ShardingParam().S + ")"
	}
	line(d.cfg.Text("jobconf_trigger_type"), d.cfg.Text(typeKey(e.Run.Type)))
	line(d.cfg.Text("jobconf_trigger_admin_adress"), escape(d.cfg.Node))
	line(d.cfg.Text("jobconf_trigger_exe_regtype"), d.cfg.Text(regType))
	line(d.cfg.Text("jobconf_trigger_exe_regaddress"), addrs)
	line(d.cfg.Text("jobinfo_field_executorRouteStrategy"), route)
	line(d.cfg.Text("jobinfo_field_executorBlockStrategy"), d.cfg.Text(blockKey(e.Job.Block)))
	line(d.cfg.Text("jobinfo_field_timeout"), strconv.Itoa(int(e.Job.TimeoutSec)))
	line(d.cfg.Text("jobinfo_field_executorFailRetryCount"), strconv.Itoa(int(e.Run.RetriesLeft)))
}

func outcomeText(code int32, r execclient.Result) string {
	msg := escape(r.Msg)
	if code == model.CodeSuccess {
		if msg == "" || r.Kind == execclient.Accepted {
			return "success"
		}
		return "success, " + msg
	}
	if msg == "" {
		return "fail"
	}
	return "error, " + msg
}

// typeKey is the text key of a trigger type.
func typeKey(t model.TriggerType) string {
	return "jobconf_trigger_type_" + strings.ToLower(string(t))
}

// routeKey is the text key of a route strategy.
func routeKey(r model.Route) string {
	switch r {
	case model.RouteFirst, model.RouteLast, model.RouteRound, model.RouteRandom,
		model.RouteFailover, model.RouteBusyover:
		return "jobconf_route_" + strings.ToLower(string(r))
	case model.RouteConsistentHash:
		return "jobconf_route_consistenthash"
	case model.RouteLeastFrequent:
		return "jobconf_route_lfu"
	case model.RouteLeastRecent:
		return "jobconf_route_lru"
	case model.RouteShardingBroadcast:
		return "jobconf_route_shard"
	}
	return string(r)
}

// blockKey is the text key of a block strategy.
func blockKey(b model.Block) string { return "jobconf_block_" + string(b) }
