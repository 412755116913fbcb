package wire

import (
	"flag"
	"go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func itoa(v int32) string { return strconv.Itoa(int(v)) }

// golden compares got with a file under testdata/golden.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, append(got, '\n'), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run with -update once")
	assert.Equal(t, string(want), string(got)+"\n", name)
}

// awkward holds everything that needs care in a JSON string.
const awkward = "<b>&'=\"\\/\b\f\n\r\t\x00\x1f\x7f 世界 😀 \u2028\u2029 \xff\xe4\xb8 end"

func fullJob() JobFields {
	return JobFields{
		Name: Str("n\"1"), Author: Str("世"), AlarmEmail: Str(""), ScheduleType: Str(ScheduleCron),
		ScheduleConf: Str("0 0 * * * ?"), MisfireStrategy: Str(MisfireDoNothing),
		ExecutorRouteStrategy: Str(RouteFirst), ExecutorHandler: Str("h"), ExecutorParam: Str("p"),
		ExecutorBlockStrategy: Str(BlockSerial), ExecutorTimeout: 3, ExecutorFailRetryCount: 2,
		GlueType: Str(GlueTypeBean), GlueSource: Str(""), GlueRemark: Str("r"),
	}
}

// TestGolden pins the bytes of every encoder.
func TestGolden(t *testing.T) {
	trigger := TriggerRequest{
		JobID: 1, ExecutorHandler: Str("demoJobHandler"), ExecutorParams: Str(""),
		ExecutorBlockStrategy: Str(BlockSerial), LogID: 42, LogDateTime: 1586629003729,
		GlueType: Str(GlueTypeBean), GlueSource: Str(""), GlueUpdateTime: 1586629003000, BroadcastTotal: 1,
	}
	items := []CallbackItem{
		{LogID: 42, LogDateTime: 1586629003729, Code: CodeSuccess, Msg: Str("m")},
		{LogID: 1 << 60, Code: CodeFail, Msg: Str(awkward), NoRetry: true},
		{LogID: -1, LogDateTime: -1, Code: CodeTimeout},
	}
	registry := RegistryRequest{
		Group: Str(RegistryGroupExecutor), Key: Str("xxl-job-executor-sample"), Value: Str("http://10.0.0.5:9999/"),
	}
	add := JobAddRequest{JobGroup: 7, JobFields: fullJob()}
	upd := JobUpdateRequest{ID: 8, JobFields: fullJob()}
	failure := Response{Code: CodeFail, Msg: Str(awkward)}
	tests := []struct {
		name string
		got  []byte
	}{
		{"trigger.json", trigger.Append(nil)},
		{"trigger_zero.json", (&TriggerRequest{}).Append(nil)},
		{"job.json", (&JobRequest{JobID: 7}).Append(nil)},
		{"log.json", (&LogRequest{LogID: 42, LogDateTime: 1586629003729, FromLineNum: 1}).Append(nil)},
		{"registry.json", registry.Append(nil)},
		{"callback_array.json", AppendCallbacks(nil, FormArray, items)},
		{"callback_object.json", AppendCallbacks(nil, FormObject, items)},
		{"callback_array_empty.json", AppendCallbacks(nil, FormArray, nil)},
		{"callback_object_empty.json", AppendCallbacks(nil, FormObject, nil)},
		{"response_success.json", AppendResponse(nil, Response{Code: CodeSuccess})},
		{"response_payload.json", AppendResponse(nil, Response{
			Code: CodeSuccess, Msg: Str(TextKilledAlready), Payload: Str(TextKilledAlready),
		})},
		{"response_failure.json", AppendResponse(nil, failure)},
		{"response_failure_null.json", AppendResponse(nil, Response{Code: CodeFail})},
		{"admin_success.json", AppendAdminResponse(nil, Response{Code: CodeSuccess})},
		{"admin_payload.json", AppendAdminResponse(nil, Response{Code: CodeSuccess, Payload: Str("12")})},
		{"admin_failure.json", AppendAdminResponse(nil, failure)},
		{"log_response.json", AppendLogResponse(nil, LogResult{FromLineNum: 1, ToLineNum: 2, LogContent: awkward})},
		{"log_response_end.json", AppendLogResponse(nil, LogResult{FromLineNum: 3, IsEnd: true})},
		{"job_add.json", add.Append(nil)},
		{"job_update.json", upd.Append(nil)},
		{"job_id.json", (&JobIDRequest{ID: 9}).Append(nil)},
		{"job_trigger.json", (&JobTriggerRequest{
			ID: 9, ExecutorParam: Str(""), AddressList: Str("http://a,http://b"),
		}).Append(nil)},
		{"job_trigger_null.json", (&JobTriggerRequest{ID: 9}).Append(nil)},
	}
	for _, tt := range tests {
		golden(t, tt.name, tt.got)
		fields(t, string(tt.got)) // the standard library takes it too
	}
	assert.Equal(t, appendixTrigger, string(trigger.Append(nil)))
	assert.Equal(t, "keep"+appendixTrigger, string(trigger.Append([]byte("keep"))))
}

// TestJobAPI decodes what the encoders of master's job management write.
func TestJobAPI(t *testing.T) {
	t.Parallel()
	add := JobAddRequest{JobGroup: 7, JobFields: fullJob()}
	gotAdd, err := DecodeJobAdd(add.Append(nil))
	require.NoError(t, err)
	assert.Equal(t, add, gotAdd)

	upd := JobUpdateRequest{ID: 8, JobFields: fullJob()}
	gotUpd, err := DecodeJobUpdate(upd.Append(nil))
	require.NoError(t, err)
	assert.Equal(t, upd, gotUpd)

	id, err := DecodeJobID([]byte(`{"id":"9","x":[]}`))
	require.NoError(t, err)
	assert.Equal(t, JobIDRequest{ID: 9}, id)

	trigger, err := DecodeJobTrigger([]byte(`{"id":9,"executorParam":null,"addressList":"a"}`))
	require.NoError(t, err)
	assert.Equal(t, JobTriggerRequest{ID: 9, AddressList: Str("a")}, trigger)
}

func TestLogRequestTime(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int64{
		`{"logId":1,"logDateTim":5}`:                    5,
		`{"logId":1,"logDateTime":6}`:                   6,
		`{"logId":1,"logDateTim":5,"logDateTime":null}`: 5,
		`{"logId":1,"logDateTim":5,"logDateTime":6}`:    6,
		`{"logId":1}`: 0,
	} {
		got, err := DecodeLog([]byte(body))
		require.NoError(t, err, body)
		assert.Equal(t, LogRequest{LogID: 1, LogDateTime: want}, got, body)
	}
}

// TestLeaf keeps the package free of imports that are not the standard library.
func TestLeaf(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	seen := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			assert.NotContains(t, spec.Path.Value, ".", "%s imports %s", name, spec.Path.Value)
			seen++
		}
	}
	assert.Positive(t, seen)
}
