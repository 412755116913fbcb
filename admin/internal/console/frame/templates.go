// Package frame is what the pages of the console are put together with: files that
// are served under names of what is in them, templates that are parsed when a page
// first needs them, and what those may call that knows no page.
package frame

import (
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

// Key is what templates are bound to, so that texts and links need nothing from
// the request.
type Key struct {
	Lang   i18n.Lang
	Prefix string // the context path
}

// Templates are the pages. Each is parsed when it is first asked for: all of
// them, in every language and under every context path, would hold 35 MB. It is
// safe for concurrent use.
type Templates struct {
	fs    fs.FS
	funcs func(Key) template.FuncMap
	files map[string]string // by the plain name of the page

	mu    sync.Mutex
	bases map[Key]*template.Template // what all pages have in common
	pages map[Key]map[string]*template.Template
}

// NewTemplates finds the pages in a tree, the files page_NAME.html. Layout.html and
// the files parts*.html are part of every one. funcs returns what they may call.
func NewTemplates(files fs.FS, funcs func(Key) template.FuncMap) (*Templates, error) {
	names, err := fs.Glob(files, "page_*.html")
	if err != nil {
		return nil, err
	}
	t := &Templates{
		fs:    files,
		funcs: funcs, files: make(map[string]string, len(names)),
		bases: map[Key]*template.Template{}, pages: map[Key]map[string]*template.Template{},
	}
	for _, name := range names {
		t.files[strings.TrimSuffix(strings.TrimPrefix(path.Base(name), "page_"), ".html")] = name
	}
	return t, nil
}

// Names are those of the pages.
func (t *Templates) Names() []string { return slices.Sorted(maps.Keys(t.files)) }

// Page returns a page by its plain name, the NAME of page_NAME.html.
func (t *Templates) Page(key Key, name string) (*template.Template, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if page := t.pages[key][name]; page != nil {
		return page, nil
	}
	file, ok := t.files[name]
	if !ok {
		return nil, fmt.Errorf("there is no template %q", name)
	}
	base, err := t.baseLocked(key)
	if err != nil {
		return nil, err
	}
	page, err := base.Clone()
	if err == nil {
		page, err = page.ParseFS(t.fs, file)
	}
	if err != nil {
		return nil, err
	}
	t.pages[key][name] = page
	return page, nil
}

// baseLocked returns the layout and the parts.
func (t *Templates) baseLocked(key Key) (*template.Template, error) {
	if base := t.bases[key]; base != nil {
		return base, nil
	}
	base, err := template.New("").Funcs(t.funcs(key)).
		ParseFS(t.fs, "layout.html", "parts*.html")
	if err != nil {
		return nil, err
	}
	t.bases[key], t.pages[key] = base, map[string]*template.Template{}
	return base, nil
}
