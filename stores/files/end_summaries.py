"""The last plain summaries of every conversation, also available when memory is disabled.

They are in one small JSON file.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...schema.errors import StorageError
from ...schema.job import Job
from .durable import bytes_of, make_folder, write_atomically

KEEP_PER_SCOPE = 20
KEEP_SCOPES = 1000
_PATIENCE_SECONDS = 30.0


class EndSummaries:
    """`{scope key: [{"job_id", "timestamp", "user_id", "text"}, …]}`, newest last.

    Each machine has its own file. It has at most KEEP_PER_SCOPE entries per scope, for the
    KEEP_SCOPES most recent scopes.

    Safe for threads and processes. A damaged file is read as empty. The next write renames it to
    `end_summaries.damaged.json`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._alone = threading.Lock()

    def add(self, jobs: Sequence[Job]) -> None:
        """Store the texts of jobs. Idempotent by job id. Raises StorageError."""
        with self._changing() as known:
            for job in jobs:
                text = "\n".join(part for part in (job.action_summary, *job.new_info) if part)
                if text and not any(
                    entry.get("job_id") == job.job_id for entry in known.get(job.scope.key, ())
                ):
                    entry = {
                        "job_id": job.job_id,
                        "timestamp": job.timestamp,
                        "user_id": job.user_id,
                        "text": text,
                    }
                    known[job.scope.key] = [*known.pop(job.scope.key, []), entry][-KEEP_PER_SCOPE:]
            _replace(known, dict(list(known.items())[-KEEP_SCOPES:]))

    def of(self, scope_key: str, limit: int = KEEP_PER_SCOPE) -> list[tuple[str, str]]:
        """Return (timestamp, text) of the last summaries of a scope, oldest first."""
        entries = self._read().get(scope_key, [])
        return [
            (str(entry.get("timestamp", "")), str(entry.get("text", "")))
            for entry in entries[-limit:]
        ]

    def restore(self, entries: Sequence[tuple[str, dict[str, Any]]]) -> int:
        """Store missing entries, given as (scope key, entry).

        Return their number. Raises StorageError.
        """
        restored = 0
        with self._changing() as known:
            for key, entry in entries:
                there = known.get(key, [])
                if key and entry.get("text") and entry not in there:
                    known[key] = sorted(
                        [*there, entry], key=lambda one: str(one.get("timestamp", ""))
                    )[-KEEP_PER_SCOPE:]
                    restored += 1
        return restored

    def entries(self) -> list[tuple[str, dict[str, Any]]]:
        """Return (scope key, entry) of all entries, scope by scope, oldest first."""
        return [(key, entry) for key, entries in self._read().items() for entry in entries]

    def forget(self, unwanted: Callable[[str, dict[str, Any]], bool]) -> int:
        """Remove the entries for which `unwanted(scope key, entry)` is True. Return their number.

        Raises StorageError.
        """
        with self._changing() as known:
            count = sum(map(len, known.values()))
            kept = {
                key: [entry for entry in entries if not unwanted(key, entry)]
                for key, entries in known.items()
            }
            gone = count - sum(map(len, kept.values()))
            if gone:
                _replace(known, {key: entries for key, entries in kept.items() if entries})
        return gone

    @contextmanager
    def _changing(self) -> Iterator[dict[str, list[dict[str, Any]]]]:
        """Yield the stored entries for changes, and write them if they were changed.

        Renames a damaged file first.
        """
        from .owner_lock import acquire, file_lock  # disabled memory imports it only to write

        place = self._path.with_suffix(".lock")
        make_folder(place.parent)
        lock = file_lock(place, _PATIENCE_SECONDS)
        with self._alone:
            if not acquire(lock, place):
                raise StorageError(
                    f"{self._path}: another process has been writing for {_PATIENCE_SECONDS:.0f} "
                    "s; check whether it hangs"
                )
            try:
                yield from self._changed()
            finally:
                lock.release()

    def _changed(self) -> Iterator[dict[str, list[dict[str, Any]]]]:
        try:
            known = self._parsed()
        except ValueError:
            self._path.replace(self._path.with_suffix(".damaged.json"))
            known = {}
        before = dict(known)
        yield known
        if list(known.items()) != list(before.items()):
            write_atomically(self._path, _written(known))

    def _read(self) -> dict[str, list[dict[str, Any]]]:
        """Return the entries; none if the file is damaged.

        A damaged file is not renamed: a writer may have replaced it by a valid one meanwhile.
        """
        try:
            return self._parsed()
        except ValueError:
            return {}

    def _parsed(self) -> dict[str, list[dict[str, Any]]]:
        """Return the entries. Raises ValueError if the file is damaged.

        Raises StorageError if it cannot be read: it may be valid, so it is neither renamed nor
        overwritten.
        """
        content = bytes_of(self._path)
        if content is None:
            return {}
        data = json.loads(content)
        if not isinstance(data, dict):
            raise ValueError(f"{self._path}: expected an object")
        return data


def _written(known: dict[str, Any]) -> bytes:
    """Return the content of the file, one scope per line.

    Each call of the encoder is then short, and other threads can run between two calls.
    """
    lines = (
        f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(one, ensure_ascii=False)}"
        for key, one in known.items()
    )
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _replace(known: dict[str, Any], new: dict[str, Any]) -> None:
    known.clear()
    known.update(new)
