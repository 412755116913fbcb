-- How a run ended, and when, to the millisecond: Java's columns know whole seconds and a code. Rows of a Java admin have none.
-- +goose Up
-- kind is that of model.EndKind: 1 is ok. planned_ms is NULL for what no schedule made, sent_ms 0 while it is not known.
CREATE TABLE IF NOT EXISTS xxljob_log_end (
    log_id bigint NOT NULL,
    planned_ms bigint DEFAULT NULL,
    sent_ms bigint NOT NULL,
    ended_ms bigint NOT NULL,
    kind smallint NOT NULL,
    PRIMARY KEY (log_id)
);
CREATE INDEX IF NOT EXISTS xxljob_log_end_kind ON xxljob_log_end (kind, log_id) WHERE kind <> 1;
