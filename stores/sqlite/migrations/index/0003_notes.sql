-- Files as they were when they were indexed. `form` is how: what is indexed in another form is indexed anew.
CREATE TABLE note_files (
    file_number INTEGER PRIMARY KEY AUTOINCREMENT,
    scope_key TEXT NOT NULL,
    root TEXT NOT NULL,
    path TEXT NOT NULL,
    mtime_ns INTEGER NOT NULL,
    size INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    form TEXT NOT NULL,
    UNIQUE (scope_key, root, path)
);
-- The same chunk in several files of a scope is one event.
CREATE TABLE note_chunks (
    file_number INTEGER NOT NULL, chunk_id TEXT NOT NULL, event_id TEXT NOT NULL, PRIMARY KEY (file_number, chunk_id)
) WITHOUT ROWID;
CREATE INDEX note_chunks_by_event ON note_chunks (event_id);
