"""The last plain summaries of every conversation, in one small JSON file: what is left when memory is switched off."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...schema.job import Job
from .durable import storage_error, write_atomically

KEEP_PER_SCOPE = 20
KEEP_SCOPES = 1000


class EndSummaries:
    """`{scope key: [{"job_id", "timestamp", "user_id", "text"}, …]}`, newest last; 20 a scope, the 1,000 scopes spoken in last.

    A file that is damaged is set aside as `end_summaries.damaged.json` at the next write, never lost.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def add(self, jobs: Sequence[Job]) -> None:
        """Keep the texts of jobs; the same job again changes nothing. Raises StorageError on a full disk."""
        with self._lock:
            known = self._read()
            changed = False
            for job in jobs:
                text = "\n".join(part for part in (job.action_summary, *job.new_info) if part)
                entries = known.pop(job.scope.key, [])
                if text and not any(entry.get("job_id") == job.job_id for entry in entries):
                    entries.append({"job_id": job.job_id, "timestamp": job.timestamp, "user_id": job.user_id, "text": text})
                    changed = True
                known[job.scope.key] = entries[-KEEP_PER_SCOPE:]
            if changed:
                recent = dict(list(known.items())[-KEEP_SCOPES:])
                write_atomically(self._path, json.dumps(recent, ensure_ascii=False, indent=1).encode())

    def of(self, scope_key: str, limit: int = KEEP_PER_SCOPE) -> list[tuple[str, str]]:
        """(timestamp, text) of a scope's last summaries, oldest first."""
        entries = self._read().get(scope_key, [])
        return [(str(entry.get("timestamp", "")), str(entry.get("text", ""))) for entry in entries[-limit:]]

    def restore(self, entries: Sequence[tuple[str, dict[str, Any]]]) -> int:
        """Put back entries, each with its scope key, that are not there; returns how many. Raises StorageError."""
        restored = 0
        with self._lock:
            known = self._read()
            for key, entry in entries:
                if key and entry.get("text") and entry not in known.setdefault(key, []):
                    known[key] = sorted([*known[key], entry], key=lambda one: str(one.get("timestamp", "")))[-KEEP_PER_SCOPE:]
                    restored += 1
            if restored:
                write_atomically(self._path, json.dumps(known, ensure_ascii=False, indent=1).encode())
        return restored

    def entries(self) -> list[tuple[str, dict[str, Any]]]:
        """(scope key, entry) of everything, scope by scope, oldest first."""
        return [(key, entry) for key, entries in self._read().items() for entry in entries]

    def forget(self, unwanted: Callable[[str, dict[str, Any]], bool]) -> int:
        """Remove the entries for which `unwanted(scope key, entry)` holds; returns how many. Raises StorageError."""
        with self._lock:
            known = self._read()
            kept = {key: [entry for entry in entries if not unwanted(key, entry)] for key, entries in known.items()}
            gone = sum(map(len, known.values())) - sum(map(len, kept.values()))
            if gone:
                left = {key: entries for key, entries in kept.items() if entries}
                write_atomically(self._path, json.dumps(left, ensure_ascii=False, indent=1).encode())
        return gone

    def _read(self) -> dict[str, list[dict[str, Any]]]:
        try:
            data = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            # It may be whole: what cannot be read now is neither set aside nor written over.
            raise storage_error("read", self._path, error) from error
        except ValueError:
            if self._path.exists():
                self._path.replace(self._path.with_suffix(".damaged.json"))
            return {}
        return data if isinstance(data, dict) else {}
