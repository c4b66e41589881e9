"""What is alike in the forms of documents: JSON, as they are stored, and Markdown, as people and archives have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from .naming import Key


class Revision(Protocol):
    """The common attributes of documents."""

    @property
    def revision(self) -> int: ...

    @property
    def updated_at(self) -> str: ...


Document = TypeVar("Document", bound=Revision)


class Format(Protocol[Key, Document]):
    """The forms of one kind of document."""

    def key(self, document: Document) -> Key: ...

    def empty(self, key: Key) -> Document: ...

    def as_json(self, document: Document) -> dict[str, Any]:
        """Return what is stored of a document beside its key, its revision and its time."""

    def of_json(self, key: Key, revision: int, updated_at: str, stored: Mapping[str, Any]) -> Document: ...

    def render(self, document: Document) -> str: ...

    def parse(self, data: bytes, key: Key, revision: Callable[[], int]) -> Document:
        """Return the document in a file; `revision` is called if the file has no number. Raises InvalidInput."""

    def edited(self, data: bytes, current: Document, kept: Callable[[int], Document | None], day: str) -> Document | None:
        """Return the current document with what somebody has changed in its file on a day (`YYYY-MM-DD`).

        `kept` gives a revision by its number, since the file may be that of a former one. None if the file cannot be read.
        """

    def revised(self, document: Document, revision: int, now: str, cause: str | None = None) -> Document:
        """Return `document` with a new number, in the form that is stored; `cause` replaces its causes."""

    def causes(self, document: Document) -> tuple[str, ...]:
        """Return the causes recorded in the ledger for a revision: its job, or the summaries it includes."""

    def lines(self, document: Document) -> list[str]:
        """Return the lines of a document that may be removed one by one."""

    def without(self, document: Document, unwanted: Callable[[str], bool]) -> Document: ...

    def same(self, one: Document, other: Document) -> bool:
        """Return True if two revisions have the same content."""
