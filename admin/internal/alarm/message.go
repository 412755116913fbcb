package alarm

import (
	"cmp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// line is a labelled value of a message.
type line struct{ label, value string }

// message is an alarm in words, before a channel gives it its form.
type message struct {
	alarm   *Alarm
	subject string // the subject of a mail
	title   string // the subject and the job, in one line
	lines   []line
	counts  []line // those of lines that say how often, and what was left out
	content string // what the Java mail has in its column "content", as text
	reason  string // why the run was not sent, in a line; "" where it was
	brief   string // content behind the reason
	link    string // address of the page that the alarm is about; "" is none
	zone    *time.Location
	texts   texts

	delivered map[string]bool // addresses that have the mail; the mail sender's own
}

// newMessage puts the alarm into words. missed is the number of alarms that the
// channel has dropped since its last message.
func newMessage(a *Alarm, missed int64, cfg *Config) *message {
	m := &message{alarm: a, zone: cfg.Location, texts: withEnglish(cfg.Text), delivered: make(map[string]bool)}
	m.subject = oneLine(cfg.TitlePrefix + m.texts(subjectKey(a.Kind)))
	m.title = m.subject
	if a.Job.ID != 0 {
		m.title = oneLine(m.subject + ": " + a.Job.Name + " (" + strconv.Itoa(int(a.Job.ID)) + ")")
	}
	m.content = m.contentText()
	m.link = cfg.Links.Alarm(a.Key(), a.LogID)
	m.brief = m.content
	if a.LogID != 0 && a.Limit == 0 {
		m.reason = cmp.Or(a.reason, cfg.reason(a))
	}
	if m.reason != "" {
		m.brief = m.reason + "\n" + m.content
	}
	m.addJob()
	first := len(m.lines)
	m.addCounts(missed)
	m.counts = m.lines[first:len(m.lines):len(m.lines)]
	m.add(textTime, m.clock(a.At))
	m.add(textAlarmContent, inOrder(m.brief))
	return m
}

// subjectKey returns the key of the subject of a kind of alarm.
func subjectKey(k Kind) string {
	switch k {
	case RunLost:
		return textLost
	case Recovered:
		return textRecovered
	case Test:
		return textTest
	case RunLate:
		return textLate
	case RunLong:
		return textLong
	case NoExecutor:
		return textNobody
	default:
		return textSubject
	}
}

// typeText returns what stands in the column "alarm" of the Java mail.
func (m *message) typeText() string {
	if m.alarm.Kind == RunFailed {
		return m.texts(textAlarmType)
	}
	return m.texts(subjectKey(m.alarm.Kind))
}

func (m *message) addJob() {
	a := m.alarm
	m.add(textGroup, oneLine(a.Group))
	if a.Job.ID != 0 {
		m.add(textJobID, strconv.Itoa(int(a.Job.ID)))
	}
	m.add(textJobName, oneLine(a.Job.Name))
	m.add(textAuthor, oneLine(a.Job.Author.S))
	m.add(textAddress, oneLine(a.Address))
}

func (m *message) addCounts(missed int64) {
	a := m.alarm
	switch {
	case a.Limit > 0:
		m.add(textSince, m.clock(a.Since))
		m.add(textLimit, a.Limit.String())
	case a.Kind == Recovered && a.Of != "":
		m.add(textAlarmTitle, m.texts(subjectKey(a.Of)))
		m.add(textSince, m.clock(a.Since))
	case a.Kind == Recovered:
		m.add(textFailures, strconv.Itoa(a.Count))
		m.add(textSince, m.clock(a.Since))
	case a.Count > 1:
		m.add(textMore, strconv.Itoa(a.Count))
		m.add(textSince, m.clock(a.Since))
	}
	if missed > 0 {
		m.add(textMissed, strconv.FormatInt(missed, 10))
	}
}

// add appends a line unless its value is empty.
func (m *message) add(key, value string) {
	if value != "" {
		m.lines = append(m.lines, line{label: m.texts(key), value: value})
	}
}

// contentText is the text of the Java mail's content (admin.md 5.5).
func (m *message) contentText() string {
	a := m.alarm
	if a.Kind == Test {
		return m.texts(textTestDetail)
	}
	if a.LogID == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Alarm Job LogId=" + strconv.FormatInt(a.LogID, 10))
	if a.Limit > 0 {
		return b.String() // nothing has ended yet
	}
	if a.TriggerCode != codeSuccess {
		b.WriteString("\nTriggerMsg=\n" + plainHTML(a.TriggerMsg))
	}
	if a.HandleCode > 0 && a.HandleCode != codeSuccess {
		b.WriteString("\nHandleCode=" + plain(a.HandleMsg))
	}
	return b.String()
}

// clock prints an instant in the admin's zone, and nothing for the zero one.
func (m *message) clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(m.zone).Format("2006-01-02 15:04:05")
}

// text returns the link and the lines as plain text of at most limit bytes; 0 is
// no limit. The link comes first, so that it is whole.
func (m *message) text(limit int) string {
	if m.link == "" {
		return m.facts(limit)
	}
	first := m.texts(textLink) + ": " + m.link + "\n"
	if limit > 0 {
		limit = max(limit-len(first), 1)
	}
	return first + m.facts(limit)
}

// facts returns the lines alone, as text does.
func (m *message) facts(limit int) string {
	var b strings.Builder
	for i, l := range m.lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.label + ": " + l.value)
	}
	if limit <= 0 {
		return b.String()
	}
	return cut(b.String(), limit)
}

// oneLine replaces line breaks and other control characters by blanks.
func oneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, inOrder(text)))
}

// inOrder leaves out the characters that turn the direction in which what follows
// is read: a name could make the rest of a message look like another one.
func inOrder(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text)
}
