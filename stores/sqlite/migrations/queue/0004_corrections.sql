-- What corrections took out, until it cannot be undone any more (`until`, seconds since the epoch), and whom it concerns. `body` is
-- the record as JSON. They stand beside the jobs: no recall reads this file.
CREATE TABLE corrections (
    correction_id TEXT PRIMARY KEY, scope_key TEXT NOT NULL, at TEXT NOT NULL, until REAL NOT NULL, body TEXT NOT NULL
);
CREATE INDEX corrections_by_scope ON corrections (scope_key, at);
CREATE INDEX corrections_by_end ON corrections (until);
CREATE TABLE correction_entities (
    entity TEXT NOT NULL, correction_id TEXT NOT NULL, PRIMARY KEY (entity, correction_id)
) WITHOUT ROWID;
CREATE INDEX correction_entities_by_id ON correction_entities (correction_id);
