package rest

import (
	"context"
	"net/http"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// endpoints are the operations of openapi.yaml.
func endpoints() []endpoint {
	const (
		read, run, edit, admin = model.VerbRead, model.VerbRun, model.VerbEdit, model.VerbAdmin

		get, post, put, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
	)
	return []endpoint{
		{get, "/v1/jobs", read, list("group_id", "state", "name", "handler", "author", "tag", "sort"), false, listJobs},
		{post, "/v1/jobs", edit, nil, false, createJob},
		{post, "/v1/jobs/move", edit, nil, false, moveJobs},
		{post, "/v1/jobs/validate", edit, nil, false, validateJobs},
		{get, "/v1/tags", read, nil, false, listTags},
		{get, "/v1/views", read, []string{"page"}, false, listViews},
		{put, "/v1/views", edit, nil, false, saveView},
		{del, "/v1/views", edit, []string{"page", "name"}, false, deleteView},
		{get, "/v1/jobs/{job_id}", read, nil, false, getJob},
		{put, "/v1/jobs/{job_id}", edit, nil, false, updateJob},
		{del, "/v1/jobs/{job_id}", edit, nil, false, deleteJob},
		{post, "/v1/jobs/{job_id}/start", switching, nil, false, startJob},
		{post, "/v1/jobs/{job_id}/stop", switching, nil, false, stopJob},
		{post, "/v1/jobs/{job_id}/run", run, nil, false, runJob},
		{post, "/v1/jobs/{job_id}/clone", edit, nil, false, cloneJob},
		{get, "/v1/jobs/{job_id}/next", read, []string{"count"}, false, nextTimes},
		{get, "/v1/jobs/{job_id}/code", read, []string{"sort"}, false, listCode},
		{post, "/v1/jobs/{job_id}/code", edit, nil, false, saveCode},
		{get, "/v1/jobs/{job_id}/changes", read, list(), false, listJobChanges},
		{get, "/v1/jobs/{job_id}/deletion", edit, nil, false, getDeletion},
		{get, "/v1/deleted/jobs", read, list("group_id", "name", "sort"), false, listDeletedJobs},
		{get, "/v1/deleted/jobs/{job_id}", read, nil, false, getDeletedJob},
		{post, "/v1/deleted/jobs/{job_id}/restore", edit, nil, false, restoreJob},
		{get, "/v1/deleted/groups", admin, list("name", "sort"), false, listDeletedGroups},
		{post, "/v1/deleted/groups/{group_id}/restore", admin, nil, false, restoreGroup},
		{get, "/v1/changes/{change_id}", read, nil, false, getChange},
		{post, "/v1/changes/{change_id}/undo", switching, nil, false, undoChange},
		{post, "/v1/schedules/preview", read, nil, false, previewSchedule},
		{get, "/v1/groups", read, list("app_name", "sort"), false, listGroups},
		{post, "/v1/groups", admin, nil, false, createGroup},
		{get, "/v1/groups/unknown", read, nil, false, listUnknown},
		{get, "/v1/groups/refused", read, nil, false, listRefused},
		{get, "/v1/groups/{group_id}", read, nil, false, getGroup},
		{put, "/v1/groups/{group_id}", owning, nil, false, updateGroup},
		{del, "/v1/groups/{group_id}", admin, nil, false, deleteGroup},
		{get, "/v1/groups/{group_id}/addresses", read, nil, false, listAddresses},
		{get, "/v1/groups/{group_id}/address", read, []string{"address"}, false, getAddress},
		{post, "/v1/groups/{group_id}/probe", run, nil, false, probeGroup},
		{post, "/v1/groups/{group_id}/token", owning, nil, true, rotateToken},
		{get, "/v1/groups/{group_id}/members", owning, list(), false, listMembers},
		{put, "/v1/groups/{group_id}/members", owning, nil, false, setMember},
		{del, "/v1/groups/{group_id}/members", owning, []string{"username"}, false, removeMember},
		{get, "/v1/groups/{group_id}/changes", read, list(), false, listGroupChanges},
		{get, "/v1/runs", read, list(runFilters...), false, listRuns},
		{post, "/v1/runs/kill", run, nil, false, killRuns},
		{post, "/v1/runs/retry", run, nil, false, retryRuns},
		{get, "/v1/runs/clear", edit, []string{"group_id", "job_id", "what"}, false, previewClear},
		{post, "/v1/runs/clear", edit, nil, false, clearRuns},
		{get, "/v1/runs/{run_id}", read, nil, false, getRun},
		{get, "/v1/runs/{run_id}/log", read, []string{"from_line"}, false, getRunLog},
		{get, "/v1/runs/{run_id}/log/stream", read, []string{"from_line"}, false, followRunLog},
		{post, "/v1/runs/{run_id}/kill", run, nil, false, killRun},
		{post, "/v1/runs/{run_id}/retry", run, nil, false, retryRun},
		{get, "/v1/users", admin, list("username", "sort"), false, listUsers},
		{post, "/v1/users", admin, nil, false, createUser},
		{get, "/v1/users/{user_id}", admin, nil, false, getUser},
		{put, "/v1/users/{user_id}", admin, nil, false, updateUser},
		{del, "/v1/users/{user_id}", admin, nil, false, deleteUser},
		{get, "/v1/keys", admin, list("sort"), false, listKeys},
		{post, "/v1/keys", admin, nil, true, createKey},
		{get, "/v1/keys/{key_id}", admin, nil, false, getKey},
		{del, "/v1/keys/{key_id}", admin, nil, false, revokeKey},
		{get, "/v1/audit", admin, list(append([]string{"sort"}, auditFilters...)...), false, listAudit},
		{get, "/v1/audit/export", admin, append([]string{"format"}, auditFilters...), false, exportAudit},
		{get, "/v1/alarms", read, list(alarmFilters...), false, listAlarms},
		{put, "/v1/alarms/{alarm_id}/ack", run, nil, false, ackAlarm},
		{del, "/v1/alarms/{alarm_id}/ack", run, nil, false, unackAlarm},
		{get, "/v1/alarms/channels", read, nil, false, listChannels},
		{post, "/v1/alarms/test", admin, nil, false, testAlarm},
		{get, "/v1/alarms/rules", read, nil, false, listRules},
		{put, "/v1/alarms/rules", edit, nil, false, setRule},
		{del, "/v1/alarms/rules", edit, []string{"kind", "object_id", "what"}, false, deleteRule},
		{get, "/v1/alarms/mutes", read, nil, false, listMutes},
		{put, "/v1/alarms/mutes", run, nil, false, setMute},
		{del, "/v1/alarms/mutes", run, []string{"kind", "object_id"}, false, deleteMute},
		{get, "/v1/sessions", anybody, list("user_id", "sort"), false, listSessions},
		{del, "/v1/sessions/{session_id}", anybody, nil, false, endSession},
		{del, "/v1/users/{user_id}/sessions", admin, nil, false, endUserSessions},
		{get, "/v1/retention", read, nil, false, getRetention},
		{get, "/v1/retention/preview", admin, retentionParams, false, previewRetention},
		{put, "/v1/retention", admin, nil, false, setRetention},
		{del, "/v1/retention", admin, nil, false, resetRetention},
		{get, "/v1/about", read, nil, false, getAbout},
		{get, "/v1/session", anybody, nil, false, getSession},
		{get, "/v1/overview", read, []string{"from", "to"}, false, getOverview},
		{get, "/v1/cluster", admin, nil, false, getCluster},
		{get, "/v1/health", "", nil, false, getHealth},
		{get, "/v1/openapi.json", "", nil, false, document("application/json", openapiJSON)},
		{get, "/v1/openapi.yaml", "", nil, false, document("application/yaml", openapiYAML)},
	}
}

// document answers with the description of the interface.
func document(contentType string, body []byte) func(context.Context, *call) error {
	return func(_ context.Context, c *call) error {
		c.w.Header().Set("Content-Type", contentType)
		_, _ = c.w.Write(body) // the client is gone when this fails
		return nil
	}
}
