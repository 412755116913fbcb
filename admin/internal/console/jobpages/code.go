package jobpages

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// codeVersion is a saved version as the page lists it.
type codeVersion struct {
	ID      int32
	At      time.Time
	Who     string
	Remark  string
	Bytes   int
	Current bool // it is what runs
	Shown   bool // it is what the page shows
}

// codePage is the code of a script job.
type codePage struct {
	ID       int32
	Job      string
	Type     string
	Path     string
	Source   string // as it is in the editor
	Remark   string
	Base     string // names the code that was edited
	At       time.Time
	Who      string
	Versions []codeVersion
	From, To int32 // versions that are compared; 0 is the code as it is
	Diff     *parts.DiffView
	DiffText string // what is compared
	Shown    *codeVersion
	Template bool // there is no code yet: what is shown is a beginning
	MayEdit  bool
	WhyNot   string
	Problem  string
	Stale    bool
}

// codeBase names the state of code that was edited, to see whether somebody else
// has changed it since.
func codeBase(j *model.Job) string {
	sum := sha256.Sum256([]byte(j.GlueUpdated.UTC().Format(time.RFC3339) + "\n" + j.GlueSource.S))
	return hex.EncodeToString(sum[:8])
}

// codePageOf is the page of a job and its saved versions. ok is false for a job
// that runs a handler: the visitor is sent to its page.
func (c *call) codePageOf(ctx context.Context) (p *codePage, versions []*model.GlueVersion, ok bool, err error) {
	j, err := c.Cfg.Ops.Job(ctx, c.Who, c.ID32("id"))
	if err != nil {
		return nil, nil, false, err
	}
	path := "/jobs/" + strconv.Itoa(int(j.ID))
	if j.GlueType == model.GlueBean {
		return nil, nil, false, c.Say(path, web.Flash{Bad: true, Text: c.T("code.bean")})
	}
	if versions, err = c.Cfg.Ops.GlueVersions(ctx, c.Who, j.ID); err != nil {
		return nil, nil, false, err
	}
	p = &codePage{
		ID: j.ID, Job: j.Name, Type: j.GlueType, Path: path + "/code", Source: j.GlueSource.S, Base: codeBase(j),
		At: j.GlueUpdated, MayEdit: c.Cfg.Ops.MayCode(c.Who) && c.RightsIn(j.GroupID).Edit,
	}
	switch {
	case p.MayEdit:
	case !c.Cfg.CodeEditing:
		p.WhyNot = c.T("code.off")
	default:
		p.WhyNot = c.T("code.notyours")
	}
	if len(versions) == 0 || versions[0].Source.S != j.GlueSource.S {
		p.Versions = append(p.Versions, codeVersion{
			At: j.GlueUpdated, Remark: j.GlueRemark.S, Bytes: len(j.GlueSource.S), Current: true,
		})
	} else {
		p.Who = versions[0].User
	}
	for i, v := range versions {
		p.Versions = append(p.Versions, codeVersion{
			ID: v.ID, At: v.Updated, Who: v.User, Remark: v.Remark, Bytes: len(v.Source.S),
			Current: i == 0 && len(p.Versions) == 0,
		})
	}
	return p, versions, true, nil
}

// code shows the code of a job, one of its versions, or what differs between two.
func (c *call) code(ctx context.Context) error {
	p, versions, ok, err := c.codePageOf(ctx)
	if err != nil || !ok {
		return err
	}
	if p.Source == "" && p.MayEdit {
		p.Source, p.Template = codeTemplate(p.Type), true
	}
	current := p.Source
	text := func(id int32) string {
		for _, v := range versions {
			if v.ID == id {
				return v.Source.S
			}
		}
		return current
	}
	if id := int32(min(c.Num("version", 0), 1<<31-1)); id > 0 {
		for i := range p.Versions {
			if p.Versions[i].ID == id && !p.Versions[i].Current {
				p.Versions[i].Shown, p.Shown, p.Source = true, &p.Versions[i], text(id)
			}
		}
	}
	p.From, p.To = int32(min(c.Num("from", 0), 1<<31-1)), int32(min(c.Num("to", 0), 1<<31-1))
	if c.R.Form.Has("from") && c.R.Form.Has("to") {
		p.Diff = parts.DiffOf(text(p.From), text(p.To))
		p.DiffText = c.T("code.diff", c.versionName(p.From), c.versionName(p.To))
		if p.To == 0 && len(p.Versions) > 0 {
			p.To = p.Versions[0].ID // the current one is marked
		}
	} else if len(p.Versions) > 1 {
		p.From, p.To = p.Versions[1].ID, p.Versions[0].ID
	}
	return c.showCode(ctx, http.StatusOK, p)
}

// versionName names a version; 0 is the code as it is.
func (c *call) versionName(id int32) string {
	if id == 0 {
		return c.T("code.current")
	}
	return "#" + strconv.Itoa(int(id))
}

func (c *call) showCode(ctx context.Context, status int, p *codePage) error {
	return c.RenderStatus(ctx, status, "code", web.Head{
		Title: c.T("job.code"), Section: "jobs", Script: "code.js",
		Crumbs: append(c.Under("jobs"), web.Crumb{Text: p.Job, Path: strings.TrimSuffix(p.Path, "/code")}),
	}, p)
}

// saveCode saves a new version, or shows the editor again with what is wrong.
// Code that somebody else has saved meanwhile is shown first.
func (c *call) saveCode(ctx context.Context) error {
	p, _, ok, err := c.codePageOf(ctx)
	if err != nil || !ok {
		return err
	}
	current, base := p.Source, p.Base
	p.Source = strings.ReplaceAll(c.R.PostForm.Get("source"), "\r\n", "\n")
	p.Remark = c.Str("remark")
	if p.MayEdit && c.R.PostForm.Get("base") != base {
		p.Stale, p.Diff, p.DiffText = true, parts.DiffOf(current, p.Source), c.T("code.diff.yours")
		return c.showCode(ctx, http.StatusConflict, p)
	}
	recording, made := ops.Recording(ctx)
	if err := c.Cfg.Ops.SaveGlue(recording, c.Who, p.ID, p.Source, p.Remark); err != nil {
		text, ours := c.Why(err)
		if !ours {
			return err
		}
		p.Problem = text
		return c.showCode(ctx, http.StatusUnprocessableEntity, p)
	}
	return c.DoneUndo(p.Path, c.T("code.saved"), made)
}

// restoreCode makes a saved version the code again.
func (c *call) restoreCode(ctx context.Context) error {
	id, version := c.ID32("id"), int32(min(c.Num("version", 0), 1<<31-1))
	path := "/jobs/" + strconv.Itoa(int(id)) + "/code"
	v, err := c.Cfg.Ops.GlueVersion(ctx, c.Who, id, version)
	if err != nil {
		return c.Refuse(path, err)
	}
	recording, made := ops.Recording(ctx)
	remark := c.T("code.restored", v.ID, v.Remark)
	if err := c.Cfg.Ops.RestoreGlue(recording, c.Who, id, version, remark); err != nil {
		return c.Refuse(path, err)
	}
	return c.DoneUndo(path, c.T("code.restored.done", version), made)
}

// codeFile sends the code, or a version of it, as a file.
func (c *call) codeFile(ctx context.Context) error {
	j, err := c.Cfg.Ops.Job(ctx, c.Who, c.ID32("id"))
	if err != nil {
		return err
	}
	text, name := j.GlueSource.S, "job-"+strconv.Itoa(int(j.ID))
	if id := int32(min(c.Num("version", 0), 1<<31-1)); id > 0 {
		v, err := c.Cfg.Ops.GlueVersion(ctx, c.Who, j.ID, id)
		if err != nil {
			return err
		}
		text, name = v.Source.S, name+"-"+strconv.Itoa(int(id))
	}
	name += cmp.Or(codeEndings[j.GlueType], ".txt")
	c.W.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	httpx.WriteBody(c.W, http.StatusOK, "text/plain;charset=UTF-8", []byte(text))
	return nil
}

// codeEndings are how files of code end.
var codeEndings = map[string]string{
	"GLUE_GROOVY": ".java", "GLUE_SHELL": ".sh", "GLUE_PYTHON": ".py", "GLUE_PYTHON2": ".py", "GLUE_PHP": ".php",
	"GLUE_NODEJS": ".js", "GLUE_POWERSHELL": ".ps1",
}
