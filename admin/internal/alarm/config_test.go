package alarm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	ch := Channel{
		Name: "c", Type: TypeMail, URL: "https://chat.test/tok3n", SignSecret: "s1gn", Headers: map[string]Secret{"A": "h3ader"},
		Mail: &Mail{Host: "mail.test", Password: "passw0rd"},
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).InfoContext(t.Context(), "x",
		slog.Any("channel", ch), slog.Any("mail", ch.Mail), slog.Any("secret", ch.URL))
	encoded, err := json.Marshal(ch)
	require.NoError(t, err)
	var shown strings.Builder
	shown.WriteString(log.String() + string(encoded))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%t"} {
		shown.WriteString(fmt.Sprintf(verb, ch) + fmt.Sprintf(verb, *ch.Mail) + fmt.Sprintf(verb, ch.URL))
	}
	for _, secret := range []string{"tok3n", "s1gn", "h3ader", "passw0rd", "746f6b336e"} {
		assert.NotContains(t, shown.String(), secret)
	}
	assert.Contains(t, string(encoded), `"password":"******"`)
	assert.Empty(t, Secret("").String())
}

func TestKeepSecrets(t *testing.T) {
	t.Parallel()
	old := func() *Channel {
		return &Channel{
			URL: "https://chat.test/tok3n", SignSecret: "s1gn", Headers: map[string]Secret{"A": "h3ader"},
			Mail: &Mail{Host: "mail.test", Password: "passw0rd"},
		}
	}
	form := &Channel{URL: hidden, SignSecret: "new", Headers: map[string]Secret{"A": "", "B": "b"}, Mail: &Mail{Host: "mail.test", Password: hidden}}
	form.KeepSecrets(old())
	assert.Equal(t, "https://chat.test/tok3n", form.URL.Reveal())
	assert.Equal(t, "new", form.SignSecret.Reveal())
	assert.Equal(t, "h3ader", form.Headers["A"].Reveal())
	assert.Equal(t, "b", form.Headers["B"].Reveal())
	assert.Equal(t, "passw0rd", form.Mail.Password.Reveal())

	elsewhere := &Channel{URL: "https://evil.test/", Headers: map[string]Secret{"A": hidden}, Mail: &Mail{Host: "evil.test"}}
	elsewhere.KeepSecrets(old())
	assert.Empty(t, elsewhere.Headers["A"].Reveal(), "a header went to another server")
	assert.Empty(t, elsewhere.Mail.Password.Reveal(), "a password went to another server")
}

func TestValidate(t *testing.T) {
	t.Parallel()
	server := &Mail{Host: "mail.test", From: "a@mail.test"}
	tests := []struct {
		name    string
		give    Channel
		wantErr string // empty: valid
	}{
		{name: "mail", give: Channel{Type: TypeMail, Mail: server}},
		{name: "slack", give: Channel{Type: TypeSlack, URL: "https://hooks.test/x"}},
		{name: "type", give: Channel{Type: "fax"}, wantErr: `type: "fax" is none of [mail webhook`},
		{name: "no url", give: Channel{Type: TypeSlack}, wantErr: "url: is missing"},
		{name: "a file", give: Channel{Type: TypeWebhook, URL: "file:///etc/passwd"}, wantErr: "must begin with http"},
		{name: "gopher", give: Channel{Type: TypeWebhook, URL: "gopher://x:70/_"}, wantErr: "must begin with http"},
		{name: "no host", give: Channel{Type: TypeWebhook, URL: "http:///x"}, wantErr: "names no host"},
		{name: "password in the url", give: Channel{Type: TypeWebhook, URL: "http://u:p@x.test"}, wantErr: "Authorization"},
		{name: "not a url", give: Channel{Type: TypeWebhook, URL: "http://x\x7f.test/secr3t"}, wantErr: "is no URL"},
		{name: "template", give: Channel{Type: TypeWebhook, URL: "http://x.test", Template: "{{x}}"}, wantErr: "unknown field"},
		{name: "template of a chat", give: Channel{Type: TypeSlack, URL: "http://x.test", Template: "{}"}, wantErr: "only a webhook"},
		{name: "header name", give: Channel{Type: TypeWebhook, URL: "http://x.test", Headers: map[string]Secret{"a b": "x"}}, wantErr: "no name of a header"},
		{name: "header value", give: Channel{Type: TypeWebhook, URL: "http://x.test", Headers: map[string]Secret{"A": "secr3t\r\nB: c"}}, wantErr: "control characters"},
		{name: "header of the request", give: Channel{Type: TypeWebhook, URL: "http://x.test", Headers: map[string]Secret{"host": "x"}}, wantErr: "set by the request"},
		{name: "sign secret", give: Channel{Type: TypeSlack, URL: "http://x.test", SignSecret: "secr3t"}, wantErr: "only dingtalk and feishu"},
		{name: "rate", give: Channel{Type: TypeSlack, URL: "http://x.test", Rate: -1}, wantErr: "rate: must not be negative"},
		{name: "mail without mail", give: Channel{Type: TypeMail}, wantErr: "mail: is missing"},
		{name: "mail of a chat", give: Channel{Type: TypeSlack, URL: "http://x.test", Mail: server}, wantErr: "only a mail channel"},
		{name: "url of a mail", give: Channel{Type: TypeMail, URL: "http://x.test", Mail: server}, wantErr: "give mail.host"},
		{name: "socket", give: Channel{Type: TypeMail, Mail: &Mail{Host: "unix:///run/x", From: "a@b.test"}}, wantErr: "mail.host"},
		{name: "sender", give: Channel{Type: TypeMail, Mail: &Mail{Host: "x", From: "nobody"}}, wantErr: `"nobody" is no mail address`},
		{name: "recipient", give: Channel{Type: TypeMail, Mail: &Mail{Host: "x", From: "a@b.test", To: []string{"a@b.test\r\nBcc: c@d.test"}}}, wantErr: "is no mail address"},
		{name: "port", give: Channel{Type: TypeMail, Mail: &Mail{Host: "x", From: "a@b.test", Port: 70000}}, wantErr: "mail.port"},
		{name: "encryption", give: Channel{Type: TypeMail, Mail: &Mail{Host: "x", From: "a@b.test", Encryption: "ssl"}}, wantErr: `"ssl" is none of`},
		{name: "password in clear", give: Channel{Type: TypeMail, Mail: &Mail{Host: "x", From: "a@b.test", Encryption: "none", Password: "secr3t"}}, wantErr: "allowClearPassword"},
		{name: "password in clear, meant", give: Channel{Type: TypeMail, Mail: &Mail{Host: "x", From: "a@b.test", Encryption: "none", Password: "x", AllowClearPassword: true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.give.Name = "c"
			err := tt.give.Validate()
			_, newErr := New(Config{Channels: []Channel{tt.give}})
			if tt.wantErr == "" {
				require.NoError(t, err)
				require.NoError(t, newErr)
				return
			}
			require.ErrorContains(t, err, tt.wantErr)
			require.ErrorContains(t, newErr, tt.wantErr)
			assert.NotContains(t, newErr.Error(), "secr3t")
		})
	}
}

func TestNewNamesEveryFault(t *testing.T) {
	t.Parallel()
	ok := Channel{Name: "c", Type: TypeSlack, URL: "http://x.test"}
	_, err := New(Config{Rate: -1, QueueSize: -1, Channels: []Channel{ok, ok, {Type: TypeSlack, URL: "http://x.test"}}})
	require.Error(t, err)
	for _, want := range []string{"Rate", "QueueSize", "the name is taken", "1 to 64 bytes"} {
		assert.ErrorContains(t, err, want)
	}
}

func TestParseChannels(t *testing.T) {
	t.Parallel()
	got, err := ParseChannels(strings.NewReader(`[
		{"name":"ops","type":"dingtalk","url":"https://x.test/?access_token=t","signSecret":"SEC1","rate":10},
		{"name":"post","type":"mail","mail":{"host":"mail.test","from":"a@mail.test","password":"pw","to":["b@mail.test"]}}]`))
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, "SEC1", got[0].SignSecret.Reveal())
	assert.Equal(t, "pw", got[1].Mail.Password.Reveal())
	for give, want := range map[string]string{
		`{}`:    "a JSON array is expected",
		`[] []`: "something follows",
		`[{"name":"x","type":"slack","url":"http://x.test","colour":1}]`: "colour",
		`[{"name":"x","type":"slack"}]`:                                  `channel "x": url: is missing`,
		``:                                                               "a JSON array is expected",
	} {
		_, err := ParseChannels(strings.NewReader(give))
		assert.ErrorContains(t, err, want)
	}
}

func FuzzParseChannels(f *testing.F) {
	f.Add(`[{"name":"x","type":"slack","url":"http://x.test"}]`)
	f.Add(`[{"name":"x","type":"webhook","url":"http://x.test","template":"{\"a\":\"{{text}}\"}","headers":{"A":"b"}}]`)
	f.Add(`[{"name":"post","type":"mail","mail":{"host":"mail.test","from":"a@mail.test"}}]`)
	f.Fuzz(func(t *testing.T, text string) {
		channels, err := ParseChannels(strings.NewReader(text))
		if err != nil {
			return
		}
		_, err = New(Config{Channels: channels})
		require.NoError(t, err, "what was read is valid")
	})
}
