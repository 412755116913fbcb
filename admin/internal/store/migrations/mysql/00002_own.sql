-- Our own tables. The Java admin does not see them. xxljob_setting is made
-- before any other table, for it says who made the schema.
-- +goose Up
-- An open run: the outbox beside xxl_job_log. planned_ms is NULL for what no schedule made, shard_total 0 without shards.
CREATE TABLE IF NOT EXISTS xxljob_run (
    log_id bigint NOT NULL,
    job_id int NOT NULL,
    planned_ms bigint DEFAULT NULL,
    shard_index int NOT NULL,
    shard_total int NOT NULL,
    trigger_ms bigint NOT NULL,
    type varchar(16) NOT NULL,
    token bigint NOT NULL,
    sent_ms bigint NOT NULL,
    PRIMARY KEY (log_id),
    UNIQUE KEY xxljob_run_planned (job_id, planned_ms, shard_index)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- A node of the cluster, and when it was last seen.
CREATE TABLE IF NOT EXISTS xxljob_node (
    name varchar(190) NOT NULL,
    seen_ms bigint NOT NULL,
    PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- A scheduling shard and its lease; the number of rows is the number of shards.
CREATE TABLE IF NOT EXISTS xxljob_shard (
    shard_index int NOT NULL,
    owner varchar(190) DEFAULT NULL,
    token bigint NOT NULL,
    expires_ms bigint NOT NULL,
    PRIMARY KEY (shard_index)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- The access token of a group, where xxl_job_group has no column for it.
CREATE TABLE IF NOT EXISTS xxljob_group (
    group_id int NOT NULL,
    access_token varchar(255) NOT NULL,
    PRIMARY KEY (group_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- What is known of an executor address: which protocol it speaks.
CREATE TABLE IF NOT EXISTS xxljob_address (
    address varchar(255) NOT NULL,
    dialect varchar(16) NOT NULL,
    native tinyint NOT NULL,
    seen_ms bigint NOT NULL,
    PRIMARY KEY (address)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- Our own password hash of a user, and the Java token where xxl_job_user has no column for it.
CREATE TABLE IF NOT EXISTS xxljob_user (
    user_id int NOT NULL,
    password_hash varchar(255) NOT NULL DEFAULT '',
    java_token varchar(100) NOT NULL DEFAULT '',
    PRIMARY KEY (user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- A login. The key is the hash of what the browser holds.
CREATE TABLE IF NOT EXISTS xxljob_session (
    session_key varchar(64) NOT NULL,
    user_id int NOT NULL,
    created_ms bigint NOT NULL,
    expires_ms bigint NOT NULL,
    seen_ms bigint NOT NULL,
    PRIMARY KEY (session_key),
    KEY xxljob_session_user (user_id),
    KEY xxljob_session_expires (expires_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- What people and scripts have changed.
CREATE TABLE IF NOT EXISTS xxljob_audit (
    id bigint NOT NULL AUTO_INCREMENT,
    at_ms bigint NOT NULL,
    username varchar(64) NOT NULL,
    action varchar(64) NOT NULL,
    object varchar(190) NOT NULL,
    detail text NOT NULL,
    PRIMARY KEY (id),
    KEY xxljob_audit_at (at_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
