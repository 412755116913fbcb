package words

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/cron"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestCron(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ expr, en, zh, tw string }{
		{
			"0 0 3 * * ?", "every day 03:00",
			"每天 03:00", "每天 03:00",
		},
		{
			"0 0/5 9-17 ? * MON-FRI", "every 5 minutes from 09:00 to 17:59 on weekdays",
			"每周一至周五 09:00 至 17:59 每 5 分钟", "每週一至週五 09:00 至 17:59 每 5 分鐘",
		},
		{
			"* * * * * ?", "every second",
			"每秒", "每秒",
		},
		{
			"0/10 * * * * ?", "every 10 seconds",
			"每 10 秒", "每 10 秒",
		},
		{
			"3/10 * * * * ?", "every 10 seconds from second 3",
			"每 10 秒（从第 3 秒起）", "每 10 秒（從第 3 秒起）",
		},
		{
			"0/7 * * * * ?", "every 7 seconds from second 0 to second 56",
			"每分钟第 0 至 56 秒间每 7 秒", "每分鐘第 0 至 56 秒間每 7 秒",
		},
		{
			"1,5,9 * * * * ?", "at second 1, second 5 and second 9 of every minute",
			"每分钟第 1、5、9 秒", "每分鐘第 1、5、9 秒",
		},
		{
			"10-20 5 * * * ?", "every second from second 10 to second 20 in minute :05",
			"第 5 分内 每分钟第 10 至 20 秒", "第 5 分內 每分鐘第 10 至 20 秒",
		},
		{
			"* 5,10 3 * * ?", "every second in minutes :05 and :10 from 03:00 to 03:59",
			"03:00 至 03:59 第 5、10 分内 每秒", "03:00 至 03:59 第 5、10 分內 每秒",
		},
		{
			"0 * * * * ?", "every minute",
			"每分钟", "每分鐘",
		},
		{
			"30 * * * * ?", "every minute at second 30",
			"每分钟（第 30 秒）", "每分鐘（第 30 秒）",
		},
		{
			"0 0/7 * * * ?", "every 7 minutes from :00 to :56",
			"每小时第 0 至 56 分间每 7 分钟", "每小時第 0 至 56 分間每 7 分鐘",
		},
		{
			"0 2/5 8-11,14-17 * * ?", "every 5 minutes from :02, from 08:00 to 11:59 and 14:00 to 17:59",
			"08:00 至 11:59、14:00 至 17:59 每 5 分钟（从第 2 分起）", "08:00 至 11:59、14:00 至 17:59 每 5 分鐘（從第 2 分起）",
		},
		{
			"0 0,30 * * * ?", "every 30 minutes",
			"每 30 分钟", "每 30 分鐘",
		},
		{
			"0 50-10 22-5 * * ?", "every minute from :50 to :10, from 22:00 to 05:59",
			"22:00 至 05:59 每小时第 50 至 10 分", "22:00 至 05:59 每小時第 50 至 10 分",
		},
		{
			"0 0/10 0/2 * * ?", "every 10 minutes in every 2nd hour from 00",
			"0、2、4、6、8、10、12、14、16、18、20、22 点内 每 10 分钟", "0、2、4、6、8、10、12、14、16、18、20、22 點內 每 10 分鐘",
		},
		{
			"0 0 * * * ?", "every hour",
			"每小时", "每小時",
		},
		{
			"0 5 * * * ?", "every hour at :05",
			"每小时第 5 分", "每小時第 5 分",
		},
		{
			"10 5 * * * ?", "every hour at :05:10",
			"每小时第 5 分 10 秒", "每小時第 5 分 10 秒",
		},
		{
			"0 0 0/2 * * ?", "every 2 hours",
			"每 2 小时", "每 2 小時",
		},
		{
			"0 5 1/2 * * ?", "every 2 hours from 01:05",
			"每 2 小时（从 01:05 起）", "每 2 小時（從 01:05 起）",
		},
		{
			"0 0 8-18/2 * * ?", "every 2 hours from 08:00 to 18:00",
			"08:00 至 18:00 每 2 小时", "08:00 至 18:00 每 2 小時",
		},
		{
			"0 30 9-17 * * ?", "every hour from 09:30 to 17:30",
			"09:30 至 17:30 每小时", "09:30 至 17:30 每小時",
		},
		{
			"15 30 9,12,18 * * ?", "every day 09:30:15, 12:30:15 and 18:30:15",
			"每天 09:30:15、12:30:15、18:30:15", "每天 09:30:15、12:30:15、18:30:15",
		},
		{
			"0 0 9 ? * SAT,SUN", "on Saturday and Sunday 09:00",
			"每周六、周日 09:00", "每週六、週日 09:00",
		},
		{
			"0 0 9 ? * FRI", "on Friday 09:00",
			"每周五 09:00", "每週五 09:00",
		},
		{
			"0 0 9 ? * SUN-TUE,FRI", "on Friday and Sunday to Tuesday 09:00",
			"每周五、周日至周二 09:00", "每週五、週日至週二 09:00",
		},
		{
			"0 0 9 ? * FRI#2", "on the 2nd Friday of the month 09:00",
			"每月第 2 个周五 09:00", "每月第 2 個週五 09:00",
		},
		{
			"0 0 9 ? JAN 6L", "on the last Friday of January 09:00",
			"每年 1 月的最后一个周五 09:00", "每年 1 月的最後一個週五 09:00",
		},
		{
			"0 30 23 L * ?", "on the last day of the month 23:30",
			"每月最后一天 23:30", "每月最後一天 23:30",
		},
		{
			"0 30 23 L-1,L-3 * ?", "on the day before the last day and 3 days before the last day of the month 23:30",
			"每月倒数第 2 天、倒数第 4 天 23:30", "每月倒數第 2 天、倒數第 4 天 23:30",
		},
		{
			"0 0 9 15W * ?", "on the weekday nearest the 15th of the month 09:00",
			"每月离 15 日最近的工作日 09:00", "每月離 15 日最近的工作日 09:00",
		},
		{
			"0 0 9 LW * ?", "on the last weekday of the month 09:00",
			"每月最后一个工作日 09:00", "每月最後一個工作日 09:00",
		},
		{
			"0 0 9 L-2W * ?", "on the weekday nearest 2 days before the last day of the month 09:00",
			"每月离倒数第 3 天最近的工作日 09:00", "每月離倒數第 3 天最近的工作日 09:00",
		},
		{
			"0 0 9 1,15,L 1,7 ?", "on the 1st, the 15th and the last day of January and July 09:00",
			"每年 1 月、7 月的 1 日、15 日、最后一天 09:00", "每年 1 月、7 月的 1 日、15 日、最後一天 09:00",
		},
		{
			"0 0 9 1-7 NOV-FEB ?", "on the 1st to the 7th of November to February 09:00",
			"每年 11 至 2 月的 1 至 7 日 09:00", "每年 11 至 2 月的 1 至 7 日 09:00",
		},
		{
			"0 0 9 1/2 * ?", "on every 2nd day from the 1st to the 31st of the month 09:00",
			"每月 1 至 31 日每 2 天 09:00", "每月 1 至 31 日每 2 天 09:00",
		},
		{
			"0 0 9 * 3-5 ? 2027", "every day in March to May 09:00, in 2027",
			"2027 年 3 至 5 月 每天 09:00", "2027 年 3 至 5 月 每天 09:00",
		},
		{
			"0 0/5 * ? 3 MON 2027-2030/2,2040/5", "every 5 minutes on Monday in March, every 2nd year from 2027 to 2030 and every 5th year from 2040",
			"2027 至 2030 年每 2 年、2040 年起每 5 年 3 月 每周一 每 5 分钟", "2027 至 2030 年每 2 年、2040 年起每 5 年 3 月 每週一 每 5 分鐘",
		},
		{
			"0 0 9 * * ? 2027/1", "every day 09:00, from 2027",
			"2027 年起 每天 09:00", "2027 年起 每天 09:00",
		},
		{
			"0 0 0 ? * ,", "never",
			"永不触发", "永不觸發",
		},
	} {
		s, err := cron.Parse(c.expr)
		require.NoError(t, err, c.expr)
		got := []string{Cron(i18n.En, s), Cron(i18n.ZhCN, s), Cron(i18n.ZhTC, s)}
		assert.Equal(t, []string{c.en, c.zh, c.tw}, got, c.expr)
	}
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind             model.ScheduleType
		conf, zone       string
		en, zh, tw, fail string
	}{
		{
			kind: model.ScheduleCron, conf: "0 0 3 * * ?", zone: "Asia/Shanghai",
			en: "every day 03:00 Asia/Shanghai", zh: "每天 03:00 Asia/Shanghai", tw: "每天 03:00 Asia/Shanghai",
		},
		{kind: model.ScheduleCron, conf: "0 0 3 * * ?", en: "every day 03:00", zh: "每天 03:00", tw: "每天 03:00"},
		{kind: model.ScheduleCron, conf: "0 0 3 * *", fail: "5 of 6 fields"},
		{kind: model.ScheduleFixRate, conf: " 1 ", zone: "UTC", en: "every second", zh: "每隔 1 秒", tw: "每隔 1 秒"},
		{kind: model.ScheduleFixRate, conf: "90", en: "every 90 seconds", zh: "每隔 90 秒", tw: "每隔 90 秒"},
		{kind: model.ScheduleFixRate, conf: "300", en: "every 5 minutes", zh: "每隔 5 分钟", tw: "每隔 5 分鐘"},
		{kind: model.ScheduleFixRate, conf: "3600", en: "every hour", zh: "每隔 1 小时", tw: "每隔 1 小時"},
		{kind: model.ScheduleFixRate, conf: "172800", en: "every 2 days", zh: "每隔 2 天", tw: "每隔 2 天"},
		{kind: model.ScheduleFixRate, conf: "0", fail: "no number of seconds"},
		{kind: model.ScheduleFixRate, conf: "<b>", fail: "no number of seconds"},
		{kind: model.ScheduleNone, conf: "x", en: "no schedule", zh: "无定时", tw: "無定時"},
		{kind: "OTHER", fail: "not known"},
	} {
		for l, want := range map[i18n.Lang]string{i18n.En: c.en, i18n.ZhCN: c.zh, i18n.ZhTC: c.tw} {
			got, err := Schedule(l, c.kind, c.conf, c.zone)
			if c.fail != "" {
				assert.ErrorContains(t, err, c.fail, c.conf)
				continue
			}
			require.NoError(t, err)
			assert.Equal(t, want, got)
		}
	}
}

// vectors reads the expressions of the recorded vectors of package cron.
func vectors(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../testdata/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var list []string
	for _, name := range files {
		f, err := os.Open(name)
		require.NoError(t, err)
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var v struct{ Expr string }
			require.NoError(t, json.Unmarshal(lines.Bytes(), &v))
			list = append(list, v.Expr)
		}
		require.NoError(t, f.Close())
	}
	return list
}

// TestSameWordsSameTimes says that words leave nothing out: expressions with the
// same words fire at the same times.
func TestSameWordsSameTimes(t *testing.T) {
	t.Parallel()
	list := vectors(t)
	list = append(list, // near to one another
		"0 0 1,13 * * ?", "0 0 1,12 * * ?", "0 0 0/12 * * ?", "0 0 22-1 * * ?", "0 0 0,1,22,23 * * ?", "0 0 0-22/2 * * ?",
		"0 0,30 * * * ?", "0 1,31 * * * ?", "0 0/30 * * * ?", "0 0 1-23/2 * * ?", "0 0 1-21/2 * * ?", "0 0 L * * ?",
		"0 0/5 0/3 * * ?", "0 0/5 1/3 * * ?", "0 0 0 1-5,7 * ?", "0 0 0 1-5 * ?", "0 0 0 31,1 * ?", "0 0 0 1-30 * ?",
		"0 0 0 ? * 1,2,3", "0 0 0 ? * 7,1", "0 0 0 ? * 6#5", "0 0 0 ? * 6L", "0 0 0 ? * 6", "0 0 0 ? * 2-6", "0 0 0 L-1W * ?",
		"0 0 0 L-1,LW * ?", "0 0 0 * * ? */2", "0 0 0 * * ? 2027/2", "0 0 0 * * ? 2027", "0 0 0 * * ? 2027-2027/3",
	)
	for _, l := range i18n.Langs() {
		first := make(map[string]cron.Schedule)
		parsed := 0
		for _, expr := range list {
			s, err := cron.Parse(expr)
			if err != nil {
				continue
			}
			parsed++
			text := Cron(l, s)
			checkText(t, expr, text)
			other, ok := first[text]
			if !ok {
				first[text] = s
				continue
			}
			if a, b := fires(s), fires(other); !assert.Truef(t, slices.Equal(a, b), "%q and %q: %s", other, expr, text) {
				return
			}
		}
		assert.Greater(t, parsed, 3000)
		assert.Greater(t, len(first), 1000)
	}
}

// fires samples when a schedule fires.
func fires(s cron.Schedule) []int64 {
	var list []int64
	for _, from := range []int64{1767225600, 1772500000, 1798675199, 1830000000} {
		at := time.Unix(from, 0).UTC()
		for range 100 {
			if at = s.Next(at); at.IsZero() {
				break
			}
			list = append(list, at.Unix())
		}
	}
	return list
}

func checkText(t *testing.T, expr, text string) {
	t.Helper()
	if text == "" || !utf8.ValidString(text) || strings.Contains(text, "%!") || strings.Contains(text, "  ") ||
		strings.TrimSpace(text) != text || strings.ContainsAny(text, "<>&\"'") {
		t.Fatalf("%q: %q", expr, text)
	}
}

func TestEveryRecordedExpressionHasWords(t *testing.T) {
	t.Parallel()
	for _, expr := range vectors(t) {
		for _, l := range i18n.Langs() {
			text, err := Schedule(l, model.ScheduleCron, expr, "")
			_, parseErr := cron.Parse(expr)
			assert.Equal(t, parseErr == nil, err == nil, expr)
			if err == nil {
				checkText(t, expr, text)
			}
		}
	}
}

// FuzzCron says that whatever parses has words in every language.
func FuzzCron(f *testing.F) {
	for _, expr := range []string{
		"0 0/5 8-18,22 ? JAN-MAR,NOV MON-FRI 2026-2030/2", "0 0 0 L-3W,15W,LW,L * ?", "0 0 0 ? * 0#1", ", , , , , ,",
		"5-10/2147483647 0 0 * * ?", "0 0 0 * * ? 2147483647", "0 0 0 29 2 ? */7", "*/-5 0 0 * * ?",
	} {
		f.Add(expr)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		s, err := cron.Parse(expr)
		if err != nil {
			return
		}
		for _, l := range i18n.Langs() {
			checkText(t, expr, Cron(l, s))
		}
	})
}

func BenchmarkCron(b *testing.B) {
	s, err := cron.Parse("0 0/5 9-17 ? * MON-FRI")
	require.NoError(b, err)
	for b.Loop() {
		_ = Cron(i18n.En, s)
	}
}
