-- Where a run comes from that no schedule made: Java's columns do not say whose retry or child it is, nor who asked for it.
-- +goose Up
-- cause is that of model.CauseKind. parent_id is the run that it follows, NULL for none; who is a user or an API key.
CREATE TABLE IF NOT EXISTS xxljob_log_cause (
    log_id integer PRIMARY KEY,
    cause integer NOT NULL,
    parent_id integer DEFAULT NULL,
    who varchar(255) DEFAULT NULL
);
CREATE INDEX IF NOT EXISTS xxljob_log_cause_parent ON xxljob_log_cause (parent_id) WHERE parent_id IS NOT NULL;
