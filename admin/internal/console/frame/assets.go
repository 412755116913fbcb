package frame

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// asset is a file that pages refer to.
type asset struct {
	body   []byte
	zipped []byte // gzip of body
	kind   string
}

// Assets are the files by the name under which they are served, which changes
// with what is in them, and those names by the plain ones.
type Assets struct {
	files map[string]asset
	names map[string]string
}

// assetTypes are the content types of the kinds of files that there are.
var assetTypes = map[string]string{
	".css": "text/css;charset=UTF-8",
	".js":  "text/javascript;charset=UTF-8",
	".svg": "image/svg+xml",
}

// ReadAssets reads all files of a tree; own are more of them by their names. A
// module that imports one that is not there is an error.
func ReadAssets(files fs.FS, own map[string][]byte) (Assets, error) {
	plain := maps.Clone(own)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		plain[path.Base(name)], err = fs.ReadFile(files, name)
		return err
	})
	if err != nil {
		return Assets{}, fmt.Errorf("read the static files: %w", err)
	}
	a, err := nameAssets(plain)
	if err != nil {
		return Assets{}, fmt.Errorf("static files: %w", err)
	}
	return a, nil
}

// Name is the name under which a file is served; "" when there is none.
func (a *Assets) Name(plain string) string { return a.names[plain] }

// imported finds the modules that a module of ours imports: `from './other.js'`.
var imported = regexp.MustCompile(`((?:from|import)\s*)'\./([^']+)'`)

// nameAssets gives files their names, by the plain ones. A module comes after those
// that it imports, by the names under which they are served: when one of them
// changes, its own name does too.
func nameAssets(plain map[string][]byte) (Assets, error) {
	a := Assets{files: map[string]asset{}, names: map[string]string{}}
	begun := map[string]bool{}
	var add func(name string) error
	add = func(name string) (err error) {
		body, ok := plain[name]
		switch {
		case a.names[name] != "":
			return nil
		case !ok:
			return fmt.Errorf("there is no %s", name)
		case begun[name]:
			return fmt.Errorf("%s imports itself", name)
		}
		begun[name] = true
		if path.Ext(name) == ".js" {
			body = imported.ReplaceAllFunc(body, func(found []byte) []byte {
				m := imported.FindSubmatch(found)
				other := string(m[2])
				err = errors.Join(err, add(other))
				return fmt.Appendf(nil, "%s'./%s'", m[1], a.names[other])
			})
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return a.add(name, body)
	}
	for _, name := range slices.Sorted(maps.Keys(plain)) {
		if err := add(name); err != nil {
			return a, err
		}
	}
	return a, nil
}

// add takes a file under its plain name.
func (a *Assets) add(plain string, body []byte) error {
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

// Serve answers with the file that the path value "file" names. The names change
// with what is in the files, so browsers keep them for a year.
func (a *Assets) Serve(w http.ResponseWriter, r *http.Request) error {
	file, ok := a.files[r.PathValue("file")]
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
