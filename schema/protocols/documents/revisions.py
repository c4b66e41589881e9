"""The common protocol of the stores of profiles and articles, and the ledger of applied jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from ...entity import Entity
from ...summary import Restored

Key = TypeVar("Key")
Document = TypeVar("Document")


class Revisions(Protocol[Key, Document]):
    """Documents with revisions, written by compare-and-swap. Every call may raise StorageError."""

    def read(self, key: Key) -> Document | None: ...

    def keys(self) -> list[Key]: ...

    def edited(self) -> list[Key]:
        """Read what hands have changed in files since they were written. Return whose, as far as this process has read it."""

    def history(self, key: Key) -> list[Document]:
        """Return the kept earlier revisions, newest first."""

    def kept(self, key: Key) -> list[Document]:
        """Return the current document and the earlier revisions that are kept."""

    def lines(self, key: Key) -> list[str]:
        """Return the lines of all kept revisions."""

    def rollback(self, key: Key, revision: int, *, now: str, job_id: str = "") -> Document:
        """Write the content of an earlier revision as a new revision. Idempotent by `job_id`.

        Raises InvalidInput that names the kept revisions if `revision` is not among them.
        """

    def restore(self, revisions: Sequence[Document]) -> Restored:
        """Store a document with its history (oldest first, revision numbers unchanged) if there is none."""

    def without_lines(self, key: Key, unwanted: Callable[[str], bool], *, now: str) -> int:
        """Permanently remove lines: write a new revision without them, and delete earlier ones that have any. Return how many."""

    def erase(self, entity: Entity) -> int:
        """Remove all documents of an entity with their history and their causes. Return how many."""
