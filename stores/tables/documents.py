"""Profiles and articles with revisions, as rows of the table `documents`.

A row holds one revision as JSON. The row with the highest revision is the current one. A write
compares and swaps the revision, records its causes (jobs, summaries) in the ledger, so that a
repeated write changes nothing, and deletes the revisions beyond the limit, all in one transaction.
A write holds shared locks of its entities, which an erasure takes exclusively. It therefore ends
before the erasure begins, or finds the tombstone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic

from ...schema.entity import Entity
from ...schema.errors import InvalidInput, RevisionConflict, StorageError
from ...schema.profile import Profile, ProfileKey
from ...schema.scope import EntityType
from ...schema.summary import Article, ArticleKey, Forgotten, Restored
from ..files.articles import ARTICLE_FORMAT
from ..files.durable import names_in, write_atomically
from ..files.forms import Document, Format
from ..files.naming import ARTICLES, PROFILES, Key, Naming, is_noted_of
from ..files.profiles import PROFILE_FORMAT
from .engine import Database, OfOpened, Transaction
from .ledger import applied, note_applied
from .state_buffer import StateBuffer
from .summaries import SummaryStorage

ALL = 1_000_000
OF_KEY = "kind = %s AND entity_type = %s AND entity_id = %s AND place = %s"
_OF_ENTITY = (
    "kind = %s AND ((entity_type = %s AND entity_id = %s) OR (entity_type = 'user' AND place = %s))"
)
_NO_PLACE = "\x01"
"""A place that no document has."""


class DocumentTable(OfOpened, Generic[Key, Document]):
    """Documents of one kind. The last `revision_keep` earlier revisions are stored (0: none).

    `database` is called at each use, so that a lost file is opened again.
    """

    kind: str
    naming: Naming[Key]
    form: Format[Key, Document]

    def __init__(self, database: Callable[[], Database], *, revision_keep: int = 5) -> None:
        super().__init__(database)
        self._keep = revision_keep

    def read(self, key: Key) -> Document | None:
        return self._current(self._database, key)

    def keys(self) -> list[Key]:
        found = self._database.rows(
            "SELECT DISTINCT entity_type, entity_id, place FROM documents WHERE kind = %s ORDER BY 1, 2, 3",
            (self.kind,),
        )
        return [self.naming.of_row(*row) for row in found]

    def edited(self) -> list[Key]:
        """Read the edits that were made by hand in files.

        Return the keys of the documents whose edits this process has read.
        """
        return []  # there are no files

    def kept(self, key: Key) -> list[Document]:
        """Return the current document and its stored earlier revisions."""
        return self._revisions(self._database, key)

    def history(self, key: Key) -> list[Document]:
        """Return the stored earlier revisions, newest first."""
        return self.kept(key)[1:]

    def lines(self, key: Key) -> list[str]:
        """Return the distinct lines of all stored revisions."""
        return list(dict.fromkeys(line for one in self.kept(key) for line in self.form.lines(one)))

    def rollback(self, key: Key, revision: int, *, now: str, job_id: str = "") -> Document:
        """Write the content of an earlier revision as a new revision. Idempotent by `job_id`.

        Raises InvalidInput, which names the stored revisions, if `revision` is not among them.
        """
        with self._writing(key) as transaction:
            current = self._current(transaction, key)
            cause = f"rollback:{revision}:{job_id}" if job_id else f"rollback:{revision}"
            causes = (
                self.form.causes(self.form.revised(self.form.empty(key), 0, now, cause))
                if job_id
                else ()
            )
            if causes and self._applied(transaction, key, causes):
                return current or self.form.empty(key)
            kept = {one.revision: one for one in self._revisions(transaction, key)[1:]}
            if revision not in kept:
                known = ", ".join(map(str, kept)) or "none"
                raise InvalidInput(
                    f"revision: {self.naming.what} {key} has no earlier revision {revision}; kept are {known}"
                )
            return self._swap(transaction, key, kept[revision], current, causes, now, cause)

    def restore(self, revisions: Sequence[Document], *, durable: bool = True) -> Restored:
        """Store a document with its history, unless the document exists.

        `revisions` begin with the oldest one; their numbers are not changed.
        """
        key = self.form.key(revisions[-1])
        with self._writing(key, durable=durable) as transaction:
            current = self._current(transaction, key)
            if current is not None:
                return "same" if self.form.same(current, revisions[-1]) else "different"
            for one in revisions[-1 - self._keep :]:
                self._insert(transaction, key, one)
            told = (cause for one in revisions for cause in self.form.causes(one))
            note_applied(transaction, self.naming.ledger_key(key), told)
        return "restored"

    def without_lines(self, key: Key, unwanted: Callable[[str], bool], *, now: str) -> int:
        """Permanently remove lines. Return the number of lines removed from the current revision.

        Writes a new revision without them, and deletes all earlier ones that contain any.
        """
        with self._writing(key) as transaction:
            kept = self._revisions(transaction, key)
            gone = sum(map(unwanted, self.form.lines(kept[0]))) if kept else 0
            if gone:
                self._swap(
                    transaction,
                    key,
                    self.form.without(kept[0], unwanted),
                    kept[0],
                    (),
                    now,
                    "forget",
                )
            spoilt = [one.revision for one in kept if any(map(unwanted, self.form.lines(one)))]
            self._drop(transaction, key, spoilt)
        self._database.truncate_log()
        return gone

    def erase(self, entity: Entity) -> int:
        """Remove all documents of an entity with their history and their causes.

        Return their number.

        For profiles every revision is counted, for articles each article once.
        """
        where = (
            self.kind,
            entity.type,
            entity.id,
            entity.scope.key if entity.type == "group" else _NO_PLACE,
        )
        with self._database.writing() as transaction:
            transaction.lock_entities([entity.key], exclusive=True)
            gone = transaction.rows(
                f"DELETE FROM documents WHERE {_OF_ENTITY} RETURNING entity_type, entity_id, place",
                where,
            )
            noted = transaction.rows(
                "SELECT DISTINCT entity_key FROM ledger WHERE entity_key NOT IN ('job', 'buffered')"
            )
            mine = [
                key for (key,) in noted if key.startswith("article:") == (self.kind == "article")
            ]
            unwanted = [key for key in mine if is_noted_of(key, entity)]
            transaction.run("DELETE FROM ledger WHERE entity_key = ANY(%s)", (unwanted,))
        self._database.truncate_log()
        return len(set(map(tuple, gone))) if self.kind == "article" else len(gone)

    def _put(
        self,
        key: Key,
        document: Document,
        causes: Sequence[str],
        *,
        expected_revision: int,
        now: str,
        forgotten: Forgotten = lambda: False,
        cause: str | None = None,
    ) -> Document | None:
        """Write a revision, unless all of `causes` are recorded: then return the stored document.

        Return None if `forgotten()` returns True.
        """
        with self._writing(key) as transaction:
            if forgotten():
                return None
            current = self._current(transaction, key)
            if causes and self._applied(transaction, key, causes) == set(causes):
                # It may have been deleted; a repeated job does not restore it.
                return current or self.form.empty(key)
            found = current.revision if current else 0
            if found != expected_revision:
                raise RevisionConflict(
                    f"{self.naming.what} {key}: revision {found} is stored, expected {expected_revision}; read it again and retry"
                )
            return self._swap(transaction, key, document, current, causes, now, cause)

    def _applied(self, asked: Transaction | Database, key: Key, causes: Sequence[str]) -> set[str]:
        return applied(asked, self.naming.ledger_key(key), causes)

    @contextmanager
    def _writing(self, key: Key, *, durable: bool = True) -> Iterator[Transaction]:
        """Begin a transaction that excludes other writers of this document and erasures of its
        entities.
        """
        entity_type, entity_id, place = self.naming.row(key)
        group = [f"group:{place.removeprefix('g:')}"] if place.startswith("g:") else []
        with self._database.writing(durable=durable) as transaction:
            transaction.lock_entities([f"{entity_type}:{entity_id}", *group])
            transaction.lock_name(f"{self.kind} {self.naming.ledger_key(key)}")
            yield transaction

    def _swap(
        self,
        transaction: Transaction,
        key: Key,
        document: Document,
        current: Document | None,
        causes: Sequence[str],
        now: str,
        cause: str | None = None,
    ) -> Document:
        """Write a document as the next revision, record its causes, and delete revisions beyond the
        limit.
        """
        written = self.form.revised(document, (current.revision if current else 0) + 1, now, cause)
        self._insert(transaction, key, written)
        note_applied(transaction, self.naming.ledger_key(key), causes)
        found = transaction.rows(
            f"SELECT revision FROM documents WHERE {OF_KEY} ORDER BY revision DESC",
            self._where(key),
        )
        self._drop(transaction, key, [revision for (revision,) in found[1 + self._keep :]])
        return written

    def _insert(self, transaction: Transaction, key: Key, document: Document) -> None:
        content = json.dumps(self.form.as_json(document), ensure_ascii=False)
        transaction.run(
            "INSERT INTO documents (kind, entity_type, entity_id, place, revision, updated_at, content)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s)",
            (*self._where(key), document.revision, document.updated_at, content),
        )

    def _drop(self, transaction: Transaction, key: Key, revisions: Sequence[int]) -> None:
        if revisions:
            where = (*self._where(key), list(revisions))
            transaction.run(f"DELETE FROM documents WHERE {OF_KEY} AND revision = ANY(%s)", where)

    def _current(self, asked: Transaction | Database, key: Key) -> Document | None:
        return next(iter(self._revisions(asked, key, limit=1)), None)

    def _revisions(
        self, asked: Transaction | Database, key: Key, limit: int = ALL
    ) -> list[Document]:
        """Return the stored revisions, newest first."""
        query = f"SELECT revision, updated_at, content FROM documents WHERE {OF_KEY} ORDER BY revision DESC LIMIT {limit}"
        return [self._decoded(key, *row) for row in asked.rows(query, self._where(key))]

    def _decoded(self, key: Key, revision: int, updated_at: str, content: str) -> Document:
        try:
            if content.startswith("---"):  # the form of a former version
                return self.form.parse(content.encode(), key, lambda: revision)
            return self.form.of_json(key, revision, updated_at, json.loads(content))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise StorageError(
                f"{self.naming.what} {key}: revision {revision} is damaged ({error}); restore a backup"
            ) from error

    def _where(self, key: Key) -> tuple[str, ...]:
        return self.kind, *self.naming.row(key)


class ProfileStorage(DocumentTable[ProfileKey, Profile]):
    """The `ProfileStorage` in one database."""

    kind = "profile"
    naming, form = PROFILES, PROFILE_FORMAT

    def write(
        self,
        profile: Profile,
        *,
        expected_revision: int,
        job_id: str = "",
        also: Collection[str] = (),
        now: str,
    ) -> Profile:
        """Write `profile` as revision `expected_revision + 1` and return it.

        Raises RevisionConflict if another revision is stored. `also` are further causes of this
        revision. If `job_id` and all of `also` were applied to this key before, nothing is written
        and the stored profile is returned.

        Sets `source_event_id` to name the job, if one is given. Raises StorageError.
        """
        if job_id and job_id not in profile.source_event_id.split(":"):
            profile = replace(profile, source_event_id=f"{job_id}:0")
        causes = [job_id, *also] if job_id else list(also)
        written = self._put(
            profile.key, profile, causes, expected_revision=expected_revision, now=now
        )
        assert written is not None  # None is returned only if `forgotten` is given
        return written

    def revise(
        self, key: ProfileKey, change: Callable[[Profile], Profile], *, now: str, cause: str
    ) -> Profile | None:
        """Write the result of `change` for the current revision as the next one.

        Earlier revisions that `change` would alter are deleted, so that `rollback` cannot restore
        what it removes. `cause` becomes the `source_event_id`. Returns the new revision, None if
        nothing changes. `change` is called under the lock of the profile, for each stored revision.
        """
        with self._writing(key) as transaction:
            kept, written = self._revisions(transaction, key), None
            if kept and not self.form.same(changed := change(kept[0]), kept[0]):
                written = self._swap(transaction, key, changed, kept[0], (), now, cause)
            self._drop(
                transaction,
                key,
                [one.revision for one in kept if not self.form.same(change(one), one)],
            )
        self._database.truncate_log()
        return written

    def is_applied(self, key: ProfileKey, job_id: str) -> bool:
        return bool(self._applied(self._database, key, [job_id]))

    def layers(self, entity_type: EntityType, entity_id: str) -> list[str]:
        found = self._database.rows(
            "SELECT DISTINCT place FROM documents WHERE kind = %s AND entity_type = %s AND entity_id = %s ORDER BY place",
            (self.kind, entity_type, entity_id),
        )
        return [layer for (layer,) in found]


class ArticleStorage(DocumentTable[ArticleKey, Article]):
    """The `ArticleStorage` in one database."""

    kind = "article"
    naming, form = ARTICLES, ARTICLE_FORMAT

    def write(
        self, article: Article, *, expected_revision: int, now: str, forgotten: Forgotten
    ) -> Article | None:
        """Write `article` as revision `expected_revision + 1` and return it; None if the person is
        forgotten.

        Raises RevisionConflict if another revision is stored. If all its `sources` were applied
        before, nothing is written and the stored article is returned.

        Raises StorageError.
        """
        return self._put(
            article.key,
            article,
            article.sources,
            expected_revision=expected_revision,
            now=now,
            forgotten=forgotten,
        )


@dataclass(frozen=True, slots=True)
class ArticleStores:
    """The stores of buffered states, summaries and articles."""

    buffer: StateBuffer
    summaries: SummaryStorage
    articles: ArticleStorage

    def erase(self, entity: Entity) -> int:
        """Remove all data of a user or a group. Return the number of items.

        The tombstone of the entity must be added before.
        """
        return sum(store.erase(entity) for store in (self.buffer, self.summaries, self.articles))


def write_view(profiles: ProfileStorage, folder: Path) -> int:
    """Write the current revision of every profile into an empty folder, as in a data directory.

    Works with any store. Return the number of profiles. Raises InvalidInput if the folder is not
    empty, and StorageError.
    """
    if names_in(folder):
        raise InvalidInput(f"{folder} is not empty; give a new folder")
    found = [one for key in profiles.keys() if (one := profiles.read(key)) is not None]  # noqa: SIM118 - a store, no dictionary
    for one in found:
        write_atomically(
            folder / f"{PROFILES.place(one.key)}.md", PROFILE_FORMAT.render(one).encode()
        )
    return len(found)
