"""Profiles and articles of a data directory: rows of `queue.sqlite`, each with a Markdown file.

    profiles/{users,groups}/{id}[@{layer}].md      chapters/{id}[@{scope}].md

People may edit the files, but the rows are authoritative. A file is written, with its digest, after
the commit of its revision; the row then stores size and modification time of the file. If a file no
longer has these, it is compared with the row: changes made by hand become a new revision (cause
`edit`), and the file is written again. It is also written again after a crash, or after two
processes wrote it at once.

A file that cannot be parsed is left unchanged until it is corrected or another revision is written.
If a file is deleted by hand, its document becomes empty; the earlier revisions remain. If the
folder is missing as well, its files are written again.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...schema.entity import Entity
from ...schema.errors import RevisionConflict, StorageError
from ...schema.profile import Profile, ProfileKey
from ...schema.scope import EntityType
from ...schema.summary import Article, ArticleKey, Restored
from ..files.durable import bytes_of, explaining, remove_durably, write_atomically
from ..files.forms import Document
from ..files.mirrors import (
    SUFFIX,
    front_matter_of,
    is_as_written,
    key_of_file,
    places_below,
    signature_of,
    with_digest,
)
from ..files.naming import Key
from ..tables.articles import ArticleStorage
from ..tables.documents import OF_KEY, DocumentTable
from ..tables.engine import Database
from ..tables.profiles import ProfileStorage

log = logging.getLogger(__name__)

_DUE, _UNREAD = "due", "?"
_TRIES = 5
COPIED = ("documents", "ledger", "summaries")
"""The tables that a backup contains besides those of the jobs."""


class MirroredDocuments(DocumentTable[Key, Document]):
    """Documents with one file each in `folder`."""

    def __init__(
        self, database: Callable[[], Database], folder: Path, *, revision_keep: int = 5
    ) -> None:
        super().__init__(database, revision_keep=revision_keep)
        self._folder = folder
        self._edits: dict[Key, None] = {}

    def read(self, key: Key) -> Document | None:
        found = self._noted(key)
        with suppress(StorageError):  # the row is used; `_compare` logs the error of the file
            if _file_of(found) == signature_of(self._path(key)):
                return self._decoded(key, *found[:3]) if found else None
        self._compare(key)
        return super().read(key)

    def edited(self) -> list[Key]:
        self.keys()
        found, self._edits = list(self._edits), {}
        return found

    def keys(self) -> list[Key]:
        """Return the keys of all documents, after all changed files were compared."""
        current = "SELECT max(revision) FROM documents WHERE kind = d.kind AND entity_type = d.entity_type"
        rows = self._database.rows(
            "SELECT entity_type, entity_id, place, mirrored FROM documents d"
            f" WHERE kind = %s AND revision = ({current} AND entity_id = d.entity_id AND place = d.place)",
            (self.kind,),
        )
        noted = {
            self.naming.place(key := self.naming.of_row(*row)): (key, mirrored)
            for *row, mirrored in rows
        }
        files = dict(self._files())
        for place, (key, mirrored) in noted.items():
            if files.get(place, "") != mirrored.removesuffix(_UNREAD):
                self._compare(key)
        for place in files.keys() - noted.keys():
            path = self._folder / f"{place}{SUFFIX}"
            if (new := key_of_file(self.naming, path, place, front_matter_of)) is not None:
                self._compare(new)
        return super().keys()

    def kept(self, key: Key) -> list[Document]:
        self.read(key)
        return super().kept(key)

    def rollback(self, key: Key, revision: int, *, now: str, job_id: str = "") -> Document:
        self.read(key)
        document = super().rollback(key, revision, now=now, job_id=job_id)
        self._compare(key)
        return document

    def restore(self, revisions: Sequence[Document], *, durable: bool = True) -> Restored:
        key = self.form.key(revisions[-1])
        self.read(key)
        result = super().restore(revisions, durable=durable)
        self._compare(key)
        return result

    def without_lines(self, key: Key, unwanted: Callable[[str], bool], *, now: str) -> int:
        """See `DocumentTable.without_lines`.

        A file that cannot be read may contain such a line, so it is written again.
        """
        self.read(key)
        gone = super().without_lines(key, unwanted, now=now)
        self._write_anew(key)
        return gone

    def erase(self, entity: Entity) -> int:
        """See `DocumentTable.erase`.

        Files are deleted first: a file without its row would be read as a new document. Files that
        cannot be read may contain data of the entity, so they are written again.
        """
        for place, _ in self._files():
            if self.naming.is_of(place, entity):
                remove_durably(self._folder / f"{place}{SUFFIX}")
        gone = super().erase(entity)
        unread = "SELECT entity_type, entity_id, place FROM documents WHERE kind = %s AND mirrored LIKE %s"
        for row in self._database.rows(unread, (self.kind, f"%{_UNREAD}")):
            self._write_anew(self.naming.of_row(*row))
        return gone

    def _put(
        self,
        key: Key,
        document: Document,
        causes: Sequence[str],
        *,
        cause: str | None = None,
        **how: Any,
    ) -> Document | None:
        """See `DocumentTable._put`.

        With a `cause` (an edit by hand) the call comes from a comparison, so files are not compared
        again.
        """
        if cause is None:
            self.read(key)
        written = super()._put(key, document, causes, cause=cause, **how)
        if cause is None:
            self._compare(key)
        return written

    def _write_anew(self, key: Key) -> None:
        """Write the file of a document, even over one that cannot be read. Raises StorageError."""
        self._database.run(
            f"UPDATE documents SET mirrored = '{_DUE}' WHERE {OF_KEY}", self._where(key)
        )
        while not self._is_compared(key):
            pass

    def _compare(self, key: Key) -> None:
        """Synchronize row and file.

        If the file cannot be read or written now, it is compared again at the next access.
        """
        try:
            for _ in range(_TRIES):
                if self._is_compared(key):
                    return
        except StorageError as error:
            log.warning(
                "%s cannot be compared with the stored document: %s", self._path(key), error
            )

    def _is_compared(self, key: Key) -> bool:
        """Compare row and file once.

        Return False if one of them was changed meanwhile, or an edit was stored: then the
        comparison must be repeated.
        """
        path, found = self._path(key), self._noted(key)
        signature = signature_of(path)
        if _file_of(found) == signature:
            return True
        data = bytes_of(path) if signature else None
        if signature != signature_of(path):
            return False
        current = self._decoded(key, *found[:3]) if found else None
        if current is None:
            return self._brought(key, data or b"")
        wanted = b"" if self._is_blank(current) else with_digest(self.form.render(current))
        if data != (wanted or None):
            if data is None:
                edited: Document | None = self._deleted(key, current, found[3])
            else:  # an unedited file, of any revision, contains no changes
                edited = current if is_as_written(data) else self._edited(key, data, current)
            # A file that cannot be read is left unchanged until it is corrected, or another
            # revision comes.
            if edited is None and found[3] != _DUE:
                return self._note(key, current, signature + _UNREAD)
            if edited is not None and not self.form.same(edited, current):
                with suppress(RevisionConflict):
                    self._put(
                        key,
                        edited,
                        (),
                        expected_revision=current.revision,
                        now=self._changed_at(path),
                        cause="edit",
                    )
                    self._edits[key] = None
                return False
            if signature != signature_of(path):
                return False
            if wanted:
                write_atomically(path, wanted)
            else:
                remove_durably(path)
        return self._note(key, current, signature_of(path))

    def _edited(self, key: Key, data: bytes, current: Document) -> Document | None:
        kept = {one.revision: one for one in self._revisions(self._database, key)}
        return self.form.edited(data, current, kept.get, self._changed_at(self._path(key))[:10])

    def _changed_at(self, path: Path) -> str:
        """Return when a file was changed, as ISO 8601 in UTC.

        For a missing file this is the time at which its folder was changed.
        """
        with explaining("read", path):
            status = (path if path.exists() else path.parent).stat()
        return datetime.fromtimestamp(status.st_mtime, UTC).isoformat(timespec="seconds")

    def _deleted(self, key: Key, current: Document, noted: str) -> Document:
        """Return the new content of a document whose file is missing.

        The document becomes empty if the file was deleted by hand; otherwise it is `current`.
        """
        by_hand = noted not in ("", _DUE) and self._path(key).parent.is_dir()
        return self.form.empty(key) if by_hand else current

    def _brought(self, key: Key, data: bytes) -> bool:
        """Store a file that was added by hand as a new document, and return False.

        Return True without storing it if it cannot be read or is empty; it is then left unchanged.
        """
        try:
            document = self.form.parse(data, key, lambda: 1)
        except ValueError as error:
            log.warning("%s cannot be read: %s", self._path(key), error)
            return True
        if self._is_blank(document):
            return True
        super().restore([document])
        self._edits[key] = None
        return False

    def _note(self, key: Key, current: Document, signature: str) -> bool:
        with self._database.writing(durable=False) as transaction:
            statement = f"UPDATE documents SET mirrored = %s WHERE {OF_KEY} AND revision = %s"
            transaction.run(statement, (signature, *self._where(key), current.revision))
        return True

    def _noted(self, key: Key) -> Any:
        """Return revision, time, content and signature in the current row; None if there is none."""
        query = f"SELECT revision, updated_at, content, mirrored FROM documents WHERE {OF_KEY} ORDER BY revision DESC LIMIT 1"
        return self._database.row(query, self._where(key))

    def _is_blank(self, document: Document) -> bool:
        return self.form.same(document, self.form.empty(self.form.key(document)))

    def _files(self) -> list[tuple[str, str]]:
        places = places_below(self._folder, self.naming.folders, SUFFIX)
        return [(place, signature_of(path)) for place, path in places]

    def _path(self, key: Key) -> Path:
        return self._folder / f"{self.naming.place(key)}{SUFFIX}"


class MirroredProfiles(MirroredDocuments[ProfileKey, Profile], ProfileStorage):
    """The `ProfileStorage` of a data directory."""

    def layers(self, entity_type: EntityType, entity_id: str) -> list[str]:
        """See `ProfileStorage.layers`. Compares the files of this entity first."""
        entity = Entity(entity_type, entity_id)
        for place, path in places_below(self._folder, (f"{entity_type}s/",), SUFFIX):
            if (
                self.naming.is_of(place, entity)
                and (key := key_of_file(self.naming, path, place, front_matter_of)) is not None
            ):
                self.read(key)
        return super().layers(entity_type, entity_id)


class MirroredArticles(MirroredDocuments[ArticleKey, Article], ArticleStorage):
    """The `ArticleStorage` of a data directory."""


def copy_documents(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Replace the documents of one `queue.sqlite` by those of another, in transactions of the
    caller.

    Their files are compared again. A table that the file of a former version lacks is only emptied.
    """
    for table in COPIED:
        target.execute(f"DELETE FROM {table}")
        if columns := [row[1] for row in source.execute(f"PRAGMA table_info({table})")]:
            rows = source.execute(f"SELECT {', '.join(columns)} FROM {table}")
            places = ", ".join("?" * len(columns))
            target.executemany(
                f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", rows
            )
    target.execute("UPDATE documents SET mirrored = ?", (_DUE,))


def _file_of(noted: Any) -> str:
    """Return the signature of the file that a row stores; "" if there is no row."""
    return noted[3].removesuffix(_UNREAD) if noted else ""
