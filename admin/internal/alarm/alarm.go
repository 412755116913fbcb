package alarm

import (
	"html"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Kind says what an alarm is about.
type Kind string

// The kinds of alarms.
const (
	RunFailed Kind = "run_failed" // a trigger was refused, or a run ended with a failure
	RunLost   Kind = "run_lost"   // no result came, and none will
	Recovered Kind = "recovered"  // the first success after a failure that was sent, or a rule that holds again
	Test      Kind = "test"       // somebody asks whether a channel works

	RunLate    Kind = "run_late"    // a rule: a planned fire has not been sent
	RunLong    Kind = "run_long"    // a rule: a run takes long
	NoExecutor Kind = "no_executor" // a rule: a group has no executor; Job holds the group's id alone
)

// maxMessage bounds the texts that an alarm keeps in memory, in bytes.
const maxMessage = 8 << 10

// codeSuccess is the code of a trigger that was taken and of a run that did well.
const codeSuccess = model.CodeSuccess

// Alarm is one thing to tell. The fields that do not apply stay zero.
type Alarm struct {
	Kind    Kind
	Job     *model.Job // required by Notify; read only while Notify runs
	Group   string     // the title of the job's group
	LogID   int64      // the failed run; 0 where there is none
	Address string     // of the executor; "" when none was chosen

	TriggerCode int32  // trigger_code of the row
	TriggerMsg  string // trigger_msg of the row: HTML in the Java form
	HandleCode  int32  // handle_code of the row
	HandleMsg   string // handle_msg of the row, as it came

	Of    Kind          // of Recovered: the kind of the rule that holds again; "" is a failure
	Limit time.Duration // of the rule that is broken

	At    time.Time // when it became known; zero is now
	Since time.Time // when the first of Count failures became known, set by the Manager; of rules, since when
	Count int       // failures that this alarm stands for; 0 is 1; set by the Manager

	reason string // why the run was not sent, of an alarm whose TriggerMsg may have been cut
}

// Code returns the code that made the run fail: that of the trigger unless it
// was taken, else that of the result.
func (a *Alarm) Code() int32 {
	if a.TriggerCode != codeSuccess && a.HandleCode == model.CodeNone {
		return a.TriggerCode
	}
	return a.HandleCode
}

// Key returns the key under which the alarm is on record; that of a test is zero.
func (a *Alarm) Key() model.AlarmKey {
	kind := a.Kind
	if kind == Recovered && a.Of != "" {
		kind = a.Of
	}
	key := model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: a.Job.ID}
	switch kind {
	case Test:
		return model.AlarmKey{}
	case RunLate:
		key.What = model.AlarmOnLate
	case RunLong:
		key.What = model.AlarmOnLong
	case NoExecutor:
		return model.AlarmKey{What: model.AlarmOnNobody, Kind: model.ChangeGroup, ObjectID: a.Job.GroupID}
	case RunFailed, RunLost, Recovered:
	}
	return key
}

// compact returns a copy that is small enough to wait in a queue: the parts of
// the job that a message shows, and messages of a bounded length.
func (a *Alarm) compact() *Alarm {
	c := *a
	c.TriggerMsg, c.HandleMsg = cut(a.TriggerMsg, maxMessage), cut(a.HandleMsg, maxMessage)
	c.Job = &model.Job{}
	if job := a.Job; job != nil {
		c.Job = &model.Job{
			ID: job.ID, GroupID: job.GroupID, Name: job.Name, Author: job.Author, AlarmEmail: job.AlarmEmail,
			Handler: job.Handler,
		}
	}
	if c.At.IsZero() {
		c.At = time.Now()
	}
	c.Count = max(c.Count, 1)
	return &c
}

// cut shortens text to at most limit bytes, at the border of a character.
func cut(text string, limit int) string {
	const mark = "…"
	if len(text) <= limit {
		return text
	}
	end := max(limit-len(mark), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

// The tags of which the Java form of trigger_msg is made.
var (
	breaks = regexp.MustCompile(`<br\s*/?>`)
	spans  = regexp.MustCompile(`<span style="color:#[0-9a-fA-F]{3,6};"\s*>|</span>`)
)

// plain turns the Java form of a message into text: its breaks and spans go,
// whatever else looks like a tag is the text of an executor and stays.
func plain(message string) string {
	text := spans.ReplaceAllString(breaks.ReplaceAllString(message, "\n"), "")
	return strings.TrimSpace(text)
}

// plainHTML does the same for trigger_msg, in which texts of executors are
// escaped.
func plainHTML(message string) string { return html.UnescapeString(plain(message)) }
