-- Where a run comes from that no schedule made: Java's columns do not say whose retry or child it is, nor who asked for it.
-- +goose Up
-- cause is that of model.CauseKind. parent_id is the run that it follows, NULL for none; who is a user or an API key.
CREATE TABLE IF NOT EXISTS xxljob_log_cause (
    log_id bigint NOT NULL,
    cause smallint NOT NULL,
    parent_id bigint DEFAULT NULL,
    who varchar(255) DEFAULT NULL,
    PRIMARY KEY (log_id),
    KEY xxljob_log_cause_parent (parent_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
