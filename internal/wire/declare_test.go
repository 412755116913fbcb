package wire

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// declareBody has every field once, and what a reader has to get over.
const declareBody = `{"x":[1],"jobs":[{"name":"close-day","author":"me","scheduleType":"CRON",` +
	`"scheduleConf":"0 0 2 * * ?","misfireStrategy":"DO_NOTHING","executorRouteStrategy":"FIRST",` +
	`"executorHandler":"closeDay","executorParam":"p","executorBlockStrategy":"SERIAL_EXECUTION",` +
	`"executorTimeout":"5","executorFailRetryCount":2,"glueType":"BEAN","timeZone":"Asia/Taipei",` +
	`"children":["mail",null,7],"start":true,"y":{}},null]}`

func TestDecodeDeclare(t *testing.T) {
	t.Parallel()
	req, err := DecodeDeclare([]byte(declareBody))
	require.NoError(t, err)
	require.Len(t, req.Jobs, 1, "a null is left out")
	j := req.Jobs[0]
	assert.Equal(t, "close-day", j.Name.String)
	assert.Equal(t, int32(5), j.ExecutorTimeout)
	assert.Equal(t, int32(2), j.ExecutorFailRetryCount)
	assert.Equal(t, Str("Asia/Taipei"), j.TimeZone)
	assert.Equal(t, []string{"mail", "7"}, j.Children)
	assert.True(t, j.Start)
	assert.False(t, j.AlarmEmail.Valid)

	for body, want := range map[string]string{
		`{"jobs":{}}`:                    "Expected BEGIN_ARRAY",
		`{"jobs":[[]]}`:                  "Expected BEGIN_OBJECT",
		`{"jobs":[{"children":[{}]}]}`:   "Expected a string",
		`{"jobs":[{"children":"mail"}]}`: "Expected BEGIN_ARRAY",
		`{"jobs":[` + strings.Repeat(`{},`, MaxDeclared) + `{}]}`:              "More than 1000 jobs",
		`{"jobs":[{"children":[` + strings.Repeat(`1,`, MaxDeclared) + `1]}]}`: "More than 1000 children",
	} {
		_, err := DecodeDeclare([]byte(body))
		require.ErrorContains(t, err, want, "%.60s", body)
	}
	_, err = DecodeDeclare([]byte("null"))
	require.ErrorIs(t, err, ErrNoBody)
}

func FuzzDecodeDeclare(f *testing.F) {
	addSeeds(f)
	f.Add([]byte(declareBody))
	f.Add(bytes.Replace([]byte(declareBody), []byte(`"start":true`), []byte(`"children":[],"start":"TRUE"`), 1))
	f.Fuzz(roundTrip(DecodeDeclare, func(r DeclareRequest) []byte { return r.Append(nil) }))
}
