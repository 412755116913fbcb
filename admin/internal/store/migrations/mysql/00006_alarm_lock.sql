-- The other databases have an index here, over rows whose alarm is being sent. This one has no index over a part of a
-- table: such rows are looked for among those that failed, over the index that the Java admin made.
-- +goose Up
SELECT 1;
