package words

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/cron"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Schedule says when a job with this schedule fires, with the name of the time
// zone behind where it counts; an empty zone is left out. A cron expression that
// does not parse is a *cron.SyntaxError; a number of seconds that is none, or
// less than 1, and an unknown type are errors too.
func Schedule(l i18n.Lang, kind model.ScheduleType, conf, zone string) (string, error) {
	switch kind {
	case model.ScheduleNone:
		return byHand(l), nil
	case model.ScheduleFixRate:
		n, err := strconv.ParseInt(strings.TrimSpace(conf), 10, 64)
		if err != nil || n < 1 {
			return "", fmt.Errorf("%q is no number of seconds", conf)
		}
		return FixRate(l, n), nil
	case model.ScheduleCron:
		s, err := cron.Parse(conf)
		if err != nil {
			return "", err
		}
		return InZone(Cron(l, s), zone), nil
	}
	return "", fmt.Errorf("schedule type %q is not known", kind)
}

// InZone puts the name of a time zone behind words; an empty one adds nothing.
func InZone(words, zone string) string {
	if zone == "" {
		return words
	}
	return words + " " + zone
}

// Cron says when an expression fires. It is never empty.
func Cron(l i18n.Lang, s cron.Schedule) string {
	f := s.Fields()
	if f.Never {
		return pick(l, "never", "永不触发")
	}
	if l == i18n.En {
		return english(&f)
	}
	return pick(l, "", chinese(&f))
}

// FixRate says how often a job with a fixed rate of so many seconds fires.
func FixRate(l i18n.Lang, seconds int64) string {
	n, unit := seconds, 0
	switch {
	case seconds > 0 && seconds%86400 == 0:
		n, unit = seconds/86400, 3
	case seconds > 0 && seconds%3600 == 0:
		n, unit = seconds/3600, 2
	case seconds > 0 && seconds%60 == 0:
		n, unit = seconds/60, 1
	}
	number := strconv.FormatInt(n, 10)
	if l == i18n.En {
		if n == 1 {
			return "every " + enUnits[unit]
		}
		return "every " + number + " " + enUnits[unit] + "s"
	}
	return pick(l, "", "每隔 "+number+" "+zhUnits[unit])
}

var (
	enUnits = [...]string{"second", "minute", "hour", "day"}
	zhUnits = [...]string{"秒", "分钟", "小时", "天"}
)

func byHand(l i18n.Lang) string {
	return pick(l, "no schedule", "无定时")
}

// pick chooses the text of a language. Traditional Chinese differs from
// simplified in its characters alone, as far as these texts go.
func pick(l i18n.Lang, en, zh string) string {
	switch l {
	case i18n.En:
		return en
	case i18n.ZhTC:
		return traditional.Replace(zh)
	case i18n.ZhCN:
	}
	return zh
}

var traditional = strings.NewReplacer(
	"周", "週", "后", "後", "个", "個", "钟", "鐘", "时", "時", "内", "內", "离", "離", "从", "從", "点", "點",
	"触", "觸", "发", "發", "数", "數", "间", "間", "无", "無",
)
