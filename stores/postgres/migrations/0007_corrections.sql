-- What corrections took out, until it cannot be undone any more (`until`, seconds since the epoch), and whom it concerns. `body` is
-- the record as JSON. No recall reads these tables.
CREATE TABLE corrections (
    correction_id text PRIMARY KEY, scope_key text NOT NULL, at text NOT NULL, until double precision NOT NULL, body text NOT NULL
);
CREATE INDEX corrections_by_scope ON corrections (scope_key, at);
CREATE INDEX corrections_by_end ON corrections (until);
CREATE TABLE correction_entities (
    entity text NOT NULL, correction_id text NOT NULL, PRIMARY KEY (entity, correction_id)
);
CREATE INDEX correction_entities_by_id ON correction_entities (correction_id);
