-- Revisions of profiles and articles, as JSON. `place` is the layer of a profile, and the scope of an article. `mirrored` is the
-- size and the time of the Markdown file that was written of the revision: '' where it has none, 'due' where it is to be written.
CREATE TABLE documents (
    kind TEXT NOT NULL,
    entity_type TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    place TEXT NOT NULL,
    revision INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    content TEXT NOT NULL,
    mirrored TEXT NOT NULL DEFAULT 'due',
    PRIMARY KEY (kind, entity_type, entity_id, place, revision)
);
CREATE INDEX documents_by_place ON documents (place);
-- Which jobs and summaries were applied to which document.
CREATE TABLE ledger (entity_key TEXT NOT NULL, job_id TEXT NOT NULL, PRIMARY KEY (entity_key, job_id)) WITHOUT ROWID;
CREATE INDEX ledger_by_job ON ledger (job_id);

-- Dated summaries, as JSON. `number` orders those of the same moment; `created_at` is in seconds since the epoch.
CREATE TABLE summaries (
    number INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    scope_key TEXT NOT NULL,
    id TEXT NOT NULL,
    created_at REAL NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (user_id, scope_key, id)
);
CREATE INDEX summaries_by_scope ON summaries (scope_key);
