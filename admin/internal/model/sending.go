package model

import (
	"strconv"
	"strings"
	"time"
)

// Sending is when a trigger was sent, and what came of it in time. It stands in
// trigger_msg as a line of our own, so that it costs neither a row nor a column
// that the Java admin has not: its log page shows the line as text.
type Sending struct {
	At time.Time // when its first byte was about to be written, to the millisecond
	// Answer is how long the executor took to answer, and Late how much later
	// than planned it was sent, both to a tenth of a millisecond. Each is
	// negative where there is none: no answer came, nothing was planned.
	Answer, Late time.Duration
}

// sendingTime is the form of an instant in a Sending's text.
const sendingTime = "2006-01-02 15:04:05.000 -07:00"

// String returns the text that ParseSending reads, alike in all languages:
// "2026-03-01 12:04:31.013 +08:00, 2.1 ms, 13.0 ms"; what there is none of is
// a dash.
func (s Sending) String() string {
	b := make([]byte, 0, len(sendingTime)+32)
	b = s.At.AppendFormat(b, sendingTime)
	b = appendMillis(b, s.Answer)
	return string(appendMillis(b, s.Late))
}

func appendMillis(b []byte, d time.Duration) []byte {
	if d < 0 {
		return append(b, ", -"...)
	}
	b = append(b, ", "...)
	return append(strconv.AppendFloat(b, float64(d)/float64(time.Millisecond), 'f', 1, 64), " ms"...)
}

// ParseSending reads what String has written. ok is false for any other text.
func ParseSending(text string) (s Sending, ok bool) {
	at, rest, _ := strings.Cut(text, ", ")
	answer, late, _ := strings.Cut(rest, ", ")
	var err error
	if s.At, err = time.Parse(sendingTime, at); err != nil || len(at) != len(sendingTime) {
		return Sending{}, false
	}
	if s.Answer, ok = parseMillis(answer); !ok {
		return Sending{}, false
	}
	if s.Late, ok = parseMillis(late); !ok {
		return Sending{}, false
	}
	return s, true
}

// maxMillis bounds what is believed to be a duration: ten years.
const maxMillis = 10 * 366 * 24 * float64(time.Hour/time.Millisecond)

func parseMillis(text string) (time.Duration, bool) {
	if text == "-" {
		return -1, true
	}
	number, found := strings.CutSuffix(text, " ms")
	ms, err := strconv.ParseFloat(number, 64)
	if !found || err != nil || ms < 0 || ms > maxMillis || ms != ms {
		return 0, false
	}
	return time.Duration(ms * float64(time.Millisecond)).Round(time.Millisecond / 10), true
}

// SendingBehind is what a Sending stands right behind in trigger_msg. Whatever
// others wrote into it is escaped, so that they cannot write this.
const SendingBehind = "<<<<<<<<<<< </span><br><br>"

// SendingOf finds the Sending in a trigger_msg. ok is false where there is none:
// a row of a Java admin, of an older one of ours, or a run that was never sent.
func SendingOf(triggerMsg string) (s Sending, ok bool) {
	_, rest, _ := strings.Cut(triggerMsg, SendingBehind)
	line, _, _ := strings.Cut(rest, "<br>")
	_, value, _ := strings.Cut(line, "：")
	return ParseSending(value)
}
