"""`MEMORY.md`: texts of jobs accepted while the database was not available, for people and for the bot.

    # Memory
    …
    ## g:7001

    - 2026-02-21T17:30:00+08:00 Clio recommended "Dune" to Ann

One section per conversation, named by `Scope.key`; one line per entry, newest last. The file may be edited and written by
hand: every line of a section is an entry, and what stands outside of these sections is kept as it is.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from ...schema.job import Job
from ...schema.scope import scope_of_key
from ...text.observed import observed_text
from .durable import storage_error, write_atomically

KEEP_PER_SCOPE = 50
KEEP_SCOPES = 200
LINE_CHARACTERS = 500
MAX_BYTES = 1024 * 1024
"""The least recent conversations are removed beyond this size; of a larger file only this much is read."""

HEADER = (
    "# Memory\n\n数据库不可用期间交来的内容，按会话排列，最新的在最后。\n"
    "What was handed over while the database could not be used, by conversation, newest last.\n"
)
_OF_A_JOB = re.compile(r"- \d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) ")
"""How a line begins that `add` has written: with the full time of its job."""
_ENTRY = re.compile(r"[-*+]\s+(?:(?P<time>\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?)\s+)?(?P<text>.+)")


class MarkdownMemory:
    """The file of one data directory. For one writing process; of two concurrent writes the later one wins."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def add(self, *jobs: Job) -> None:
        """Add the texts of jobs to the sections of their conversations. Idempotent. Raises StorageError."""
        told = [(job, texts) for job in jobs if (texts := _texts_of(job))]
        if not told:
            return
        with self._lock:
            sections, loose = self._read(), self._loose()
            for job, texts in told:
                lines = sections.pop(job.scope.key, [])
                lines += [line for text in texts if (line := f"- {job.timestamp} {_one_line(text)}") not in lines]
                sections[job.scope.key] = lines[-KEEP_PER_SCOPE:]
            write_atomically(self._path, _written(sections, loose))

    def by_hand(self) -> tuple[str, dict[str, str]]:
        """Return what somebody wrote: outside of the sections of conversations, and in them, by scope key. Raises StorageError.

        Entries of jobs are left out: they are filed as events.
        """
        sections = {
            key: "\n".join(line for line in lines if not _OF_A_JOB.match(line))
            for key, lines in self._read().items()
            if scope_of_key(key) is not None
        }
        return self._loose(), {key: text for key, text in sections.items() if text}

    def of(self, scope_key: str) -> list[tuple[str, str]]:
        """Return (timestamp or "", text) of the entries of a conversation, oldest first. Raises StorageError."""
        return [_entry(line) for line in self._read().get(scope_key, [])]

    def entries(self) -> list[tuple[str, str, str]]:
        """Return (scope key, timestamp or "", text) of every entry; "" is the key of lines outside of sections.

        Raises StorageError.
        """
        loose = [("", *_entry(line.strip())) for line in self._loose().splitlines() if line.strip()]
        return loose + [(key, *_entry(line)) for key, lines in self._read().items() for line in lines]

    def forget(self, unwanted: Callable[[str, str, str], bool]) -> int:
        """Remove the lines for which `unwanted(scope key, timestamp or "", text)` is True. Return how many.

        Raises StorageError.
        """
        with self._lock:
            known = {"": self._loose().splitlines(), **self._read()}
            kept = {
                key: [line for line in lines if not (line.strip() and unwanted(key, *_entry(line.strip())))]
                for key, lines in known.items()
            }
            gone = sum(map(len, known.values())) - sum(map(len, kept.values()))
            if gone:
                loose = "\n".join(kept.pop("")).strip()
                write_atomically(self._path, _written({key: lines for key, lines in kept.items() if lines}, loose))
        return gone

    def _read(self) -> dict[str, list[str]]:
        """Return the non-blank lines of each conversation's section."""
        sections: dict[str, list[str]] = {}
        for key, line in self._lines():
            if key:
                lines = sections.setdefault(key, [])
                if line.strip() and not line.startswith("## "):
                    lines.append(line.strip())
        return sections

    def _loose(self) -> str:
        """Return what stands outside of the sections of conversations, without the header."""
        loose = "".join(f"{line}\n" for key, line in self._lines() if not key)
        return loose.removeprefix(HEADER).strip()

    def _lines(self) -> Iterator[tuple[str, str]]:
        """Yield each line with the key of the conversation in whose section it stands ("" outside of any)."""
        try:
            with self._path.open("rb") as file:
                content = file.read(MAX_BYTES)
        except FileNotFoundError:
            return
        except OSError as error:
            raise storage_error("read", self._path, error) from error
        key = ""
        for line in content.decode("utf-8", "replace").splitlines():
            if line.startswith(("# ", "## ")):
                named = line.removeprefix("## ").strip()
                key = named if line.startswith("## ") and scope_of_key(named) is not None else ""
            yield key, line


def _written(sections: dict[str, list[str]], loose: str) -> bytes:
    """Return the content of the file: what was written outside of sections, then the most recent conversations within the
    limits, the latest one last."""
    head = (HEADER + (f"\n{loose}\n" if loose else "")).encode(errors="replace")
    parts: list[bytes] = []
    room = MAX_BYTES - len(head)
    for key, lines in reversed(list(sections.items())[-KEEP_SCOPES:]):
        part = "".join(f"{line}\n" for line in (f"\n## {key}\n", *lines)).encode(errors="replace")
        room -= len(part)
        if room < 0:
            break
        parts.append(part)
    return head + b"".join(reversed(parts))


def _texts_of(job: Job) -> list[str]:
    """Return what a job tells: its texts, or the message of a job of kind `talk` after its sender."""
    texts = [observed_text(job)[1]] if job.kind == "talk" else [job.action_summary, *job.new_info]
    return [text for text in texts if text]


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LINE_CHARACTERS else line[: LINE_CHARACTERS - 1] + "…"


def _entry(line: str) -> tuple[str, str]:
    found = _ENTRY.fullmatch(line)
    return ("", line) if found is None else (found["time"] or "", found["text"])
