"""The manifest of indexed note files, written with the events of their chunks in one
transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...schema.event import Event
from ...schema.ids import digest_of
from .engine import Transaction
from .events.rows import BesideEvents
from .tombstones import is_buried


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """The state of a note file when it was indexed.

    `path` is relative to the folder, with `/`; `form` identifies the way of indexing. Names of
    files and folders are stored as given: the caller redacts them.
    """

    path: str
    mtime_ns: int
    size: int
    content_hash: str
    form: str

    @property
    def content(self) -> tuple[str, str]:
        """Equal for two files from which the same chunks are made."""
        return self.content_hash, self.form


@dataclass(frozen=True, slots=True)
class FileChange:
    """A new or changed file: all its chunk ids in order, and the events of new chunks, which are
    embedded later."""

    file: IndexedFile
    chunk_ids: tuple[str, ...]
    events: tuple[Event, ...]


def note_job_id(scope_key: str, chunk_id: str) -> str:
    """Return the job id for the event of a chunk, unique per scope and content."""
    return f"note-{digest_of(chunk_id, scope_key)}"


class NoteTables(BesideEvents):
    """Note files and the events of their chunks, which change together in one transaction.

    A file is identified by scope, folder and path. A chunk in several files of a scope is one
    event, with the job id `note_job_id(scope_key, chunk_id)`.

    The id of a chunk is derived from scope and content, so that event and vector of the chunk are
    unchanged when its file is changed, renamed or moved.
    """

    def files(self, scope_key: str, root: str) -> dict[str, IndexedFile]:
        """Return the indexed files of a folder by path."""
        found = self._database.rows(
            "SELECT path, mtime_ns, size, content_hash, form FROM note_files WHERE scope_key = %s AND root = %s",
            (scope_key, root),
        )
        return {row[0]: IndexedFile(*row) for row in found}

    def roots(self) -> list[tuple[str, str, int]]:
        """Return (scope key, folder, number of files) of all indexed folders."""
        return self._database.rows(
            "SELECT scope_key, root, count(*) FROM note_files GROUP BY 1, 2 ORDER BY 1, 2"
        )

    def known_chunks(self, scope_key: str, chunk_ids: Sequence[str]) -> set[str]:
        """Return the chunks that any indexed file of the scope contains."""
        names = {f"{note_job_id(scope_key, chunk_id)}:0": chunk_id for chunk_id in chunk_ids}
        found = self._database.rows(
            "SELECT DISTINCT event_id FROM note_chunks WHERE event_id = ANY(%s)", (list(names),)
        )
        return {names[event_id] for (event_id,) in found}

    def write(self, scope_key: str, root: str, changes: Sequence[FileChange]) -> None:
        """Replace the entries of files, atomically for all changes.

        The event of a known chunk is not changed. If the event was deleted, the next change of the
        file does not create it again. Events of forgotten entities are not stored. New events have
        no vectors yet.
        """
        with self._database.writing() as transaction:
            transaction.lock_entities(
                {one for change in changes for event in change.events for one in event.entities}
            )
            transaction.lock_name("notes", scope_key)
            before: list[str] = []
            for change in changes:
                before += self._write_file(transaction, scope_key, root, change)
            # After all files are written, because a chunk may have moved from one file to another.
            self._drop_unheld(transaction, before)

    def touch(self, scope_key: str, root: str, files: Sequence[tuple[str, IndexedFile]]) -> None:
        """Update path and time of files with unchanged content, given as (former path, file)."""
        if not files:
            return
        with self._database.writing(durable=False) as transaction:
            transaction.run_many(
                "UPDATE note_files SET path = %s, mtime_ns = %s, size = %s WHERE scope_key = %s AND root = %s AND path = %s",
                [
                    (file.path, file.mtime_ns, file.size, scope_key, root, before)
                    for before, file in files
                ],
            )

    def remove(self, scope_key: str, root: str, paths: Sequence[str]) -> int:
        """Remove files, and the events that no other file contains.

        Return the number of events removed.
        """
        if not paths:
            return 0
        with self._database.writing() as transaction:
            transaction.lock_name("notes", scope_key)
            held = transaction.rows(
                "SELECT c.event_id FROM note_chunks c JOIN note_files f USING (file_number)"
                " WHERE f.scope_key = %s AND f.root = %s AND f.path = ANY(%s)",
                (scope_key, root, list(paths)),
            )
            files = "FROM note_files WHERE scope_key = %s AND root = %s AND path = ANY(%s)"
            given = (scope_key, root, list(paths))
            transaction.run(
                f"DELETE FROM note_chunks WHERE file_number IN (SELECT file_number {files})", given
            )
            transaction.run(f"DELETE {files}", given)
            return self._drop_unheld(transaction, [event_id for (event_id,) in held])

    def _write_file(
        self, transaction: Transaction, scope_key: str, root: str, change: FileChange
    ) -> list[str]:
        """Replace the entries of one file, and insert the events that are new.

        Return the ids of the events that the file contained before.
        """
        file = change.file
        ((number,),) = transaction.rows(
            "INSERT INTO note_files (scope_key, root, path, mtime_ns, size, content_hash, form)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s)"
            " ON CONFLICT (scope_key, root, path) DO UPDATE SET mtime_ns = excluded.mtime_ns, size = excluded.size,"
            " content_hash = excluded.content_hash, form = excluded.form RETURNING file_number",
            (scope_key, root, file.path, file.mtime_ns, file.size, file.content_hash, file.form),
        )
        known = transaction.rows(
            "SELECT event_id FROM note_chunks WHERE event_id = ANY(%s)"
            " UNION SELECT event_id FROM events WHERE event_id = ANY(%s)",
            [[event.event_id for event in change.events]] * 2,
        )
        wanted = [
            event
            for event in change.events
            if (event.event_id,) not in known
            and not is_buried(transaction, event.job_id, event.entities, event.timestamp)
        ]
        self._events.insert(transaction, wanted, [None] * len(wanted))
        before = transaction.rows(
            "DELETE FROM note_chunks WHERE file_number = %s RETURNING event_id", (number,)
        )
        transaction.run_many(
            "INSERT INTO note_chunks (file_number, chunk_id, event_id) VALUES (%s, %s, %s)",
            [
                (number, chunk_id, f"{note_job_id(scope_key, chunk_id)}:0")
                for chunk_id in dict.fromkeys(change.chunk_ids)
            ],
        )
        return [event_id for (event_id,) in before]

    def _drop_unheld(self, transaction: Transaction, event_ids: Sequence[str]) -> int:
        """Delete the events that no file contains any more. Return their number."""
        found = transaction.rows(
            "SELECT row FROM events e WHERE event_id = ANY(%s)"
            " AND NOT EXISTS (SELECT 1 FROM note_chunks c WHERE c.event_id = e.event_id)",
            (list(event_ids),),
        )
        return self._events.delete(transaction, [row for (row,) in found])
