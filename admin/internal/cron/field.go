package cron

// The fields in the order of an expression.
const (
	second = iota
	minute
	hour
	dayOfMonth
	month
	dayOfWeek
	year
	fieldCount
)

// field says what one field of an expression may hold.
type field struct {
	name      string
	low, high int    // values; high is 0 for no limit
	cycle     int    // what a range that wraps adds to its end; 0 when it may not
	maxStep   int    // of */n and a/n; 0 for no limit
	stepBound int    // the bound that Java's text names
	allowed   string // for people
	javaRange string // Java's text for a value out of range
	names     map[string]int
}

var fields = [fieldCount]field{
	second: {
		name: "second", low: 0, high: 59, cycle: 60, maxStep: 59, stepBound: 60,
		allowed:   "0-59 and , - * /",
		javaRange: "Minute and Second values must be between 0 and 59",
	},
	minute: {
		name: "minute", low: 0, high: 59, cycle: 60, maxStep: 59, stepBound: 60,
		allowed:   "0-59 and , - * /",
		javaRange: "Minute and Second values must be between 0 and 59",
	},
	hour: {
		name: "hour", low: 0, high: 23, cycle: 24, maxStep: 23, stepBound: 24,
		allowed:   "0-23 and , - * /",
		javaRange: "Hour values must be between 0 and 23",
	},
	dayOfMonth: {
		name: "day-of-month", low: 1, high: 31, cycle: 31, maxStep: 31, stepBound: 31,
		allowed:   "1-31 and , - * / ? L L-n LW nW",
		javaRange: "Day of month values must be between 1 and 31",
	},
	month: {
		name: "month", low: 1, high: 12, cycle: 12, maxStep: 12, stepBound: 12,
		allowed:   "1-12 or JAN-DEC and , - * /",
		javaRange: "Month values must be between 1 and 12",
		names: map[string]int{
			"JAN": 1, "FEB": 2, "MAR": 3, "APR": 4, "MAY": 5, "JUN": 6,
			"JUL": 7, "AUG": 8, "SEP": 9, "OCT": 10, "NOV": 11, "DEC": 12,
		},
	},
	dayOfWeek: {
		name: "day-of-week", low: 1, high: 7, cycle: 7, maxStep: 7, stepBound: 7,
		allowed:   "1-7 (1 is Sunday) or SUN-SAT and , - * / ? L nL n#1-5",
		javaRange: "Day-of-Week values must be between 1 and 7",
		names:     map[string]int{"SUN": 1, "MON": 2, "TUE": 3, "WED": 4, "THU": 5, "FRI": 6, "SAT": 7},
	},
	year: {
		name: "year", low: firstYear,
		allowed: "years and , - * /",
	},
}

// firstYear is the first year of "*".
const firstYear = 1970
