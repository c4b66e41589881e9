"""Import of old summaries as events: by rules directly, or as jobs for the historian graph."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...schema.event import TIME_UNKNOWN, Event
from ...schema.graph_states.historian import events_of
from ...schema.job import Job
from ...schema.portions import portions
from ...schema.scope import Scope
from ...schema.settings import Settings
from ...text.job_verdicts import by_rules
from ...text.speakers.borne_names import with_people
from ..components import Parts
from ..intake import redacted
from ..timezones import configured_timezone
from .old_summaries import Assumed, BadEntry, OldSummary, read_old_summaries, reading

SOURCE = "migrated"
"""`Event.source` of events filed without the historian graph."""
BATCH = 100
"""Entries filed in one transaction."""
MIGRATED = "migrated"
"""The ledger key under which completely imported files are stored."""


@dataclass
class MigrationReport:
    """The result of an import.

    `taken`, `known` and `forgotten` are numbers of entries: filed or queued; already stored; of a
    forgotten entity. `bad` are invalid entries with the reason. `unplaced` are numbers of entries
    whose conversation has an unknown id, by `group:NAME` or `private:NAME`. `complete` is False if
    the run was interrupted.
    """

    taken: int = 0
    known: int = 0
    forgotten: int = 0
    bad: list[BadEntry] = field(default_factory=list)
    unplaced: Counter[str] = field(default_factory=Counter)
    complete: bool = True


class Migration:
    """Imports the summaries of a file. Idempotent: entries are identified by their content."""

    def __init__(
        self,
        parts: Parts,
        settings: Settings,
        *,
        rewrite: bool = False,
        scope: Scope | None = None,
        places: Mapping[str, str] | None = None,
    ) -> None:
        """`scope` is the conversation of entries that name none. `places` are ids of conversations
        by name. With `rewrite`, entries that have a time become jobs for the historian graph."""
        self._parts = parts
        self._settings = settings
        self._rewrite = rewrite
        self._scope = scope
        self._places = places or {}

    async def unplaced(self, path: Path) -> Counter[str]:
        """Return the number of entries per conversation whose id is unknown. Raises InvalidInput as
        `run` does."""
        return _unplaced(await asyncio.to_thread(self._read, path))

    async def run(
        self,
        path: Path,
        *,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
        pause: Callable[[], Awaitable[bool]] | None = None,
    ) -> MigrationReport:
        """Import `path`.

        `on_progress` is called with (entries done, all entries). `pause` is called after each
        batch; if it returns True, the run ends. Raises StorageError, and InvalidInput for a file of
        unknown form. Entries that were imported before an error remain imported.
        """
        report = MigrationReport()
        entries = await asyncio.to_thread(self._read, path)
        done = 0
        for batch in portions(entries, BATCH):
            await asyncio.to_thread(self._take, batch, report)
            done += len(batch)
            on_progress(done, len(entries))
            if pause is not None and await pause():
                report.complete = done == len(entries)
                return report
        return report

    async def run_once(
        self, path: Path, *, pause: Callable[[], Awaitable[bool]]
    ) -> MigrationReport | None:
        """Import `path` as `run` does. Return None if the same content was completely imported
        before in the same mode (by rules or rewritten)."""
        name = await asyncio.to_thread(self._name, path)
        if await asyncio.to_thread(self._parts.backend.ledger.has, MIGRATED, name):
            return None
        report = await self.run(path, pause=pause)
        if report.complete:
            await asyncio.to_thread(self._parts.backend.ledger.add, MIGRATED, name)
        return report

    def _name(self, path: Path) -> str:
        with reading(path):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return f"{digest}-{'rewrite' if self._rewrite else 'rules'}"

    def _read(self, path: Path) -> list[OldSummary | BadEntry]:
        cognitive = self._settings.cognitive
        zone = configured_timezone(cognitive.timezone)
        with reading(path):
            changed = path.stat().st_mtime
        assumed = Assumed(zone, changed, self._scope, cognitive.bot_name, self._places)
        return list(read_old_summaries(path, assumed))

    def _take(self, batch: list[OldSummary | BadEntry], report: MigrationReport) -> None:
        good = [one for one in batch if isinstance(one, OldSummary)]
        report.bad += [one for one in batch if isinstance(one, BadEntry) and not one.place]
        report.unplaced += _unplaced(batch)
        transfer, queue = self._parts.backend.transfer, self._parts.queue
        names = (name for one in good for name in (one.job.job_id, one.known_as) if name)
        known = transfer.known_jobs(names) | (queue.known_ids() if self._rewrite else set())
        fresh: dict[str, list[Event]] = {}
        for one in good:
            job_id, at = one.job.job_id, one.job.moment.timestamp()
            if known & {job_id, one.known_as}:
                report.known += 1
                continue
            if self._parts.events.is_forgotten(job_id, one.job.entities, at):
                report.forgotten += 1
                continue
            known.add(job_id)
            job = redacted(one.job, self._settings.historian.redact_jobs)
            if self._rewrite and one.dated:
                queue.put(job)
                report.taken += 1
            else:
                # Without a time a model cannot resolve "yesterday": the text is filed unchanged and
                # marked as not absolute.
                fresh[job_id] = self._events(job) if one.dated else _as_they_stand(job)
        report.taken += transfer.file_jobs(fresh)

    def _events(self, job: Job) -> list[Event]:
        events = with_people(job, events_of(job, by_rules(job, self._settings)))
        return [replace(event, source=SOURCE) for event in events]


def _as_they_stand(job: Job) -> list[Event]:
    return [
        Event.of_job(
            job,
            n,
            kind,
            text,
            is_absolute=False,
            gate_reasons=(TIME_UNKNOWN,),
            rewritten_by="none",
            source=SOURCE,
        )
        for n, (kind, text) in enumerate(job.texts)
    ]


def _unplaced(entries: list[OldSummary | BadEntry]) -> Counter[str]:
    return Counter(one.place for one in entries if isinstance(one, BadEntry) and one.place)
