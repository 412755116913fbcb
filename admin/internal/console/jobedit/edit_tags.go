package jobedit

import (
	"context"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// tags are those of the form, each once.
func (f *jobForm) tags() []string {
	var tags []string
	for tag := range strings.FieldsFuncSeq(f.Tags, func(r rune) bool { return r == ',' || r == '，' }) {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(tags)))
}

// tagsOf are the tags of a job.
func (c *call) tagsOf(ctx context.Context, j *model.Job) ([]string, error) {
	tags, err := c.Cfg.Ops.Tags(ctx, []*model.Job{j})
	return tags[j.ID], err
}
