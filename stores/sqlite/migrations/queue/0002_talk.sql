-- A position is used once only, so that whoever has read up to one misses none that comes later, whatever was removed.
ALTER TABLE jobs RENAME TO former_jobs;
CREATE TABLE jobs (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    scope_key TEXT NOT NULL,
    entities TEXT NOT NULL,
    body TEXT NOT NULL,
    accepted_at REAL NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending',
    behind INTEGER NOT NULL DEFAULT -1,
    due REAL NOT NULL,
    attempts INTEGER NOT NULL,
    not_before REAL NOT NULL,
    last_error TEXT NOT NULL,
    claimed_at REAL,
    failed_at REAL,
    filed INTEGER
);
INSERT INTO jobs SELECT * FROM former_jobs;
DROP TABLE former_jobs;
CREATE INDEX jobs_new ON jobs (due, position) WHERE behind = -1 AND state = 'pending';
CREATE INDEX jobs_ready ON jobs (position, not_before) WHERE behind = 0 AND state = 'pending';
CREATE INDEX jobs_by_scope ON jobs (scope_key, position);
CREATE INDEX jobs_by_state ON jobs (state, position, accepted_at);
-- Messages that wait, in the order in which they were accepted.
CREATE INDEX jobs_talk ON jobs (position) WHERE kind = 'talk' AND state = 'pending';
