"""The tables of `index.sqlite`, as migrations.

Events of a scope are stored contiguously: a row number is `scope_number << 32 | n`, n counting within the scope, and so is
the sequence number of a vector. Reading a scope reads one range of a table, and a keyword search in a scope reads
one range of the postings of each word in FTS5, which are sorted by row number. (Measured at 100,000 events in 200 scopes,
queries of 15 words: scope as a word of its own and `bm25()` 5.0 ms at the median and 12.7 ms at p99, words glued to
their scope 1.0 and 1.6 ms but twice the index and the wrong statistics, the range 1.1 and 2.7 ms, a table of postings
0.6 and 1.4 ms but three times the cost of a write.) A query for one scope therefore cannot return events of another.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ...text.words import FTS5_TOKENIZER
from .database import SqliteDatabase

SCOPE_SHIFT = 32

_FIRST = f"""
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
    words, content = 'event_words', content_rowid = 'row', tokenize = "{FTS5_TOKENIZER}"
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
    words, content = 'profiles', content_rowid = 'row', tokenize = "{FTS5_TOKENIZER}"
);
"""

_VECTORS_OF_OTHER_MODELS = """
-- Vectors of another model than the fingerprint's: being made (next), or of the model before (kept). In the form of
-- event_vectors, since the tables change names with it. `sequence` is the row number in what `next` was made as.
CREATE TABLE next_event_vectors (sequence INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE, vector BLOB NOT NULL);
CREATE TABLE kept_event_vectors (sequence INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE, vector BLOB NOT NULL);
CREATE TABLE other_profile_vectors (
    role TEXT NOT NULL, item_id TEXT NOT NULL, revision INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (role, item_id)
);
"""

_NOTES = """
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
"""

_SUMMARIES_AND_ARTICLES = """
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
"""

_SPEAKERS = """
-- The ids of those whose words are told in an event, as a JSON list, where these are several.
ALTER TABLE events ADD COLUMN speakers TEXT NOT NULL DEFAULT '[]';
CREATE INDEX events_of_several ON events (row) WHERE speakers != '[]';
"""

_PROFILES_ARE_NOT_IN_CHROMA = """
DROP TABLE profile_outbox;
"""

_PROVENANCE = """
ALTER TABLE events ADD COLUMN handed_over TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN said_by TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN occurs_from REAL;
ALTER TABLE events ADD COLUMN occurs_until REAL;
ALTER TABLE events ADD COLUMN superseded_by TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN superseded_at REAL;
ALTER TABLE events ADD COLUMN corrected_by TEXT NOT NULL DEFAULT '';
CREATE INDEX events_by_successor ON events (superseded_by) WHERE superseded_by != '';
CREATE INDEX events_by_correction ON events (corrected_by) WHERE corrected_by != '';
-- Former texts of events that were written anew, oldest first; deleted with their event.
CREATE TABLE event_revisions (
    row INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    text TEXT NOT NULL,
    is_absolute INTEGER NOT NULL,
    rewritten_by TEXT NOT NULL,
    replaced_at TEXT NOT NULL,
    PRIMARY KEY (row, revision)
) WITHOUT ROWID;
CREATE TRIGGER events_take_revisions AFTER DELETE ON events BEGIN
    DELETE FROM event_revisions WHERE row = old.row;
END;
"""

_COUNTED = """
-- So that counting them reads none of the others.
CREATE INDEX events_not_absolute ON events (row) WHERE is_absolute = 0;
"""

_LINKS_END_WITH_THEIR_EVENT = """
CREATE TRIGGER events_take_links AFTER DELETE ON events BEGIN
    UPDATE events
    SET superseded_by = old.superseded_by, superseded_at = CASE old.superseded_by WHEN '' THEN NULL ELSE superseded_at END
    WHERE superseded_by = old.event_id AND superseded_by != '';
    UPDATE events SET corrected_by = '' WHERE corrected_by = old.event_id AND corrected_by != '';
END;
"""

_REPROCESSING = """
ALTER TABLE events ADD COLUMN bot_name TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN group_name TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN version TEXT NOT NULL DEFAULT '';
-- The run that made a revision; '' for one that was imported.
ALTER TABLE event_revisions ADD COLUMN run TEXT NOT NULL DEFAULT '';
CREATE INDEX event_revisions_by_run ON event_revisions (run);
-- How far each run is that writes events anew: `last_row` is the last one that it has seen.
CREATE TABLE reprocessing_runs (
    run TEXT PRIMARY KEY,
    started REAL NOT NULL,
    last_row INTEGER NOT NULL DEFAULT -1,
    seen INTEGER NOT NULL DEFAULT 0,
    changed INTEGER NOT NULL DEFAULT 0,
    gained INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,
    done INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
"""

MIGRATIONS: tuple[str, ...] = (
    _FIRST,
    _VECTORS_OF_OTHER_MODELS,
    _NOTES,
    _SUMMARIES_AND_ARTICLES,
    _SPEAKERS,
    _PROFILES_ARE_NOT_IN_CHROMA,
    _PROVENANCE,
    _COUNTED,
    _LINKS_END_WITH_THEIR_EVENT,
    _REPROCESSING,
)
"""Append only: existing files have had the first ones applied."""


def open_index(path: Path, *, busy_seconds: float = 10.0) -> SqliteDatabase:
    """Open `index.sqlite` and create it if it does not exist. Raises StorageError if the file is damaged or locked."""
    return SqliteDatabase(path, MIGRATIONS, busy_seconds=busy_seconds)


def has_lost_version(path: Path) -> bool:
    """Return True if a file holds tables of the index, but says by its version that no migration was applied to it."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            return not connection.execute("PRAGMA user_version").fetchone()[0] and "events" in _tables(connection)
    except sqlite3.Error:
        return False


def missing_columns(connection: sqlite3.Connection) -> list[str]:
    """Return the tables, and the columns as `table.column`, that a file of the newest version lacks."""
    found = {table: _columns(connection, table) for table in _tables(connection)}
    missing: list[str] = []
    with closing(sqlite3.connect(":memory:")) as whole:
        for script in MIGRATIONS:
            whole.executescript(script)
        for table in _tables(whole):
            lacking = _columns(whole, table) - found.get(table, set())
            missing += [f"{table}.{column}" for column in sorted(lacking)] if table in found else [table]
    return missing


def _tables(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [name for (name,) in found]


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')}


def row_range(scope_number: int) -> tuple[int, int]:
    """Return the first and last row (or sequence) number of a scope."""
    return scope_number << SCOPE_SHIFT, ((scope_number + 1) << SCOPE_SHIFT) - 1
