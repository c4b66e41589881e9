"""Which job may run next: one first-in-first-out line per entity, kept in memory.

A job stands in the line of each of its entities and may run once it heads all of them and its `not_before` has come.
Whoever heads a line and waits, or runs, holds back those behind. Adding, taking and removing cost O(log n), however
many jobs stand in line; nothing here touches a file.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from .job_files import order


@dataclass(slots=True, eq=False)
class Entry:
    """One job in line: its file's name, its id, its entities, and how many of their lines it heads."""

    name: str
    job_id: str
    entities: tuple[str, ...]
    not_before: float
    state: Literal["waiting", "claimed", "removed"] = "waiting"
    heads: int = 0
    key: tuple[int, str] = field(init=False)

    def __post_init__(self) -> None:
        self.key = order(self.name)

    @property
    def is_first(self) -> bool:
        return self.state == "waiting" and self.heads == len(self.entities)


class ReadyJobs:
    """The lines. Not thread-safe: its owner holds a lock."""

    def __init__(self) -> None:
        self._lines: dict[str, deque[Entry]] = {}
        self._entries: dict[str, Entry] = {}
        self._ready: list[tuple[tuple[int, str], int, Entry]] = []
        self._timed: list[tuple[float, int, Entry]] = []
        self._tie = 0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, job_id: str) -> Entry | None:
        return self._entries.get(job_id)

    def entries(self) -> list[Entry]:
        return list(self._entries.values())

    def add(self, name: str, job_id: str, entities: Iterable[str], not_before: float) -> Entry:
        """Put a job in line by its name: behind older ones, and behind one that runs."""
        entry = Entry(name, job_id, tuple(sorted(entities)), not_before)
        self._entries[job_id] = entry
        self._enter(entry)
        return entry

    def take(self, now: float) -> Entry | None:
        """The oldest job that may run at `now`, marked as claimed; None where none may."""
        while self._timed and self._timed[0][0] <= now:
            entry = heapq.heappop(self._timed)[2]
            if entry.is_first and entry.not_before <= now:
                self._push_ready(entry)
        while self._ready:
            entry = heapq.heappop(self._ready)[2]
            if not entry.is_first:
                continue  # it was removed, or an older one came before it; it is offered again when it heads its lines
            if entry.not_before > now:  # postponed, or the clock went back
                self._push_timed(entry)
                continue
            entry.state = "claimed"
            return entry
        return None

    def put_back(self, entry: Entry, not_before: float) -> None:
        """A claimed job waits again at its place, which is behind older ones that came while it ran."""
        entry.state = "waiting"
        entry.not_before = not_before
        lines = [self._lines[entity] for entity in entry.entities]
        if any(len(line) > 1 and line[1].key < entry.key for line in lines):
            self._leave(entry)
            self._enter(entry)
        else:
            self._offer(entry)

    def remove(self, entry: Entry) -> None:
        """A job leaves its lines; those behind it move up."""
        entry.state = "removed"
        self._entries.pop(entry.job_id, None)
        self._leave(entry)

    def _enter(self, entry: Entry) -> None:
        entry.heads = 0
        for entity in entry.entities:
            line = self._lines.setdefault(entity, deque())
            if not line or line[-1].key < entry.key or line[-1].state == "claimed":
                line.append(entry)
                entry.heads += line[0] is entry
                continue
            place = next(i for i, other in enumerate(line) if other.state != "claimed" and other.key > entry.key)
            if place == 0:
                line[0].heads -= 1
                entry.heads += 1
            line.insert(place, entry)
        self._offer(entry)

    def _leave(self, entry: Entry) -> None:
        for entity in entry.entities:
            line = self._lines[entity]
            if line[0] is not entry:
                line.remove(entry)
                continue
            line.popleft()
            if not line:
                del self._lines[entity]
                continue
            line[0].heads += 1
            self._offer(line[0])

    def _offer(self, entry: Entry) -> None:
        if not entry.is_first:
            return
        if entry.not_before > 0:
            self._push_timed(entry)
        else:
            self._push_ready(entry)

    def _push_ready(self, entry: Entry) -> None:
        self._tie += 1
        heapq.heappush(self._ready, (entry.key, self._tie, entry))

    def _push_timed(self, entry: Entry) -> None:
        self._tie += 1
        heapq.heappush(self._timed, (entry.not_before, self._tie, entry))
