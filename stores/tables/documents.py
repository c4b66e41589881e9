"""Profiles and articles with revisions, as rows of the table `documents`.

A row holds one revision as JSON. The row with the highest revision is the current one. A write
compares and swaps the revision, records its causes (jobs, summaries) in the ledger, so that a
repeated write changes nothing, and deletes the revisions beyond the limit, all in one transaction.
A write holds shared locks of its entities, which an erasure takes exclusively. It therefore ends
before the erasure begins, or finds the tombstone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic

from ...schema.entity import Entity
from ...schema.errors import InvalidInput, RevisionConflict, StorageError
from ...schema.summary import Forgotten, Restored
from ..files.forms import Document, Format
from ..files.naming import Key, Naming, is_noted_of
from .engine import Database, OfOpened, Transaction
from .ledger import applied, note_applied

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
                    f"revision: {self.naming.what} {key} has no earlier revision {revision}; the "
                    f"stored revisions are {known}"
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
