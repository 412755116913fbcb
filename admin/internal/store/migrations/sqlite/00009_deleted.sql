-- What was deleted and can be brought back. The Java admin does not see it.
-- +goose Up
-- A deletion of a job or group; what it was stands in xxljob_change. group_id is that of the job, or the group itself.
CREATE TABLE IF NOT EXISTS xxljob_deleted (
    change_id integer PRIMARY KEY,
    kind varchar(16) NOT NULL,
    object_id integer NOT NULL,
    group_id integer NOT NULL,
    name varchar(255) NOT NULL,
    at_ms integer NOT NULL,
    made_ms integer NOT NULL,
    username varchar(64) NOT NULL,
    versions integer NOT NULL
);
CREATE INDEX IF NOT EXISTS xxljob_deleted_object ON xxljob_deleted (kind, object_id, change_id);
CREATE INDEX IF NOT EXISTS xxljob_deleted_group ON xxljob_deleted (kind, group_id, change_id);
CREATE INDEX IF NOT EXISTS xxljob_deleted_at ON xxljob_deleted (at_ms);
-- The code of a script job that was deleted: seq 0 is what ran, the others are its versions, the oldest first.
CREATE TABLE IF NOT EXISTS xxljob_deleted_code (
    change_id integer NOT NULL,
    seq integer NOT NULL,
    code_type varchar(50) NOT NULL,
    source text DEFAULT NULL,
    remark varchar(128) NOT NULL,
    added_ms integer NOT NULL,
    updated_ms integer NOT NULL,
    username varchar(64) NOT NULL,
    PRIMARY KEY (change_id, seq)
);
