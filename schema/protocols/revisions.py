"""What the stores of profiles and of articles have in common, and the ledger of what was applied to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from ..entity import Entity
from ..summary import Restored

Key = TypeVar("Key")
Document = TypeVar("Document")


class Ledger(Protocol):
    """Which jobs or summaries were applied to which profile or article. A pair, once added, is there when `add` returns."""

    def has(self, entity_key: str, job_id: str) -> bool: ...

    def add(self, entity_key: str, job_id: str) -> None:
        """Note that a job was applied; a second time changes nothing."""


class Revisions(Protocol[Key, Document]):
    """Documents with their revisions. Writers compare and swap. Every call raises StorageError."""

    def read(self, key: Key) -> Document | None: ...

    def keys(self) -> list[Key]: ...

    def history(self, key: Key) -> list[Document]:
        """The kept earlier revisions, newest first."""

    def kept(self, key: Key) -> list[Document]:
        """The current document and every revision in its history that can be read."""

    def lines(self, key: Key) -> list[str]:
        """The lines of all that is kept, broken files included."""

    def rollback(self, key: Key, revision: int, *, now: str, job_id: str = "") -> Document:
        """Write the content of an earlier revision as a new one; the same `job_id` again changes nothing.

        Raises InvalidInput, naming the revisions that are kept, where that one is not.
        """

    def restore(self, revisions: Sequence[Document]) -> Restored:
        """Bring a document back with its history, oldest first and by the revisions' own numbers, where there is none."""

    def without_lines(self, key: Key, unwanted: Callable[[str], bool], *, now: str) -> int:
        """Take lines out for good: a new revision without them, and no earlier one that holds any; returns how many."""

    def erase(self, entity: Entity) -> int:
        """Remove all of an entity with its history, readable or not; returns how many. The ledger keeps what was applied."""

    def sweep(self) -> int:
        """Remove what writers that were killed left half-written; returns how many files. For the owner, at start."""
