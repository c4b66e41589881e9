"""The last plain summaries of every conversation, in one small JSON file: what is left when memory is switched off."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...schema.job import Job
from .durable import storage_error, write_atomically

KEEP_PER_SCOPE = 20
KEEP_SCOPES = 1000


class EndSummaries:
    """`{scope key: [{"job_id", "timestamp", "user_id", "text"}, …]}`, newest last; 20 a scope, the 1,000 scopes spoken in last.

    A damaged file reads as empty. The next write sets it aside as `end_summaries.damaged.json`; nothing is lost.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def add(self, jobs: Sequence[Job]) -> None:
        """Keep the texts of jobs; the same job again changes nothing. Raises StorageError on a full disk."""
        with self._changing() as known:
            for job in jobs:
                text = "\n".join(part for part in (job.action_summary, *job.new_info) if part)
                if text and not any(entry.get("job_id") == job.job_id for entry in known.get(job.scope.key, ())):
                    entry = {"job_id": job.job_id, "timestamp": job.timestamp, "user_id": job.user_id, "text": text}
                    known[job.scope.key] = [*known.pop(job.scope.key, []), entry][-KEEP_PER_SCOPE:]
            _replace(known, dict(list(known.items())[-KEEP_SCOPES:]))

    def of(self, scope_key: str, limit: int = KEEP_PER_SCOPE) -> list[tuple[str, str]]:
        """Return (timestamp, text) of a scope's last summaries, oldest first."""
        entries = self._read().get(scope_key, [])
        return [(str(entry.get("timestamp", "")), str(entry.get("text", ""))) for entry in entries[-limit:]]

    def restore(self, entries: Sequence[tuple[str, dict[str, Any]]]) -> int:
        """Put back entries, each with its scope key, that are not there; returns how many. Raises StorageError."""
        restored = 0
        with self._changing() as known:
            for key, entry in entries:
                there = known.get(key, [])
                if key and entry.get("text") and entry not in there:
                    known[key] = sorted([*there, entry], key=lambda one: str(one.get("timestamp", "")))[-KEEP_PER_SCOPE:]
                    restored += 1
        return restored

    def entries(self) -> list[tuple[str, dict[str, Any]]]:
        """Return (scope key, entry) of everything, scope by scope, oldest first."""
        return [(key, entry) for key, entries in self._read().items() for entry in entries]

    def forget(self, unwanted: Callable[[str, dict[str, Any]], bool]) -> int:
        """Remove the entries for which `unwanted(scope key, entry)` holds; returns how many. Raises StorageError."""
        with self._changing() as known:
            count = sum(map(len, known.values()))
            kept = {key: [entry for entry in entries if not unwanted(key, entry)] for key, entries in known.items()}
            gone = count - sum(map(len, kept.values()))
            if gone:
                _replace(known, {key: entries for key, entries in kept.items() if entries})
        return gone

    @contextmanager
    def _changing(self) -> Iterator[dict[str, list[dict[str, Any]]]]:
        """Give what is kept, to be changed, and write it where it was. Sets a damaged file aside first."""
        with self._lock:
            try:
                known = self._parsed()
            except ValueError:
                self._path.replace(self._path.with_suffix(".damaged.json"))
                known = {}
            before = dict(known)
            yield known
            if list(known.items()) != list(before.items()):
                write_atomically(self._path, json.dumps(known, ensure_ascii=False, indent=1).encode())

    def _read(self) -> dict[str, list[dict[str, Any]]]:
        """Reads only: between reading and renaming, a writer may have put a sound file into the place of a damaged one."""
        try:
            return self._parsed()
        except ValueError:
            return {}

    def _parsed(self) -> dict[str, list[dict[str, Any]]]:
        """Raises ValueError for a damaged file."""
        try:
            data = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            # It may be whole: what cannot be read now is neither set aside nor written over.
            raise storage_error("read", self._path, error) from error
        if not isinstance(data, dict):
            raise ValueError(f"{self._path}: expected an object")
        return data


def _replace(known: dict[str, Any], new: dict[str, Any]) -> None:
    known.clear()
    known.update(new)
