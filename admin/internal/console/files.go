package console

import (
	"embed"
	"fmt"
	"io/fs"

	"github.com/xxljob-go/xxljob/admin/internal/chart"
	"github.com/xxljob-go/xxljob/admin/internal/console/frame"
)

//go:embed static templates
var files embed.FS

// under is the tree of files below a folder.
func under(folder string) fs.FS {
	sub, err := fs.Sub(files, folder)
	if err != nil {
		panic(err) // no folder has such a name
	}
	return sub
}

// readFiles reads the files that pages refer to, and finds their templates.
func (s *Server) readFiles() (err error) {
	own := map[string][]byte{"chart.css": []byte(chart.Stylesheet)}
	if s.assets, err = frame.ReadAssets(under("static"), own); err != nil {
		return fmt.Errorf("console: %w", err)
	}
	if s.templates, err = frame.NewTemplates(under("templates"), s.funcs); err != nil {
		return fmt.Errorf("console: %w", err)
	}
	return nil
}
