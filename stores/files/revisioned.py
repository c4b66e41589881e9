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
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ...schema.errors import InvalidInput
from ...schema.protocols import Ledger
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

    def _told(self, key: Key) -> list[tuple[Path, list[str]]]:
        paths = [self._path(key), *self._earlier_places(key)]
        return [(path, self._form.lines(bytes_of(path) or b"", key)) for path in paths]

    def _insert(self, key: Key, document: Document, current: Document | None = None) -> None:
        """Copy the current file to the history, and write the new one."""
        data = bytes_of(self._path(key))
        if current is not None and data is not None and self._keep > 0:
            write_atomically(self._snapshot_path(key, current), data)
        write_atomically(self._path(key), self._form.render(document).encode())

    def _insert_earlier(self, key: Key, document: Document) -> None:
        write_atomically(self._snapshot_path(key, document), self._form.render(document).encode())

    def _earlier_places(self, key: Key) -> list[Path]:
        return [snapshot.path for snapshot in self._snapshots(key)]

    def _drop(self, key: Key, places: Sequence[Path]) -> None:
        for path in places:
            remove_durably(path)

    def _noted(self, key: Key, causes: Sequence[str], current: Document | None) -> set[str]:
        """Return those of `causes` recorded in the ledger or named in the files. Adds the latter to the ledger."""
        found = super()._noted(key, causes, current)
        if missing := set(causes) - found:
            documents = [*([current] if current else []), *self._earlier(key)]
            in_files = missing & {cause for document in documents for cause in self._form.causes(document)}
            self._ledger.add(self._naming.ledger_key(key), *sorted(in_files))
            found |= in_files
        return found

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

    def _histories(self) -> list[str]:
        return [folder + name for folder in self._naming.folders for name in names_in(self._folder / "history" / folder)]

    def _history_at(self, place: str) -> Path:
        return self._folder / "history" / place
