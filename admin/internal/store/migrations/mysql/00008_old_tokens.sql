-- The token that a group had before, which its executors may still show until until_ms, or until somebody ends it (0).
-- The empty one is the common token. The Java admin does not see it.
-- +goose Up
CREATE TABLE IF NOT EXISTS xxljob_old_token (
    group_id int NOT NULL,
    access_token varchar(255) NOT NULL,
    until_ms bigint NOT NULL,
    PRIMARY KEY (group_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
