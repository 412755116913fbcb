package rest

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// kind is a sort of problem: the end of its type, its status and its title by
// language.
type kind struct {
	name   string
	status int
	titles [3]string // zh_CN, zh_TC, en, as i18n.Lang counts
}

// The sorts of problems.
var (
	kindBad        = kind{"bad-request", 400, [3]string{"请求无法解析", "請求無法解析", "The request cannot be read"}}
	kindAnonymous  = kind{"unauthenticated", 401, [3]string{"未登录", "未登入", "Not authenticated"}}
	kindForbidden  = kind{"forbidden", 403, [3]string{"没有权限", "沒有權限", "Not permitted"}}
	kindNotFound   = kind{"not-found", 404, [3]string{"不存在", "不存在", "Not found"}}
	kindMethod     = kind{"method-not-allowed", 405, [3]string{"不支持该方法", "不支援該方法", "Method not allowed"}}
	kindConflict   = kind{"conflict", 409, [3]string{"状态冲突", "狀態衝突", "The state does not allow it"}}
	kindStale      = kind{"stale", 412, [3]string{"版本已过期", "版本已過期", "It has been changed since"}}
	kindTooLarge   = kind{"too-large", 413, [3]string{"请求体过大", "請求內容過大", "The body is too large"}}
	kindMedia      = kind{"media-type", 415, [3]string{"不支持该内容类型", "不支援該內容類型", "Unsupported media type"}}
	kindInvalid    = kind{"invalid", 422, [3]string{"内容无效", "內容無效", "The content is not valid"}}
	kindUnguarded  = kind{"precondition-required", 428, [3]string{"缺少 If-Match", "缺少 If-Match", "If-Match is missing"}}
	kindRate       = kind{"rate-limited", 429, [3]string{"请求过于频繁", "請求過於頻繁", "Too many requests"}}
	kindKeyReused  = kind{"key-reused", 422, [3]string{"幂等键已用于其他请求", "冪等鍵已用於其他請求", "The key is of another request"}}
	kindKeyBusy    = kind{"key-busy", 409, [3]string{"相同请求正在处理", "相同請求正在處理", "The first request is under way"}}
	kindSecret     = kind{"secret-shown", 409, [3]string{"密钥只显示一次", "金鑰只顯示一次", "Its secret was shown once"}}
	kindInternal   = kind{"internal", 500, [3]string{"内部错误", "內部錯誤", "Internal error"}}
	kindUnanswered = kind{"unavailable", 503, [3]string{"执行器无应答", "執行器無回應", "No answer"}}
)

// fieldFault is a field at fault.
type fieldFault struct {
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
}

// Problem is a refusal as it is answered.
type Problem struct {
	kind  kind
	text  func(i18n.Lang) string // the title; nil is that of the kind
	retry time.Duration          // Retry-After; 0 is none

	Type   string       `json:"type"`
	Title  string       `json:"title"`
	Status int          `json:"status"`
	Detail string       `json:"detail,omitempty"`
	Errors []fieldFault `json:"errors,omitempty"`
}

// Error returns the title in English and the detail.
func (p *Problem) Error() string { return p.kind.titles[i18n.En] + ": " + p.Detail }

func problem(k kind, detail string, faults ...fieldFault) *Problem {
	return &Problem{kind: k, Detail: detail, Errors: faults}
}

// in returns the problem in a language.
func (p *Problem) in(l i18n.Lang) *Problem {
	view := *p
	view.Type, view.Status, view.Title = "urn:xxl-job:problem:"+p.kind.name, p.kind.status, p.kind.titles[l]
	if p.text != nil {
		if text := p.text(l); text != "" {
			view.Title = text
		}
	}
	return &view
}

// refusal returns err as a Problem, where it is one that the caller may read.
func refusal(err error) (*Problem, bool) {
	var p *Problem
	if errors.As(err, &p) {
		return p, true
	}
	if errors.Is(err, ops.ErrStale) {
		return problem(kindStale, "read it again, and send its ETag in If-Match"), true
	}
	var e *ops.Error
	if errors.As(err, &e) {
		return ofOps(e), true
	}
	var h *httpx.Error
	if errors.As(err, &h) {
		switch h.Code() {
		case http.StatusRequestEntityTooLarge:
			return problem(kindTooLarge, h.Text()), true
		case http.StatusBadRequest:
			return problem(kindBad, h.Text()), true
		}
	}
	return nil, false
}

// ofOps turns a refusal of package ops into a problem.
func ofOps(e *ops.Error) *Problem {
	kinds := map[ops.Kind]kind{
		ops.Invalid: kindInvalid, ops.NotFound: kindNotFound, ops.Forbidden: kindForbidden,
		ops.Conflict: kindConflict, ops.Unavailable: kindUnanswered,
	}
	k, ok := kinds[e.Kind]
	if !ok {
		k = kindInvalid
	}
	p := problem(k, e.Detail)
	p.text = func(l i18n.Lang) string { return strings.TrimRight(e.Words(l), ".。") } // a title has no stop
	if e.Kind != ops.Invalid && e.Kind != ops.Conflict {
		return p
	}
	for _, part := range e.Parts {
		if pointer := pointerOf(part); pointer != "" {
			detail := e.Detail
			if detail == "" {
				detail = e.Words(i18n.En)
			}
			p.Errors = []fieldFault{{pointer, detail}}
			break
		}
	}
	return p
}

// pointerOf is the field that a part of a text names; "" is none.
func pointerOf(part ops.Part) string {
	if part.Key == "" {
		return literals[strings.TrimSpace(part.Literal)]
	}
	return pointers[part.Key]
}

// pointers are the fields that texts of package ops speak of.
var pointers = map[i18n.Key]string{
	i18n.JobinfoFieldJobgroup: "/group_id", i18n.JobinfoFieldJobdesc: "/name", i18n.JobinfoFieldAuthor: "/author",
	i18n.JobinfoFieldAlarmemail: "/alarm_email", i18n.ScheduleType: "/schedule",
	i18n.ScheduleZone: "/schedule/time_zone", i18n.ScheduleZoneShared: "/schedule/time_zone",
	i18n.JobinfoFieldExecutorparam: "/param", i18n.JobinfoGlueSource: "/code", i18n.JobinfoGlueRemark: "/remark",
	i18n.JobinfoFieldGluetype: "/code_type", i18n.JobinfoFieldChildJobID: "/children",
	i18n.JobinfoChildCycle: "/children", i18n.JobinfoFieldTags: "/tags", i18n.MisfireStrategy: "/misfire",
	i18n.JobinfoFieldExecutorRouteStrategy: "/route", i18n.JobinfoFieldExecutorBlockStrategy: "/block",
	i18n.JobgroupFieldTitle: "/title", i18n.JobgroupFieldAppnameLength: "/app_name",
	i18n.JobgroupFieldRegistryList: "/addresses", i18n.JobgroupFieldRegistryListInvalid: "/addresses",
	i18n.JobgroupFieldAddressTypeLimit: "/addresses", i18n.UserUsername: "/username",
	i18n.UserUsernameRepeat: "/username", i18n.UserPassword: "/password", i18n.UserPermission: "/group_ids",
	i18n.KeyName: "/name", i18n.KeyVerbs: "/verbs", i18n.KeyExpires: "/expires_at",
}

// literals are the same for names that are the same in every language.
var literals = map[string]string{"Cron": "/schedule/cron", "JobHandler": "/handler", "AppName": "/app_name"}

// write answers with a problem.
func (s *Server) write(w http.ResponseWriter, r *http.Request, p *Problem) {
	if p.retry > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(int64(math.Ceil(p.retry.Seconds())), 10))
	}
	if p.kind.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="xxl-job"`)
	}
	lang := s.language(r)
	w.Header().Set("Content-Language", map[i18n.Lang]string{
		i18n.ZhCN: "zh-CN", i18n.ZhTC: "zh-TW", i18n.En: "en",
	}[lang])
	body, err := httpx.EncodeJSON(p.in(lang))
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError) // a struct of texts: never
		return
	}
	httpx.WriteBody(w, p.kind.status, "application/problem+json", body)
}

// language is the first of ours that the caller names, or else the server's.
func (s *Server) language(r *http.Request) i18n.Lang {
	for item := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(item), ";")
		if strings.HasPrefix(strings.ToLower(name), "en") {
			return i18n.En
		}
		if name == "" {
			continue
		}
		if l, err := i18n.Parse(name); err == nil {
			return l
		}
	}
	return s.cfg.Lang
}
