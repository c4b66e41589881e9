"""Rewriting of stored events with the current rules or model: `historian reprocess`.

One job of kind `reprocess` rewrites a batch of events and queues the next job. The changes of a
batch and the progress of the run are stored in one transaction, so after a crash no event is
rewritten twice. The jobs of the bot run between two batches.
"""

from __future__ import annotations

import asyncio
import logging
import re
import uuid
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from pydantic import ValidationError

from ...graph.historian import compile_rewriting
from ...models.embeddings.recorded import vectors_for
from ...schema.errors import FingerprintMismatch, InvalidInput
from ...schema.event import TIME_UNKNOWN, Event, EventFilter
from ...schema.graph_states.historian import events_of
from ...schema.job import Job
from ...schema.payloads import OPERATOR, ReprocessCommand
from ...schema.protocols import JobQueue
from ...schema.scope import Scope
from ...schema.validation import validated
from ...stores.historian_context import HistorianContext
from ...stores.tables.events.revisions import WRITTEN_ANEW, Change, EventRevisionTables
from ...text.job_verdicts import judge
from ...text.speakers.borne_names import with_people
from ..components import Parts
from ..intake import make_job
from ..timezones import iso_of

log = logging.getLogger(__name__)

SOURCES = ("job", "migrated")
BATCH = 100
EXAMPLES = 5
LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class ReprocessReport:
    """The result of a run. Counts of events: `seen`, `changed` (with a new text), `gained` (became
    absolute) and `lost` (no longer absolute).

    `examples` are some of the changes, as (event id, text before, text now). `done` is False if the
    run is not finished.
    """

    run: str
    seen: int = 0
    changed: int = 0
    gained: int = 0
    lost: int = 0
    done: bool = False
    examples: list[tuple[str, str, str]] = field(default_factory=list)


class Reprocessing:
    """Rewrites stored events. `context` holds the settings and the model for this."""

    def __init__(
        self, context: HistorianContext, revisions: EventRevisionTables, queue: JobQueue
    ) -> None:
        self._context = context
        self._revisions = revisions
        self._queue = queue
        self._graph = compile_rewriting()

    async def __call__(self, job: Job) -> None:
        """Rewrite the next batch of a run, and queue the job for the following batch."""
        command = validated(ReprocessCommand, job.payload, within="payload")
        run, where = command.run, conditions_of(command.scope_key, job.moment.timestamp())
        await asyncio.to_thread(self._revisions.begin, run, job.moment.timestamp())
        stands = await asyncio.to_thread(self._revisions.progress, run)
        if stands is None or stands.done:
            return
        found = await asyncio.to_thread(self._revisions.after, stands.last_row, where, BATCH)
        last_row = found[-1][0] if found else stands.last_row
        wanted = [event for _, event in found if is_older(event.version, command.before_version)]
        changes = await self._embedded(await self.rewritten(wanted))
        now = iso_of(self._context.clock())
        ends = len(found) < BATCH
        await asyncio.to_thread(
            self._advance, run, len(wanted), (stands.last_row, last_row), changes, now, ends
        )
        if not ends:
            await asyncio.to_thread(self._queue.put, _next(job))

    async def rewritten(self, events: Sequence[Event]) -> list[Change]:
        """Return the events that the current rules or model write differently, with their new
        form."""
        changes: list[Change] = []
        for _, group in groupby(
            (one for one in events if words_of(one)), key=lambda one: one.job_id
        ):
            for batch in _of_one_job(list(group)):
                changes += await self._rewritten(batch)
        return changes

    async def _rewritten(self, events: Sequence[Event]) -> list[Change]:
        try:
            job = _job_of(events)
        except (InvalidInput, ValidationError) as error:
            log.warning("event %s was not rewritten: %s", events[0].event_id, error)
            return []
        if len(job.texts) != len(events):
            return []
        state: dict[str, Any] = await self._graph.ainvoke(
            {"job": job.model_dump()}, context=self._context
        )
        items = state["items"]
        named = await asyncio.to_thread(with_people, job, events_of(job, items))
        made = zip(events, items, named, strict=True)
        changes = []
        for before, item, new in made:
            if (
                before.is_absolute
                and not new.is_absolute
                and not judge(item, before.text, job, self._context.settings)
            ):
                # The old text was judged with messages that are not stored, and the current gate
                # accepts it.
                continue
            written: dict[str, Any] = {name: getattr(new, name) for name in WRITTEN_ANEW}
            after = replace(before, **written)
            # `people` was found with messages that are not stored: it remains valid for the same
            # text.
            if after.text == before.text:
                after = replace(after, people=before.people)
            if after != before:
                changes.append(Change(before, after))
        return changes

    async def _embedded(self, changes: list[Change]) -> list[Change]:
        texts = [one.after.text for one in changes if one.after.text != one.before.text]
        vectors = iter(
            await vectors_for(texts, self._context.embedder, self._context.events) if texts else []
        )
        return [
            one._replace(vector=next(vectors)) if one.after.text != one.before.text else one
            for one in changes
        ]

    def _advance(
        self,
        run: str,
        seen: int,
        rows: tuple[int, int],
        changes: list[Change],
        now: str,
        done: bool,
    ) -> None:
        try:
            self._revisions.advance(run, seen=seen, rows=rows, changes=changes, now=now, done=done)
        except FingerprintMismatch as error:
            log.warning("rewritten without vectors: %s", error)
            bare = [one._replace(vector=None) for one in changes]
            self._revisions.advance(run, seen=seen, rows=rows, changes=bare, now=now, done=done)

    async def previewed(self, where: EventFilter, before_version: str) -> ReprocessReport:
        """Return what a run would change, without writing."""
        row, seen, changed, gained, lost = -1, 0, 0, 0, 0
        examples: list[tuple[str, str, str]] = []
        while found := await asyncio.to_thread(self._revisions.after, row, where, BATCH):
            row = found[-1][0]
            wanted = [event for _, event in found if is_older(event.version, before_version)]
            seen += len(wanted)
            for before, after, _ in await self.rewritten(wanted):
                changed += before.text != after.text
                gained += after.is_absolute and not before.is_absolute
                lost += before.is_absolute and not after.is_absolute
                if before.text != after.text and len(examples) < EXAMPLES:
                    examples.append((before.event_id, before.text, after.text))
        return ReprocessReport("", seen, changed, gained, lost, done=True, examples=examples)


async def reprocess(
    parts: Parts,
    hand_over: Callable[[Sequence[Job]], Awaitable[object]],
    *,
    scope: Scope | None,
    before_version: str,
    dry_run: bool,
    wait_seconds: float,
    on_progress: Callable[[int], None],
) -> ReprocessReport:
    """Start a run and wait at most `wait_seconds` for its end. With `dry_run`, only report what the
    rules without a model would change."""
    scope_key, now = "" if scope is None else scope.key, parts.clock()
    fields = command_of(uuid.uuid4().hex, scope_key, before_version)
    if dry_run:
        work = Reprocessing(
            replace(parts.context(), chat=None, embedder=None), parts.backend.revisions, parts.queue
        )
        return await work.previewed(conditions_of(scope_key, now), before_version)
    job = make_job(fields, parts.settings, parts.clock)
    await hand_over([job])
    ends = asyncio.get_running_loop().time() + wait_seconds
    revisions, run = parts.backend.revisions, str(job.payload["run"])
    while True:  # the worker may be another process
        stands = await asyncio.to_thread(revisions.progress, run)
        on_progress(stands.seen if stands else 0)
        if (stands is not None and stands.done) or asyncio.get_running_loop().time() >= ends:
            break
        await asyncio.sleep(LOOK_SECONDS)
    if stands is None:
        return ReprocessReport(run)
    some = list(revisions.examples(run, EXAMPLES))
    return ReprocessReport(
        run, stands.seen, stands.changed, stands.gained, stands.lost, stands.done, some
    )


def conditions_of(scope_key: str, until: float) -> EventFilter:
    """Return the filter for the events of a run. `until` is the time at which the run began, in
    seconds since the epoch; later events are left out."""
    return EventFilter(scope_key or None, sources=SOURCES, time_to=until)


def is_older(version: str, than: str) -> bool:
    """Return True if `version` is older than `than`, or if `than` is empty. An unknown version ("")
    is older than any other."""
    return not than or _numbers(version) < _numbers(than)


def checked_version(value: str) -> str:
    """Return `value` if it is a version such as 0.2 or 1.0.3, or empty. Raises InvalidInput."""
    if value and not re.fullmatch(r"\d+(\.\d+)*", value):
        raise InvalidInput(
            f"before_version: {value!r} is not a version; write it like 0.2 or 1.0.3"
        )
    return value


def words_of(event: Event) -> str:
    """Return the original words of an event; "" if the event must not be rewritten.

    If the original words are not stored, they are taken to be the text of the event. This does not
    hold for an absolute event of an unknown version, whose text may be a rewritten one.
    """
    if event.rewritten_by == "hand" or not event.user_id or TIME_UNKNOWN in event.gate_reasons:
        return ""
    if event.sources:
        return ""  # a model extracted it from messages
    if event.said_by not in ("", event.user_id):
        return ""  # the speaker is known only from messages of that time
    return event.handed_over or (event.text if event.version or not event.is_absolute else "")


def _of_one_job(events: Sequence[Event]) -> Iterator[list[Event]]:
    """Yield the events of one job in batches. A batch has at most one action, as its first
    event."""
    actions = [one for one in events if one.kind == "action"]
    facts = [one for one in events if one.kind == "fact"]
    yield [*actions[:1], *facts]
    yield from ([one] for one in actions[1:])


def _job_of(events: Sequence[Event]) -> Job:
    first = events[0]
    return Job(
        request_id="reprocess",
        timestamp=first.timestamp_local,
        timezone=first.timezone,
        request_type=first.request_type,
        user_id=first.user_id,
        group_id=first.group_id,
        user_name=first.user_name,
        group_name=first.group_name,
        bot_name=first.bot_name,
        action_summary=words_of(first) if first.kind == "action" else "",
        new_info=[words_of(one) for one in events if one.kind == "fact"],
    )


def command_of(run: str, scope_key: str, before_version: str) -> dict[str, Any]:
    """Return the fields of the first job of a run."""
    payload = {
        "run": run,
        "scope_key": scope_key,
        "before_version": checked_version(before_version),
    }
    return {
        "kind": "reprocess",
        "request_id": f"reprocess-{run}",
        "user_id": OPERATOR,
        "payload": payload,
    }


def _next(job: Job) -> Job:
    return Job.model_validate(
        {
            **job.model_dump(),
            "job_id": "",
            "end_seq": job.end_seq + 1,
            "attempts": 0,
            "not_before": 0.0,
            "last_error": "",
        }
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))
