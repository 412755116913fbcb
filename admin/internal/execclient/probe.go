package execclient

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// javaType is the content type of every answer of Java's executors.
const javaType = "text/html;charset=UTF-8"

// maxSaid is how much is kept of what an executor says.
const maxSaid = 500

// Probe asks an executor what harms nobody, and says what its answers tell of its
// release: /beat; /idleBeat for job 0 and /log of run 0, which nobody has, the
// log as of now, since Java makes a folder for the day that it is asked for; and
// /beat once more without the application's name, which only master demands. It
// blocks until all is answered or ctx is done; when nobody answers the first
// question the others are not asked.
func (c *Client) Probe(ctx context.Context, t Target) *model.Probe {
	p := prober{client: c, target: t, auto: c.cfg.Dialect == DialectAuto}
	p.out.Address = t.Address
	if p.beat(ctx) {
		p.idleBeat(ctx)
		p.log(ctx)
		p.unnamed(ctx)
	}
	p.conclude(ctx)
	return &p.out
}

// prober is a probe under way.
type prober struct {
	client *Client
	target Target
	auto   bool
	out    model.Probe

	refused string // the words in which the headers were refused
	said    string // of a success, where it is not Java's
	native  string // header of our own executor
	foreign string // a header that Java does not send
	found   facts
	lane    *lane
}

// answer is what came back to one question.
type answer struct {
	result  Result
	resp    wire.Response
	headers heads
	body    []byte
}

// heads are the headers of an answer that tell who has sent it.
type heads struct{ native, kind, server, date string }

// ask sends one question, and notes it as a step.
func (p *prober) ask(ctx context.Context, name string, call *Call) (a answer) {
	p.lane = call.lane
	call.safe = true
	var h heads
	var body []byte
	call.look = func(resp *fasthttp.Response) {
		h = heads{
			native: string(resp.Header.Peek(wire.HeaderExecutor)), kind: string(resp.Header.ContentType()),
			server: string(resp.Header.Server()), date: string(resp.Header.Peek(fasthttp.HeaderDate)),
		}
		body = bytes.Clone(resp.Body())
	}
	began := time.Now()
	a.result = p.client.ask(ctx, call)
	step := model.ProbeStep{
		Name: name, OK: a.result.Kind == Accepted, Text: said(a.result.Msg), Took: time.Since(began),
	}
	if !a.result.AnsweredAt.IsZero() { // only then nobody writes to the call any more
		a.resp, a.headers, a.body = call.answer, h, body
	}
	if a.result.Err == nil {
		step.Code = a.result.Code
		if isTokenText(a.result.Msg) && name != model.ProbeUnnamed {
			p.refused = a.result.Msg
		}
	}
	p.out.Steps = append(p.out.Steps, step)
	p.see(a.headers)
	return a
}

// see notes what headers tell.
func (p *prober) see(h heads) {
	switch {
	case h.native != "":
		p.native = h.native
	case h.kind == "":
	case !strings.EqualFold(strings.ReplaceAll(h.kind, " ", ""), javaType):
		p.foreign = "Content-Type: " + h.kind
	case h.server != "":
		p.foreign = "Server: " + h.server
	case h.date != "":
		p.foreign = "Date: " + h.date
	}
}

// beat reports whether there is somebody to ask on.
func (p *prober) beat(ctx context.Context) bool {
	a := p.ask(ctx, model.ProbeBeat, p.client.newCall(p.target, wire.PathBeat, beatBody))
	if a.result.Kind == Accepted {
		if p.found.success = successOf(&a.resp); p.found.success == successOther {
			p.said = a.resp.Msg.String
		}
	}
	return a.result.Err == nil && p.refused == ""
}

func (p *prober) idleBeat(ctx context.Context) {
	req := wire.JobRequest{}
	p.ask(ctx, model.ProbeIdleBeat, p.client.newCall(p.target, wire.PathIdleBeat, req.Append(nil)))
}

func (p *prober) log(ctx context.Context) {
	req := wire.LogRequest{LogDateTime: time.Now().UnixMilli(), FromLineNum: 1}
	call := p.client.newCall(p.target, wire.PathLog, req.Append(nil))
	var page wire.LogResult
	call.decode = func(body []byte) (resp wire.Response, err error) {
		resp, page, err = wire.DecodeLogResponse(body)
		return resp, err
	}
	a := p.ask(ctx, model.ProbeLog, call)
	if a.result.Kind != Accepted {
		return
	}
	p.out.Steps[len(p.out.Steps)-1].Text = said(page.LogContent)
	p.found.payload = payloadOf(a.body)
}

// payloadOf finds where the payload of an answer stands.
func payloadOf(body []byte) payloadKey {
	var keys struct{ Content, Data json.RawMessage }
	if json.Unmarshal(body, &keys) != nil {
		return payloadOther
	}
	is := func(v json.RawMessage) bool { return len(v) > 0 && !bytes.Equal(v, []byte("null")) }
	switch {
	case is(keys.Content) && !is(keys.Data):
		return payloadContent
	case is(keys.Data) && !is(keys.Content):
		return payloadData
	}
	return payloadOther
}

// unnamed asks without the application's name, what only a Java executor is asked.
func (p *prober) unnamed(ctx context.Context) {
	if p.native != "" || p.target.AppName == "" {
		return
	}
	t := p.target
	t.AppName = ""
	a := p.ask(ctx, model.ProbeUnnamed, p.client.newCall(t, wire.PathBeat, beatBody))
	step := &p.out.Steps[len(p.out.Steps)-1]
	switch {
	case a.result.Kind == Accepted:
		p.found.unnamed = unnamedTaken
	case a.result.Msg == wire.TextTokenEmpty:
		p.found.unnamed, step.OK = unnamedRefused, true
	}
}

// conclude says what follows, and remembers it.
func (p *prober) conclude(ctx context.Context) {
	add := func(what, text string) {
		p.out.Evidence = append(p.out.Evidence, model.Evidence{What: what, Text: said(text)})
	}
	if p.native != "" {
		p.out.Release = model.Release{Native: true}
		add(model.SawNative, wire.HeaderExecutor+": "+p.native)
		return
	}
	if len(p.out.Steps) == 0 || p.out.Steps[0].Code == 0 {
		return // nobody has answered: what was known before is no answer to this
	}
	p.lane.learn(ctx, func(t *traits) {
		if p.found.success != 0 {
			t.facts = p.found
		}
	})
	t := traits{facts: p.found, dialect: p.lane.traits.Load().dialect}
	switch p.refused {
	case "":
	case wire.TextTokenWrong:
		t.unnamed = unnamedTaken
	default:
		t.unnamed = unnamedRefused
	}
	p.out.Release = t.release(p.auto)
	if t.unnamed = p.found.unnamed; p.refused != "" {
		what := model.SawTokenMaster
		if p.refused == wire.TextTokenWrong {
			what = model.SawTokenOld
		}
		add(what, p.refused)
	}
	p.out.Evidence = append(p.out.Evidence, t.evidence(p.auto)...)
	for i := range p.out.Evidence {
		if p.out.Evidence[i].What == model.SawOtherText {
			p.out.Evidence[i].Text = said(p.said)
		}
	}
	if p.foreign != "" {
		add(model.SawForeign, p.foreign)
	}
}

// said bounds a text for people.
func said(text string) string {
	return wire.PrefixUTF16(strings.ToValidUTF8(text[:min(len(text), 4*maxSaid)], "\uFFFD"), maxSaid)
}
