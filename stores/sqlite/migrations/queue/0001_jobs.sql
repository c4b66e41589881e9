-- Accepted jobs. `position` orders them; `body` is the job as it was handed over, and the columns say what became of it since.
-- `behind` counts the lines of its entities that a job does not head; -1: it has joined none, and does so when it is `due`
-- (seconds since the epoch; 0: at once).
CREATE TABLE jobs (
    position INTEGER PRIMARY KEY,
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
CREATE INDEX jobs_new ON jobs (due, position) WHERE behind = -1 AND state = 'pending';
CREATE INDEX jobs_ready ON jobs (position, not_before) WHERE behind = 0 AND state = 'pending';
CREATE INDEX jobs_by_scope ON jobs (scope_key, position);
CREATE INDEX jobs_by_state ON jobs (state, position, accepted_at);

-- One row for each job and entity that it holds: the lines in which jobs wait. The head, waiting or running, holds back the others.
CREATE TABLE job_lines (
    entity TEXT NOT NULL,
    position INTEGER NOT NULL,
    head INTEGER NOT NULL,
    PRIMARY KEY (entity, position)
) WITHOUT ROWID;
CREATE UNIQUE INDEX job_lines_heads ON job_lines (entity) WHERE head = 1;
