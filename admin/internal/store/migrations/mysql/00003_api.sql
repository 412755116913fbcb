-- What the REST API and the console keep. The Java admin does not see it.
-- +goose Up
-- An API key. secret_hash is the SHA-256 of what the caller holds; group_ids is NULL for all groups; 0 ms is never.
CREATE TABLE IF NOT EXISTS xxljob_key (
    id bigint NOT NULL AUTO_INCREMENT,
    name varchar(64) NOT NULL,
    prefix varchar(16) NOT NULL,
    secret_hash varchar(64) NOT NULL,
    verbs varchar(64) NOT NULL,
    group_ids text DEFAULT NULL,
    created_by varchar(64) NOT NULL,
    created_ms bigint NOT NULL,
    expires_ms bigint NOT NULL,
    used_ms bigint NOT NULL,
    revoked_ms bigint NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY xxljob_key_hash (secret_hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- What a POST with an idempotency key was answered. status is 0 while it is under way.
CREATE TABLE IF NOT EXISTS xxljob_idempotency (
    owner varchar(32) NOT NULL,
    request_key varchar(128) NOT NULL,
    fingerprint varchar(64) NOT NULL,
    created_ms bigint NOT NULL,
    status int NOT NULL,
    headers text NOT NULL,
    body mediumtext NOT NULL,
    PRIMARY KEY (owner, request_key),
    KEY xxljob_idempotency_created (created_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- A change of a job or group: what an editor sets of it, before and after, as JSON; NULL where it was not there.
CREATE TABLE IF NOT EXISTS xxljob_change (
    id bigint NOT NULL AUTO_INCREMENT,
    at_ms bigint NOT NULL,
    username varchar(64) NOT NULL,
    kind varchar(16) NOT NULL,
    object_id int NOT NULL,
    action varchar(16) NOT NULL,
    before_json mediumtext DEFAULT NULL,
    after_json mediumtext DEFAULT NULL,
    PRIMARY KEY (id),
    KEY xxljob_change_object (kind, object_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- A tag of a job.
CREATE TABLE IF NOT EXISTS xxljob_tag (
    job_id int NOT NULL,
    tag varchar(64) NOT NULL,
    PRIMARY KEY (job_id, tag),
    KEY xxljob_tag_tag (tag)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- No alarms of a job or group until then.
CREATE TABLE IF NOT EXISTS xxljob_mute (
    kind varchar(16) NOT NULL,
    object_id int NOT NULL,
    until_ms bigint NOT NULL,
    username varchar(64) NOT NULL,
    reason varchar(255) NOT NULL,
    PRIMARY KEY (kind, object_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- A filter of a list that a user has saved under a name.
CREATE TABLE IF NOT EXISTS xxljob_view (
    user_id int NOT NULL,
    page varchar(32) NOT NULL,
    name varchar(64) NOT NULL,
    query text NOT NULL,
    PRIMARY KEY (user_id, page, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
