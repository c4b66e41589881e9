"""The manifest of indexed note files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ...event import Event
from ...ids import digest_of
from ..vectors import Vector


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


class NoteManifest(Protocol):
    """Note files with the events of their chunks, which change in one transaction. A file is told by scope, folder and path.

    A chunk in several files of a scope is one event, with the job id `note_job_id(scope_key, chunk_id)`.
    """

    def files(self, scope_key: str, root: str) -> dict[str, IndexedFile]:
        """Return the indexed files of a folder by path."""

    def roots(self) -> list[tuple[str, str, int]]:
        """Return (scope key, folder, number of files) of all indexed folders."""

    def known_chunks(self, scope_key: str, chunk_ids: Sequence[str]) -> set[str]:
        """Return the chunks that any indexed file of the scope contains."""

    def write(self, scope_key: str, root: str, changes: Sequence[FileChange]) -> None:
        """Replace the entries of files, atomically for all changes.

        A known chunk keeps its event. If that event was deleted, it is not created again by the next change of the file. Events
        of forgotten entities are not stored. Raises FingerprintMismatch if the dimension of a vector differs.
        """

    def touch(self, scope_key: str, root: str, files: Sequence[tuple[str, IndexedFile]]) -> None:
        """Update path and time of files with unchanged content, given as (former path, file)."""

    def remove(self, scope_key: str, root: str, paths: Sequence[str]) -> int:
        """Remove files, and the events that no other file contains. Return the number of events removed."""


def note_job_id(scope_key: str, chunk_id: str) -> str:
    """Return the job id for the event of a chunk, unique for scope and content."""
    return f"note-{digest_of(chunk_id, scope_key)}"
