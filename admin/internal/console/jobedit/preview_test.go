package jobedit_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
)

func TestPreview(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	v := w.As(w.Admin)
	ask := func(kind, conf, zone string) string {
		return v.Text("/jobs/preview?" + url.Values{"schedule": {kind}, "conf": {conf}, "zone": {zone}}.Encode())
	}
	page := ask("CRON", "0 30 2 * * ?", "Europe/Berlin")
	assert.Contains(t, page, "2026-11-22 Sun 02:30:00 UTC+01:00")
	assert.Contains(t, page, "2027-03-28")
	assert.Contains(t, page, "go forward")
	assert.Contains(t, page, "go back")
	assert.Contains(t, page, "chart-calendar")
	assert.Contains(t, page, "<span>The coming twelve months</span> <span class=\"chart-unit\">fires a day, at most 1</span>")
	assert.Contains(t, page, "2027-11-20 · 1")
	assert.NotContains(t, page, "2026-11-20 ·", "it is over")
	assert.Contains(t, ask("CRON", "* * * * * ?", ""), "at most 288 or more")
	assert.Contains(t, ask("FIX_RATE", "172800", ""), "2026-11-23 · 1", "a rate of two days fires every other one")
	assert.NotContains(t, ask("CRON", "0 0 12 * * ?", "Europe/Berlin"), "go forward")
	assert.NotContains(t, ask("CRON", "* * * * * ?", "Europe/Berlin"), "go forward", "fires all the time")
	assert.Contains(t, ask("CRON", "bad", ""), "Second (character 1)")
	assert.Contains(t, ask("FIX_RATE", "0", ""), "whole number, 1 or more")
	assert.Contains(t, ask("NONE", "", ""), "<b>")
	raw := v.Get("/jobs/preview?" + url.Values{"schedule": {"CRON"}, "conf": {consoletest.Evil}, "zone": {consoletest.Evil}}.Encode()).Body.String()
	assert.NotContains(t, raw, "<script>")
	assert.NotContains(t, ask("CRON", "0 0 3 * * ? 2020", ""), "<ol", "it never fires again")
}
