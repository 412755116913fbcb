package link

import (
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		give    string
		want    Base
		wantErr string
	}{
		{give: "", want: ""},
		{give: "https://Jobs.Example.com", want: "https://jobs.example.com"},
		{give: "https://jobs.example.com/", want: "https://jobs.example.com"},
		{give: "http://10.0.0.1:8080/xxl-job-admin/", want: "http://10.0.0.1:8080/xxl-job-admin"},
		{give: "https://example.com/Team_A/jobs", want: "https://example.com/Team_A/jobs"},
		{give: "http://[::1]:8080", want: "http://[::1]:8080"},
		{give: "jobs.example.com", wantErr: "must begin with http:// or https://"},
		{give: "javascript:alert(1)", wantErr: "must begin with http:// or https://"},
		{give: "ftp://example.com", wantErr: "must begin with http:// or https://"},
		{give: "https://", wantErr: "names no host"},
		{give: "https://:8080", wantErr: "names no host"},
		{give: "https://example.com:", wantErr: "names no host"},
		{give: "https://example.com:0", wantErr: "names no host"},
		{give: "https://example.com:70000", wantErr: "names no host"},
		{give: "https://a(b).example.com", wantErr: "names no host"},
		{give: "https://a%20b.example.com", wantErr: "is no URL"},
		{give: "https://user:secret@example.com", wantErr: "holds a user or a password"},
		{give: "https://example.com/?a=1", wantErr: "query or a fragment"},
		{give: "https://example.com/?", wantErr: "query or a fragment"},
		{give: "https://example.com/#x", wantErr: "query or a fragment"},
		{give: "https://example.com/#", wantErr: "query or a fragment"},
		{give: "https://example.com/a/../b", wantErr: "has a path"},
		{give: "https://example.com//evil.test", wantErr: "has a path"},
		{give: "https://example.com/a)b", wantErr: "has a path"},
		{give: "https://example.com/a b", wantErr: "has a path"},
		{give: "https://example.com/%2e", wantErr: "has a path"},
		{give: "https://example.com/a\r\nBcc: x", wantErr: "is no URL"},
		{give: "https://example.com/" + strings.Repeat("a", 200), wantErr: "longer than 200"},
	}
	for _, tt := range tests {
		t.Run(tt.give, func(t *testing.T) {
			t.Parallel()
			got, err := Parse(tt.give)
			if tt.wantErr != "" {
				require.ErrorContains(t, err, tt.wantErr)
				assert.NotContains(t, err.Error(), "secret")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestAlarm(t *testing.T) {
	t.Parallel()
	job := func(what model.AlarmWhat) model.AlarmKey {
		return model.AlarmKey{What: what, Kind: model.ChangeJob, ObjectID: 7}
	}
	nobody := model.AlarmKey{What: model.AlarmOnNobody, Kind: model.ChangeGroup, ObjectID: 3}
	assert.Equal(t, "https://x.test/a/runs/70?at=fail", Base("https://x.test/a").Alarm(job(model.AlarmOnFailure), 70))
	assert.Equal(t, "/jobs/7", Alarm(job(model.AlarmOnFailure), 0))
	assert.Equal(t, "/runs/70", Alarm(job(model.AlarmOnLong), 70), "it has not failed")
	assert.Equal(t, "/runs/70", Alarm(job(model.AlarmOnLate), 70))
	assert.Equal(t, "/jobs/7", Alarm(job(model.AlarmOnLate), 0))
	assert.Equal(t, "/executors/3", Alarm(nobody, 0))
	assert.Equal(t, "/alarms", Alarm(model.AlarmKey{}, 0))
	assert.Empty(t, Base("").Alarm(nobody, 0))
}

// FuzzParse: what is taken is an address that no message reads as anything else.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"https://jobs.example.com/x", "http://[::1]:1/", "https://a@b", "https://a/%2f", "https://a/|<>", "https://[fe80::1%25x]/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		base, err := Parse(raw)
		if err != nil || base == "" {
			return
		}
		again, err := Parse(string(base))
		require.NoError(t, err)
		assert.Equal(t, base, again)
		page := base.To(Failure(70))
		u, err := url.Parse(page)
		require.NoError(t, err)
		assert.Nil(t, u.User)
		assert.Equal(t, "fail", u.Query().Get("at"))
		assert.True(t, strings.HasSuffix(u.Path, "/runs/70"))
		assert.Equal(t, page, html.EscapeString(page))
		assert.False(t, strings.ContainsAny(page, "()<>|\\\"' \r\n"))
	})
}
