package execclient

import (
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// facts are what answers have told of an executor, each 0 while it is not known.
// They tell the generations apart as far as they can be told (wire.md 1.2, 1.3).
type facts struct {
	success successText // of /beat, /idleBeat and triggers
	payload payloadKey  // of /log
	unnamed unnamedBeat
}

// successText is what a success without a payload says.
type successText int8

const (
	successMute  successText = iota + 1 // nothing: up to 3.1.1
	successNamed                        // "Success": since 3.2.0
	successOther
)

// payloadKey is where the payload stands.
type payloadKey int8

const (
	payloadContent payloadKey = iota + 1 // up to 3.2.0
	payloadData                          // since 3.3.0
	payloadOther                         // under both, or nowhere
)

// unnamedBeat is what becomes of a request that names no application.
type unnamedBeat int8

const (
	unnamedTaken unnamedBeat = iota + 1 // up to 3.4.2
	unnamedRefused
)

// generation is a range of releases that answer alike.
type generation struct {
	from, to string
	facts
	dialect Dialect
}

// generations are those of Java's executor, in order.
var generations = []generation{
	{"2.2.0", "3.1.1", facts{successMute, payloadContent, unnamedTaken}, DialectRun},
	{"3.2.0", "3.2.0", facts{successNamed, payloadContent, unnamedTaken}, DialectRun},
	{"3.3.0", "3.4.2", facts{successNamed, payloadData, unnamedTaken}, DialectRun},
	{model.ReleaseMaster, model.ReleaseMaster, facts{successNamed, payloadData, unnamedRefused}, DialectTrigger},
}

func fitting[T comparable](seen, of T) bool {
	var unknown T
	return seen == unknown || seen == of
}

// release says which releases answer so, and no more than the facts allow. auto
// says that the dialect was found out and not configured.
func (t *traits) release(auto bool) model.Release {
	dialect := t.dialect
	if !auto {
		dialect = DialectAuto
	}
	switch {
	case t.native:
		return model.Release{Native: true}
	case t.facts == facts{} && dialect == DialectAuto:
		return model.Release{}
	}
	r := model.Release{Odd: true}
	for _, g := range generations {
		if !fitting(t.success, g.success) || !fitting(t.payload, g.payload) || !fitting(t.unnamed, g.unnamed) ||
			!fitting(dialect, g.dialect) {
			continue
		}
		if r.Odd {
			r = model.Release{From: g.from}
		}
		r.To = g.to
	}
	return r
}

// successOf is the fact in a success.
func successOf(r *wire.Response) successText {
	switch {
	case !r.Msg.Valid:
		return successMute
	case r.Msg.String == wire.TextSuccess:
		return successNamed
	}
	return successOther
}

// evidence names the facts.
func (t *traits) evidence(auto bool) (list []model.Evidence) {
	add := func(what string) { list = append(list, model.Evidence{What: what}) }
	switch t.success {
	case successMute:
		add(model.SawMute)
	case successNamed:
		add(model.SawSuccess)
	case successOther:
		add(model.SawOtherText)
	}
	switch t.payload {
	case payloadContent:
		add(model.SawContent)
	case payloadData:
		add(model.SawData)
	case payloadOther:
		add(model.SawNoLog)
	}
	switch t.unnamed {
	case unnamedTaken:
		add(model.SawNameless)
	case unnamedRefused:
		add(model.SawNameWanted)
	}
	switch {
	case !auto: // somebody has said so
	case t.dialect == DialectRun:
		add(model.SawPathRun)
	case t.dialect == DialectTrigger:
		add(model.SawPathTrigger)
	}
	return list
}
