package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exchange is one line of a recording.
type exchange struct {
	Version      string  `json:"version"`
	Endpoint     string  `json:"endpoint"`
	RequestBody  *string `json:"request_body"`
	ResponseBody *string `json:"response_body"`
}

// recorded reads all exchanges of the recordings that match pattern.
func recorded(t *testing.T, pattern string) []exchange {
	t.Helper()
	files, err := filepath.Glob("testdata/" + pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all []exchange
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
			var e exchange
			require.NoError(t, json.Unmarshal(lines.Bytes(), &e))
			all = append(all, e)
		}
	}
	return all
}

// fields decodes JSON with the standard library, numbers as their text.
func fields(t *testing.T, body string) any {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	require.NoError(t, d.Decode(&v), "body %q", body)
	return v
}

// withoutNulls drops keys that are null, which mean the same as absent ones.
func withoutNulls(v any) any {
	if m, ok := v.(map[string]any); ok {
		for k, field := range m {
			if field == nil {
				delete(m, k)
			}
		}
	}
	return v
}

// broken are the bodies that the black-box test sent on purpose.
var broken = map[string]bool{"": true, "not json": true, "{": true, "[1]": true, `"7"x`: true}

// TestRecordedRequests decodes every request of the recordings and encodes it
// again: what comes out must hold the same fields.
func TestRecordedRequests(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for _, pattern := range []string{"wire_executor_*.jsonl", "admin_*_to_executor.jsonl"} {
		for _, e := range recorded(t, pattern) {
			require.NotNil(t, e.RequestBody)
			body := *e.RequestBody
			count[e.Endpoint]++
			switch e.Endpoint {
			case PathRun, PathTrigger:
				req, err := DecodeTrigger([]byte(body))
				require.NoError(t, err, body)
				want := withoutNulls(fields(t, body)).(map[string]any)
				got := fields(t, string(req.Append(nil))).(map[string]any)
				for key, value := range want {
					assert.Equal(t, value, got[key], "%s of %s", key, body)
				}
				if len(want) == 12 { // complete: the very bytes
					assert.Equal(t, body, string(req.Append(nil)))
				}
			case PathIdleBeat, PathKill:
				req, err := DecodeJob([]byte(body))
				if broken[body] {
					assert.Error(t, err, body)
					continue
				}
				require.NoError(t, err, body)
				assert.Equal(t, strings.ReplaceAll(strings.ReplaceAll(body, `:"`, ":"), `"}`, "}"),
					string(req.Append(nil)))
			case PathLog:
				recordedLogRequest(t, body)
			case PathRegistry, PathRegistryRemove:
				req, err := DecodeRegistry([]byte(body))
				require.NoError(t, err, body)
				assert.Equal(t, body, string(req.Append(nil)))
			case PathCallback:
				recordedCallbacks(t, body)
			}
		}
	}
	for _, path := range []string{
		PathRun, PathTrigger, PathIdleBeat, PathKill, PathLog, PathRegistry, PathRegistryRemove, PathCallback,
	} {
		assert.Positive(t, count[path], path)
	}
}

func recordedLogRequest(t *testing.T, body string) {
	t.Helper()
	req, err := DecodeLog([]byte(body))
	require.NoError(t, err, body)
	want := fields(t, body).(map[string]any)
	if want["logId"] == nil { // a request without a token, its body is another one
		return
	}
	got := fields(t, string(req.Append(nil))).(map[string]any)
	for key, value := range want {
		assert.Equal(t, value, got[key], "%s of %s", key, body)
	}
	assert.Equal(t, got["logDateTim"], got["logDateTime"])
}

func recordedCallbacks(t *testing.T, body string) {
	t.Helper()
	items, err := DecodeCallbacks([]byte(body))
	require.NoError(t, err, body)
	list := fields(t, body).([]any)
	again := fields(t, string(AppendCallbacks(nil, FormArray, items))).([]any)
	master := fields(t, string(AppendCallbacks(nil, FormObject, items))).(map[string]any)["callbackList"].([]any)
	require.Len(t, again, len(list))
	require.Len(t, master, len(list))
	for i := range list {
		want, got, m := list[i].(map[string]any), again[i].(map[string]any), master[i].(map[string]any)
		for key, value := range want {
			assert.Equal(t, value, got[key], "%s of %s", key, body)
			if key == "logDateTim" {
				key = "logDateTime"
			}
			assert.Equal(t, value, m[key], "%s of %s", key, body)
		}
		result := got["executeResult"].(map[string]any)
		assert.Equal(t, want["handleCode"], result["code"])
		assert.Equal(t, want["handleMsg"], result["msg"])
	}
}

// TestRecordedResponses decodes every answer of the recordings, of executors
// and of admins, and looks at each field.
func TestRecordedResponses(t *testing.T) {
	t.Parallel()
	logs := 0
	for _, e := range recorded(t, "wire_executor_*.jsonl") {
		require.NotNil(t, e.ResponseBody)
		body := *e.ResponseBody
		want := withoutNulls(fields(t, body)).(map[string]any)
		payload := want["data"]
		if payload == nil {
			payload = want["content"]
		}
		if object, ok := payload.(map[string]any); ok {
			logs++
			res, log, err := DecodeLogResponse([]byte(body))
			require.NoError(t, err, body)
			assert.Equal(t, CodeSuccess, res.Code)
			again := fields(t, string(AppendLogResponse(nil, log))).(map[string]any)
			assert.Equal(t, object, again["content"], body)
			assert.Equal(t, object, again["data"], body)
			_, err = DecodeResponse([]byte(body))
			assert.Error(t, err, "an object is no text: %s", body)
			continue
		}
		res, err := DecodeResponse([]byte(body))
		require.NoError(t, err, body)
		text := func(v any) NullString {
			s, ok := v.(string)
			return NullString{String: s, Valid: ok}
		}
		assert.Equal(t, want["code"].(json.Number).String(), json.Number(itoa(res.Code)).String(), body)
		assert.Equal(t, text(want["msg"]), res.Msg, body)
		assert.Equal(t, text(payload), res.Payload, body)
		for _, encoded := range [][]byte{AppendResponse(nil, res), AppendAdminResponse(nil, res)} {
			again, err := DecodeResponse(encoded)
			require.NoError(t, err)
			if res.Code == CodeSuccess && !res.Msg.Valid {
				again.Msg = NullString{}
			}
			assert.Equal(t, res, again, body)
		}
	}
	assert.Positive(t, logs)
}

// TestRecordedTexts looks for our literal texts in what Java really said.
func TestRecordedTexts(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	for _, e := range recorded(t, "wire_executor_*.jsonl") {
		if res, err := DecodeResponse([]byte(*e.ResponseBody)); err == nil {
			said[res.Msg.String], said[res.Payload.String] = true, true
		}
		if _, log, err := DecodeLogResponse([]byte(*e.ResponseBody)); err == nil {
			said[log.LogContent] = true
		}
		if e.Endpoint == PathCallback {
			items, err := DecodeCallbacks([]byte(*e.RequestBody))
			require.NoError(t, err)
			for _, item := range items {
				said[item.Msg.String] = true
			}
		}
	}
	for _, text := range []string{
		TextMethod, TextTokenWrong, TextBusy, TextKilledAlready, TextDiscardLater, TextLogMissing,
		NotFoundText("/nope"), NotFoundText("/beat?x=1"), HandlerNotFoundText("nobody"), HandlerNotFoundText(""),
		GlueInvalidText(Str("FOO")), GlueInvalidText(NullString{}), ScriptExitText(3), ScriptExitText(-1),
		ReasonKilled + SuffixRunning, ReasonKilled + SuffixQueued, ReasonCovered + SuffixRunning,
		ReasonHandlerChange + SuffixRunning, ReasonSourceChange + SuffixRunning, RepeatText(937062531852),
	} {
		assert.True(t, said[text], "no Java executor said %q", text)
	}
}
