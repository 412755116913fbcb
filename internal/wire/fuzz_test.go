package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// appendixTrigger is the trigger body of every release, byte for byte.
const appendixTrigger = `{"jobId":1,"executorHandler":"demoJobHandler","executorParams":"",` +
	`"executorBlockStrategy":"SERIAL_EXECUTION","executorTimeout":0,"logId":42,"logDateTime":1586629003729,` +
	`"glueType":"BEAN","glueSource":"","glueUpdatetime":1586629003000,"broadcastIndex":0,"broadcastTotal":1}`

// seeds are bodies for every fuzz target: whatever one decoder takes is a good
// start for the others.
var seeds = []string{
	appendixTrigger, ``, `null`, `{}`, `[]`, `""`,
	`{jobId="7";'logId'=>" 5.0 "}`, `{"jobId":1e3,"x":{"y":[1,,{}]}}`, `{"executorParams":"\ud83d\ude00\ud800"}`,
	`{"logId":9223372036854775808,"logDateTim":"1","logDateTime":2,"fromLineNum":1}`,
	`{"registryGroup":"EXECUTOR","registryKey":"k","registryValue":"http://10.0.0.5:9999/"}`,
	`[{"logId":42,"logDateTim":5,"handleCode":200,"handleMsg":"m","executeResult":{"code":200,"msg":"m"}}]`,
	`{"callbackList":[{"logId":42,"logDateTime":5,"handleCode":200,"noRetry":true},null]}`,
	`{"code":200,"msg":"Success","data":{"fromLineNum":1,"toLineNum":1,"logContent":"\u003cbr\u003ehi\n","isEnd":false}}`,
	`{"code":200,"msg":null,"content":null,"success":true}`,
	`{"id":9,"jobGroup":1,"name":"n","executorParam":"","addressList":"a","executorTimeout":3}`,
	"\ufeff)]}'\n/*c*/{#x\n\"a\xff\":\"\xe4\xb8\"}",
}

func addSeeds(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
}

// roundTrip is the property of a decoder and its encoder: what was decoded
// once comes back the same.
func roundTrip[T any](decode func([]byte) (T, error), encode func(T) []byte) func(*testing.T, []byte) {
	return func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		first, err := decode(body)
		require.Equal(t, before, body, "a decoder does not write to its input")
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		encoded := encode(first)
		require.True(t, json.Valid(encoded), "%s", encoded)
		require.True(t, utf8.Valid(encoded), "%s", encoded)
		again, err := decode(encoded)
		require.NoError(t, err, "%s", encoded)
		require.Equal(t, first, again, "%s", encoded)
	}
}

func FuzzDecodeTrigger(f *testing.F) {
	addSeeds(f)
	property := roundTrip(DecodeTrigger, func(r TriggerRequest) []byte { return r.Append(nil) })
	f.Fuzz(func(t *testing.T, body []byte) {
		property(t, body)
		compareWithStandard(t, body)
	})
}

// compareWithStandard decodes with encoding/json and expects the same values,
// as far as the two ought to agree.
func compareWithStandard(t *testing.T, body []byte) {
	t.Helper()
	var std map[string]json.RawMessage // a map, because struct fields match without case
	if !utf8.Valid(body) || bytes.Contains(bytes.ToLower(body), []byte(`\ud`)) || json.Unmarshal(body, &std) != nil {
		return
	}
	got, err := DecodeTrigger(body)
	if err != nil {
		return
	}
	for key, v := range map[string]NullString{
		"executorHandler": got.ExecutorHandler, "executorParams": got.ExecutorParams,
		"executorBlockStrategy": got.ExecutorBlockStrategy, "glueType": got.GlueType, "glueSource": got.GlueSource,
	} {
		var want *string
		if raw, ok := std[key]; ok && json.Unmarshal(raw, &want) != nil {
			continue // a number or a boolean: the standard library refuses it
		}
		require.Equal(t, want != nil, v.Valid, "%s in %s", key, body)
		if want != nil {
			require.Equal(t, *want, v.String, "%s in %s", key, body)
		}
	}
	for key, v := range map[string]int64{
		"jobId": int64(got.JobID), "executorTimeout": int64(got.ExecutorTimeout), "logId": got.LogID,
		"logDateTime": got.LogDateTime, "glueUpdatetime": got.GlueUpdateTime,
		"broadcastIndex": int64(got.BroadcastIndex), "broadcastTotal": int64(got.BroadcastTotal),
	} {
		want, err := strconv.ParseInt(string(std[key]), 10, 64)
		if err == nil {
			require.Equal(t, want, v, "%s in %s", key, body)
		}
	}
}

func FuzzDecodeRequests(f *testing.F) {
	addSeeds(f)
	properties := []func(*testing.T, []byte){
		roundTrip(DecodeJob, func(r JobRequest) []byte { return r.Append(nil) }),
		roundTrip(DecodeLog, func(r LogRequest) []byte { return r.Append(nil) }),
		roundTrip(DecodeRegistry, func(r RegistryRequest) []byte { return r.Append(nil) }),
		roundTrip(DecodeJobAdd, func(r JobAddRequest) []byte { return r.Append(nil) }),
		roundTrip(DecodeJobUpdate, func(r JobUpdateRequest) []byte { return r.Append(nil) }),
		roundTrip(DecodeJobID, func(r JobIDRequest) []byte { return r.Append(nil) }),
		roundTrip(DecodeJobTrigger, func(r JobTriggerRequest) []byte { return r.Append(nil) }),
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, property := range properties {
			property(t, body)
		}
	})
}

func FuzzDecodeCallbacks(f *testing.F) {
	addSeeds(f)
	array := roundTrip(DecodeCallbacks, func(c []CallbackItem) []byte { return AppendCallbacks(nil, FormArray, c) })
	object := roundTrip(DecodeCallbacks, func(c []CallbackItem) []byte { return AppendCallbacks(nil, FormObject, c) })
	f.Fuzz(func(t *testing.T, body []byte) {
		array(t, body)
		object(t, body)
		items, err := DecodeCallbacks(body)
		if err != nil {
			return
		}
		for _, form := range []CallbackForm{FormArray, FormObject} {
			sum := CallbackEnvelope
			for _, item := range items {
				sum += CallbackSize(form, item)
			}
			require.LessOrEqual(t, len(AppendCallbacks(nil, form, items)), sum)
		}
	})
}

func FuzzDecodeResponse(f *testing.F) {
	addSeeds(f)
	admin := roundTrip(DecodeResponse, func(r Response) []byte { return AppendAdminResponse(nil, r) })
	executor := roundTrip(DecodeResponse, func(r Response) []byte { return AppendResponse(nil, r) })
	logs := roundTrip(
		func(b []byte) (LogResult, error) { _, l, err := DecodeLogResponse(b); return l, err },
		func(l LogResult) []byte { return AppendLogResponse(nil, l) },
	)
	f.Fuzz(func(t *testing.T, body []byte) {
		admin(t, body)
		logs(t, body)
		if res, err := DecodeResponse(body); err == nil && (res.Code != CodeSuccess || res.Msg.Valid) {
			executor(t, body)
		}
	})
}

// FuzzMeaning decodes through every decoder at once; whether a body is
// well-formed must not depend on which keys a decoder knows.
func FuzzMeaning(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		_, id := DecodeJobID(body)
		if id != nil {
			return
		}
		var r reader
		require.NoError(t, r.document(body, MaxBody, func([]byte) error { return r.skip() }))
		if json.Valid(body) {
			var m map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(body, &m), "an object for us is one for everybody")
		}
	})
}
