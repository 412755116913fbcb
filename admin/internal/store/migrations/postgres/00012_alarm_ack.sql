-- Who has acknowledged an alarm. The Java admin does not see it.
-- +goose Up
-- It counts while ack_count is how often the alarm was raised: the next time voids it.
CREATE TABLE IF NOT EXISTS xxljob_alarm_ack (
    alarm_id bigint NOT NULL,
    ack_count bigint NOT NULL,
    ack_ms bigint NOT NULL,
    ack_by varchar(64) NOT NULL,
    PRIMARY KEY (alarm_id)
);
