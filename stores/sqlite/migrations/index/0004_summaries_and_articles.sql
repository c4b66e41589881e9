-- Conversation states that wait to be summarised. A sequence number is never used again.
CREATE TABLE buffered_states (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    entry_id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    scope_key TEXT NOT NULL,
    role TEXT NOT NULL,
    text TEXT NOT NULL,
    name TEXT NOT NULL,
    at TEXT NOT NULL,
    tokens INTEGER NOT NULL
);
CREATE INDEX buffered_states_by_person ON buffered_states (user_id, scope_key, sequence);
-- The lines of Dynamic chapters as they are embedded: derived from the articles.
CREATE TABLE line_vectors (
    user_id TEXT NOT NULL,
    scope_key TEXT NOT NULL,
    line TEXT NOT NULL,
    model TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (user_id, scope_key, line)
) WITHOUT ROWID;
