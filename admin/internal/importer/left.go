package importer

import (
	"context"
	"fmt"
	"strings"
)

// Left is what the source has and an import never copies.
type Left struct {
	What string `json:"what"`
	Rows int    `json:"rows"`
	Why  string `json:"why"`
}

// leftTable is a table of ours that is not copied. what is empty where nobody
// would look for it: it goes with another table, or says nothing by itself.
type leftTable struct{ name, what, why string }

// leftTables are all tables of ours that an import does not copy. A table that is
// neither here nor copied makes TestOwnTables fail.
var leftTables = []leftTable{
	{"xxljob_audit", "lines of the audit log", "they tell what was done in the other admin: keep its database, " +
		"or export them there (xxl-job-admin audit)"},
	{"xxljob_deleted", "deleted jobs and groups", "bring back in the other admin what is still wanted, then import"},
	{"xxljob_deleted_code", "", ""},
	{"xxljob_alarm", "alarms on record", "what is still wrong is raised here again"},
	{"xxljob_alarm_delivery", "", ""},
	{"xxljob_alarm_ack", "", ""},
	{"xxljob_session", "logins", "everybody logs in again, with the same password"},
	{"xxljob_session_client", "", ""},
	{"xxljob_log_cause", "records of where runs came from", "runs may get other ids here; attempts are told by " +
		"job, shard, retries left and time"},
	{"xxljob_run", "runs that have not ended", "the other admin ends them"},
	{"xxljob_address", "addresses whose protocol is known", "it is found out again"},
	{"xxljob_idempotency", "answers kept for requests that are sent twice", "they count for a day, in the other admin"},
	{"xxljob_node", "", ""},
	{"xxljob_node_info", "", ""},
	{"xxljob_shard", "", ""},
	{"xxljob_migrations", "", ""},
}

// ownSettings are those that people set in the console; all others are of the
// program.
var ownSettings = map[string]bool{"retention": true, "new-job-zone": true}

// countLeft says what stays behind, as far as there is any of it.
func (r *run) countLeft(ctx context.Context) error {
	names := make([]string, len(leftTables))
	for i, t := range leftTables {
		names[i] = t.name
	}
	counts, err := r.Source.OwnRows(ctx, names)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	for _, t := range leftTables {
		if n := counts[t.name]; n > 0 && t.what != "" {
			r.report.Own.Left = append(r.report.Own.Left, Left{What: t.what, Rows: n, Why: t.why})
		}
	}
	settings, err := r.Source.SettingsWith(ctx, "")
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	set := 0
	for name, value := range settings {
		if ownSettings[name] && strings.TrimSpace(value) != "" {
			set++
		}
	}
	if set > 0 {
		r.report.Own.Left = append(r.report.Own.Left, Left{
			What: "settings", Rows: set,
			Why: "retention and the zone of new jobs are set for each admin: see its settings page",
		})
	}
	return nil
}
