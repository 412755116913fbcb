package wire

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDecodeCallbacks(t *testing.T) {
	t.Parallel()
	done := CallbackItem{LogID: 42, LogDateTime: 5, Code: CodeSuccess}
	tests := []struct {
		name string
		body string
		want []CallbackItem
	}{
		{"2.2.0", `[{"logId":42,"logDateTim":5,"executeResult":{"code":200}}]`, []CallbackItem{done}},
		{
			"2.2.0 with a message", `[{"logId":1,"executeResult":{"code":500,"msg":"m","content":"c"}}]`,
			[]CallbackItem{{LogID: 1, Code: CodeFail, Msg: Str("m")}},
		},
		{"2.3.0", `[{"logId":42,"logDateTim":5,"handleCode":200}]`, []CallbackItem{done}},
		{"master", `{"callbackList":[{"logId":42,"logDateTime":5,"handleCode":200}]}`, []CallbackItem{done}},
		{"no time", `[{"logId":42,"handleCode":200}]`, []CallbackItem{{LogID: 42, Code: CodeSuccess}}},
		{
			"superset",
			`[{"logId":42,"logDateTim":5,"logDateTime":5,"handleCode":200,"handleMsg":"m",` +
				`"executeResult":{"code":200,"msg":"m"}}]`,
			[]CallbackItem{{LogID: 42, LogDateTime: 5, Code: CodeSuccess, Msg: Str("m")}},
		},
		{
			"handleCode is stronger in any order",
			`[{"executeResult":{"code":500,"msg":"a"},"handleCode":200,"handleMsg":"b"},` +
				`{"handleCode":0,"handleMsg":"b","executeResult":{"code":500,"msg":"a"}}]`,
			[]CallbackItem{{Code: CodeSuccess, Msg: Str("b")}, {Msg: Str("b")}},
		},
		{"null result", `[{"logId":1,"handleCode":null,"executeResult":null}]`, []CallbackItem{{LogID: 1}}},
		{"null items", `[null,{"logId":42,"logDateTim":5,"handleCode":200},,null,]`, []CallbackItem{done}},
		{"no retry", `[{"logId":1,"noRetry":true}]`, []CallbackItem{{LogID: 1, NoRetry: true}}},
		{"master with other keys", `{"x":[1],"callbackList":[{"logId":1}],"y":{}}`, []CallbackItem{{LogID: 1}}},
		{"empty array", `[]`, nil},
		{"empty object form", `{"callbackList":[]}`, nil},
		{"null list", `{"callbackList":null}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := DecodeCallbacks([]byte(tt.body))
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestDecodeCallbacksRefused(t *testing.T) {
	t.Parallel()
	many := "[" + strings.Repeat("{},", MaxCallbacks) + "{}]"
	tests := []struct {
		name string
		body string
		want string
	}{
		{"object without a list", `{"logId":1,"handleCode":200}`, "Expected BEGIN_ARRAY but was BEGIN_OBJECT"},
		{"list is no array", `{"callbackList":{}}`, "Expected BEGIN_ARRAY but was BEGIN_OBJECT"},
		{"list is text", `{"callbackList":"x"}`, "Expected BEGIN_ARRAY but was STRING"},
		{"item is no object", `[1]`, "Expected BEGIN_OBJECT but was STRING"},
		{"item is an array", `[[]]`, "Expected BEGIN_OBJECT but was BEGIN_ARRAY"},
		{"result is text", `[{"executeResult":"x"}]`, "Expected BEGIN_OBJECT but was STRING"},
		{"bad code", `[{"handleCode":"x"}]`, "Expected an int"},
		{"bad noRetry", `[{"noRetry":1}]`, "Expected a boolean"},
		{"garbage behind", `[]]`, "not fully consumed"},
		{"too many", many, "More than 1048576 items"},
		{"too large", strings.Repeat(" ", MaxCallbackBody+1), "at most 33554432 are taken"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := DecodeCallbacks([]byte(tt.body))
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			assert.Contains(t, err.Error(), tt.want)
			assert.Nil(t, got)
		})
	}
	_, err := DecodeCallbacks([]byte(`{"logId":1}`))
	assert.True(t, ExpectsArray(err.Error()), "our own client understands our own refusal")
	_, err = DecodeTrigger([]byte(`[]`))
	assert.True(t, ExpectsObject(err.Error()))
	assert.False(t, ExpectsArray(err.Error()))
}

func TestCallbackSize(t *testing.T) { // not parallel: it counts allocations
	items := []CallbackItem{
		{},
		{LogID: -1 << 63, LogDateTime: -1 << 63, Code: -1 << 31, Msg: Str(awkward), NoRetry: true},
		{LogID: 7, LogDateTime: 1586629003729, Code: 200, Msg: Str("")},
		{LogID: 7, Code: 500, Msg: Str(strings.Repeat("世", 100))},
	}
	for _, form := range []CallbackForm{FormArray, FormObject} {
		sum := 0
		for _, item := range items {
			size := CallbackSize(form, item)
			one := AppendCallbacks(nil, form, []CallbackItem{item})
			empty := AppendCallbacks(nil, form, nil)
			assert.Equal(t, len(one)-len(empty)+len(","), size, "%+v", item)
			sum += size
		}
		assert.LessOrEqual(t, len(AppendCallbacks(nil, form, items)), sum+CallbackEnvelope)
		assert.Zero(t, testing.AllocsPerRun(10, func() { CallbackSize(form, items[1]) }))
	}
}

func TestDecodeResponse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		body string
		want Response
	}{
		{"2.2.0", `{"code":200}`, Response{Code: 200}},
		{"admin 2.5.0", `{"code":200,"msg":null,"content":null}`, Response{Code: 200}},
		{"admin 3.4.2", `{"code":200,"data":null,"msg":"Success","success":true}`, Response{Code: 200, Msg: Str("Success")}},
		{"newline behind", "{\"code\":500,\"msg\":\"m\"}\n", Response{Code: 500, Msg: Str("m")}},
		{"content", `{"content":"x","code":200}`, Response{Code: 200, Payload: Str("x")}},
		{"data", `{"code":200,"data":"y"}`, Response{Code: 200, Payload: Str("y")}},
		{"both, one null", `{"code":200,"content":"x","data":null}`, Response{Code: 200, Payload: Str("x")}},
		{"both", `{"code":200,"content":"x","data":"y"}`, Response{Code: 200, Payload: Str("y")}},
		{"number as payload", `{"code":200,"data":12}`, Response{Code: 200, Payload: Str("12")}},
		{"no code", `{"msg":"Success"}`, Response{Msg: Str("Success")}},
		{"success of another type", `{"code":200,"success":[{}]}`, Response{Code: 200}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := DecodeResponse([]byte(tt.body))
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
	for _, body := range []string{
		`{"code":200,"data":{}}`, `{"code":200,"content":[]}`, `{"code":200,"msg":{}}`, `[]`, `<html>`,
	} {
		_, err := DecodeResponse([]byte(body))
		assert.Error(t, err, body)
	}
}

func TestDecodeLogResponse(t *testing.T) {
	t.Parallel()
	const object = `{"fromLineNum":1,"toLineNum":2,"logContent":"a\u003cb\n","isEnd":true}`
	want := LogResult{FromLineNum: 1, ToLineNum: 2, LogContent: "a<b\n", IsEnd: true}
	for _, body := range []string{
		`{"code":200,"content":` + object + `}`,
		`{"code":200,"msg":"Success","data":` + object + `}`,
		`{"data":` + object + `,"content":null,"code":200}`,
		`{"content":` + object + `,"data":` + object + `,"code":200}`,
	} {
		res, log, err := DecodeLogResponse([]byte(body))
		require.NoError(t, err, body)
		assert.Equal(t, CodeSuccess, res.Code)
		assert.Equal(t, want, log, body)
	}

	res, log, err := DecodeLogResponse([]byte(`{"code":500,"msg":"m"}`))
	require.NoError(t, err)
	assert.Equal(t, Response{Code: CodeFail, Msg: Str("m")}, res)
	assert.Zero(t, log)

	_, log, err = DecodeLogResponse([]byte(`{"code":200,"data":{"logContent":null}}`))
	require.NoError(t, err)
	assert.Zero(t, log)

	for _, body := range []string{
		`{"code":200,"data":"text"}`, `{"code":200,"content":[]}`, `{"code":200,"data":{"isEnd":1}}`,
		`{"code":200,"data":{"toLineNum":1.5}}`,
	} {
		_, _, err := DecodeLogResponse([]byte(body))
		assert.Error(t, err, body)
	}
}
