package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// TestConformance holds the API to the cases of the protocol's conformance list
// that belong to it; 81 and 92 to 97 are those of other packages, 98 to 100
// stand in jobs_test.go.
func TestConformance(t *testing.T) {
	t.Parallel()
	const beat = `{"registryGroup":"EXECUTOR","registryKey":"orders","registryValue":"http://10.0.0.5:9999/"}`
	long := strings.Repeat("é", 20000)
	tests := []struct {
		number int
		name   string
		method string
		path   string
		body   string
		header []string
		code   int32
		msg    string
		stored []stored
		beats  []string
	}{
		{number: 76, name: "GET", method: http.MethodGet, path: "/api/registry", code: 500, msg: wire.TextMethod},
		{number: 77, name: "unknown call", path: "/api/foo", body: "{}", code: 500, msg: "invalid request, uri-mapping(foo) not found."},
		{number: 78, name: "wrong token", path: "/api/registry", body: beat, header: []string{wire.HeaderToken, "x"}, code: 500, msg: "The access token is wrong."},
		{number: 78, name: "no token", path: "/api/registry", body: beat, header: []string{wire.HeaderToken, "-"}, code: 500, msg: "The access token is wrong."},
		{number: 78, name: "wrong token, master", path: "/api/registry", body: beat, header: []string{wire.HeaderToken, "x", wire.HeaderAppName, "orders"}, code: 500, msg: wire.TextTokenInvalid},
		{number: 78, name: "no token, master", path: "/api/registry", body: beat, header: []string{wire.HeaderToken, " ", wire.HeaderAppName, "orders"}, code: 500, msg: wire.TextTokenEmpty},
		{number: 78, name: "blank app, master", path: "/api/registry", body: beat, header: []string{wire.HeaderAppName, " "}, code: 500, msg: wire.TextTokenEmpty},
		{number: 79, name: "blank value", path: "/api/registry", body: strings.Replace(beat, "http://10.0.0.5:9999/", " ", 1), code: 500, msg: "Illegal Argument."},
		{number: 79, name: "missing key", path: "/api/registryRemove", body: `{"registryGroup":"EXECUTOR","registryValue":"v"}`, code: 500, msg: "Illegal Argument."},
		{number: 80, name: "registry", path: "/api/registry", body: beat, code: 200, msg: "Success", beats: []string{"EXECUTOR|orders|http://10.0.0.5:9999/"}},
		{number: 80, name: "registry under the old context path", path: "/xxl-job-admin/api/registry", body: beat, code: 200, msg: "Success", beats: []string{"EXECUTOR|orders|http://10.0.0.5:9999/"}},
		{number: 82, name: "removal of an unknown one", path: "/api/registryRemove", body: beat, code: 200, msg: "Success"},
		{number: 83, name: "empty body, wrong token", path: "/api/callback", header: []string{wire.HeaderToken, "x"}, code: 500, msg: "invalid request, requestBody empty."},
		{number: 83, name: "blank body, unknown call", path: "/api/foo", body: " \r\n\t", code: 500, msg: "invalid request, requestBody empty."},
		{number: 84, name: "callback", path: "/api/callback", body: `[{"logId":1,"logDateTim":0,"handleCode":200}]`, code: 200, msg: "Success", stored: []stored{{id: 1, code: 200}}},
		{number: 85, name: "item of 2.2.0", path: "/api/callback", body: `[{"logId":1,"executeResult":{"code":500,"msg":"m"}}]`, code: 200, msg: "Success", stored: []stored{{id: 1, code: 500, msg: model.T("m")}}},
		{number: 86, name: "master's form", path: "/api/callback", body: `{"callbackList":[{"logId":1,"logDateTime":0,"handleCode":502,"handleMsg":"job execute timeout "}]}`, code: 200, msg: "Success", stored: []stored{{id: 1, code: 502, msg: model.T("job execute timeout ")}}},
		{number: 87, name: "the same twice", path: "/api/callback", body: `[{"logId":1,"handleCode":200},{"logId":1,"handleCode":200}]`, code: 200, msg: "Success", stored: []stored{{id: 1, code: 200}, {id: 1, code: 200}}},
		{number: 88, name: "unknown run", path: "/api/callback", body: `[{"logId":987654321987,"handleCode":200}]`, code: 200, msg: "Success", stored: []stored{{id: 987654321987, code: 200}}},
		{number: 89, name: "empty list", path: "/api/callback", body: `[]`, code: 200, msg: "Success"},
		{number: 90, name: "long message, cut where it is stored", path: "/api/callback", body: `[{"logId":1,"handleCode":200,"handleMsg":"` + long + `"}]`, code: 200, msg: "Success", stored: []stored{{id: 1, code: 200, msg: model.T(long)}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			method := tt.method
			if method == "" {
				method = http.MethodPost
			}
			res := send(t, w.serve(t), method, tt.path, strings.NewReader(tt.body), tt.header...)
			assert.Equal(t, tt.code, res.Code, "case %d", tt.number)
			assert.Equal(t, tt.msg, res.Msg.String, "case %d", tt.number)
			assert.Equal(t, tt.stored, w.results(), "case %d", tt.number)
			assert.Equal(t, tt.beats, w.beats, "case %d", tt.number)
		})
	}
}

// TestBodies asks for the right answer to bodies that are odd in other ways.
func TestBodies(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		path   string
		body   string
		code   int32
		msg    string // prefix
		stored []stored
	}{
		{name: "null list, as 2.4.1 posts it", path: "/api/callback", body: `null`, code: 200, msg: "Success"},
		{name: "null item", path: "/api/callback", body: `[null,{"logId":2,"handleCode":200}]`, code: 200, msg: "Success", stored: []stored{{id: 2, code: 200}}},
		{name: "code 0", path: "/api/callback", body: `[{"logId":2,"handleCode":0},{"logId":3}]`, code: 200, msg: "Success"},
		{name: "negative code", path: "/api/callback", body: `[{"logId":2,"handleCode":-1}]`, code: 200, msg: "Success"},
		{name: "no retry", path: "/api/callback", body: `[{"logId":2,"handleCode":500,"noRetry":true}]`, code: 200, msg: "Success", stored: []stored{{id: 2, code: 500, noRetry: true}}},
		{name: "numbers as strings", path: "/api/callback", body: `[{"logId":"2","handleCode":"200"}]`, code: 200, msg: "Success", stored: []stored{{id: 2, code: 200}}},
		{name: "broken JSON", path: "/api/callback", body: `[{`, code: 500, msg: wire.PrefixInvokeError},
		{name: "object without a list", path: "/api/callback", body: `{"logId":2,"handleCode":200}`, code: 500, msg: wire.PrefixInvokeError + "com.google.gson.JsonSyntaxException: Expected BEGIN_ARRAY but was BEGIN_OBJECT"},
		{name: "null registration", path: "/api/registry", body: `null`, code: 500, msg: wire.PrefixInvokeError},
		{name: "array as registration", path: "/api/registry", body: `[]`, code: 500, msg: wire.PrefixInvokeError},
		{name: "the registry's own refusal", path: "/api/registry", body: `{"registryGroup":"EXECUTOR","registryKey":"orders","registryValue":"full"}`, code: 500, msg: "too many heartbeats"},
		{name: "no call", path: "/api/", body: `{}`, code: 500, msg: wire.TextURIEmpty},
		{name: "job API that is off", path: "/api/addJob", body: `{}`, code: 500, msg: "invalid request, uri-mapping(addJob) not found."},
		{name: "query string", path: "/api/callback?x=1", body: `[]`, code: 200, msg: "Success"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			res := post(t, w.serve(t), tt.path, tt.body)
			assert.Equal(t, tt.code, res.Code)
			assert.True(t, strings.HasPrefix(res.Msg.String, tt.msg), res.Msg.String)
			assert.Equal(t, tt.stored, w.results())
		})
	}
}

func TestMethodInAnyCase(t *testing.T) {
	t.Parallel()
	w := newWorld()
	res := send(t, w.serve(t), "post", "/api/callback", strings.NewReader(`[]`))
	assert.Equal(t, int32(200), res.Code)
}
