package alarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"
)

// What becomes of an alarm in a channel; see Config.Observe.
const (
	resultSent    = "sent"
	resultFailed  = "failed"
	resultDropped = "dropped"
)

// errDropped is what is said of an alarm that was not sent.
var errDropped = errors.New("dropped: too many alarms waited")

// pauses are the times between the attempts to send an alarm.
var pauses = []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}

// sender gives a message to a service and blocks until that has it, or ctx ends.
type sender interface {
	send(ctx context.Context, m *message) error
}

// delivery is an alarm on its way through one channel.
type delivery struct {
	alarm  *Alarm
	queued time.Time
	tally  *tally
}

// lane is the way through one channel: a queue, and the goroutine that sends
// what is in it.
type lane struct {
	channel Channel
	sender  sender
	wants   func(a *Alarm) bool
	cfg     *Config
	log     *slog.Logger
	queue   chan *delivery // closed by the Manager, which is the only one that writes
	bucket  *bucket

	missed                atomic.Int64 // alarms that were not sent since one was
	sent, failed, dropped atomic.Int64
	lastSent              atomic.Pointer[time.Time]
	lastError             atomic.Pointer[string]
	trying                atomic.Pointer[Trying] // nil: nothing is being sent
}

// newLane builds the lane of a channel that is valid.
func newLane(ch Channel, cfg *Config) (*lane, error) {
	l := &lane{
		channel: ch, cfg: cfg, queue: make(chan *delivery, cfg.QueueSize),
		bucket: newBucket(cmp.Or(ch.Rate, cfg.Rate)),
		log:    cfg.Logger.With(slog.String("part", "alarm"), slog.String("channel", ch.Name)),
		wants:  func(*Alarm) bool { return true },
	}
	if ch.Type == TypeMail {
		egress := cfg.Egress
		egress.AllowLoopback = true
		m := &mailer{cfg: *ch.Mail, dialer: egress.dialer(), limit: cfg.SendTimeout}
		l.sender, l.wants = m, func(a *Alarm) bool { return len(m.recipients(a)) > 0 }
		return l, nil
	}
	target, err := parseURL(ch.URL.Reveal())
	if err != nil {
		return nil, err
	}
	p := newPoster(cfg.Egress)
	c := &chat{poster: p, url: target, secret: ch.SignSecret.Reveal(), verdict: codeVerdict}
	l.sender = c
	switch ch.Type {
	case TypeDingTalk:
		c.form = dingTalkForm
	case TypeWeCom:
		c.form = weComForm
	case TypeFeishu:
		c.form = feishuForm
	case TypeSlack:
		c.form, c.verdict = slackForm, slackVerdict
	default:
		l.sender, err = newWebhook(p, ch)
	}
	return l, err
}

func newWebhook(p *poster, ch Channel) (*webhook, error) {
	target, err := parseURL(ch.URL.Reveal())
	if err != nil {
		return nil, err
	}
	var header http.Header
	if header, err = headerOf(ch.Headers); err != nil {
		return nil, err
	}
	body, err := parseTemplate(cmp.Or(ch.Template, defaultTemplate))
	return &webhook{poster: p, url: target, header: header, body: body}, err
}

// takes reports whether the channel is for the alarm.
func (l *lane) takes(a *Alarm) bool {
	ours := len(l.channel.Groups) == 0 || slices.Contains(l.channel.Groups, a.Job.GroupID)
	return ours && l.wants(a)
}

// offer puts a delivery into the queue unless that is full; what waits stays.
func (l *lane) offer(d *delivery) {
	select {
	case l.queue <- d:
	default:
		l.drop(d)
	}
}

// run sends what comes until the queue is closed and empty. Once stopping is
// closed it neither waits nor repeats; once ctx has ended nothing is sent.
func (l *lane) run(ctx context.Context, stopping <-chan struct{}) {
	for d := range l.queue {
		l.handle(ctx, stopping, d)
	}
}

// handle brings one delivery to its end. A panic is a failure of that delivery.
func (l *lane) handle(ctx context.Context, stopping <-chan struct{}, d *delivery) {
	if !l.waitTurn(ctx, stopping, d) {
		l.drop(d)
		return
	}
	missed := l.missed.Load()
	if err := l.deliver(ctx, stopping, d.alarm, missed); err != nil {
		l.log.WarnContext(ctx, "alarm not delivered",
			slog.Int("job_id", int(d.alarm.Job.ID)), slog.Int64("log_id", d.alarm.LogID), slog.Any("err", err))
		l.note(err)
		l.missed.Add(1)
		l.finish(d, resultFailed, &l.failed, err)
		return
	}
	now := time.Now()
	l.lastSent.Store(&now)
	l.missed.Add(-missed)
	l.finish(d, resultSent, &l.sent, nil)
}

func (l *lane) drop(d *delivery) {
	l.missed.Add(1)
	l.finish(d, resultDropped, &l.dropped, errDropped)
}

func (l *lane) finish(d *delivery, result string, counter *atomic.Int64, err error) {
	counter.Add(1)
	l.cfg.Observe(l.channel.Name, result)
	l.cfg.Delivered(d.alarm, l.channel.Name, err)
	d.tally.done(result == resultSent)
}

func (l *lane) note(err error) {
	text := cut(err.Error(), 500)
	l.lastError.Store(&text)
}

// waitTurn waits until the rate lets a message out. It reports false for an
// alarm that would have to wait for too long.
func (l *lane) waitTurn(ctx context.Context, stopping <-chan struct{}, d *delivery) bool {
	now := time.Now()
	wait := l.bucket.wait(now)
	if now.Add(wait).Sub(d.queued) > l.cfg.MaxWait || ctx.Err() != nil {
		return false
	}
	if wait > 0 {
		if !pause(ctx, stopping, wait) {
			return false
		}
		l.bucket.wait(time.Now())
	}
	l.bucket.take()
	return true
}

// deliver sends an alarm, again after a fault that may pass.
func (l *lane) deliver(ctx context.Context, stopping <-chan struct{}, a *Alarm, missed int64) error {
	m := newMessage(a, missed, l.cfg)
	now := Trying{Attempts: len(pauses) + 1}
	defer l.trying.Store(nil)
	for attempt := 0; ; attempt++ {
		now.Attempt, now.Next = attempt+1, time.Time{}
		l.say(now)
		err := l.attempt(ctx, m)
		if err == nil || isPermanent(err) || attempt == len(pauses) {
			return err
		}
		now.Attempt, now.Next, now.Error = attempt+2, time.Now().Add(pauses[attempt]), cut(err.Error(), 500)
		l.say(now)
		if !pause(ctx, stopping, pauses[attempt]) {
			return err
		}
	}
}

// say tells of what is tried.
func (l *lane) say(now Trying) { l.trying.Store(&now) }

// attempt sends a message once, within the time for it.
func (l *lane) attempt(ctx context.Context, m *message) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = permanent(fmt.Errorf("panic while sending: %v\n%s", value, debug.Stack()))
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, l.cfg.SendTimeout)
	defer cancel()
	return l.sender.send(ctx, m)
}

// pause waits and reports true, or false when the end came first.
func pause(ctx context.Context, stopping <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-stopping:
		return false
	case <-ctx.Done():
		return false
	}
}
