-- Alarms on record, and rules for them. The Java admin does not see it.
-- +goose Up
-- A rule: alarms of a job, or of every job of a group.
CREATE TABLE IF NOT EXISTS xxljob_alarm_rule (
    kind varchar(16) NOT NULL,
    object_id integer NOT NULL,
    what varchar(16) NOT NULL,
    limit_ms integer NOT NULL,
    username varchar(64) NOT NULL,
    created_ms integer NOT NULL,
    PRIMARY KEY (kind, object_id, what)
);
-- An alarm. recovered_ms is 0 while it is open, and one of a kind is open at most.
CREATE TABLE IF NOT EXISTS xxljob_alarm (
    id integer PRIMARY KEY AUTOINCREMENT,
    what varchar(16) NOT NULL,
    kind varchar(16) NOT NULL,
    object_id integer NOT NULL,
    group_id integer NOT NULL,
    first_ms integer NOT NULL,
    last_ms integer NOT NULL,
    recovered_ms integer NOT NULL,
    raised integer NOT NULL,
    muted integer NOT NULL,
    log_id integer NOT NULL,
    message text NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS xxljob_alarm_open ON xxljob_alarm (what, kind, object_id, recovered_ms);
CREATE INDEX IF NOT EXISTS xxljob_alarm_recovered ON xxljob_alarm (recovered_ms, id);
-- What last became of an alarm in a channel. alarm_id is 0 for tests.
CREATE TABLE IF NOT EXISTS xxljob_alarm_delivery (
    alarm_id integer NOT NULL,
    channel varchar(64) NOT NULL,
    at_ms integer NOT NULL,
    error text NOT NULL,
    PRIMARY KEY (alarm_id, channel)
);
CREATE INDEX IF NOT EXISTS xxljob_alarm_delivery_channel ON xxljob_alarm_delivery (channel, at_ms);
