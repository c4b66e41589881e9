"""The interface of document formats: JSON in the database, Markdown in files and archives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from .naming import Key


class RevisionedDocument(Protocol):
    """The common attributes of all documents."""

    @property
    def revision(self) -> int: ...

    @property
    def updated_at(self) -> str: ...


Document = TypeVar("Document", bound=RevisionedDocument)


class Format(Protocol[Key, Document]):
    """The formats of one kind of document."""

    def key(self, document: Document) -> Key: ...

    def empty(self, key: Key) -> Document: ...

    def as_json(self, document: Document) -> dict[str, Any]:
        """Return the JSON form of a document, without its key, revision and time."""

    def of_json(
        self, key: Key, revision: int, updated_at: str, stored: Mapping[str, Any]
    ) -> Document: ...

    def render(self, document: Document) -> str: ...

    def parse(self, data: bytes, key: Key, revision: Callable[[], int]) -> Document:
        """Return the document in a file; `revision` is called if the file has no number.

        Raises InvalidInput.
        """

    def edited(
        self, data: bytes, current: Document, kept: Callable[[int], Document | None], day: str
    ) -> Document | None:
        """Return `current` with the edits made by hand in its file on `day` (`YYYY-MM-DD`).

        `kept` returns a revision by its number, since the file may have been written from an
        earlier one. Returns None if the file cannot be read.
        """

    def revised(
        self, document: Document, revision: int, now: str, cause: str | None = None
    ) -> Document:
        """Return `document` with a new revision number, in the form that is stored.

        `cause` replaces its causes.
        """

    def causes(self, document: Document) -> tuple[str, ...]:
        """Return the causes of a revision for the ledger: its job, or the summaries it includes."""

    def lines(self, document: Document) -> list[str]:
        """Return the lines of a document that may be removed one by one."""

    def without(self, document: Document, unwanted: Callable[[str], bool]) -> Document: ...

    def same(self, one: Document, other: Document) -> bool:
        """Return True if two revisions have the same content."""
