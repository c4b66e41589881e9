CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- A scope's number is never used again. `events` is the number of its events; the others only ever grow.
CREATE TABLE scopes (
    scope_number INTEGER PRIMARY KEY AUTOINCREMENT,
    scope_key TEXT NOT NULL UNIQUE,
    events INTEGER NOT NULL DEFAULT 0,
    last_row INTEGER NOT NULL DEFAULT 0,
    last_vector INTEGER NOT NULL DEFAULT 0,
    additions INTEGER NOT NULL DEFAULT 0,
    removals INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE events (
    row INTEGER PRIMARY KEY,
    event_id TEXT NOT NULL UNIQUE,
    job_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    user_id TEXT NOT NULL,
    group_id TEXT NOT NULL,
    request_type TEXT NOT NULL,
    timestamp REAL NOT NULL,
    timestamp_local TEXT NOT NULL,
    timezone TEXT NOT NULL,
    user_name TEXT NOT NULL,
    is_absolute INTEGER NOT NULL,
    gate_reasons TEXT NOT NULL,
    rewritten_by TEXT NOT NULL,
    source TEXT NOT NULL,
    schema_version INTEGER NOT NULL,
    embedded INTEGER NOT NULL
);
CREATE INDEX events_by_job ON events (job_id);
CREATE INDEX events_by_user ON events (user_id);
CREATE INDEX events_by_time ON events (timestamp);
CREATE INDEX events_not_embedded ON events (timestamp, row) WHERE embedded = 0;

-- float32, as many as the fingerprint's dimension, in the byte order of the machine (little-endian wherever this runs).
CREATE TABLE event_vectors (
    sequence INTEGER PRIMARY KEY,
    row INTEGER NOT NULL UNIQUE,
    vector BLOB NOT NULL
);

-- The words of each event as they were indexed: FTS5 needs them again when an event is deleted.
CREATE TABLE event_words (row INTEGER PRIMARY KEY, length INTEGER NOT NULL, words TEXT NOT NULL);
CREATE INDEX event_lengths ON event_words (row, length);
CREATE VIRTUAL TABLE event_keywords USING fts5(
    words, content = 'event_words', content_rowid = 'row', tokenize = "TOKENIZER"
);
-- `tidy` merges as soon as two segments of a level can be merged.
INSERT INTO event_keywords (event_keywords, rank) VALUES ('usermerge', 2);

CREATE TABLE filed_jobs (job_id TEXT PRIMARY KEY) WITHOUT ROWID;
-- What must not come back: `job` and its id, or `entity` and its key, then for all that happened up to `until`.
CREATE TABLE tombstones (
    kind TEXT NOT NULL, value TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (kind, value)
) WITHOUT ROWID;
CREATE TABLE ledger (entity_key TEXT NOT NULL, job_id TEXT NOT NULL, PRIMARY KEY (entity_key, job_id)) WITHOUT ROWID;

-- Where the derived vector index may differ from the tables here. A later version means: changed again meanwhile.
CREATE TABLE event_outbox (version INTEGER PRIMARY KEY AUTOINCREMENT, item_id TEXT NOT NULL UNIQUE);
CREATE TABLE profile_outbox (version INTEGER PRIMARY KEY AUTOINCREMENT, item_id TEXT NOT NULL UNIQUE);

CREATE TABLE profiles (
    row INTEGER PRIMARY KEY,
    item_id TEXT NOT NULL UNIQUE,
    entity_type TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    layer TEXT NOT NULL,
    revision INTEGER NOT NULL,
    words TEXT NOT NULL,
    vector BLOB,
    UNIQUE (entity_type, entity_id, layer)
);
CREATE VIRTUAL TABLE profile_keywords USING fts5(
    words, content = 'profiles', content_rowid = 'row', tokenize = "TOKENIZER"
);
