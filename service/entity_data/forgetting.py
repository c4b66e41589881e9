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
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Literal

from ...schema.entity import Entity
from ...schema.errors import HistorianError, OwnerLockHeld
from ...schema.event import EventFilter
from ...schema.forgetting import ForgetReport, ForgetRequest
from ...schema.portions import portions
from ...schema.profile import ProfileKey
from ...schema.protocols import VectorIndex
from ...stores.tables.forget_requests import ForgetRequestTable
from ...text.remembered import empty_remembered
from ..components import Parts
from .byte_scan import FoundPiece, Needles, pieces, scanning, standing_in
from .kinds import Kind, Record, Traces
from .mentions import Mentions, digest
from .registry import stored_kinds

log = logging.getLogger(__name__)

ANSWER_POLL_SECONDS = 0.05
RECORDS_AT_ONCE = 1_000
TEXTS_AT_ONCE = 200
"""Number of texts that one slice splits into pieces or compares."""
MOST_TRIES = 20
"""Maximum number of times that rewriting the database is interrupted because a writer waits. After
that, writers wait until it ends."""

Company = Literal["alone", "beside", "quiet"]
"""What may run during a slice. `alone`: no job, and no open checkpoint. `beside`: jobs. `quiet`:
jobs, but the slice is interrupted when a job waits to write."""


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
        self.requests = parts.backend.forget_requests
        self.index_waits = False
        """True while the derived index must not be updated, because it would take in events that
        are about to be deleted."""
        self._mention_texts: dict[tuple[str, str, str], str] = {}
        """Texts of the mentions found by the last search, by key of the entity, kind and id of the
        record."""
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
        traces = Traces(
            entity,
            set(request.texts),
            set(request.names),
            set(request.job_ids),
            set(request.moments),
        )
        stores = stored_kinds(self._parts)
        removed: Counter[str] = Counter()
        if request.stage != "erasing":
            self.index_waits = True
            last_rows: Sequence[int] = request.last_rows
            if request.stage == "waiting":
                surveyed = yield from self._survey(stores[0], traces)
                yield "alone"
                with self._parts.backend.workers.alone():
                    is_complete = self._parts.events.count(entity.where) == surveyed
                    self._erase_files(stores, stores[is_complete:], traces, removed)
                last_rows = self._erasure.last_rows(entity.where)  # later events are not deleted
                if not requests.advance(request, "deleting", last_rows=last_rows):
                    return
                step("deleting")
            yield from self._erase_events(stores[0].kind, traces, last_rows, removed)
            yield from self._look_for_mentions(stores, traces, remove=request.mentions)
            if not requests.advance(request, "erasing"):
                return
            self.index_waits = False
            step("erasing")
        yield from self._erase_bytes()
        scanned = yield from self._scan(stores, traces)
        mentions = tuple(
            dict.fromkeys(
                (kind, item) for kind, item, _ in sorted(self._erasure.kept_mentions(entity.key))
            )
        )
        report = replace(
            scanned,
            removed={store.kind: removed[store.kind] for store in stores if removed[store.kind]},
            mentions=mentions,
            mention_texts=tuple(
                self._mention_texts.get((entity.key, *one), "") for one in mentions
            ),
            mentions_removed=request.mentions,
        )
        empty_remembered()
        step("scanned")
        if not requests.answer(request, report):
            return
        if request.mentions:
            self._erasure.keep_mentions(entity.key, [])
        step("answered")
        reports.append(report)
        log.info("forgot a %s: %s items removed", entity.type, sum(removed.values()))
        if report.left:
            log.warning("forgotten texts remain in %d places", len(report.left))

    def _survey(self, events: Kind[Any], traces: Traces) -> Generator[Company, None, int]:
        """Store the traces of the events. Return the number of events."""
        count = 0
        for some in portions(events.records(traces), RECORDS_AT_ONCE):
            yield "beside"
            self._note(traces, some)
            count += len(some)
        return count

    def _erase_files(
        self,
        stores: Sequence[Kind[Any]],
        unread: Sequence[Kind[Any]],
        traces: Traces,
        removed: Counter[str],
    ) -> None:
        """Store the traces of `unread`, erase all kinds except events, and drop the vector index.
        No job may run meanwhile."""
        # Jobs claimed by a dead worker are returned to the queue, where they can be removed.
        self._parts.queue.take_over(self._parts.clock())
        for store in unread:
            for some in portions(store.records(traces), RECORDS_AT_ONCE):
                self._note(traces, some)
        self._on_step("surveyed")
        for turn in ("first", "second"):
            for store in stores[1:]:
                removed[store.kind] += store.erase(traces)
                self._on_step(f"{store.kind}, {turn} time")
        self._parts.backend.sweep()
        if self._index is not None:
            self._index.drop()
        self._on_step("index dropped")

    def _erase_events(
        self, kind: str, traces: Traces, last_rows: Sequence[int], removed: Counter[str]
    ) -> Iterator[Company]:
        def note(texts: Sequence[str], job_ids: Sequence[str]) -> None:
            """Store texts and job ids of events that were filed since the survey."""
            if not traces.texts.issuperset(texts):
                self._note(
                    traces,
                    [Record("", texts=tuple(texts)), *(Record("", job_id=one) for one in job_ids)],
                )

        while True:
            yield "beside"
            erased = self._erasure.erase_some(traces.entity.where, last_rows=last_rows, before=note)
            if not erased:
                return
            removed[kind] += erased
            self._on_step("some events deleted")

    def _look_for_mentions(
        self, stores: Sequence[Kind[Any]], traces: Traces, *, remove: bool
    ) -> Iterator[Company]:
        """Find records of others that mention the entity; with `remove`, delete these texts.

        Records that an earlier forget request for the entity found are found again.
        """
        known = self._erasure.kept_mentions(traces.entity.key)
        mentions = Mentions(
            traces.entity, traces.names, traces.texts, {text for _, _, text in known}
        )
        for store in stores:
            for some in portions(store.records(), RECORDS_AT_ONCE):
                yield "beside"
                mentions.look(store.kind, some)
        found: dict[str, dict[str, list[str]]] = {store.kind: {} for store in stores}
        for one in mentions.found():
            found[one.kind].setdefault(one.id, []).append(one.text)
        every = {
            (kind, item): texts for kind, items in found.items() for item, texts in items.items()
        }
        key = traces.entity.key
        self._mention_texts = {(key, *one): "\n".join(texts) for one, texts in every.items()}
        noted = [
            (kind, item, digest(text)) for (kind, item), texts in every.items() for text in texts
        ]
        self._erasure.keep_mentions(key, noted)
        if remove and every:
            self._note(
                traces,
                [Record("", texts=tuple(text for texts in every.values() for text in texts))],
            )
            for ids in portions(found[stores[0].kind], RECORDS_AT_ONCE):
                yield "beside"
                self._erasure.erase_events(EventFilter(None, event_ids=tuple(ids)))
            yield "alone"
            with self._parts.backend.workers.alone():
                for store in stores[1:]:
                    if some_found := found[store.kind]:
                        store.drop({item: frozenset(texts) for item, texts in some_found.items()})
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

    def _scan(
        self, stores: Sequence[Kind[Any]], traces: Traces
    ) -> Generator[Company, None, ForgetReport]:
        """Search all files for the forgotten texts. Return a report of the places where they are
        found."""
        backend, entity = self._parts.backend, traces.entity
        needles, too_short = Needles(), 0
        for some in portions(sorted(traces.texts), TEXTS_AT_ONCE):
            yield "beside"
            for text in some:
                wanted_of_text = pieces(text)
                too_short += not wanted_of_text and bool(text.strip())
                needles.add(wanted_of_text)
        for is_last in (False, True):
            found: list[FoundPiece] = []
            unread: list[str] = []
            searched = 0
            stored = backend.stored_bytes(unread)
            for searched in scanning(stored, needles, found):  # noqa: B007 - the last one is told
                yield "beside"
            # The same text in a record of others is no remnant. Events are read last, so that a job
            # that is filed meanwhile is not missed.
            others = (
                chain.from_iterable(_texts_of_others(store, entity) for store in reversed(stores))
                if found
                else iter(())
            )
            at_issue = {one.piece for one in found}
            for some in portions(others, TEXTS_AT_ONCE):
                yield "beside"
                at_issue -= standing_in(some, at_issue)
            found = [one for one in found if one.piece in at_issue]
            if is_last or not self._erasure.holds({one.path for one in found}):
                break
            self._erasure.check_words()  # the keyword index may be damaged
            yield from self._rewrite()
        left = tuple(dict.fromkeys(f"{one.path}: byte {one.offset}" for one in found))
        return ForgetReport(
            entity.key, left=left, unread=tuple(unread), too_short=too_short, bytes_scanned=searched
        )

    def _note(self, traces: Traces, records: Sequence[Record]) -> None:
        """Add the new texts, names, job ids and moments of `records` to the request on disk, then
        to `traces`."""
        new = Traces(traces.entity)
        for record in records:
            new.add(record)
        names = ("texts", "names", "job_ids", "moments")
        found = {name: getattr(new, name) - getattr(traces, name) for name in names}
        if any(found.values()):
            self.requests.note(traces.entity, found)
        for name, values in found.items():
            getattr(traces, name).update(values)


def _texts_of_others(store: Kind[Any], entity: Entity) -> Iterator[str]:
    """Yield the texts of a store.

    For records of several lines (profiles, articles) also yield the joined lines, because a piece
    may span two lines. If a user is forgotten, group profiles are skipped: texts of the user must
    not remain in them.
    """
    for record in store.records():
        if (
            store.kind == "profiles"
            and entity.type == "user"
            and ProfileKey.of_index_id(record.id).entity_type == "group"
        ):
            continue
        texts = record.searched
        yield from texts
        if len(texts) > 1:
            yield "\n".join(texts)


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
    if wake is None:
        report = await asyncio.to_thread(_as_owner, parts, entity)
        if report is not None:
            return report
    else:
        wake()
    try:
        async with asyncio.timeout(wait_seconds):
            while (answer := await asyncio.to_thread(requests.take_answer, entity)) is None:
                await asyncio.sleep(ANSWER_POLL_SECONDS)
                if await asyncio.to_thread(_is_left_alone, parts, requests, entity):
                    report = await asyncio.to_thread(_as_owner, parts, entity)
                    if report is not None:
                        return report
            empty_remembered()  # the caches of this process; the owner has emptied its own
            return answer
    except TimeoutError:
        owner = parts.backend.workers.owner()
        log.warning(
            "a %s is not forgotten yet: %s has not answered", entity.type, owner or "the last owner"
        )
        return ForgetReport(
            entity.key, done=False, stage=await asyncio.to_thread(requests.stage_of, entity)
        )


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
        raise HistorianError(f"{entity.key}: the request to forget it was removed; ask again")
    return report


def _is_left_alone(parts: Parts, requests: ForgetRequestTable, entity: Entity) -> bool:
    """Return True if the owner has ended without carrying out the request."""
    return bool(requests.stage_of(entity)) and parts.backend.workers.owner() is None
