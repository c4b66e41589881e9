"""What is alike in the stores of documents with revisions, wherever they are kept.

Writes are compare-and-swap: a writer gives the revision it has read, and only one of two concurrent writers succeeds. The causes
of a revision (jobs, summaries) are recorded in the ledger, so that what is repeated changes nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar

from ...schema.article import Article
from ...schema.errors import InvalidInput, RevisionConflict
from ...schema.profile import Profile, ProfileKey
from ...schema.protocols import Ledger
from ...schema.summary import ArticleKey, Forgotten, Restored, StoredArticle
from .naming import Key, Naming


class Revision(Protocol):
    """The common attributes of documents."""

    @property
    def revision(self) -> int: ...

    @property
    def updated_at(self) -> str: ...


Document = TypeVar("Document", bound=Revision)


class Format(Protocol[Key, Document]):
    """The file format of one kind of document."""

    def key(self, document: Document) -> Key: ...

    def empty(self, key: Key) -> Document: ...

    def render(self, document: Document) -> str: ...

    def parse(self, data: bytes, key: Key, revision: Callable[[], int], instead: Document | None = None) -> Document:
        """Return the document in a file; `revision` is called if the file has no number.

        Raises InvalidInput for a damaged file, unless `instead` is given, whose content is used then.
        """

    def revised(self, document: Document, revision: int, now: str, cause: str | None = None) -> Document:
        """Return `document` with a new number, in the form that is stored; `cause` replaces its causes."""

    def causes(self, document: Document) -> tuple[str, ...]:
        """Return the causes recorded in the ledger for a revision: its job, or the summaries it includes."""

    def lines(self, data: bytes, key: Key) -> list[str]:
        """Return the non-blank lines of a file, also of a damaged one."""

    def without(self, document: Document, unwanted: Callable[[str], bool]) -> Document: ...

    def same(self, one: Document, other: Document) -> bool:
        """Return True if two revisions have the same content."""


class Revisioned(ABC, Generic[Key, Document]):
    """Documents of one format. The last `_keep` earlier revisions are kept (0: none)."""

    _naming: Naming[Key]
    _form: Format[Key, Document]
    _ledger: Ledger
    _keep: int

    @abstractmethod
    def read(self, key: Key) -> Document | None:
        """Return the current revision. Raises StorageError."""

    @abstractmethod
    def history(self, key: Key) -> list[Document]:
        """Return the kept earlier revisions, newest first."""

    @abstractmethod
    def kept(self, key: Key) -> list[Document]:
        """Return the current document and all readable earlier revisions."""

    @abstractmethod
    def _locked(self, key: Key) -> AbstractContextManager[Any]:
        """Keep others from writing this document, and from erasing an entity that it belongs to."""

    @abstractmethod
    def _insert(self, key: Key, document: Document, current: Document | None = None) -> None:
        """Store a document as the current revision, in the place of `current`, which is an earlier one from now on."""

    def _insert_earlier(self, key: Key, document: Document) -> None:
        """Store an earlier revision of a document that is being restored, before the current one."""
        self._insert(key, document)

    @abstractmethod
    def _earlier_places(self, key: Key) -> list[Any]:
        """Return where the earlier revisions are, newest first."""

    @abstractmethod
    def _told(self, key: Key) -> list[tuple[Any, list[str]]]:
        """Return the places and lines of the current revision, damaged or not, and of the earlier ones, newest first."""

    @abstractmethod
    def _drop(self, key: Key, places: Sequence[Any]) -> None:
        """Remove earlier revisions."""

    def lines(self, key: Key) -> list[str]:
        return list(dict.fromkeys(line for _, lines in self._told(key) for line in lines))

    def restore(self, revisions: Sequence[Document]) -> Restored:
        newest = revisions[-1]
        key = self._form.key(newest)
        with self._locked(key):
            current = self.read(key)
            if current is not None:
                return "same" if self._form.same(current, newest) else "different"
            for earlier in revisions[-1 - self._keep : -1]:
                self._insert_earlier(key, earlier)
            self._note(key, revisions)
            self._insert(key, newest)  # last, so that an interrupted restore is repeated
        return "restored"

    def without_lines(self, key: Key, unwanted: Callable[[str], bool], *, now: str) -> int:
        with self._locked(key):
            current = self.read(key)
            gone = sum(map(unwanted, [line for _, lines in self._told(key)[:1] for line in lines]))
            self._note(key, self.kept(key))  # what names them may be removed next
            if current is not None and gone:
                self._swap(key, self._form.without(current, unwanted), current, (), now, "forget")
            self._drop(key, [place for place, lines in self._told(key)[1:] if any(map(unwanted, lines))])
        return gone

    def _noted(self, key: Key, causes: Sequence[str], current: Document | None) -> set[str]:
        """Return those of `causes` that are recorded."""
        return self._ledger.among(self._naming.ledger_key(key), causes)

    def _note(self, key: Key, documents: Iterable[Document]) -> None:
        """Record the causes of revisions."""
        self._ledger.add(self._naming.ledger_key(key), *(one for document in documents for one in self._form.causes(document)))

    def _swap(
        self, key: Key, document: Document, current: Document | None, causes: Sequence[str], now: str, cause: str | None = None
    ) -> Document:
        """Write a document as the next revision, record its causes, and drop what is not kept any more. It is locked."""
        written = self._form.revised(document, (current.revision if current else 0) + 1, now, cause)
        self._insert(key, written, current)
        self._ledger.add(self._naming.ledger_key(key), *causes)
        self._drop(key, self._earlier_places(key)[self._keep :])
        return written

    def rollback(self, key: Key, revision: int, *, now: str, job_id: str = "") -> Document:
        with self._locked(key):
            current = self.read(key)
            cause = f"rollback:{revision}:{job_id}" if job_id else f"rollback:{revision}"
            causes = self._form.causes(self._form.revised(self._form.empty(key), 0, now, cause)) if job_id else ()
            if causes and self._noted(key, causes, current):
                return current or self._form.empty(key)
            kept = {one.revision: one for one in reversed(self.history(key))}
            if revision not in kept:
                known = ", ".join(map(str, sorted(kept, reverse=True))) or "none"
                raise InvalidInput(f"revision: {self._naming.what} {key} has no earlier revision {revision}; kept are {known}")
            return self._swap(key, kept[revision], current, causes, now, cause)

    def _put(
        self,
        key: Key,
        document: Document,
        causes: Sequence[str],
        *,
        expected_revision: int,
        now: str,
        forgotten: Forgotten = lambda: False,
    ) -> Document | None:
        """Write a revision unless all of `causes` are recorded. Return None if `forgotten()` returns True."""
        with self._locked(key):
            if forgotten():
                return None
            current = self.read(key)
            if causes and self._noted(key, causes, current) == set(causes):
                return current or self._form.empty(key)  # deleted since: a repeated job does not restore it
            found = current.revision if current else 0
            if found != expected_revision:
                raise RevisionConflict(
                    f"{self._naming.what} {key}: revision {found} is stored, expected {expected_revision}; "
                    "read it again and retry"
                )
            return self._swap(key, document, current, causes, now)


class RevisionedProfiles(Revisioned[ProfileKey, Profile]):
    """What is alike in the `ProfileStorage` of every store."""

    def write(self, profile: Profile, *, expected_revision: int, job_id: str = "", now: str) -> Profile:
        """See `ProfileStorage.write`. Sets `source_event_id` to name the job, if one is given. Raises StorageError."""
        if job_id and job_id not in profile.source_event_id.split(":"):
            profile = replace(profile, source_event_id=f"{job_id}:0")
        written = self._put(profile.key, profile, [job_id] if job_id else [], expected_revision=expected_revision, now=now)
        assert written is not None  # None is returned only if `forgotten` is given
        return written

    def revise(self, key: ProfileKey, change: Callable[[Profile], Profile], *, now: str, cause: str) -> Profile | None:
        """See `ProfileStorage.revise`."""
        with self._locked(key):
            current, same = self.read(key), self._form.same
            self._note(key, self.kept(key))
            written = None
            if current is not None and not same(changed := change(current), current):
                written = self._swap(key, changed, current, (), now, cause)
            earlier = zip(self._earlier_places(key), self.kept(key)[1:], strict=True)  # a profile can always be read
            self._drop(key, [place for place, one in earlier if not same(change(one), one)])
        return written

    def is_applied(self, key: ProfileKey, job_id: str) -> bool:
        return bool(self._noted(key, [job_id], self.read(key)))


class RevisionedArticles(Revisioned[ArticleKey, StoredArticle]):
    """What is alike in the `ArticleStorage` of every store."""

    def write(
        self,
        key: ArticleKey,
        article: Article,
        *,
        expected_revision: int,
        sources: Sequence[str],
        now: str,
        forgotten: Forgotten,
    ) -> StoredArticle | None:
        """See `ArticleStorage.write`. Raises StorageError."""
        stored = StoredArticle(key, article, sources=tuple(sources))
        return self._put(key, stored, sources, expected_revision=expected_revision, now=now, forgotten=forgotten)

    def taken_in(self, key: ArticleKey, sources: Sequence[str]) -> set[str]:
        return self._noted(key, sources, self.read(key))
