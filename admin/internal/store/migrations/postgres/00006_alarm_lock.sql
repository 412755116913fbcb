-- Rows whose alarm is being sent are few and short-lived: looking for those that were left behind must not read the log.
-- +goose Up
CREATE INDEX IF NOT EXISTS i_log_alarm ON xxl_job_log (trigger_time) WHERE alarm_status = -1;
