"""Documents with revisions as text files, which people may read and edit.

    {place}.md                               the current revision
    history/{place}/{revision}-{time}.md     earlier revisions, byte for byte

Writes are compare-and-swap: a writer gives the revision it has read, and only one of two concurrent writers succeeds. A write
copies the old file to the history, replaces it, then records its causes (jobs, summaries) in the ledger. A process killed in
between leaves complete files only. Each file names its causes, so that entries missing in the ledger are found in the files.

If a file was damaged by hand and cannot be parsed, the newest readable revision of its history is used instead. The damaged
file is moved to the history by the next write.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ...schema.errors import InvalidInput
from ...schema.protocols import Ledger
from ...schema.summary import Restored
from .compare_and_swap import Document, Revisioned
from .durable import bytes_of, names_in, remove_durably, remove_folder, write_atomically
from .front_matter import split_front_matter
from .keyed_files import KeyedFiles
from .naming import Key

log = logging.getLogger(__name__)

_SNAPSHOT = re.compile(r"(?P<revision>[0-9]{1,9})-.*\.md")


class _Snapshot(NamedTuple):
    """An earlier revision: the number in its file name, and its path."""

    revision: int
    path: Path


class RevisionedFiles(KeyedFiles[Key], Revisioned[Key, Document]):
    """Documents of one format. The last `revision_keep` earlier revisions are kept (0: none)."""

    def __init__(self, folder: Path, *, ledger: Ledger, revision_keep: int = 5) -> None:
        super().__init__(folder)
        self._ledger = ledger
        self._keep = revision_keep

    def read(self, key: Key) -> Document | None:
        """Return the current revision. Raises StorageError if the file exists and cannot be opened."""
        path = self._path(key)
        data = bytes_of(path)
        if data is None:
            return None
        try:
            return self._form.parse(data, key, lambda: self._next_number(key))
        except InvalidInput as error:
            log.warning("%s: %s The newest readable revision of its history is used instead", path, error)
        instead = next(self._earlier(key), self._form.empty(key))
        return self._form.parse(data, key, lambda: self._next_number(key), instead)

    def history(self, key: Key) -> list[Document]:
        current = self.read(key)
        # A process killed between copying the old file and writing the new one leaves the current revision there too.
        return [one for one in self._earlier(key) if current is None or one.revision < current.revision]

    def kept(self, key: Key) -> list[Document]:
        current = self.read(key)
        return [*([current] if current else []), *self._earlier(key)]

    def lines(self, key: Key) -> list[str]:
        paths = [self._path(key), *(snapshot.path for snapshot in self._snapshots(key))]
        return list(dict.fromkeys(line for path in paths for line in self._lines_at(path, key)))

    def restore(self, revisions: Sequence[Document]) -> Restored:
        newest = revisions[-1]
        key = self._form.key(newest)
        with self._locked(key):
            current = self.read(key)
            if current is not None:
                return "same" if self._form.same(current, newest) else "different"
            for earlier in revisions[:-1][-self._keep :] if self._keep else ():
                write_atomically(self._snapshot_path(key, earlier), self._form.render(earlier).encode())
            self._note(key, revisions)
            # Last, so that an interrupted restore is repeated.
            write_atomically(self._path(key), self._form.render(newest).encode())
        return "restored"

    def without_lines(self, key: Key, unwanted: Callable[[str], bool], *, now: str) -> int:
        with self._locked(key):
            current = self.read(key)
            gone = sum(map(unwanted, self._lines_at(self._path(key), key)))
            self._note(key, self.kept(key))  # the files that name them may be removed next
            if current is not None and gone:
                self._swap(key, self._form.without(current, unwanted), current, (), now, "forget")
            for snapshot in self._snapshots(key):
                if any(map(unwanted, self._lines_at(snapshot.path, key))):
                    remove_durably(snapshot.path)
        return gone

    def _swap(
        self, key: Key, document: Document, current: Document | None, causes: Sequence[str], now: str, cause: str | None = None
    ) -> Document:
        """Copy the current file to the history, write the new one, record its causes. The caller holds the lock."""
        written = self._form.revised(document, (current.revision if current else 0) + 1, now, cause)
        data = bytes_of(self._path(key))
        if current is not None and data is not None and self._keep > 0:
            write_atomically(self._snapshot_path(key, current), data)
        write_atomically(self._path(key), self._form.render(written).encode())
        for one in causes:
            self._ledger.add(self._naming.ledger_key(key), one)
        for snapshot in self._snapshots(key)[self._keep :]:
            remove_durably(snapshot.path)
        return written

    def _noted(self, key: Key, causes: Sequence[str], current: Document | None) -> set[str]:
        """Return those of `causes` recorded in the ledger or named in the files. Adds the latter to the ledger."""
        name = self._naming.ledger_key(key)
        found = {cause for cause in causes if self._ledger.has(name, cause)}
        if missing := set(causes) - found:
            documents = [*([current] if current else []), *self._earlier(key)]
            in_files = missing & {cause for document in documents for cause in self._form.causes(document)}
            for cause in sorted(in_files):
                self._ledger.add(name, cause)
            found |= in_files
        return found

    def _note(self, key: Key, documents: Sequence[Document]) -> None:
        for cause in dict.fromkeys(cause for document in documents for cause in self._form.causes(document)):
            self._ledger.add(self._naming.ledger_key(key), cause)

    def _earlier(self, key: Key) -> Iterator[Document]:
        """Yield the readable earlier revisions, newest first."""
        for snapshot in self._snapshots(key):
            data = bytes_of(snapshot.path)
            if data is not None:
                try:
                    yield self._form.parse(data, key, partial(int, snapshot.revision))
                except InvalidInput as error:
                    log.info("%s is skipped: %s", snapshot.path, error)

    def _snapshots(self, key: Key) -> list[_Snapshot]:
        """Return the kept earlier revisions, newest first. Raises StorageError."""
        folder = self._history_at(self._naming.place(key))
        matches = ((_SNAPSHOT.fullmatch(name), name) for name in names_in(folder))
        found = [_Snapshot(int(match["revision"]), folder / name) for match, name in matches if match]
        return sorted(found, key=lambda one: (one.revision, one.path.name), reverse=True)

    def _next_number(self, key: Key) -> int:
        """Return the number for a current file without one: the newest kept revision plus one."""
        kept = self._snapshots(key)
        return kept[0].revision + 1 if kept else 1

    def _snapshot_path(self, key: Key, document: Document) -> Path:
        """Return the path `{revision}-{time}.md`, the time in UTC without characters that file systems reject."""
        try:
            stamp = datetime.fromisoformat(document.updated_at).astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
        except (ValueError, OverflowError):  # edited by hand
            stamp = "unknown"
        return self._history_at(self._naming.place(key)) / f"{document.revision}-{stamp}{self.suffix}"

    def _lines_at(self, path: Path, key: Key) -> list[str]:
        return self._form.lines(bytes_of(path) or b"", key)

    def _fields(self, data: bytes) -> Mapping[str, object]:
        return split_front_matter(data.decode("utf-8", errors="replace"))[0]

    def _remove(self, place: str) -> int:
        """Remove a file with its history. The history first: after an interruption the file is found and erased again."""
        folder = self._history_at(place)
        removed = sum(remove_durably(folder / name) for name in names_in(folder))
        remove_folder(folder)
        return removed + super()._remove(place)

    def _erasable(self) -> list[str]:
        """Return all places, including histories left by an interrupted erasure."""
        return list(dict.fromkeys([*self._places(), *self._histories()]))

    def _swept(self) -> list[Path]:
        return [*super()._swept(), *map(self._history_at, self._histories())]

    def _histories(self) -> list[str]:
        return [folder + name for folder in self._naming.folders for name in names_in(self._folder / "history" / folder)]

    def _history_at(self, place: str) -> Path:
        return self._folder / "history" / place
