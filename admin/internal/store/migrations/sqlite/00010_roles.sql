-- What users may do in groups, beside the column permission of xxl_job_user. The Java admin does not see it.
-- +goose Up
-- viewer and operator are of groups that the column does not have; admin counts only while it has the group.
CREATE TABLE IF NOT EXISTS xxljob_group_role (
    user_id integer NOT NULL,
    group_id integer NOT NULL,
    role varchar(16) NOT NULL,
    PRIMARY KEY (user_id, group_id)
);
CREATE INDEX IF NOT EXISTS xxljob_group_role_group ON xxljob_group_role (group_id);
