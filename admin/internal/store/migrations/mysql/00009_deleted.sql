-- What was deleted and can be brought back. The Java admin does not see it.
-- +goose Up
-- A deletion of a job or group; what it was stands in xxljob_change. group_id is that of the job, or the group itself.
CREATE TABLE IF NOT EXISTS xxljob_deleted (
    change_id bigint NOT NULL,
    kind varchar(16) NOT NULL,
    object_id int NOT NULL,
    group_id int NOT NULL,
    name varchar(255) NOT NULL,
    at_ms bigint NOT NULL,
    made_ms bigint NOT NULL,
    username varchar(64) NOT NULL,
    versions int NOT NULL,
    PRIMARY KEY (change_id),
    KEY xxljob_deleted_object (kind, object_id, change_id),
    KEY xxljob_deleted_group (kind, group_id, change_id),
    KEY xxljob_deleted_at (at_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- The code of a script job that was deleted: seq 0 is what ran, the others are its versions, the oldest first.
CREATE TABLE IF NOT EXISTS xxljob_deleted_code (
    change_id bigint NOT NULL,
    seq int NOT NULL,
    code_type varchar(50) NOT NULL,
    source mediumtext DEFAULT NULL,
    remark varchar(128) NOT NULL,
    added_ms bigint NOT NULL,
    updated_ms bigint NOT NULL,
    username varchar(64) NOT NULL,
    PRIMARY KEY (change_id, seq)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
