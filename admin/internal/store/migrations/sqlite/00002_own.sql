-- Our own tables. The Java admin does not see them. xxljob_setting is made
-- before any other table, for it says who made the schema.
-- +goose Up
-- An open run: the outbox beside xxl_job_log. planned_ms is NULL for what no schedule made, shard_total 0 without shards.
CREATE TABLE IF NOT EXISTS xxljob_run (
    log_id integer PRIMARY KEY,
    job_id integer NOT NULL,
    planned_ms integer DEFAULT NULL,
    shard_index integer NOT NULL,
    shard_total integer NOT NULL,
    trigger_ms integer NOT NULL,
    type varchar(16) NOT NULL,
    token integer NOT NULL,
    sent_ms integer NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS xxljob_run_planned ON xxljob_run (job_id, planned_ms, shard_index);
-- A node of the cluster, and when it was last seen.
CREATE TABLE IF NOT EXISTS xxljob_node (
    name varchar(190) NOT NULL,
    seen_ms integer NOT NULL,
    PRIMARY KEY (name)
);
-- A scheduling shard and its lease; the number of rows is the number of shards.
CREATE TABLE IF NOT EXISTS xxljob_shard (
    shard_index integer PRIMARY KEY,
    owner varchar(190) DEFAULT NULL,
    token integer NOT NULL,
    expires_ms integer NOT NULL
);
-- The access token of a group, where xxl_job_group has no column for it.
CREATE TABLE IF NOT EXISTS xxljob_group (
    group_id integer PRIMARY KEY,
    access_token varchar(255) NOT NULL
);
-- What is known of an executor address: which protocol it speaks.
CREATE TABLE IF NOT EXISTS xxljob_address (
    address varchar(255) NOT NULL,
    dialect varchar(16) NOT NULL,
    native integer NOT NULL,
    seen_ms integer NOT NULL,
    PRIMARY KEY (address)
);
-- Our own password hash of a user, and the Java token where xxl_job_user has no column for it.
CREATE TABLE IF NOT EXISTS xxljob_user (
    user_id integer PRIMARY KEY,
    password_hash varchar(255) NOT NULL DEFAULT '',
    java_token varchar(100) NOT NULL DEFAULT ''
);
-- A login. The key is the hash of what the browser holds.
CREATE TABLE IF NOT EXISTS xxljob_session (
    session_key varchar(64) NOT NULL,
    user_id integer NOT NULL,
    created_ms integer NOT NULL,
    expires_ms integer NOT NULL,
    seen_ms integer NOT NULL,
    PRIMARY KEY (session_key)
);
CREATE INDEX IF NOT EXISTS xxljob_session_user ON xxljob_session (user_id);
CREATE INDEX IF NOT EXISTS xxljob_session_expires ON xxljob_session (expires_ms);
-- What people and scripts have changed.
CREATE TABLE IF NOT EXISTS xxljob_audit (
    id integer PRIMARY KEY AUTOINCREMENT,
    at_ms integer NOT NULL,
    username varchar(64) NOT NULL,
    action varchar(64) NOT NULL,
    object varchar(190) NOT NULL,
    detail text NOT NULL
);
CREATE INDEX IF NOT EXISTS xxljob_audit_at ON xxljob_audit (at_ms);
