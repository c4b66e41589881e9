"""Profiles and articles of a data directory: rows of `queue.sqlite`, and a Markdown file beside each, which people may edit.

    profiles/{users,groups}/{id}[@{layer}].md      chapters/{id}[@{scope}].md

The rows are the truth. A file is written after the commit of its revision, and the row notes its size and time. Where a file is
another one than its row notes, it is compared with the row: what a hand has changed in it becomes a revision of its own (cause
`edit`), and the file is written anew: after a crash, or where two processes have written at once. A file that was deleted by
hand takes out what the document says; its history stays. Where the folder is gone as well, the files are written anew.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...schema.entity import Entity
from ...schema.errors import RevisionConflict, StorageError
from ...schema.profile import Profile, ProfileKey
from ...schema.scope import EntityType
from ...schema.summary import ArticleKey, Forgotten, Restored, StoredArticle
from ..files.durable import bytes_of, explaining, names_in, remove_durably, write_atomically
from ..files.forms import Document
from ..files.front_matter import split_front_matter
from ..files.naming import Key, Naming
from ..tables.documents import OF_KEY, ArticleTable, DocumentTable, ProfileTable
from ..tables.engine import Database

log = logging.getLogger(__name__)

SUFFIX = ".md"
_DUE = "due"
_TRIES = 5


class MirroredDocuments(DocumentTable[Key, Document]):
    """Documents with a file each in `folder`."""

    def __init__(self, database: Callable[[], Database], folder: Path, *, revision_keep: int = 5) -> None:
        super().__init__(database, revision_keep=revision_keep)
        self._folder = folder

    def read(self, key: Key) -> Document | None:
        found = self._noted(key)
        if (found[3] if found else "") == signature_of(self._path(key)):
            return self._decoded(key, *found[:3]) if found else None
        self._compare(key)
        return super().read(key)

    def keys(self) -> list[Key]:
        """Return the keys of all documents, after a look at all files."""
        current = "SELECT max(revision) FROM documents WHERE kind = d.kind AND entity_type = d.entity_type"
        rows = self._database.rows(
            "SELECT entity_type, entity_id, place, mirrored FROM documents d"
            f" WHERE kind = %s AND revision = ({current} AND entity_id = d.entity_id AND place = d.place)",
            (self.kind,),
        )
        noted = {self.naming.place(key := self.naming.of_row(*row)): (key, mirrored) for *row, mirrored in rows}
        files = dict(self._files())
        for place, (key, mirrored) in noted.items():
            if files.get(place, "") != mirrored:
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

    def restore(self, revisions: Sequence[Document], causes: Iterable[str] = (), *, durable: bool = True) -> Restored:
        key = self.form.key(revisions[-1])
        self.read(key)
        result = super().restore(revisions, causes, durable=durable)
        self._compare(key)
        return result

    def without_lines(self, key: Key, unwanted: Callable[[str], bool], *, now: str) -> int:
        """See `Revisions.without_lines`. A file that cannot be read may hold such a line: it is written anew."""
        self.read(key)
        gone = super().without_lines(key, unwanted, now=now)
        self._database.run(f"UPDATE documents SET mirrored = '{_DUE}' WHERE {OF_KEY}", self._where(key))
        while not self._is_compared(key):
            pass
        return gone

    def erase(self, entity: Entity) -> int:
        """See `Revisions.erase`. Files go first: one that is left without its row would be read as a new document."""
        for place, _ in self._files():
            if self.naming.is_of(place, entity):
                remove_durably(self._folder / f"{place}{SUFFIX}")
        return super().erase(entity)

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
        if cause is None:
            self.read(key)
        written = super()._put(
            key, document, causes, expected_revision=expected_revision, now=now, forgotten=forgotten, cause=cause
        )
        if cause is None:
            self._compare(key)
        return written

    def _compare(self, key: Key) -> None:
        """Bring row and file together. A file that cannot be read or written now is compared again at the next look."""
        try:
            for _ in range(_TRIES):
                if self._is_compared(key):
                    return
        except StorageError as error:
            log.warning("%s is not compared with what is stored: %s", self._path(key), error)

    def _is_compared(self, key: Key) -> bool:
        """Compare once. Return False if somebody has changed one of both meanwhile, or an edit was stored."""
        path, found = self._path(key), self._noted(key)
        signature = signature_of(path)
        if (found[3] if found else "") == signature:
            return True
        data = bytes_of(path) if signature else None
        if signature != signature_of(path):
            return False
        current = self._decoded(key, *found[:3]) if found else None
        if current is None:
            return self._brought(key, data or b"")
        wanted = b"" if self._is_blank(current) else self.form.render(current).encode()
        if data != (wanted or None):
            if data is not None:
                edited = self._edited(key, data, current)
            else:
                edited = self._deleted(key, current, found[3])
            if edited is None and found[3] != _DUE:  # it stays as it is until it is corrected, or another revision comes
                return self._note(key, current, signature)
            if edited is not None and not self.form.same(edited, current):
                with suppress(RevisionConflict):
                    self._put(key, edited, (), expected_revision=current.revision, now=self._changed_at(path), cause="edit")
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
        """Return when a file was changed, or that it was deleted, ISO 8601 in UTC."""
        with explaining("read", path):
            status = (path if path.exists() else path.parent).stat()
        return datetime.fromtimestamp(status.st_mtime, UTC).isoformat(timespec="seconds")

    def _deleted(self, key: Key, current: Document, noted: str) -> Document:
        """Return what is left of a document whose file is gone: nothing if a hand has deleted it."""
        by_hand = noted not in ("", _DUE) and self._path(key).parent.is_dir()
        return self.form.empty(key) if by_hand else current

    def _brought(self, key: Key, data: bytes) -> bool:
        """Store a file that somebody has put here as a new document. Return True: what cannot be read stays as it is."""
        try:
            document = self.form.parse(data, key, lambda: 1)
        except ValueError as error:
            log.warning("%s is not read: %s", self._path(key), error)
            return True
        if self._is_blank(document):
            return True
        super().restore([document])
        return False

    def _note(self, key: Key, current: Document, signature: str) -> bool:
        with self._database.writing(durable=False) as transaction:
            statement = f"UPDATE documents SET mirrored = %s WHERE {OF_KEY} AND revision = %s"
            transaction.run(statement, (signature, *self._where(key), current.revision))
        return True

    def _noted(self, key: Key) -> Any:
        """Return revision, time, content and the noted file of the current row; None if there is none."""
        query = f"SELECT revision, updated_at, content, mirrored FROM documents WHERE {OF_KEY} ORDER BY revision DESC LIMIT 1"
        return self._database.row(query, self._where(key))

    def _is_blank(self, document: Document) -> bool:
        return self.form.same(document, self.form.empty(self.form.key(document)))

    def _files(self) -> list[tuple[str, str]]:
        return files_below(self._folder, self.naming.folders, SUFFIX)

    def _path(self, key: Key) -> Path:
        return self._folder / f"{self.naming.place(key)}{SUFFIX}"


class MirroredProfiles(MirroredDocuments[ProfileKey, Profile], ProfileTable):
    """The `ProfileStorage` of a data directory."""

    def layers(self, entity_type: EntityType, entity_id: str) -> list[str]:
        self.keys()
        return super().layers(entity_type, entity_id)


class MirroredArticles(MirroredDocuments[ArticleKey, StoredArticle], ArticleTable):
    """The `ArticleStorage` of a data directory."""


def signature_of(path: Path) -> str:
    """Return the size and the time of a file, which every change of it changes; "" if it does not exist."""
    with explaining("read", path), suppress(FileNotFoundError, NotADirectoryError):
        status = os.stat(path)  # noqa: PTH116 - before every reply
        return f"{status.st_size}:{status.st_mtime_ns}"
    return ""


def files_below(folder: Path, within: Iterable[str], suffix: str) -> list[tuple[str, str]]:
    """Return the places (paths without suffix) of the documents in a folder, each with the signature of its file."""
    names = (inside + name for inside in within for name in names_in(folder / inside))
    found = (name for name in names if name.endswith(suffix) and name.rpartition("/")[2][0] != ".")
    return [(name.removesuffix(suffix), signature_of(folder / name)) for name in found]


def key_of_file(naming: Naming[Key], path: Path, place: str, fields: Callable[[bytes], Mapping[str, object]]) -> Key | None:
    """Return the key of a file, by its name, or by its content where that was shortened; None for a file of others."""
    key = naming.by_name(place)
    if key is None or naming.place(key) != place:
        key = naming.by_content(place, fields(bytes_of(path) or b""))
    return key if key is not None and naming.place(key) == place else None


def front_matter_of(data: bytes) -> Mapping[str, object]:
    return split_front_matter(data.decode("utf-8", errors="replace"))[0]
