"""`MEMORY.md`: texts of jobs that were accepted while the database was unavailable.

The file is for people and for the bot.

    # Memory
    …
    ## g:7001

    - 2026-02-21T17:30:00+08:00 Clio recommended "Dune" to Ann

There is one section per conversation, named by `Scope.key`, up to the next heading of that kind.
Each entry is one line, newest last. The file may be edited by hand: every line of a section is an
entry, including other headings. Text that was written by hand is not changed, in the sections and
before the first one; only old lines of jobs are dropped.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from ...schema.job import Job
from ...schema.scope import scope_of_key
from ...text.messages.records import message_events
from ...text.redaction import redact
from .durable import bytes_of, write_atomically

KEEP_PER_SCOPE = 50
KEEP_SCOPES = 200
LINE_CHARACTERS = 500
MAX_BYTES = 1024 * 1024
"""Lines of jobs are limited by this size and by the two bounds above.

The oldest lines are dropped, in the least recent conversations first.
"""

HEADER = (
    "# Memory\n\n数据库不可用期间交来的内容，按会话排列，最新的在最后。\n"
    "What was handed over while the database could not be used, by conversation, newest last.\n"
)
_OWN_LINES = frozenset(filter(None, HEADER.splitlines()))
_OF_A_JOB = re.compile(r"- \d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) ")
"""The beginning of a line that `add` has written: the full time of its job."""
_ENTRY = re.compile(
    r"[-*+]\s+(?:(?P<time>\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?)\s+)?(?P<text>.+)"
)


class MarkdownMemory:
    """The file in one data directory, for one writing process.

    If two processes write at the same time, the later write wins.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def add(self, *jobs: Job) -> None:
        """Add the texts of jobs to the sections of their conversations. Idempotent.

        Raises StorageError.
        """
        told = [(job, texts) for job in jobs if (texts := _texts_of(job))]
        if not told:
            return
        with self._lock:
            sections = self._read()
            for job, texts in told:
                lines = sections.pop(job.scope.key, [])
                lines += [
                    line
                    for text in texts
                    if (line := f"- {job.timestamp} {_one_line(text)}") not in lines
                ]
                sections[job.scope.key] = lines
            write_atomically(self._path, _written(sections))

    def by_hand(self) -> tuple[str, dict[str, str]]:
        """Return the text written by hand: outside of the sections, and in them by scope key.

        Entries of jobs are omitted, because they are filed as events. Raises StorageError.
        """
        sections = self._read()
        loose = _joined(sections.pop(""))
        told = {
            key: _joined([line for line in lines if not _OF_A_JOB.match(line)])
            for key, lines in sections.items()
        }
        return loose, {key: text for key, text in told.items() if text}

    def of(self, scope_key: str) -> list[tuple[str, str]]:
        """Return (timestamp or "", text) of the entries of a conversation, oldest first.

        Raises StorageError.
        """
        return [(one["timestamp"], one["text"]) for key, one in self.entries() if key == scope_key]

    def entries(self) -> list[tuple[str, dict[str, str]]]:
        """Return (scope key, entry) of every entry; "" is the key of lines outside of sections.

        An entry is `{"timestamp", "text"}`, its time "" if it has none. Raises StorageError.
        """
        return [
            (key, _entry(line.strip()))
            for key, lines in self._read().items()
            for line in lines
            if line.strip()
        ]

    def forget(self, unwanted: Callable[[str, dict[str, str]], bool]) -> int:
        """Remove the lines for which `unwanted(scope key, entry)` is True. Return their number.

        Raises StorageError.
        """
        with self._lock:
            known = self._read()
            kept = {
                key: [
                    line
                    for line in lines
                    if not (line.strip() and unwanted(key, _entry(line.strip())))
                ]
                for key, lines in known.items()
            }
            gone = sum(map(len, known.values())) - sum(map(len, kept.values()))
            if gone:
                write_atomically(self._path, _written(kept))
        return gone

    def _read(self) -> dict[str, list[str]]:
        """Return the lines of each section by scope key.

        The key "" has the lines before the first section, without the header.
        """
        content = bytes_of(self._path) or b""
        lines: list[str] = []
        sections = {"": lines}
        for line in content.decode("utf-8-sig", "replace").splitlines():
            key = line.removeprefix("## ").strip()
            if line.startswith("## ") and scope_of_key(key) is not None:
                lines = sections.setdefault(key, [])
            elif line not in _OWN_LINES:
                lines.append(line)
        return sections


def _written(sections: dict[str, list[str]]) -> bytes:
    """Return the content of the file: the text outside of sections, then the sections.

    The most recent conversation is last.
    """
    loose = _joined(sections[""])
    parts: list[str] = []
    room = MAX_BYTES - len(HEADER.encode())
    for place, key in enumerate(key for key in reversed(sections) if key):
        heading, kept = f"\n## {key}\n\n", list[str]()
        room -= len(heading.encode())
        left = KEEP_PER_SCOPE if place < KEEP_SCOPES else 0
        for line in reversed(sections[key]):
            if _OF_A_JOB.match(line):
                left -= 1
                room -= len(line.encode(errors="replace")) + 1
                if left < 0 or room < 0:
                    continue
            kept.append(line)
        if text := _joined(kept[::-1]):
            parts.append(f"{heading}{text}\n")
    head = HEADER + (f"\n{loose}\n" if loose else "")
    return "".join((head, *reversed(parts))).encode(errors="replace")


def _joined(lines: Sequence[str]) -> str:
    """Return lines as text, without blank lines at its beginning and end."""
    return "\n".join(lines).strip("\n").rstrip()


def _texts_of(job: Job) -> list[str]:
    """Return the texts of a job; for kind `talk` its redacted message, after the name of the
    sender.
    """
    if job.kind == "talk":
        return [redact(one.said, "all") for one in message_events(job, LINE_CHARACTERS)[:1]]
    texts = [job.action_summary, *job.new_info]
    return [text for text in texts if text]


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LINE_CHARACTERS else line[: LINE_CHARACTERS - 1] + "…"


def _entry(line: str) -> dict[str, str]:
    found = _ENTRY.fullmatch(line)
    return (
        {"timestamp": "", "text": line}
        if found is None
        else {"timestamp": found["time"] or "", "text": found["text"]}
    )
