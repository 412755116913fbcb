package runpages

import (
	"net/url"
	"regexp"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// followed is a line on what followed from a run, with the way to the runs of the
// child that it names.
type followed struct {
	parts.Said

	Path string // "" for a line that names none
}

// childOf finds the id of a child in the line that says that it was triggered.
var childOf = regexp.MustCompile(`^\d+/\d+\.?\s*\[(\d{1,10})\]`)

// followedBy adds to the lines on what followed where the runs are.
func (c *call) followedBy(l *model.Log, lines []parts.Said) []followed {
	list := make([]followed, len(lines))
	for i, line := range lines {
		list[i].Said = line
		if m := childOf.FindStringSubmatch(line.Value); m != nil {
			v := url.Values{"job": {m[1]}}
			if !l.HandleTime.IsZero() {
				v.Set("from", l.HandleTime.In(c.Cfg.Location).Format(web.InputTime))
			}
			list[i].Path = "/runs?" + v.Encode()
		}
	}
	return list
}
