-- Where logins come from, and what nodes say of themselves. The Java admin does not see it.
-- +goose Up
-- The browser of a login in xxljob_session.
CREATE TABLE IF NOT EXISTS xxljob_session_client (
    session_key varchar(64) NOT NULL,
    client varchar(64) NOT NULL,
    agent varchar(255) NOT NULL,
    PRIMARY KEY (session_key)
);
-- What a node says of itself, as JSON. It stays for a day when the node is gone.
CREATE TABLE IF NOT EXISTS xxljob_node_info (
    name varchar(190) NOT NULL,
    seen_ms bigint NOT NULL,
    info text NOT NULL,
    PRIMARY KEY (name)
);
