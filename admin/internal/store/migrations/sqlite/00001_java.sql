-- The tables of the Java admin 3.4 (generation S4). On a database of the Java
-- admin they are there already, of whatever generation, and stay as they are.
-- +goose Up
CREATE TABLE IF NOT EXISTS xxl_job_group (
    id integer PRIMARY KEY AUTOINCREMENT,
    app_name varchar(64) NOT NULL,
    title varchar(64) NOT NULL,
    address_type integer NOT NULL DEFAULT 0,
    address_list text,
    update_time text DEFAULT NULL
);
CREATE TABLE IF NOT EXISTS xxl_job_registry (
    id integer PRIMARY KEY AUTOINCREMENT,
    registry_group varchar(50) NOT NULL,
    registry_key varchar(255) NOT NULL,
    registry_value varchar(255) NOT NULL,
    update_time text DEFAULT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS i_g_k_v ON xxl_job_registry (registry_group, registry_key, registry_value);
CREATE TABLE IF NOT EXISTS xxl_job_info (
    id integer PRIMARY KEY AUTOINCREMENT,
    job_group integer NOT NULL,
    job_desc varchar(255) NOT NULL,
    add_time text DEFAULT NULL,
    update_time text DEFAULT NULL,
    author varchar(64) DEFAULT NULL,
    alarm_email varchar(255) DEFAULT NULL,
    schedule_type varchar(50) NOT NULL DEFAULT 'NONE',
    schedule_conf varchar(128) DEFAULT NULL,
    misfire_strategy varchar(50) NOT NULL DEFAULT 'DO_NOTHING',
    executor_route_strategy varchar(50) DEFAULT NULL,
    executor_handler varchar(255) DEFAULT NULL,
    executor_param text,
    executor_block_strategy varchar(50) DEFAULT NULL,
    executor_timeout integer NOT NULL DEFAULT 0,
    executor_fail_retry_count integer NOT NULL DEFAULT 0,
    glue_type varchar(50) NOT NULL,
    glue_source text,
    glue_remark varchar(128) DEFAULT NULL,
    glue_updatetime text DEFAULT NULL,
    child_jobid varchar(255) DEFAULT NULL,
    trigger_status integer NOT NULL DEFAULT 0,
    trigger_last_time integer NOT NULL DEFAULT 0,
    trigger_next_time integer NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS xxl_job_log (
    id integer PRIMARY KEY AUTOINCREMENT,
    job_group integer NOT NULL,
    job_id integer NOT NULL,
    executor_address varchar(255) DEFAULT NULL,
    executor_handler varchar(255) DEFAULT NULL,
    executor_param text,
    executor_sharding_param varchar(20) DEFAULT NULL,
    executor_fail_retry_count integer NOT NULL DEFAULT 0,
    trigger_time text DEFAULT NULL,
    trigger_code integer NOT NULL,
    trigger_msg text,
    handle_time text DEFAULT NULL,
    handle_code integer NOT NULL,
    handle_msg text,
    alarm_status integer NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS i_log_job ON xxl_job_log (job_id);
CREATE INDEX IF NOT EXISTS i_log_time ON xxl_job_log (trigger_time);
CREATE INDEX IF NOT EXISTS i_log_group ON xxl_job_log (job_group);
CREATE INDEX IF NOT EXISTS i_log_failed ON xxl_job_log (id)
    WHERE trigger_code NOT IN (0, 200) OR handle_code NOT IN (0, 200);
CREATE TABLE IF NOT EXISTS xxl_job_log_report (
    id integer PRIMARY KEY AUTOINCREMENT,
    trigger_day text DEFAULT NULL,
    running_count integer NOT NULL DEFAULT 0,
    suc_count integer NOT NULL DEFAULT 0,
    fail_count integer NOT NULL DEFAULT 0,
    update_time text DEFAULT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS i_trigger_day ON xxl_job_log_report (trigger_day);
CREATE TABLE IF NOT EXISTS xxl_job_logglue (
    id integer PRIMARY KEY AUTOINCREMENT,
    job_id integer NOT NULL,
    glue_type varchar(50) DEFAULT NULL,
    glue_source text,
    glue_remark varchar(128) NOT NULL,
    add_time text DEFAULT NULL,
    update_time text DEFAULT NULL
);
CREATE INDEX IF NOT EXISTS i_logglue_job ON xxl_job_logglue (job_id);
CREATE TABLE IF NOT EXISTS xxl_job_lock (
    lock_name varchar(50) NOT NULL,
    PRIMARY KEY (lock_name)
);
CREATE TABLE IF NOT EXISTS xxl_job_user (
    id integer PRIMARY KEY AUTOINCREMENT,
    username varchar(50) NOT NULL,
    password varchar(100) NOT NULL,
    token varchar(100) DEFAULT NULL,
    role integer NOT NULL,
    permission varchar(255) DEFAULT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS i_username ON xxl_job_user (username);
