package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/chart"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

//go:embed static
var staticFiles embed.FS

// asset is a file that pages refer to.
type asset struct {
	body   []byte
	zipped []byte // gzip of body
	kind   string
}

// assets are the files by the name under which they are served, which changes
// with what is in them, and those names by the plain ones.
type assets struct {
	files map[string]asset
	names map[string]string
}

// assetTypes are the content types of the kinds of files that there are.
var assetTypes = map[string]string{
	".css": "text/css;charset=UTF-8",
	".js":  "text/javascript;charset=UTF-8",
	".svg": "image/svg+xml",
}

func readAssets() (assets, error) {
	a := assets{files: map[string]asset{}, names: map[string]string{}}
	if err := a.add("chart.css", []byte(chart.Stylesheet)); err != nil {
		return a, err
	}
	err := fs.WalkDir(staticFiles, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := staticFiles.ReadFile(name)
		if err != nil {
			return err
		}
		return a.add(path.Base(name), body)
	})
	if err != nil {
		return a, fmt.Errorf("console: read the static files: %w", err)
	}
	return a, nil
}

// add takes a file under its plain name.
func (a *assets) add(plain string, body []byte) error {
	ext := path.Ext(plain)
	if assetTypes[ext] == "" {
		return fmt.Errorf("file %s has no content type", plain)
	}
	sum := sha256.Sum256(body)
	served := strings.TrimSuffix(plain, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	if _, err := zip.Write(body); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}
	a.files[served] = asset{body: body, zipped: zipped.Bytes(), kind: assetTypes[ext]}
	a.names[plain] = served
	return nil
}

// static serves the files. Their names change with their content, so they are
// kept for a year.
func (s *Server) static(w http.ResponseWriter, r *http.Request) error {
	file, ok := s.assets.files[r.PathValue("file")]
	if !ok {
		return httpx.NotFound("")
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("Vary", "Accept-Encoding")
	body := file.body
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		body = file.zipped
	}
	httpx.WriteBody(w, http.StatusOK, file.kind, body)
	return nil
}
