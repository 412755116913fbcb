package cron

import (
	"testing"
	"time"
)

func BenchmarkNext(b *testing.B) {
	benchmarks := []struct {
		name, zone, expr string
	}{
		{name: "second", zone: "UTC", expr: "* * * * * ?"},
		{name: "ten_seconds", zone: "UTC", expr: "0/10 * * * * ?"},
		{name: "daily", zone: "UTC", expr: "0 30 2 * * ?"},
		{name: "ten_seconds_shanghai", zone: "Asia/Shanghai", expr: "0/10 * * * * ?"},
		{name: "daily_shanghai", zone: "Asia/Shanghai", expr: "0 30 2 * * ?"},
		{name: "daily_new_york", zone: "America/New_York", expr: "0 30 2 * * ?"},
		{name: "weekday_new_york", zone: "America/New_York", expr: "0 0 9 ? * MON-FRI"},
		{name: "last_workday", zone: "America/New_York", expr: "0 0 9 LW * ?"},
		{name: "leap_day", zone: "America/New_York", expr: "0 0 9 29 2 ?"},
	}
	for _, bm := range benchmarks {
		b.Run(bm.name, func(b *testing.B) {
			s := mustParse(b, bm.expr)
			from := time.Date(2026, 3, 1, 0, 0, 0, 0, zone(b, bm.zone))
			at := from
			b.ReportAllocs()
			for b.Loop() {
				if at = s.Next(at); at.IsZero() || at.Year() > 2036 {
					at = from
				}
			}
		})
	}
}

// BenchmarkNextNever measures the longest search.
func BenchmarkNextNever(b *testing.B) {
	for _, expr := range []string{"0 0 9 30 2 ?", "0 0 * 30 2 ?", "0 0 9 ? 2 8#1", "0 0 9 31W 2,4,6,9,11 ?"} {
		b.Run(expr, func(b *testing.B) {
			s := mustParse(b, expr)
			at := time.Date(2026, 3, 1, 0, 0, 0, 0, zone(b, "America/New_York"))
			for b.Loop() {
				if !s.Next(at).IsZero() {
					b.Fatal("it fires")
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, expr := range []string{"0/10 * * * * ?", "0 0/5 8-18,22 ? JAN-MAR,NOV MON-FRI 2026-2030/2"} {
		b.Run(expr, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(expr); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
