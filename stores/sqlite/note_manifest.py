"""The manifest of indexed note files, written with the events of their chunks in one transaction of `index.sqlite`.

A chunk in several files of a scope is one event. Its id is derived from scope and content, so that a chunk keeps its event and
vector when its file is changed, renamed or moved.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from ...schema.event import Event
from ...schema.protocols import Vector
from .database import SqliteDatabase
from .event_rows import AMONG, as_json, vector_to_blob
from .event_writing import delete_events, insert_events
from .fingerprint import check_dimension
from .index_outbox import Outbox
from .tombstones import is_buried


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file as it was indexed. `path` is relative to the folder, with `/`; `form` identifies the way it was indexed.

    Names of files and folders are stored as given: the caller redacts them.
    """

    path: str
    mtime_ns: int
    size: int
    content_hash: str
    form: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """A new or changed file: all its chunk ids in order, and the events of new chunks."""

    file: IndexedFile
    chunk_ids: tuple[str, ...]
    events: tuple[Event, ...]
    vectors: tuple[Vector | None, ...]


class FileManifest:
    """The manifest of one `index.sqlite`. A file is identified by scope, folder (`root`) and path."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self._outbox = Outbox()

    def files(self, scope_key: str, root: str) -> dict[str, IndexedFile]:
        """Return the indexed files of a folder by path."""
        found = self._database.rows(
            "SELECT path, mtime_ns, size, content_hash, form FROM note_files WHERE scope_key = ? AND root = ?", (scope_key, root)
        )
        return {row[0]: IndexedFile(*row) for row in found}

    def roots(self) -> list[tuple[str, str, int]]:
        """Return (scope key, folder, number of files) of all indexed folders."""
        return self._database.rows(
            "SELECT scope_key, root, count(*) FROM note_files GROUP BY scope_key, root ORDER BY scope_key, root"
        )

    def known_chunks(self, scope_key: str, chunk_ids: Sequence[str]) -> set[str]:
        """Return the chunks that any indexed file of the scope contains."""
        names = {note_job_id(scope_key, chunk_id) + ":0": chunk_id for chunk_id in chunk_ids}
        found = self._database.rows(f"SELECT DISTINCT event_id FROM note_chunks WHERE event_id {AMONG}", (as_json(names),))
        return {names[event_id] for (event_id,) in found}

    def write(self, scope_key: str, root: str, changes: Sequence[FileChange]) -> None:
        """Replace the entries of files, atomically for all changes.

        A known chunk keeps its event. If that event was deleted, it is not created again by the next change of the file. Events
        of forgotten entities are not stored. Raises FingerprintMismatch if the dimension of a vector differs.
        """
        with self._database.writing() as connection:
            before: list[str] = []
            for change in changes:
                blobs = [None if vector is None else vector_to_blob(vector) for vector in change.vectors]
                check_dimension(connection, blobs)
                number = self._note_file(connection, scope_key, root, change.file)
                names = {chunk_id: f"{note_job_id(scope_key, chunk_id)}:0" for chunk_id in change.chunk_ids}
                wanted = [
                    (event, blob)
                    for event, blob in zip(change.events, blobs, strict=True)
                    if not _is_known(connection, event.event_id) and not _is_gone(connection, event)
                ]
                insert_events(connection, [event for event, _ in wanted], [blob for _, blob in wanted])
                self._outbox.add(connection, [event.event_id for event, blob in wanted if blob is not None])
                before += _events_of(connection, number)
                connection.execute("DELETE FROM note_chunks WHERE file_number = ?", (number,))
                connection.executemany(
                    "INSERT INTO note_chunks (file_number, chunk_id, event_id) VALUES (?, ?, ?)",
                    [(number, chunk_id, event_id) for chunk_id, event_id in names.items()],
                )
            # After all files are written, because a chunk may have moved from one file to another.
            self._drop_unheld(connection, before)

    def touch(self, scope_key: str, root: str, files: Sequence[tuple[str, IndexedFile]]) -> None:
        """Update path and time of files with unchanged content, given as (former path, file)."""
        if not files:
            return
        with self._database.writing(durable=False) as connection:
            for before, file in files:
                connection.execute(
                    "UPDATE note_files SET path = ?, mtime_ns = ?, size = ? WHERE scope_key = ? AND root = ? AND path = ?",
                    (file.path, file.mtime_ns, file.size, scope_key, root, before),
                )

    def remove(self, scope_key: str, root: str, paths: Sequence[str]) -> int:
        """Remove files, and the events that no other file contains. Return the number of events removed."""
        if not paths:
            return 0
        with self._database.writing() as connection:
            found = connection.execute(
                f"SELECT file_number FROM note_files WHERE scope_key = ? AND root = ? AND path {AMONG}",
                (scope_key, root, as_json(paths)),
            ).fetchall()
            gone = 0
            for (number,) in found:
                before = _events_of(connection, number)
                connection.execute("DELETE FROM note_chunks WHERE file_number = ?", (number,))
                connection.execute("DELETE FROM note_files WHERE file_number = ?", (number,))
                gone += self._drop_unheld(connection, before)
        return gone

    def _note_file(self, connection: sqlite3.Connection, scope_key: str, root: str, file: IndexedFile) -> int:
        (number,) = connection.execute(
            "INSERT INTO note_files (scope_key, root, path, mtime_ns, size, content_hash, form) VALUES (?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (scope_key, root, path) DO UPDATE SET mtime_ns = excluded.mtime_ns, size = excluded.size,"
            " content_hash = excluded.content_hash, form = excluded.form RETURNING file_number",
            (scope_key, root, file.path, file.mtime_ns, file.size, file.content_hash, file.form),
        ).fetchone()
        return int(number)

    def _drop_unheld(self, connection: sqlite3.Connection, event_ids: Sequence[str]) -> int:
        """Delete those of the events that no file contains any more. Return how many."""
        found = connection.execute(
            f"SELECT e.row, e.event_id FROM events e WHERE e.event_id {AMONG}"
            " AND NOT EXISTS (SELECT 1 FROM note_chunks c WHERE c.event_id = e.event_id)",
            (as_json(event_ids),),
        ).fetchall()
        if found:
            delete_events(connection, [row for row, _ in found])
            self._outbox.add(connection, [event_id for _, event_id in found])
        return len(found)


def note_job_id(scope_key: str, chunk_id: str) -> str:
    """Return the job id for the event of a chunk, unique for scope and content."""
    return "note-" + hashlib.sha256(f"{chunk_id}\0{scope_key}".encode()).hexdigest()[:32]


def _is_known(connection: sqlite3.Connection, event_id: str) -> bool:
    both = "SELECT 1 FROM note_chunks WHERE event_id = ?1 UNION ALL SELECT 1 FROM events WHERE event_id = ?1"
    return connection.execute(both, (event_id,)).fetchone() is not None


def _is_gone(connection: sqlite3.Connection, event: Event) -> bool:
    return is_buried(connection, event.job_id, event.entities, event.timestamp)


def _events_of(connection: sqlite3.Connection, file_number: int) -> list[str]:
    return [
        event_id
        for (event_id,) in connection.execute("SELECT event_id FROM note_chunks WHERE file_number = ?", (file_number,)).fetchall()
    ]
