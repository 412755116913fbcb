package dispatch

import (
	"html"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// maxMessage bounds trigger_msg, which the column TEXT of MySQL holds in 64 KiB
// of UTF-8, and maxPart what executors and operators put into it.
const (
	maxMessage = 16000
	maxPart    = 4000
	// maxAddresses is how long the list of a group's addresses is shown whole; of
	// a longer one the first fewAddresses and their number: every row holds it.
	maxAddresses = 10
	fewAddresses = 5
)

// escape makes foreign text safe inside trigger_msg, which is HTML, and cuts it
// at the border of a character.
func escape(s string) string {
	if len(s) > maxPart {
		s = s[:maxPart]
	}
	s = html.EscapeString(strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) <= maxPart {
		return s
	}
	s = strings.ToValidUTF8(s[:maxPart], "")
	if at := strings.LastIndexByte(s, '&'); at >= 0 && !strings.Contains(s[at:], ";") {
		s = s[:at]
	}
	return s + " …"
}

// routeFail is what Java says, in every language, of a run for which its route
// strategy chose none of the executors that there are.
const routeFail = "Address Router Fail."

// noAddress is the result of a run that no executor could be chosen for: there
// is none, or each of them is busy, does not answer, or the strategy is unknown.
// Which it was stands beside the missing address.
func (d *Dispatcher) noAddress(e *entry) execclient.Result {
	msg := d.cfg.Lang.Text(i18n.JobconfTriggerAddressEmpty)
	if len(e.addrs) > 0 {
		msg = routeFail
	}
	return execclient.Result{Kind: execclient.NotSent, Code: model.CodeFail, Msg: msg}
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
	b.WriteString(d.cfg.Lang.Text(i18n.JobconfTriggerRun))
	b.WriteString(`<<<<<<<<<<< </span><br>`)
	addr := escape(e.Run.Address)
	if addr == "" {
		addr = "address route fail."
		if e.note != "" {
			addr = "address route fail, " + e.note
		}
	}
	if s, ok := d.sending(e, r); ok { // first, where no text of others can stand: model.SendingOf reads it there
		line(d.cfg.Lang.Text(i18n.JoblogSent), s.String())
	}
	if e.Run.Address != "" && e.note != "" { // who was asked before one was chosen, and what they said
		b.WriteString("<br><br>" + e.note + "<br>")
	}
	line(d.cfg.Lang.Text(i18n.JoblogFieldExecutorAddress), addr)
	if e.Run.Handler.S != "" {
		line("JobHandler", escape(e.Run.Handler.S))
	}
	line(d.cfg.Lang.Text(i18n.JobinfoFieldExecutorparam), escape(e.Run.Param.S))
	line(d.cfg.Lang.Text(i18n.JoblogFieldTriggerMsg), outcomeText(code, r))
	if b.Len() > maxMessage {
		return strings.ToValidUTF8(b.String()[:maxMessage], "")
	}
	return b.String()
}

// sending is when the trigger was written, and how long its answer took. ok is
// false when nothing was written, or not by this node.
func (d *Dispatcher) sending(e *entry, r execclient.Result) (s model.Sending, ok bool) {
	if r.SentAt.IsZero() {
		return s, false
	}
	s = model.Sending{At: r.SentAt.In(d.cfg.Location), Answer: -1, Late: -1}
	if !r.AnsweredAt.IsZero() {
		s.Answer = max(r.AnsweredAt.Sub(r.SentAt), 0)
	}
	if e.Run.PlannedMs != 0 {
		s.Late = max(r.SentAt.Sub(time.UnixMilli(e.Run.PlannedMs)), 0)
	}
	return s, true
}

// head writes the lines on what was triggered and why.
func (d *Dispatcher) head(e *entry, line func(title, value string)) {
	regType := i18n.JobgroupFieldAddressType0
	if e.group != nil && e.group.Manual || len(e.Addresses) > 0 {
		regType = i18n.JobgroupFieldAddressType1
	}
	addrs := "null"
	if e.addrs != nil {
		addrs = escape(addressList(e.addrs))
	}
	route := d.cfg.Lang.Text(i18n.RouteKey(e.Job.Route))
	if e.Run.Sharded {
		route += "(" + e.Run.ShardingParam().S + ")"
	}
	line(d.cfg.Lang.Text(i18n.JobconfTriggerType), d.cfg.Lang.Text(i18n.TriggerKey(e.Run.Type)))
	line(d.cfg.Lang.Text(i18n.JobconfTriggerAdminAdress), escape(d.cfg.Node))
	line(d.cfg.Lang.Text(i18n.JobconfTriggerExeRegtype), d.cfg.Lang.Text(regType))
	line(d.cfg.Lang.Text(i18n.JobconfTriggerExeRegaddress), addrs)
	line(d.cfg.Lang.Text(i18n.JobinfoFieldExecutorRouteStrategy), route)
	line(d.cfg.Lang.Text(i18n.JobinfoFieldExecutorBlockStrategy), d.cfg.Lang.Text(i18n.BlockKey(e.Job.Block)))
	line(d.cfg.Lang.Text(i18n.JobinfoFieldTimeout), strconv.Itoa(int(e.Job.TimeoutSec)))
	line(d.cfg.Lang.Text(i18n.JobinfoFieldExecutorFailRetryCount), strconv.Itoa(int(e.Run.RetriesLeft)))
}

// addressList is the list in Java's form.
func addressList(addrs []string) string {
	if len(addrs) <= maxAddresses {
		return "[" + strings.Join(addrs, ", ") + "]"
	}
	return "[" + strings.Join(addrs[:fewAddresses], ", ") + ", … (" + strconv.Itoa(len(addrs)) + ")]"
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
