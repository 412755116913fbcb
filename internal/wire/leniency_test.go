package wire

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLeniency has a row for every cell of the table of Gson's habits.
func TestLeniency(t *testing.T) {
	t.Parallel()
	job := func(id int32) TriggerRequest { return TriggerRequest{JobID: id} }
	logID := func(id int64) TriggerRequest { return TriggerRequest{LogID: id} }
	param := func(s string) TriggerRequest { return TriggerRequest{ExecutorParams: Str(s)} }
	tests := []struct {
		name string
		body string
		want TriggerRequest
	}{
		{name: "no keys", body: `{}`},
		{name: "blanks around", body: " \r\n\t{ } \r\n\t"},
		{name: "null number", body: `{"jobId":null}`},
		{name: "null string", body: `{"executorParams":null}`},
		{name: "empty string is not null", body: `{"executorParams":""}`, want: param("")},
		{name: "int as string", body: `{"jobId":"12"}`, want: job(12)},
		{name: "int as string with blanks", body: `{"jobId":" 5 "}`, want: job(5)},
		{name: "long as string", body: `{"logId":"12345678901"}`, want: logID(12345678901)},
		{name: "integral float", body: `{"jobId":12.0}`, want: job(12)},
		{name: "exponent", body: `{"jobId":1e3}`, want: job(1000)},
		{name: "integral float as string", body: `{"jobId":"1.0E1"}`, want: job(10)},
		{name: "minus zero", body: `{"jobId":-0}`, want: job(0)},
		{name: "largest int", body: `{"jobId":2147483647}`, want: job(math.MaxInt32)},
		{name: "smallest int", body: `{"jobId":-2147483648}`, want: job(math.MinInt32)},
		{name: "largest long", body: `{"logId":9223372036854775807}`, want: logID(math.MaxInt64)},
		{name: "smallest long", body: `{"logId":-9223372036854775808}`, want: logID(math.MinInt64)},
		{name: "clamped long", body: `{"logId":9223372036854775808}`, want: logID(math.MaxInt64)},
		{name: "clamped long as string", body: `{"logId":"9223372036854775808"}`, want: logID(math.MaxInt64)},
		{name: "clamped long below", body: `{"logId":-9223372036854775809}`, want: logID(math.MinInt64)},
		{name: "number for a string", body: `{"executorParams":5}`, want: param("5")},
		{name: "number text is kept", body: `{"executorParams":1.50}`, want: param("1.50")},
		{name: "bool for a string", body: `{"executorParams":true}`, want: param("true")},
		{name: "bool in capitals for a string", body: `{"executorParams":FALSE}`, want: param("false")},
		{name: "unknown keys", body: `{"x":{"y":[1,{"z":null}]},"jobId":1,"w":"}"}`, want: job(1)},
		{name: "keys with case", body: `{"JobId":1,"jobid":2,"JOBID":3}`},
		{name: "last key wins", body: `{"jobId":1,"jobId":2}`, want: job(2)},
		{name: "null after a number", body: `{"jobId":1,"jobId":null}`, want: job(1)},
		{name: "null after a string", body: `{"executorParams":"a","executorParams":null}`},
		{name: "escaped key", body: `{"job\u0049d":1}`, want: job(1)},
		{name: "single quotes", body: `{'executorParams':'a"b'}`, want: param(`a"b`)},
		{name: "unquoted name", body: `{jobId:1}`, want: job(1)},
		{name: "unquoted text", body: `{executorParams:hello}`, want: param("hello")},
		{name: "semicolon", body: `{"jobId":1;"logId":0}`, want: job(1)},
		{name: "equals", body: `{"jobId"=1}`, want: job(1)},
		{name: "arrow", body: `{"jobId"=>1}`, want: job(1)},
		{name: "block comment", body: `/* a */{"jobId"/* } */:1}`, want: job(1)},
		{name: "line comments", body: "// a\n{# b\r\"jobId\":1}", want: job(1)},
		{name: "byte order mark", body: "\ufeff{\"jobId\":1}", want: job(1)},
		{name: "non-executable prefix", body: ")]}'\n{\"jobId\":1}", want: job(1)},
		{name: "raw newline", body: "{\"executorParams\":\"a\nb\"}", want: param("a\nb")},
		{name: "raw control characters", body: "{\"executorParams\":\"a\x00\tb\"}", want: param("a\x00\tb")},
		{name: "leading zeros", body: `{"jobId":007}`, want: job(7)},
		{name: "escapes", body: `{"executorParams":"\"\\\/\b\f\n\r\t\'\u003c\u4E16"}`, want: param("\"\\/\b\f\n\r\t'<世")},
		{name: "escaped newline", body: "{\"executorParams\":\"a\\\nb\"}", want: param("a\nb")},
		{name: "surrogate pair", body: `{"executorParams":"\ud83d\ude00"}`, want: param("😀")},
		{name: "lone surrogate", body: `{"executorParams":"a\ud800b"}`, want: param("a?b")},
		{name: "surrogates in the wrong order", body: `{"executorParams":"\ude00\ud83d"}`, want: param("??")},
		{name: "surrogate before a pair", body: `{"executorParams":"\ud83d\ud83d\ude00"}`, want: param("?😀")},
		{name: "invalid UTF-8", body: "{\"executorParams\":\"a\xffb\xfe\xfec\"}", want: param("a\ufffdb\ufffd\ufffdc")},
		{name: "cut character", body: "{\"executorParams\":\"\xe4\xb8\"}", want: param("\ufffd")},
		{name: "character in an unquoted text", body: "{executorParams:世\xff}", want: param("世\ufffd")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := DecodeTrigger([]byte(tt.body))
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct {
		name string
		body string
		want string // piece of the error
	}{
		{"fraction", `{"jobId":12.5}`, `Expected an int but was "12.5" at offset 13 in jobId`},
		{"int32 overflow", `{"jobId":99999999999}`, `Expected an int but was "99999999999"`},
		{"int32 overflow by one", `{"jobId":2147483648}`, "Expected an int"},
		{"int32 overflow as string", `{"jobId":"99999999999"}`, "Expected an int"},
		{"int32 overflow as float", `{"jobId":1e10}`, "Expected an int"},
		{"int64 overflow", `{"logId":99999999999999999999}`, `Expected a long but was "99999999999999999999"`},
		{"int64 overflow as string", `{"logId":"99999999999999999999"}`, "Expected a long"},
		{"empty number", `{"jobId":""}`, "Expected an int"},
		{"bool number", `{"jobId":true}`, "Expected an int"},
		{"words for numbers", `{"jobId":NaN}`, "Expected an int"},
		{"infinite", `{"logId":Infinity}`, "Expected a long"},
		{"underscores", `{"jobId":"0x1_0p0"}`, "Expected an int"},
		{"object for a number", `{"jobId":{}}`, "Expected an int but was BEGIN_OBJECT"},
		{"object for a string", `{"glueType":{}}`, "Expected a string but was BEGIN_OBJECT at offset 13 in glueType"},
		{"array for a string", `{"glueType":[]}`, "Expected a string but was BEGIN_ARRAY"},
		{"trailing comma", `{"jobId":1,}`, "Expected name"},
		{"leading comma", `{,"jobId":1}`, "Expected name"},
		{"trailing garbage", `{"jobId":1}x`, "not fully consumed"},
		{"trailing object", `{"jobId":1}{}`, "not fully consumed"},
		{"trailing comment", `{"jobId":1}//x`, "not fully consumed"},
		{"array for an object", `[1]`, "Expected BEGIN_OBJECT but was BEGIN_ARRAY"},
		{"string for an object", `""`, "Expected BEGIN_OBJECT but was STRING"},
		{"text for an object", `not json`, "Expected BEGIN_OBJECT but was STRING"},
		{"cut after the bracket", `{`, "Expected name"},
		{"cut in a name", `{"jobId`, "Unterminated string"},
		{"cut after a name", `{"jobId"`, "Expected ':'"},
		{"cut after the colon", `{"jobId":`, "End of input"},
		{"cut after a value", `{"jobId":1`, "Unterminated object"},
		{"cut in a string", `{"glueType":"BE`, "Unterminated string"},
		{"cut in an escape", `{"glueType":"\u00`, "Invalid escape"},
		{"cut in an array", `{"x":[1`, "Unterminated array"},
		{"cut in a comment", `/* {}`, "Unterminated comment"},
		{"missing value", `{"jobId":}`, "Expected value"},
		{"unknown escape", `{"glueType":"\x41"}`, "Invalid escape"},
		{"bad hexadecimal escape", `{"glueType":"\u00g0"}`, "Invalid escape"},
		{"bad escape in a skipped value", `{"x":"\x41"}`, "Invalid escape"},
		{"too deep", `{"x":` + nested(MaxDepth) + `}`, "Nesting is deeper than 64"},
		{"far too deep", `{"x":` + strings.Repeat(`{"a":[`, 1<<19), "Nesting is deeper than 64"},
		{"too large", `{"x":"` + strings.Repeat("a", MaxBody) + `"}`, "at most 5242880 are taken"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := DecodeTrigger([]byte(tt.body))
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			assert.True(t, strings.HasPrefix(err.Error(), "com.google.gson.JsonSyntaxException: "), err.Error())
			assert.Contains(t, err.Error(), tt.want)
			assert.Less(t, len(err.Error()), 200)
			assert.Zero(t, got, "nothing is returned beside an error")
		})
	}

	_, err := DecodeTrigger([]byte(`{"x":` + nested(MaxDepth-1) + `}`))
	assert.NoError(t, err, "the limit itself is allowed")
	_, err = DecodeTrigger([]byte(`{}` + strings.Repeat(" ", MaxBody-2)))
	assert.NoError(t, err, "the limit itself is allowed")
}

// decoders are all decoders, reduced to their error.
var decoders = map[string]func(body []byte) error{
	"trigger":     func(b []byte) error { _, err := DecodeTrigger(b); return err },
	"job":         func(b []byte) error { _, err := DecodeJob(b); return err },
	"log":         func(b []byte) error { _, err := DecodeLog(b); return err },
	"registry":    func(b []byte) error { _, err := DecodeRegistry(b); return err },
	"callbacks":   func(b []byte) error { _, err := DecodeCallbacks(b); return err },
	"response":    func(b []byte) error { _, err := DecodeResponse(b); return err },
	"logResponse": func(b []byte) error { _, _, err := DecodeLogResponse(b); return err },
	"jobAdd":      func(b []byte) error { _, err := DecodeJobAdd(b); return err },
	"jobUpdate":   func(b []byte) error { _, err := DecodeJobUpdate(b); return err },
	"jobID":       func(b []byte) error { _, err := DecodeJobID(b); return err },
	"jobTrigger":  func(b []byte) error { _, err := DecodeJobTrigger(b); return err },
}

func TestNoBody(t *testing.T) {
	t.Parallel()
	for name, decode := range decoders {
		for _, body := range []string{"", " \r\n\t", "null", " NULL ", "null x", "\ufeff", "// nothing"} {
			err := decode([]byte(body))
			require.ErrorIs(t, err, ErrNoBody, "%s of %q", name, body)
			assert.True(t, strings.HasPrefix(err.Error(), "java.lang.NullPointerException"))
		}
		assert.ErrorIs(t, decode(nil), ErrNoBody)
		for _, body := range []string{"x", "7", `"7"`, "{", "[", "{}}", "[{]"} {
			err := decode([]byte(body))
			require.Error(t, err, "%s of %q", name, body)
			assert.False(t, errors.Is(err, ErrNoBody), "%s of %q", name, body)
		}
	}
}

// TestNoAlias decodes, spoils the input, and looks whether a value changed.
func TestNoAlias(t *testing.T) {
	t.Parallel()
	body := []byte(`{"executorHandler":"plain","executorParams":"世界","glueSource":unquoted,"glueType":"\u0041"}`)
	got, err := DecodeTrigger(body)
	require.NoError(t, err)
	for i := range body {
		body[i] = '#'
	}
	assert.Equal(t, TriggerRequest{
		ExecutorHandler: Str("plain"), ExecutorParams: Str("世界"), GlueSource: Str("unquoted"), GlueType: Str("A"),
	}, got)
}

func TestBool(t *testing.T) {
	t.Parallel()
	tests := []struct {
		value   string
		want    bool
		wantErr bool
	}{
		{value: `true`, want: true},
		{value: `TRUE`, want: true},
		{value: `false`},
		{value: `null`},
		{value: `"true"`, want: true},
		{value: `"True"`, want: true},
		{value: `"yes"`},
		{value: `yes`},
		{value: `01`},
		{value: `1`, wantErr: true},
		{value: `0`, wantErr: true},
		{value: `1.5e3`, wantErr: true},
		{value: `{}`, wantErr: true},
		{value: `[]`, wantErr: true},
	}
	for _, tt := range tests {
		_, log, err := DecodeLogResponse([]byte(`{"code":200,"data":{"isEnd":` + tt.value + `}}`))
		assert.Equal(t, tt.wantErr, err != nil, "isEnd %s: %v", tt.value, err)
		assert.Equal(t, tt.want, log.IsEnd, "isEnd %s", tt.value)
	}
}
