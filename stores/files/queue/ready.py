"""The scheduling order of jobs, in memory: one first-in-first-out line per entity.

A job stands in the line of each of its entities. It may run when it heads all of these lines and its `not_before` is
reached. The head of a line, waiting or running, blocks the jobs behind it. Adding, taking and removing cost O(log n) in
the number of jobs. Nothing here accesses files.
"""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from .job_files import order


@dataclass(slots=True, eq=False)
class Entry:
    """A queued job: file name, job id, entities, and the number of their lines that it heads.

    `later` are the entities whose lines a patient job joins at its `not_before`; until then it stands in none. `scope` is the
    key of the conversation whose messages are worked on together, "" for other jobs."""

    name: str
    job_id: str
    entities: tuple[str, ...]
    not_before: float
    state: Literal["waiting", "claimed", "removed"] = "waiting"
    heads: int = 0
    later: tuple[str, ...] = ()
    scope: str = ""
    key: tuple[int, str] = field(init=False)

    def __post_init__(self) -> None:
        self.key = order(self.name)

    @property
    def is_first(self) -> bool:
        """Return True if the job waits and heads all of its lines."""
        return self.state == "waiting" and self.heads == len(self.entities)


class ReadyJobs:
    """All lines. Not thread-safe: the caller holds a lock."""

    def __init__(self) -> None:
        self._lines: dict[str, deque[Entry]] = {}
        self._entries: dict[str, Entry] = {}
        self._ready: list[tuple[tuple[int, str], int, Entry]] = []
        self._timed: list[tuple[float, int, Entry]] = []
        self._talk: dict[str, dict[str, Entry]] = {}
        self._tie = itertools.count()  # entries are not comparable

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, job_id: str) -> Entry | None:
        return self._entries.get(job_id)

    def entries(self) -> list[Entry]:
        return list(self._entries.values())

    def add(
        self, name: str, job_id: str, entities: Iterable[str], not_before: float, *, patient: bool = False, scope: str = ""
    ) -> Entry:
        """Insert a job in the order of file names, behind older jobs and behind a running one.

        A `patient` job blocks nobody until its `not_before`.
        """
        keys = tuple(sorted(entities))
        entry = Entry(name, job_id, () if patient else keys, not_before, later=keys if patient else (), scope=scope)
        self._entries[job_id] = entry
        if scope:
            self._talk.setdefault(scope, {})[job_id] = entry
        self._enter(entry)
        return entry

    def take(self, now: float) -> Entry | None:
        """Return the oldest job that may run at `now` and mark it as claimed; None if there is none."""
        while self._timed and self._timed[0][0] <= now:
            entry = heapq.heappop(self._timed)[2]
            if entry.later and entry.state == "waiting":
                entry.entities, entry.later = entry.later, ()
                self._enter(entry)
            else:
                self._offer(entry, now)
        while self._ready:
            entry = heapq.heappop(self._ready)[2]
            if entry.is_first and entry.not_before <= now:
                entry.state = "claimed"
                return entry
            # Removed, or behind an older job now: `_leave` offers it again. Postponed, or the clock went back: offered for later.
            self._offer(entry, now)
        return None

    def talk(self, scope: str) -> list[Entry]:
        """Return the messages of a conversation that wait or are claimed, oldest first."""
        return sorted(self._talk.get(scope, {}).values(), key=lambda entry: entry.key)

    def hasten(self, job_ids: Iterable[str] | None) -> None:
        """Let patient jobs run now (None: all of them)."""
        for job_id in list(self._entries) if job_ids is None else job_ids:
            entry = self._entries.get(job_id)
            if entry is not None and entry.later and entry.state == "waiting":
                entry.entities, entry.later, entry.not_before = entry.later, (), 0.0
                self._enter(entry)

    def put_back(self, entry: Entry, not_before: float) -> None:
        """Return a claimed job to its place, behind older jobs that arrived while it ran."""
        entry.state = "waiting"
        entry.not_before = not_before
        lines = [self._lines[entity] for entity in entry.entities]
        if any(len(line) > 1 and line[1].key < entry.key for line in lines):
            self._leave(entry)
            self._enter(entry)
        else:
            self._offer(entry)

    def remove(self, entry: Entry) -> None:
        """Remove a job from its lines; the next job of each line becomes its head."""
        entry.state = "removed"
        self._entries.pop(entry.job_id, None)
        talk = self._talk.get(entry.scope, {})
        talk.pop(entry.job_id, None)
        if not talk:
            self._talk.pop(entry.scope, None)
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

    def _offer(self, entry: Entry, now: float = 0.0) -> None:
        """Schedule a job if it heads its lines: at once, or for its `not_before` if that is later than `now`."""
        if entry.is_first and entry.not_before > now:
            heapq.heappush(self._timed, (entry.not_before, next(self._tie), entry))
        elif entry.is_first:
            heapq.heappush(self._ready, (entry.key, next(self._tie), entry))
