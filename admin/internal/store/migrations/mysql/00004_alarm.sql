-- Alarms on record, and rules for them. The Java admin does not see it.
-- +goose Up
-- A rule: alarms of a job, or of every job of a group.
CREATE TABLE IF NOT EXISTS xxljob_alarm_rule (
    kind varchar(16) NOT NULL,
    object_id int NOT NULL,
    what varchar(16) NOT NULL,
    limit_ms bigint NOT NULL,
    username varchar(64) NOT NULL,
    created_ms bigint NOT NULL,
    PRIMARY KEY (kind, object_id, what)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- An alarm. recovered_ms is 0 while it is open, and one of a kind is open at most.
CREATE TABLE IF NOT EXISTS xxljob_alarm (
    id bigint NOT NULL AUTO_INCREMENT,
    what varchar(16) NOT NULL,
    kind varchar(16) NOT NULL,
    object_id int NOT NULL,
    group_id int NOT NULL,
    first_ms bigint NOT NULL,
    last_ms bigint NOT NULL,
    recovered_ms bigint NOT NULL,
    raised bigint NOT NULL,
    muted bigint NOT NULL,
    log_id bigint NOT NULL,
    message text NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY xxljob_alarm_open (what, kind, object_id, recovered_ms),
    KEY xxljob_alarm_recovered (recovered_ms, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- What last became of an alarm in a channel. alarm_id is 0 for tests.
CREATE TABLE IF NOT EXISTS xxljob_alarm_delivery (
    alarm_id bigint NOT NULL,
    channel varchar(64) NOT NULL,
    at_ms bigint NOT NULL,
    error text NOT NULL,
    PRIMARY KEY (alarm_id, channel),
    KEY xxljob_alarm_delivery_channel (channel, at_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
