package words

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/cron"
)

// chinese is an expression in simplified Chinese: years, days, hours, how often.
func chinese(f *cron.Fields) string {
	days, daily := zhDays(f)
	years := zhYears(f)
	sec, minute, hour := timeSets(f)
	if sec.single() && minute.single() && !enHourly(hour) {
		return years + days + " " + strings.Join(clockTimes(hour, minute.first(), sec.first()), "、")
	}
	if daily {
		return years + zhOften(sec, minute, hour)
	}
	return years + days + " " + zhOften(sec, minute, hour)
}

// zhOften says how often within the day.
func zhOften(sec, minute, hour set) string {
	if sec.single() && minute.single() {
		return zhEveryHour(hour, minute.first(), sec.first())
	}
	var text string
	if sec.single() {
		text = zhUnit(minute, "小时", "分", "分钟")
		if s := sec.first(); s != 0 {
			text += "（第 " + strconv.Itoa(s) + " 秒）"
		}
	} else {
		text = zhMinutes(minute) + zhUnit(sec, "分钟", "秒", "秒")
	}
	if hour.all() {
		return text
	}
	if spans := hour.spans(true); len(spans) < manySpans {
		return strings.Join(hourSpans(spans, " 至 "), "、") + " " + text
	}
	list := hour.pieces(false, strconv.Itoa, zhRun)
	return strings.Join(list, "、") + " 点内 " + text
}

func zhRun(p span) string { return strconv.Itoa(p.from) + " 至 " + strconv.Itoa(p.to) }

// zhEveryHour says every how many hours.
func zhEveryHour(hour set, m, s int) string {
	at := func(h int) string { return hhmm(h, m, s) }
	if hour.all() {
		switch {
		case m == 0 && s == 0:
			return "每小时"
		case s == 0:
			return fmt.Sprintf("每小时第 %d 分", m)
		}
		return fmt.Sprintf("每小时第 %d 分 %d 秒", m, s)
	}
	if step, ok := hour.even(); ok {
		text := "每 " + strconv.Itoa(step) + " 小时"
		if hour.first() == 0 && m == 0 && s == 0 {
			return text
		}
		return text + "（从 " + at(hour.first()) + " 起）"
	}
	if step, ok := hour.steps(); ok {
		return at(hour.first()) + " 至 " + at(hour.last()) + " 每 " + strconv.Itoa(step) + " 小时"
	}
	p := hour.spans(true)[0]
	return at(p.from) + " 至 " + at(p.to) + " 每小时"
}

// zhUnit says every how many seconds or minutes; outer is what they are part of,
// point one of them, length how long one is.
func zhUnit(s set, outer, point, length string) string {
	every := "每" + length
	if s.all() {
		return every
	}
	steps := func(n int) string { return "每 " + strconv.Itoa(n) + " " + length }
	if step, ok := s.even(); ok {
		if s.first() == 0 {
			return steps(step)
		}
		return steps(step) + "（从第 " + strconv.Itoa(s.first()) + " " + point + "起）"
	}
	if step, ok := s.steps(); ok && s.count() > 3 {
		return "每" + outer + "第 " + zhRun(span{s.first(), s.last()}) + " " + point + "间" + steps(step)
	}
	return "每" + outer + "第 " + strings.Join(s.pieces(true, strconv.Itoa, zhRun), "、") + " " + point
}

// zhMinutes says in which minutes seconds are meant.
func zhMinutes(minute set) string {
	if minute.all() {
		return ""
	}
	return "第 " + strings.Join(minute.pieces(true, strconv.Itoa, zhRun), "、") + " 分内 "
}

var zhWeek = [...]string{"周日", "周一", "周二", "周三", "周四", "周五", "周六"}

// zhDays names the days, with the months. daily is true for all days of all
// months.
func zhDays(f *cron.Fields) (text string, daily bool) {
	months := zhMonths(f)
	of, in := "每月", ""
	if months != "" {
		if f.AllYears() {
			months = "每年 " + months
		}
		of, in = months+"的", months+" "
	}
	if !f.ByWeekday {
		if f.Days == allDays {
			return in + "每天", months == ""
		}
		list := strings.Join(zhMonthDays(f), "、")
		if list[0] <= '9' {
			list = " " + list // a number stands apart
		}
		return of + list, false
	}
	day := zhWeek[set{bits: uint64(f.Weekdays)}.first()]
	switch {
	case f.Weekdays == allWeekdays:
		return in + "每天", months == ""
	case f.Nth > 0:
		return of + "第 " + strconv.Itoa(f.Nth) + " 个" + day, false
	case f.LastWeekday:
		return of + "最后一个" + day, false
	}
	name := func(v int) string { return zhWeek[v%7] }
	return in + "每" + strings.Join(mondayFirst(f.Weekdays).pieces(true, name, func(p span) string {
		return name(p.from) + "至" + name(p.to)
	}), "、"), false
}

// zhMonthDays names days of the month.
func zhMonthDays(f *cron.Fields) []string {
	days := set{uint64(f.Days), 1, 31}
	name := func(v int) string { return strconv.Itoa(v) + " 日" }
	var list []string
	if step, ok := days.steps(); ok && days.count() > 4 {
		list = append(list, zhRun(span{days.first(), days.last()})+" 日每 "+strconv.Itoa(step)+" 天")
	} else {
		list = days.pieces(false, name, func(p span) string { return zhRun(p) + " 日" })
	}
	before := func(n int) string {
		if n == 0 {
			return "最后一天"
		}
		return "倒数第 " + strconv.Itoa(n+1) + " 天"
	}
	for _, n := range (set{uint64(f.LastDays), 0, 31}).values() {
		list = append(list, before(n))
	}
	for _, d := range (set{uint64(f.NearDays), 1, 31}).values() {
		list = append(list, "离 "+name(d)+"最近的工作日")
	}
	for _, n := range (set{uint64(f.NearLastDays), 0, 31}).values() {
		if n == 0 {
			list = append(list, "最后一个工作日")
			continue
		}
		list = append(list, "离"+before(n)+"最近的工作日")
	}
	return list
}

// zhMonths names the months; "" is all of them.
func zhMonths(f *cron.Fields) string {
	months := set{uint64(f.Months), 1, 12}
	if months.all() {
		return ""
	}
	name := func(v int) string { return strconv.Itoa(v) + " 月" }
	return strings.Join(months.pieces(true, name, func(p span) string { return zhRun(p) + " 月" }), "、")
}

// zhYears names the years; "" is all of them.
func zhYears(f *cron.Fields) string {
	if f.AllYears() {
		return ""
	}
	list := make([]string, len(f.Years))
	for i, y := range f.Years {
		from, to := strconv.Itoa(y.From), strconv.Itoa(y.To)
		switch {
		case y.Step > y.To-y.From:
			list[i] = from + " 年"
			continue
		case !y.Endless():
			list[i] = from + " 至 " + to + " 年"
		default:
			list[i] = from + " 年起"
		}
		if y.Step > 1 {
			list[i] += "每 " + strconv.Itoa(y.Step) + " 年"
		}
	}
	return strings.Join(list, "、") + " "
}
