package alarm

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"github.com/xxljob-go/xxljob/admin/internal/link"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/strictjson"
)

// Type is the kind of a channel.
type Type string

// The types of channels.
const (
	TypeMail     Type = "mail"
	TypeWebhook  Type = "webhook"
	TypeDingTalk Type = "dingtalk"
	TypeWeCom    Type = "wecom"
	TypeFeishu   Type = "feishu"
	TypeSlack    Type = "slack"
)

// types lists the types in the order in which errors name them.
var types = []Type{TypeMail, TypeWebhook, TypeDingTalk, TypeWeCom, TypeFeishu, TypeSlack}

// Channel is one way to reach people. Name and Type are required, Mail for a
// mail channel, URL for every other one.
type Channel struct {
	Name   string  `json:"name"`             // unique; shown, logged, and a label of metrics
	Type   Type    `json:"type"`             // see the constants
	Groups []int32 `json:"groups,omitempty"` // ids of the job groups that it is for; empty is all
	// Rate is how many messages a minute go out, and how many at once after a
	// quiet time. 0 is Config.Rate.
	Rate int `json:"rate,omitempty"`

	Mail *Mail `json:"mail,omitempty"`

	URL        Secret            `json:"url,omitempty"`        // http or https, with what the service put into it
	SignSecret Secret            `json:"signSecret,omitempty"` // DingTalk and Feishu; "" does not sign
	Headers    map[string]Secret `json:"headers,omitempty"`    // webhook: sent along, Authorization for one
	// Template is the JSON body of a webhook, in which {{name}} stands for one of
	// Fields. "" is an object of all of them.
	Template string `json:"template,omitempty"`
}

// Encryption is how a mail server is spoken to.
type Encryption string

// The ways to speak to a mail server.
const (
	EncryptionStartTLS Encryption = "starttls" // the default: begins in clear text, and must be upgraded
	EncryptionTLS      Encryption = "tls"      // from the first byte
	EncryptionNone     Encryption = "none"
)

// Mail describes a mail server and who gets its mails beside the addresses of
// the job. Host and From are required.
type Mail struct {
	Host       string     `json:"host"`
	Port       int        `json:"port,omitempty"`       // 0 is 587, 465 with tls, 25 with none
	Encryption Encryption `json:"encryption,omitempty"` // "" is starttls
	User       string     `json:"user,omitempty"`       // "" does not log in
	Password   Secret     `json:"password,omitempty"`
	From       string     `json:"from"`               // address of the sender
	FromName   string     `json:"fromName,omitempty"` // "" is the name of the admin
	To         []string   `json:"to,omitempty"`       // get every alarm; a job's own addresses get theirs
	// AllowClearPassword lets the password go out unencrypted.
	AllowClearPassword bool `json:"allowClearPassword,omitempty"`
	// TLS replaces the TLS settings, to trust a private authority for one.
	TLS *tls.Config `json:"-"`
}

// Format prints the server and the sender for every verb: fmt prints what is
// behind a pointer without asking it when the verb does not fit.
func (m Mail) Format(state fmt.State, _ rune) {
	fmt.Fprintf(state, "%s:%d as %s", m.Host, m.port(), m.From)
}

func (m *Mail) port() int {
	switch {
	case m.Port != 0:
		return m.Port
	case m.Encryption == EncryptionTLS:
		return 465
	case m.Encryption == EncryptionNone:
		return 25
	default:
		return 587
	}
}

// Config describes a Manager. The zero value of every field selects the default
// named in its comment; without channels nothing is sent.
type Config struct {
	Channels []Channel
	Egress   Egress

	Window      time.Duration // failures of one kind in it make one message; default 10 min, negative: each is sent
	Rate        int           // messages a minute and channel; default 20
	QueueSize   int           // alarms that may wait in a channel; default 256
	MaxWait     time.Duration // how long an alarm waits at most before it is dropped; default 2 min
	SendTimeout time.Duration // of one attempt; default 10 s
	DrainLimit  time.Duration // how long Run goes on sending what waits when it ends; default 5 s

	Links       link.Base               // of pages that messages lead to; default none
	TitlePrefix string                  // in front of every title, the name of the installation for one; default none
	Text        func(key string) string // texts in the admin's language; "" or nil is English
	// NotSent says in a line why a run was not sent, or not taken by the executor at
	// address, from its trigger_msg; nil takes the last line of that.
	NotSent  func(address, triggerMsg string) string
	Location *time.Location // of the times in messages; default time.Local
	Logger   *slog.Logger   // default: nothing is logged

	// Mark stores what became of the alarms of failed runs: AlarmSent,
	// AlarmFailed, or AlarmNone when no channel is for the job. It gets at most
	// 512 ids, is called by one goroutine, and may block until ctx ends. Rows
	// that were not marked stay as they are, for the caller's sweep. nil: not
	// stored.
	Mark func(ctx context.Context, logIDs []int64, status model.AlarmStatus) error
	// Observe is told what became of each alarm in a channel: "sent", "failed" or
	// "dropped". It must not block. nil: nobody is told.
	Observe func(channel, result string)

	// Muted reports whether alarms of a job are muted: failures are then neither
	// sent nor counted, and their rows are marked AlarmNone. It must not block.
	// nil: nothing is muted.
	Muted func(group, job int32) bool
	// Delivered is told what became of each alarm in a channel, tests included;
	// errors hold no secrets. It must not block. nil: nobody is told.
	Delivered func(a *Alarm, channel string, err error)
}

func (c Config) withDefaults() Config {
	c.Window = cmp.Or(c.Window, 10*time.Minute)
	c.Rate = cmp.Or(c.Rate, 20)
	c.QueueSize = cmp.Or(c.QueueSize, 256)
	c.MaxWait = cmp.Or(c.MaxWait, 2*time.Minute)
	c.SendTimeout = cmp.Or(c.SendTimeout, 10*time.Second)
	c.DrainLimit = cmp.Or(c.DrainLimit, 5*time.Second)
	c.Location = cmp.Or(c.Location, time.Local)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Muted == nil {
		c.Muted = func(int32, int32) bool { return false }
	}
	if c.Delivered == nil {
		c.Delivered = func(*Alarm, string, error) {}
	}
	if c.Observe == nil {
		c.Observe = func(string, string) {}
	}
	return c
}

// reason says in a line why the run of an alarm was not sent; "" where it was.
func (c *Config) reason(a *Alarm) string {
	switch {
	case a.TriggerCode == codeSuccess:
		return ""
	case c.NotSent != nil:
		return cut(c.NotSent(a.Address, a.TriggerMsg), maxMessage)
	}
	return cut(model.TriggerOutcome(a.TriggerMsg), maxMessage)
}

// validate returns every fault, each with the name of its field.
func (c *Config) validate() error {
	var faults []error
	for name, value := range map[string]int64{
		"Rate": int64(c.Rate), "QueueSize": int64(c.QueueSize), "MaxWait": int64(c.MaxWait),
		"SendTimeout": int64(c.SendTimeout), "DrainLimit": int64(c.DrainLimit),
	} {
		if value < 0 {
			faults = append(faults, fmt.Errorf("%s: must not be negative", name))
		}
	}
	names := make(map[string]bool)
	for i := range c.Channels {
		ch := &c.Channels[i]
		if names[ch.Name] {
			faults = append(faults, fmt.Errorf("channel %q: the name is taken", ch.Name))
		}
		names[ch.Name] = true
		if err := ch.Validate(); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// Validate returns every fault of the channel, each with the names of the
// channel and of the field. It sends nothing.
func (c *Channel) Validate() error {
	var faults []error
	fault := func(field, text string) {
		faults = append(faults, fmt.Errorf("channel %q: %s: %s", c.Name, field, text))
	}
	if c.Name == "" || len(c.Name) > 64 || oneLine(c.Name) != c.Name {
		fault("name", "must have 1 to 64 bytes and no control characters")
	}
	if !slices.Contains(types, c.Type) {
		fault("type", fmt.Sprintf("%q is none of %v", c.Type, types))
		return errors.Join(faults...)
	}
	if c.Rate < 0 {
		fault("rate", "must not be negative")
	}
	if c.SignSecret != "" && c.Type != TypeDingTalk && c.Type != TypeFeishu {
		fault("signSecret", "only dingtalk and feishu have one")
	}
	if c.Type != TypeWebhook && (c.Template != "" || len(c.Headers) > 0) {
		fault("template, headers", "only a webhook has them")
	}
	if c.Type == TypeMail {
		c.Mail.validate(c.URL != "", fault)
		return errors.Join(faults...)
	}
	if c.Mail != nil {
		fault("mail", "only a mail channel has it")
	}
	if _, err := parseURL(c.URL.Reveal()); err != nil {
		fault("url", err.Error())
	}
	if _, err := headerOf(c.Headers); err != nil {
		fault("headers", err.Error())
	}
	if _, err := parseTemplate(cmp.Or(c.Template, defaultTemplate)); err != nil {
		fault("template", err.Error())
	}
	return errors.Join(faults...)
}

func (m *Mail) validate(hasURL bool, fault func(field, text string)) {
	if m == nil {
		fault("mail", "is missing: a mail channel needs host and from")
		return
	}
	if hasURL {
		fault("url", "a mail channel has none: give mail.host")
	}
	if m.Host == "" || strings.ContainsAny(m.Host, "/ \t\r\n") {
		fault("mail.host", "must be the name or address of a mail server, without a port")
	}
	if m.Port < 0 || m.Port > 65535 {
		fault("mail.port", "must be 1 to 65535")
	}
	if !slices.Contains([]Encryption{"", EncryptionStartTLS, EncryptionTLS, EncryptionNone}, m.Encryption) {
		fault("mail.encryption", fmt.Sprintf("%q is none of starttls, tls, none", m.Encryption))
	}
	if m.Encryption == EncryptionNone && m.Password != "" && !m.AllowClearPassword && !isLocal(m.Host) {
		fault("mail.encryption", "none would send the password in clear text: "+
			"use starttls or tls, or set allowClearPassword")
	}
	for _, address := range append([]string{m.From}, m.To...) {
		if err := mail.NewMsg().To(address); err != nil {
			fault("mail.from, mail.to", fmt.Sprintf("%q is no mail address", cut(address, 80)))
		}
	}
}

// headerOf turns the headers of a channel into those of a request.
func headerOf(secrets map[string]Secret) (http.Header, error) {
	header := make(http.Header, len(secrets))
	for name, value := range secrets {
		if strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || name == "" {
			return nil, fmt.Errorf("%q is no name of a header", cut(name, 80))
		}
		if strings.ContainsFunc(value.Reveal(), func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return nil, fmt.Errorf("the value of %s holds control characters", name)
		}
		if slices.Contains([]string{"Host", "Content-Length", "Transfer-Encoding"}, http.CanonicalHeaderKey(name)) {
			return nil, fmt.Errorf("%s is set by the request itself", name)
		}
		header.Set(name, value.Reveal())
	}
	return header, nil
}

// KeepSecrets fills the secrets that are empty, or only the stars that a secret
// is shown as, from old: what a form that never showed them sends back. What
// would go to another server than before is not filled in, so that nobody can
// have a secret sent to himself.
func (c *Channel) KeepSecrets(old *Channel) {
	c.URL = c.URL.or(old.URL)
	c.SignSecret = c.SignSecret.or(old.SignSecret)
	for name, value := range c.Headers {
		kept := value.or("")
		if c.URL == old.URL {
			kept = value.or(old.Headers[name])
		}
		c.Headers[name] = kept
	}
	if c.Mail == nil {
		return
	}
	before := Secret("")
	if old.Mail != nil && old.Mail.Host == c.Mail.Host && old.Mail.port() == c.Mail.port() {
		before = old.Mail.Password
	}
	c.Mail.Password = c.Mail.Password.or(before)
}

// ParseChannels reads channels as a JSON array, in the form of the type Channel.
// Unknown fields, fields that are given twice and faulty channels are errors that
// say what is wrong.
func ParseChannels(r io.Reader) ([]Channel, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("alarm channels: %w", err)
	}
	var channels []Channel
	switch err := strictjson.Decode(data, &channels); {
	case errors.Is(err, strictjson.ErrTrailing):
		return nil, errors.New("alarm channels: something follows the JSON array")
	case err != nil:
		return nil, fmt.Errorf("alarm channels: a JSON array is expected: %w", err)
	}
	cfg := Config{Channels: channels}
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("alarm channels: %w", err)
	}
	return channels, nil
}
