-- Who has written the code of script jobs, and who may. The Java admin does not see it.
-- +goose Up
-- Who has saved a row of xxl_job_logglue. saved_ms is its update_time: a row that Java made has none here.
CREATE TABLE IF NOT EXISTS xxljob_code_version (
    version_id integer NOT NULL,
    job_id integer NOT NULL,
    saved_ms bigint NOT NULL,
    username varchar(64) NOT NULL,
    PRIMARY KEY (version_id)
);
CREATE INDEX IF NOT EXISTS xxljob_code_version_job ON xxljob_code_version (job_id);
-- Users who may write code although they are no administrators.
CREATE TABLE IF NOT EXISTS xxljob_code_editor (
    user_id integer NOT NULL,
    PRIMARY KEY (user_id)
);
