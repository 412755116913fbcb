//go:build browser

package browsertest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// payloads become an element of the class xss, or run, where a page takes them
// for markup; the longest that fits is written.
var payloads = []string{
	`'"></textarea></title></script><img class=xss src=x onerror="window.__xss=1">`,
	`"><script class=xss>window.__xss=2</script>`, `"><i class=xss>`, `<i class=xss>`,
}

// markers are payloads with a word of their own behind each, by which the page
// is found that has shown the field.
type markers struct {
	mu     sync.Mutex
	fields map[string]string // by word
	// accepted are the ids of the runs that the executor of these tests has taken.
	accepted chan int64
	takes    string // its address
	refuses  string // the address of the one that refuses all
}

// text is the marker of a field of at most as many characters.
func (m *markers) text(field string, most int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for word, known := range m.fields {
		if known == field {
			delete(m.fields, word)
		}
	}
	word := fmt.Sprintf("zq%03dqz", len(m.fields))
	for slices.Contains(m.words(), word) {
		word += "q"
	}
	m.fields[word] = field
	for _, p := range payloads {
		if len(p)+len(word) <= most {
			return p + word
		}
	}
	return word
}

func (m *markers) words() []string {
	var list []string
	for word := range m.fields {
		list = append(list, word)
	}
	return list
}

// executors starts one that takes what it is sent, and one that refuses; all
// that they say are markers.
func (m *markers) executors(t *testing.T) {
	t.Helper()
	serve := func(answer func(w http.ResponseWriter, r *http.Request, body []byte)) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			assert.NoError(t, err)
			w.Header().Set("Content-Type", "application/json")
			answer(w, r, body)
		}))
		t.Cleanup(server.Close)
		return server.URL + "/"
	}
	say := func(w io.Writer, answer any) { assert.NoError(t, json.NewEncoder(w).Encode(answer)) }
	line, fault := m.text("executor: log line", 200), m.text("executor: refusal of a log", 200)
	refusal := m.text("executor: refusal of a run", 200)
	header, pong := "text/"+m.text("executor: header", 100), m.text("executor: answer to a beat", 200)
	m.takes = serve(func(w http.ResponseWriter, r *http.Request, body []byte) {
		switch r.URL.Path {
		case "/run":
			var run struct {
				LogID int64 `json:"logId"`
			}
			assert.NoError(t, json.Unmarshal(body, &run))
			m.accepted <- run.LogID
			say(w, map[string]any{"code": 200, "msg": "taken"})
		case "/log":
			say(w, map[string]any{"code": 200, "content": map[string]any{
				"fromLineNum": 1, "toLineNum": 2, "logContent": line + "\n", "isEnd": true,
			}})
		default:
			w.Header().Set("Content-Type", header)
			say(w, map[string]any{"code": 200, "msg": pong})
		}
	})
	m.refuses = serve(func(w http.ResponseWriter, r *http.Request, _ []byte) {
		text := refusal
		if strings.HasSuffix(r.URL.Path, "/log") {
			text = fault
		}
		say(w, map[string]any{"code": 500, "msg": text})
	})
}

// fill writes a marker into every field of the database that somebody can write:
// people, programs with a key, executors, a Java admin beside ours.
func (m *markers) fill(s *seeding) {
	takes := s.group(&model.Group{
		AppName: "takes", Title: m.text("group: title", s.st.Info().TitleMax), Manual: true, AddressList: model.T(m.takes),
	})
	refuses := s.group(&model.Group{
		AppName: "refuses", Title: "refuses", Manual: true, AddressList: model.T(m.refuses + "," + m.text("group: address", 200)),
	})
	s.group(&model.Group{AppName: m.text("group: app name", 64), Title: "nobody"})
	s.group(&model.Group{AppName: "registers", Title: "registers"})
	s.job(takes, m.text("job: name", 255), func(j *model.Job) {
		j.Author, j.AlarmEmail, j.Handler = model.T(m.text("job: author", 64)), model.T(m.text("job: mail", 255)), model.T(m.text("job: handler", 255))
		j.Param, j.Children = model.T(m.text("job: param", 1000)), model.T(m.text("job: children", 255))
	})
	s.job(refuses, "broken", func(j *model.Job) {
		j.ScheduleConf, j.TimeZone = model.T(m.text("job: cron", 128)), m.text("job: zone", 64)
	})
	script := s.job(refuses, "script", func(j *model.Job) {
		j.GlueType, j.GlueSource = "GLUE_SHELL", model.T(m.text("code: source", 1000))
		j.GlueRemark, j.Children = model.T(m.text("code: remark", 128)), model.T("1")
	})
	s.glue(script, m.text("code: older source", 1000), m.text("code: older remark", 128))
	m.run(s, script)
	u := &model.User{Username: m.text("user: name", 50), JavaHash: "!", Permission: model.T(m.text("user: permission", 255))}
	require.NoError(s.t, s.st.CreateUser(s.t.Context(), u))
	m.besides(s, script, u.ID+1) // the administrator comes next
}

// run writes a run of a job that has ended.
func (m *markers) run(s *seeding, j *model.Job) {
	s.t.Helper()
	r := &model.Run{
		JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, PlannedMs: s.now.UnixMilli(), TriggerMs: s.now.UnixMilli(),
		ShardTotal: 1, Handler: model.T(m.text("run: handler", 255)), Param: model.T(m.text("run: param", 1000)),
		Address: m.refuses + m.text("run: address", 100),
	}
	require.NoError(s.t, s.st.CreateRuns(s.t.Context(), []*model.Run{r}))
	s.end(&model.Outcome{
		LogID: r.LogID,
		Trigger: &model.TriggerResult{
			Code: model.CodeSuccess, Msg: "Trigger address：" + m.text("run: what was sent", 1000) + "<br>" +
				m.text("run: what was answered", 1000), Address: r.Address, AtMs: s.now.UnixMilli(),
		},
		Handle: &model.HandleResult{
			Code: model.CodeFail, Msg: model.T(m.text("run: result", 1000)), AtMs: s.now.UnixMilli(), NoRetry: true,
		},
	})
	s.runs = append(s.runs, r.LogID)
	s.alarm(j, m.text("alarm: message", 1000))
}

// besides writes what stands in tables of our own, for the administrator.
func (m *markers) besides(s *seeding, j *model.Job, admin int32) {
	s.t.Helper()
	ctx, no := s.t.Context(), func(err error) { require.NoError(s.t, err) }
	key := model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: j.ID}
	no(s.st.SetTags(ctx, j.ID, []string{m.text("tag", 64)}))
	no(s.st.SetMute(ctx, model.Mute{
		Kind: model.ChangeJob, ObjectID: j.ID, Until: s.now.Add(time.Hour), User: m.text("mute: user", 64),
		Reason: m.text("mute: reason", 255),
	}))
	no(s.st.SetAlarmRule(ctx, &model.AlarmRule{
		AlarmKey: model.AlarmKey{What: model.AlarmOnLong, Kind: model.ChangeJob, ObjectID: j.ID}, Limit: time.Hour,
		User: m.text("rule: user", 64), Created: s.now,
	}))
	no(s.st.SaveDelivery(ctx, key, model.AlarmDelivery{
		Channel: "duty", At: s.now, Error: m.text("alarm: refusal of a channel", 255),
	}))
	no(s.st.CreateKey(ctx, &model.Key{
		Name: m.text("key: name", 64), Prefix: "xj_", Hash: strings.Repeat("0", 64), Verbs: []model.Verb{model.VerbRead},
		AllGroups: true, CreatedBy: m.text("key: who made it", 64), Created: s.now,
	}))
	no(s.st.AddAudit(ctx, model.Audit{
		At: s.now, User: m.text("audit: user", 64), Action: m.text("audit: action", 64), Object: m.text("audit: object", 190),
		Detail: m.text("audit: detail", 1000),
	}))
	state := func(which string) model.Text {
		raw, err := json.Marshal(map[string]any{
			"name": m.text(which+": name", 255), "param": m.text(which+": param", 1000), "tags": []string{m.text(which+": tag", 64)},
		})
		no(err)
		return model.T(string(raw))
	}
	no(s.st.AddChange(ctx, &model.Change{
		At: s.now, User: m.text("change: user", 64), Kind: model.ChangeJob, ObjectID: j.ID, Action: "update",
		Before: state("change: before"), After: state("change: after"),
	}))
	gone := s.job(j.GroupID, m.text("deleted: name", 255), func(*model.Job) {})
	no(s.st.RemoveJob(ctx, &model.Change{
		At: s.now, User: m.text("deleted: user of the change", 64), Kind: model.ChangeJob, ObjectID: gone.ID, Action: "delete",
		Before: state("deleted: state"),
	}, &model.Deleted{
		Kind: model.ChangeJob, ObjectID: gone.ID, GroupID: j.GroupID, Name: gone.Name, At: s.now, Made: s.now,
		User: m.text("deleted: user", 64),
	}))
	no(s.st.CreateSession(ctx, &model.Session{
		Key: strings.Repeat("1", 64), UserID: admin, Created: s.now, Expires: s.now.Add(time.Hour), Seen: s.now,
		Client: m.text("session: address", 64), Agent: m.text("session: browser", 255),
	}))
	m.node(s)
	no(s.st.SaveView(ctx, model.View{UserID: admin, Page: "jobs", Name: m.text("view: name", 64), Query: "name=" + url.QueryEscape(m.text("view: query", 200))}))
}

// node writes what another node of the cluster says of itself.
func (m *markers) node(s *seeding) {
	s.t.Helper()
	name := m.text("node: name", 64)
	words, err := json.Marshal(map[string]any{
		"host": m.text("node: host", 255), "version": m.text("node: version", 64), "started_ms": s.now.UnixMilli(),
		"faults": []string{m.text("node: fault", 255)},
	})
	require.NoError(s.t, err)
	require.NoError(s.t, s.st.SaveNodeInfo(s.t.Context(), name, string(words)))
}

// TestMarkers opens every page of an admin in which every field holds a marker.
// None may be executed or become an element, and each must have been seen on
// some page, or the test would prove nothing.
func TestMarkers(t *testing.T) {
	t.Parallel()
	m := &markers{fields: map[string]string{}, accepted: make(chan int64, 1)}
	m.executors(t)
	w := newWorld(t, func(t *testing.T, dsn string) seeds {
		t.Helper()
		return seed(t, dsn, m.fill)
	})
	// What has quotes or angle brackets never becomes an address of a group.
	t.Log("a marker as an app name:", w.register(t, m.text("registry: app name", 200), "http://127.0.0.1:1/unknown"))
	t.Log("a marker as an address:", w.register(t, "registers", "http://127.0.0.1:1/"+m.text("registry: no address", 200)))
	word := m.text("registry: address", 8)
	w.register(t, "registers", "http://127.0.0.1:1/&lt;i/class=xss&gt;"+word)
	b := w.operator(t)
	b.trigger(w.seeds.jobs[1])
	b.comes(`document.querySelector('#state .state-bad') && document.querySelector('form[action$="/retry"]')`)
	b.trigger(w.seeds.jobs[0])
	w.callback(t, <-m.accepted, m.text("executor: callback", 1000))
	b.comes(`document.querySelector('#state .state-bad') && document.querySelector('form[action$="/retry"]')`)
	b.reload("/executors", `document.querySelector('main').innerText.includes("`+word+`")`)

	r := &robot{tab: b, password: password, seen: map[string]int{}, most: 6}
	r.pages = []string{"/"}
	unseen := m.words()
	seen := func(path string) {
		b.until(`document.readyState === 'complete'`)
		b.clean(path)
		list, err := json.Marshal(unseen)
		require.NoError(t, err)
		unseen = ask(b, chromedp.Evaluate[[]string](fmt.Sprintf(
			`((words) => { const page = document.documentElement.outerHTML; return words.filter((w) => !page.includes(w)); })(%s)`, list)))
	}
	look := func(path string) {
		b.expect(http.StatusNotFound, http.StatusBadGateway)
		b.visit(path)
		seen(path)
	}
	for i := 0; i < len(r.pages); i++ {
		look(r.pages[i])
		r.links()
	}
	for group, address := range []string{m.takes, m.refuses} {
		look(w.addressPath(group, address))
		b.follow(click(`form[action$="/address/probe"] button`)...)
		seen("a probe of " + address)
	}
	for _, path := range r.pages {
		m.reflect(b, path)
	}
	for _, path := range []string{"/no/such/%s", "/signin?next=/%s", "/jobs/new?from=%s", "/runs?job=%s"} {
		b.expect(http.StatusNotFound, http.StatusBadRequest)
		b.visit(fmt.Sprintf(path, url.QueryEscape(payloads[0])))
		b.clean(path)
	}
	for _, word := range unseen {
		assert.Contains(t, shownNowhere, m.fields[word], "no page shows this field, so nothing is proved of it")
	}
	for word, field := range m.fields {
		if slices.Contains(shownNowhere, field) {
			assert.Contains(t, unseen, word, "%s is shown: take it from the list", field)
		}
	}
	t.Logf("%d fields on %d pages", len(m.fields)-len(unseen), len(r.pages))
}

// shownNowhere are fields that no page shows.
var shownNowhere = []string{
	"registry: no address",
	"user: permission", // ids of groups; what is none is left out
	"node: fault",      // of a node that is alive: on SQLite there is no other one
}

// reflect writes markers into the filters of a page and looks at what comes
// back; in fields of plain text they must be there again.
func (m *markers) reflect(b *tab, path string) {
	b.t.Helper()
	b.expect(http.StatusNotFound, http.StatusBadGateway)
	b.visit(path)
	names := ask(b, chromedp.Evaluate[[]string](`[...document.querySelectorAll('main form')].filter((f) => f.method === 'get')
		.flatMap((f) => [...f.elements]).filter((el) => el.name && ['search', 'text'].includes(el.type) && !el.inputMode).map((el) => el.name)`))
	if len(names) == 0 {
		return
	}
	query := url.Values{}
	for _, name := range names {
		query.Set(name, payloads[2]+"qz"+name)
	}
	at, _, _ := strings.Cut(path, "?")
	b.visit(at + "?" + query.Encode())
	b.clean(at + "?" + query.Encode())
	page := b.text(`document.documentElement.outerHTML`)
	for _, name := range names {
		assert.Contains(b.t, page, "qz"+name, "%s: the filter is not kept", at)
	}
}
