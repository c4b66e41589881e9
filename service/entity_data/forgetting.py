"""Forgetting a person or a group: permanent erasure of their data in all stores.

The order of the steps matters:

1. A tombstone is written, so that running jobs restore nothing.
2. The known texts and names are stored in the request. The request stays on disk until the end: if
   the process is killed, the next owner continues from the stage that was reached.
3. Every store except the event store erases its data. It does so twice, because a thread of an
   interrupted job may have been writing. No job may run during this step; its duration does not
   depend on the number of events.
4. The events are deleted a few hundred at a time, between the jobs of others. After this step no
   search finds them.
5. The bytes of deleted data are overwritten, and the whole data directory is searched for the
   forgotten texts.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from ...schema.entity import Entity
from ...schema.errors import HistorianError, OwnerLockHeld
from ...schema.event import EventFilter
from ...schema.forgetting import ForgetReport, ForgetRequest
from ...schema.portions import portions
from ...schema.protocols import VectorIndex
from ...text.remembered import empty_remembered
from ..components import Parts
from .byte_scan import Remains
from .kinds import Record, Traces
from .mentions import Mentions, digest
from .registry import stored_kinds

log = logging.getLogger(__name__)

ANSWER_POLL_SECONDS = 0.05
RECORDS_AT_ONCE = 1_000
MOST_TRIES = 20
"""Maximum number of times that rewriting the database is interrupted because a writer waits. After
that, writers wait until it ends."""

Company = Literal["alone", "beside", "quiet"]
"""What may run during a slice. `alone`: no job, no open checkpoint. `beside`: jobs. `quiet`: jobs;
the slice is interrupted when a job waits to write."""


class Forgetting:
    """Carries out forget requests in the owner of a data directory, one after another, in slices of
    well under a second.

    `index` is the derived vector index. It is deleted here, and rebuilt later from the event store.
    `on_step` is called after each step. Readers are allowed at any time. Blocking; raises
    StorageError.
    """

    def __init__(
        self,
        parts: Parts,
        index: VectorIndex | None,
        *,
        on_step: Callable[[str], None] = lambda step: None,
    ) -> None:
        self._parts = parts
        self._erasure = parts.backend.erasure
        self._index = index
        self._on_step = on_step
        self._kinds = stored_kinds(parts)
        self.requests = parts.backend.forget_requests
        self.index_waits = False
        """True while the derived index must not be updated, because it would take in events that
        are about to be deleted."""
        self._mention_texts: dict[str, dict[tuple[str, str], dict[str, None]]] = {}
        """Texts by kind and id of their record, by entity key, until the request is answered."""
        self.let_go = False
        """Set this to interrupt the running slice. Only slices that rewrite the database can be
        interrupted."""

    def carry_out(self) -> list[ForgetReport]:
        """Carry out all requests at once. Return the reports, which are also stored for the
        requesters."""
        reports: list[ForgetReport] = []
        for _ in self.slices(reports):
            pass
        return reports

    def slices(self, reports: list[ForgetReport] | None = None) -> Iterator[Company]:
        """Carry out all requests, and append a report per request to `reports`.

        Yields before each slice what may run during the slice. After an error or a crash another
        call continues from the stage that was reached.
        """
        while requests := self.requests.all():
            for request in requests:
                yield from self._forget(request, [] if reports is None else reports)

    def _forget(self, request: ForgetRequest, reports: list[ForgetReport]) -> Iterator[Company]:
        entity, requests, step = request.entity, self.requests, self._on_step
        self._erasure.bury(entity.key, request.until)
        step("buried")
        texts, names = set(request.texts), set(request.names)
        traces = Traces(entity, texts, names, set(request.job_ids), set(request.moments))
        removed: Counter[str] = Counter()
        if request.stage != "erasing":
            self.index_waits = True
            last_rows: Sequence[int] = request.last_rows
            if request.stage == "waiting":
                surveyed = yield from self._survey(traces)
                yield "alone"
                with self._parts.backend.workers.alone():
                    self._erase_files(traces, surveyed, removed)
                last_rows = self._erasure.last_rows(entity.where)  # later events are not deleted
                if not requests.advance(request, "deleting", last_rows=last_rows):
                    return
                step("deleting")
            yield from self._erase_events(traces, last_rows, removed)
            yield from self._look_for_mentions(traces, remove=request.mentions)
            if not requests.advance(request, "erasing"):
                return
            self.index_waits = False
            step("erasing")
        yield from self._erase_bytes()
        scanned = yield from self._scan(traces)
        kept = sorted(self._erasure.kept_mentions(entity.key))
        mentions = tuple(dict.fromkeys((kind, item) for kind, item, _ in kept))
        mention_texts = self._mention_texts.get(entity.key, {})
        report = replace(
            scanned,
            removed={one.kind: removed[one.kind] for one in self._kinds if removed[one.kind]},
            mentions=mentions,
            mention_texts=tuple("\n".join(mention_texts.get(one, ())) for one in mentions),
            mentions_removed=request.mentions,
        )
        empty_remembered()
        step("scanned")
        if not requests.answer(request, report):
            return
        self._mention_texts.pop(entity.key, None)
        if request.mentions:
            self._erasure.keep_mentions(entity.key, [])
        step("answered")
        reports.append(report)
        log.info("forgot a %s: %s items removed", entity.type, sum(removed.values()))
        if report.left:
            log.warning("forgotten texts remain in %d places", len(report.left))

    def _survey(self, traces: Traces) -> Generator[Company, None, int]:
        """Store the traces of the events. Return the number of events."""
        count = 0
        for some in portions(self._kinds[0].records(traces), RECORDS_AT_ONCE):
            yield "beside"
            self._note(traces, some)
            count += len(some)
        return count

    def _erase_files(self, traces: Traces, surveyed: int, removed: Counter[str]) -> None:
        """Store the traces of all kinds, erase all but the events, and drop the vector index. No
        job may run meanwhile.

        The events are read again if they are not the `surveyed` number of events any more.
        """
        # Jobs claimed by a dead worker are returned to the queue, where they can be removed.
        self._parts.queue.take_over(self._parts.clock())
        is_complete = self._parts.events.count(traces.entity.where) == surveyed
        for kind in self._kinds[1 if is_complete else 0 :]:
            for some in portions(kind.records(traces), RECORDS_AT_ONCE):
                self._note(traces, some)
        self._on_step("surveyed")
        for turn in ("first", "second"):
            for kind in self._kinds[1:]:
                removed[kind.kind] += kind.erase(traces)
                self._on_step(f"{kind.kind}, {turn} time")
        self._parts.backend.sweep()
        if self._index is not None:
            self._index.drop()
        self._on_step("index dropped")

    def _erase_events(
        self, traces: Traces, last_rows: Sequence[int], removed: Counter[str]
    ) -> Iterator[Company]:
        def note(texts: Sequence[str], job_ids: Sequence[str]) -> None:
            """Store texts and job ids of events that were filed since the survey."""
            if not traces.texts.issuperset(texts):
                jobs = (Record("", job_id=one) for one in job_ids)
                self._note(traces, [Record("", texts=tuple(texts)), *jobs])

        while True:
            yield "beside"
            erased = self._erasure.erase_some(traces.entity.where, last_rows=last_rows, before=note)
            if not erased:
                return
            removed[self._kinds[0].kind] += erased
            self._on_step("some events deleted")

    def _look_for_mentions(self, traces: Traces, *, remove: bool) -> Iterator[Company]:
        """Find records of others that mention the entity; with `remove`, delete these texts. Keep
        the texts in `_mention_texts`.

        Records that an earlier forget request for the entity found are found again.
        """
        key, events = traces.entity.key, self._kinds[0].kind
        known = {text for _, _, text in self._erasure.kept_mentions(key)}
        mentions = Mentions(traces.entity, traces.names, traces.texts, known)
        for kind in self._kinds:
            for some in portions(kind.records(), RECORDS_AT_ONCE):
                yield "beside"
                mentions.collect(kind.kind, some)
        found: dict[tuple[str, str], dict[str, None]] = {}
        for one in mentions.found():
            found.setdefault((one.kind, one.id), {})[one.text] = None
        self._mention_texts[key] = found
        every = [(*place, text) for place, texts in found.items() for text in texts]
        self._erasure.keep_mentions(key, [(kind, item, digest(text)) for kind, item, text in every])
        if remove and found:
            self._note(traces, [Record("", texts=tuple(text for *_, text in every))])
            for ids in portions([item for kind, item in found if kind == events], RECORDS_AT_ONCE):
                yield "beside"
                self._erasure.erase_events(EventFilter(None, event_ids=tuple(ids)))
            yield "alone"
            with self._parts.backend.workers.alone():
                for kind in self._kinds[1:]:
                    kind.drop({item: one for (of, item), one in found.items() if of == kind.kind})
        self._on_step("mentions looked for")

    def _erase_bytes(self) -> Iterator[Company]:
        for _ in self._erasure.merge_words():
            yield "beside"
        self._on_step("words merged")
        yield from self._rewrite()
        self._on_step("compacted")

    def _rewrite(self) -> Iterator[Company]:
        tries = 0

        def stop() -> bool:
            return self.let_go or (tries <= MOST_TRIES and self._erasure.writers_wait())

        while True:
            yield "quiet"
            tries += 1
            if self._erasure.rewrite(stop):
                self._parts.queue.compact()
                return

    def _scan(self, traces: Traces) -> Generator[Company, None, ForgetReport]:
        """Search all files for the forgotten texts. Return a report of the places where they are
        found."""
        backend = self._parts.backend
        for is_last in (False, True):
            remains = Remains()
            for _ in remains.search(backend.stored_bytes(remains.unread), self._kinds, traces):
                yield "beside"
            if is_last or not self._erasure.holds({one.path for one in remains.found}):
                break
            self._erasure.check_words()  # the keyword index may be damaged
            yield from self._rewrite()
        return ForgetReport(
            traces.entity.key,
            left=tuple(dict.fromkeys(f"{one.path}: byte {one.offset}" for one in remains.found)),
            unread=tuple(remains.unread),
            too_short=remains.too_short,
            bytes_scanned=remains.searched,
        )

    def _note(self, traces: Traces, records: Iterable[Record]) -> None:
        """Add the new texts, names, job ids and moments of `records` to the request on disk, then
        to `traces`."""
        new = Traces(traces.entity)
        for record in records:
            new.add(record)
        names = ("texts", "names", "job_ids", "moments")
        known = {name: getattr(new, name) - getattr(traces, name) for name in names}
        if any(known.values()):
            self.requests.note(traces.entity, known)
        for name, values in known.items():
            getattr(traces, name).update(values)


async def forget(
    parts: Parts,
    entity: Entity,
    *,
    mentions: bool = False,
    wait_seconds: float = 60.0,
    wake: Callable[[], None] | None = None,
) -> ForgetReport:
    """Forget `entity`, in this process if the data directory has no owner, otherwise in the owner.

    `wake` notifies a worker of this process. The tombstone is always written here. If the owner has
    not answered after `wait_seconds`, the report has `done=False`; the owner continues, also after
    a restart. Raises StorageError.
    """
    requests = parts.backend.forget_requests
    until = parts.clock()
    await asyncio.to_thread(parts.backend.erasure.bury, entity.key, until)
    await asyncio.to_thread(requests.ask, ForgetRequest(entity, until, mentions))
    is_ours, deadline = wake is None, time.monotonic() + wait_seconds
    if wake is not None:
        wake()
    while True:
        if is_ours and (report := await asyncio.to_thread(_as_owner, parts, entity)):
            return report
        if answer := await asyncio.to_thread(requests.take_answer, entity):
            empty_remembered()  # the caches of this process; the owner has emptied its own
            return answer
        stage = await asyncio.to_thread(requests.stage_of, entity)
        owner = await asyncio.to_thread(parts.backend.workers.owner)
        if time.monotonic() >= deadline:
            break
        is_ours = bool(stage) and owner is None  # the owner has ended before it carried it out
        await asyncio.sleep(ANSWER_POLL_SECONDS)
    log.warning(
        "a %s is not forgotten yet: %s has not answered", entity.type, owner or "the last owner"
    )
    return ForgetReport(entity.key, done=False, stage=stage)


def forget_all(parts: Parts) -> list[ForgetReport]:
    """Carry out all requests, and return the reports.

    Blocking. Raises StorageError, and OwnerLockHeld if another process is the owner.
    """
    with parts.backend.workers.ownership().acquire(parts.clock()):
        work = Forgetting(parts, parts.backend.vector_index())
        requests = work.requests.all()
        reports = work.carry_out()
        for request in requests:
            work.requests.take_answer(request.entity)
    return reports


def _as_owner(parts: Parts, entity: Entity) -> ForgetReport | None:
    """Carry out the requests under the owner lock. Return None if another process holds it."""
    try:
        ownership = parts.backend.workers.ownership().acquire(parts.clock())
    except OwnerLockHeld:
        return None
    with ownership:
        work = Forgetting(parts, parts.backend.vector_index())
        reports = {report.entity: report for report in work.carry_out()}
        taken = work.requests.take_answer(entity)
    report = reports.get(entity.key, taken)
    if report is None:
        raise HistorianError(f"{entity.key}: the request to forget it was removed; send it again")
    return report
