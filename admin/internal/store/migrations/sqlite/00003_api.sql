-- What the REST API and the console keep. The Java admin does not see it.
-- +goose Up
-- An API key. secret_hash is the SHA-256 of what the caller holds; group_ids is NULL for all groups; 0 ms is never.
CREATE TABLE IF NOT EXISTS xxljob_key (
    id integer PRIMARY KEY AUTOINCREMENT,
    name varchar(64) NOT NULL,
    prefix varchar(16) NOT NULL,
    secret_hash varchar(64) NOT NULL,
    verbs varchar(64) NOT NULL,
    group_ids text DEFAULT NULL,
    created_by varchar(64) NOT NULL,
    created_ms integer NOT NULL,
    expires_ms integer NOT NULL,
    used_ms integer NOT NULL,
    revoked_ms integer NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS xxljob_key_hash ON xxljob_key (secret_hash);
-- What a POST with an idempotency key was answered. status is 0 while it is under way.
CREATE TABLE IF NOT EXISTS xxljob_idempotency (
    owner varchar(32) NOT NULL,
    request_key varchar(128) NOT NULL,
    fingerprint varchar(64) NOT NULL,
    created_ms integer NOT NULL,
    status integer NOT NULL,
    headers text NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (owner, request_key)
);
CREATE INDEX IF NOT EXISTS xxljob_idempotency_created ON xxljob_idempotency (created_ms);
-- A change of a job or group: what an editor sets of it, before and after, as JSON; NULL where it was not there.
CREATE TABLE IF NOT EXISTS xxljob_change (
    id integer PRIMARY KEY AUTOINCREMENT,
    at_ms integer NOT NULL,
    username varchar(64) NOT NULL,
    kind varchar(16) NOT NULL,
    object_id integer NOT NULL,
    action varchar(16) NOT NULL,
    before_json text DEFAULT NULL,
    after_json text DEFAULT NULL
);
CREATE INDEX IF NOT EXISTS xxljob_change_object ON xxljob_change (kind, object_id, id);
-- A tag of a job.
CREATE TABLE IF NOT EXISTS xxljob_tag (
    job_id integer NOT NULL,
    tag varchar(64) NOT NULL,
    PRIMARY KEY (job_id, tag)
);
CREATE INDEX IF NOT EXISTS xxljob_tag_tag ON xxljob_tag (tag);
-- No alarms of a job or group until then.
CREATE TABLE IF NOT EXISTS xxljob_mute (
    kind varchar(16) NOT NULL,
    object_id integer NOT NULL,
    until_ms integer NOT NULL,
    username varchar(64) NOT NULL,
    reason varchar(255) NOT NULL,
    PRIMARY KEY (kind, object_id)
);
-- A filter of a list that a user has saved under a name.
CREATE TABLE IF NOT EXISTS xxljob_view (
    user_id integer NOT NULL,
    page varchar(32) NOT NULL,
    name varchar(64) NOT NULL,
    query text NOT NULL,
    PRIMARY KEY (user_id, page, name)
);
