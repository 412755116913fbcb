package cron

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseErrorsNameFieldAndPosition(t *testing.T) {
	t.Parallel()
	tests := []struct {
		expr   string
		field  string
		column int
		want   string // of Problem
	}{
		{expr: "", want: "it has 0 of 6 fields"},
		{expr: "* * * * *", want: "it has 5 of 6 fields"},
		{expr: "0 0 0 * * ? * *", want: "it has 8 fields"},
		{expr: "* * * * * *", want: "day-of-month and day-of-week are both given; put ? in one of them"},
		{expr: "0 0 0 ? * 1 ?", field: "year", column: 13, want: "write *"},
		{expr: "0 0 0 ? * ?", field: "day-of-week", column: 11, want: "day-of-month is ? already"},
		{expr: "0 0 0 ?,* * ?", want: "day-of-month and day-of-week are both ?"},
		{expr: "60 0 0 * * ?", field: "second", column: 1, want: "60 is not in 0-59"},
		{expr: "0 5,5-61 0 * * ?", field: "minute", column: 5, want: "61 is not in 0-59"},
		{expr: "0  0\t24 * * ?", field: "hour", column: 6, want: "24 is not in 0-23"},
		{expr: "0 0 0 99 * ?", field: "day-of-month", column: 7, want: "99 is not in 1-31"},
		{expr: "99 0 0 * * ?", field: "second", column: 1, want: "99 is not in 0-59"},
		{expr: "0 0 0 ? FOO *", field: "month", column: 9, want: `"FOO" is not a name`},
		{expr: "0 0 0 ? * mon-fr", field: "day-of-week", column: 15, want: `"FR" is no value`},
		{expr: "0 0 0 ? * 2-fri", field: "day-of-week", column: 13, want: "a number belongs here, not 'F'"},
		{expr: "0/60 0 0 * * ?", field: "second", column: 3, want: "a step of 60 is too large; at most 59"},
		{expr: "0 0 0 1,15/ * ?", field: "day-of-month", column: 11, want: "a step belongs behind the /"},
		{expr: "0 0 0 L-31 * ?", field: "day-of-month", column: 9, want: "at most L-30"},
		{expr: "0 0 0 32W * ?", field: "day-of-month", column: 7, want: "no month has a day 32"},
		{expr: "0 0 0 ? * 2#6", field: "day-of-week", column: 12, want: "a number from 1 to 5"},
		{expr: "0 0 0 ? * 1#1,2#2", field: "day-of-week", column: 16, want: "only one day may have a #"},
		{expr: "0 0 0 ? * 1,6L", field: "day-of-week", column: 14, want: "L stands alone"},
		{expr: "12L 0 0 * * ?", field: "second", column: 3, want: "L has no meaning here"},
		{expr: "1- 0 0 * * ?", field: "second", column: 2, want: "a number belongs behind '-'"},
		{expr: "99999999999 0 0 * * ?", field: "second", column: 1, want: "too large"},
		{expr: "0 0 0 * * ? 2030-2026", field: "year", column: 13, want: "ends before it begins"},
		{expr: "0 0 0 é * ?", field: "day-of-month", column: 7, want: "cannot begin with 'É'"},
		{expr: "0 é1 é * * ?", field: "minute", column: 3, want: "cannot begin with 'É'"},
		{expr: strings.Repeat("1,", 600), want: "it has 1200 characters; at most 1024"},
	}
	for _, tt := range tests {
		t.Run(tt.expr[:min(len(tt.expr), 30)], func(t *testing.T) {
			t.Parallel()
			_, err := Parse(tt.expr)
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			assert.Equal(t, tt.field, syntax.Field)
			assert.Equal(t, tt.column, syntax.Column)
			assert.Contains(t, syntax.Problem, tt.want)
			assert.Equal(t, tt.field == "", syntax.Allowed == "")
			assert.NotEmpty(t, syntax.JavaText())
			assert.Less(t, len(err.Error()), 400)
		})
	}
}

func TestSyntaxErrorText(t *testing.T) {
	t.Parallel()
	_, err := Parse("0 75 * * * ?")
	require.EqualError(t, err, `cron expression "0 75 * * * ?": minute (column 3): 75 is not in 0-59`+
		` (allowed in minute: 0-59 and , - * /)`)
	_, err = Parse("0 0 1 * *")
	require.EqualError(t, err, `cron expression "0 0 1 * *": it has 5 of 6 fields:`+
		` second minute hour day-of-month month day-of-week [year]`)
}
