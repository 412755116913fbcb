package admin

import (
	"net/http"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

// pages stands at the addresses of the Java console's pages while there is no
// console: it says what there is instead. The start and the login page are
// answered as found, pages that would show something as not implemented.
func (s *system) pages(w http.ResponseWriter, r *http.Request) {
	status := http.StatusNotImplemented
	switch httpx.Path(r) {
	case "/", "/dashboard", "/help", "/toLogin", "/auth/login":
		status = http.StatusOK
	}
	text := pageChinese
	lang := "zh-CN"
	if s.lang == i18n.En {
		text, lang = pageEnglish, "en"
	}
	prefix := httpx.Prefix(r) // one of ours
	httpx.WriteBody(w, status, httpx.TypeHTML, []byte(strings.NewReplacer(
		"{lang}", lang, "{text}", text, "{prefix}", prefix,
	).Replace(pageFrame)))
}

// pageFrame and its texts need no style sheet, which the content security policy
// would not let in.
const (
	pageFrame = `<!DOCTYPE html>
<html lang="{lang}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>xxl-job-admin</title></head>
<body>
<h1>xxl-job-admin</h1>
{text}
<ul>
<li><code>{prefix}/api/registry</code>, <code>{prefix}/api/registryRemove</code>,
<code>{prefix}/api/callback</code></li>
<li><code>{prefix}/api/addJob</code>, <code>{prefix}/api/updateJob</code>, <code>{prefix}/api/removeJob</code>,
<code>{prefix}/api/startJob</code>, <code>{prefix}/api/stopJob</code>, <code>{prefix}/api/triggerJob</code></li>
<li><code>{prefix}/login</code>, <code>{prefix}/auth/doLogin</code>: <code>{prefix}/jobinfo/…</code>,
<code>{prefix}/joblog/…</code>, <code>{prefix}/jobgroup/…</code>, <code>{prefix}/user/…</code>,
<code>{prefix}/chartInfo</code></li>
<li><a href="{prefix}/healthz">/healthz</a>, <a href="{prefix}/readyz">/readyz</a>, <code>{prefix}/metrics</code></li>
</ul>
</body>
</html>
`
	pageEnglish = `<p>The scheduling centre is running. This version has no console pages yet; ` +
		`its interfaces are all there: that of executors, the job API, the JSON endpoints of the Java console ` +
		`(after a login), and those for probes and monitoring.</p>`
	pageChinese = `<p>调度中心正在运行。本版本还没有控制台页面，但接口齐全：执行器接口、任务 API、` +
		`Java 控制台的 JSON 接口（登录之后），以及健康检查和监控接口。</p>`
)
