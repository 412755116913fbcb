package console

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

//go:embed templates
var templateFiles embed.FS

// viewKey is what templates are bound to, so that texts and links need nothing
// from the request.
type viewKey struct {
	lang   i18n.Lang
	prefix string
}

// templates are the pages. Each is parsed when it is first asked for: all of
// them, in every language and under every context path, would hold 35 MB. It is
// safe for concurrent use.
type templates struct {
	funcs func(viewKey) template.FuncMap
	files map[string]string // by the plain name of the page

	mu    sync.Mutex
	bases map[viewKey]*template.Template // what all pages have in common
	pages map[viewKey]map[string]*template.Template
}

func newTemplates(funcs func(viewKey) template.FuncMap) (*templates, error) {
	names, err := fs.Glob(templateFiles, "templates/page_*.html")
	if err != nil {
		return nil, err
	}
	t := &templates{
		funcs: funcs, files: make(map[string]string, len(names)),
		bases: map[viewKey]*template.Template{}, pages: map[viewKey]map[string]*template.Template{},
	}
	for _, name := range names {
		t.files[strings.TrimSuffix(strings.TrimPrefix(path.Base(name), "page_"), ".html")] = name
	}
	return t, nil
}

// page returns a page by its plain name.
func (t *templates) page(key viewKey, name string) (*template.Template, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if page := t.pages[key][name]; page != nil {
		return page, nil
	}
	file, ok := t.files[name]
	if !ok {
		return nil, fmt.Errorf("console: there is no template %q", name)
	}
	base, err := t.baseLocked(key)
	if err != nil {
		return nil, err
	}
	page, err := base.Clone()
	if err == nil {
		page, err = page.ParseFS(templateFiles, file)
	}
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	t.pages[key][name] = page
	return page, nil
}

// baseLocked returns the layout and the parts.
func (t *templates) baseLocked(key viewKey) (*template.Template, error) {
	if base := t.bases[key]; base != nil {
		return base, nil
	}
	base, err := template.New("").Funcs(t.funcs(key)).
		ParseFS(templateFiles, "templates/layout.html", "templates/parts*.html")
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	t.bases[key], t.pages[key] = base, map[string]*template.Template{}
	return base, nil
}
