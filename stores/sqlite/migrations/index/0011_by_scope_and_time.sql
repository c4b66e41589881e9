-- So that the newest events of a scope are found without reading the others.
CREATE INDEX events_of_scope_by_time ON events (row >> 32, timestamp);
