"""Forgetting a person or a group: permanent erasure of their data in all stores.

The order matters. First a tombstone, so that running jobs restore nothing. Then the known texts and names are written into the
request, which stays on disk until the end: if the process is killed, the next owner completes the request. Then every store
erases its data, twice, since a thread of an interrupted job may have been writing. Then the files are rewritten, and finally
the whole data directory is scanned for remains.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, groupby
from operator import attrgetter

from ...schema.entity import Entity
from ...schema.errors import HistorianError, OwnerLockHeld
from ...schema.protocols.entity_data import EntityData, Traces
from ...stores.chroma.index import remove_chroma
from ...stores.files.forget_requests import ForgetReport, ForgetRequest, ForgetRequests
from ...stores.files.owner_lock import OwnerLock, owner_of
from ..components import Parts
from .byte_scan import pieces, scan, standing_in
from .mentions import Mention, Mentions
from .stores import entity_stores

log = logging.getLogger(__name__)

ANSWER_POLL_SECONDS = 0.05


class Forgetting:
    """Carries out requests, one after the other, in the owner of a data directory. Blocking; raises StorageError.

    `drop_index` deletes the derived vector index, which is rebuilt from the event store. `on_step` is called after each step.
    Nothing else may write to the data directory meanwhile: no job runs, no checkpoint is open. Readers are allowed.
    """

    def __init__(
        self,
        parts: Parts,
        *,
        drop_index: Callable[[], None],
        on_step: Callable[[str], None] = lambda step: None,
    ) -> None:
        self._parts = parts
        self._drop_index = drop_index
        self._on_step = on_step
        self.requests = ForgetRequests(parts.directory)

    def waiting(self) -> bool:
        """Return True if there are requests."""
        return self.requests.waiting()

    def carry_out(self) -> list[ForgetReport]:
        """Carry out all requests. Return the reports, which are also stored for the requesters."""
        return [self._forget(request) for request in self.requests.all()]

    def _forget(self, request: ForgetRequest) -> ForgetReport:
        parts, entity, step = self._parts, request.entity, self._on_step
        parts.erasure.bury(entity.key, request.until)
        step("buried")
        everything = entity_stores(parts)
        # Jobs claimed by a killed worker are returned to the queue, where they can be removed.
        parts.queue.recover(parts.clock())
        traces = Traces(entity, set(request.texts), set(request.names), set(request.job_ids), set(request.moments))
        for store in everything:
            for record in store.records(traces):
                traces.add(record)
        self.requests.ask(
            replace(
                request,
                texts=tuple(sorted(traces.texts)),
                names=tuple(sorted(traces.names)),
                job_ids=tuple(sorted(traces.job_ids)),
                moments=tuple(sorted(traces.moments)),
            )
        )
        step("surveyed")
        removed: Counter[str] = Counter()
        for turn in ("first", "second"):
            for store in everything:
                removed[store.kind] += store.erase(traces)
                step(f"{store.kind}, {turn} time")
        self._drop_index()
        step("index dropped")
        parts.events.reindex_all()
        step("index asked for")
        mentions = self._mentions(everything, traces, remove=request.mentions)
        step("mentions looked for")
        if not parts.erasure.compact():
            log.warning("a reader of index.sqlite is active; remains in the write-ahead log are overwritten when it ends")
        step("compacted")
        report = self._scanned(everything, traces)
        report = replace(
            report,
            removed={kind: count for kind, count in removed.items() if count},
            mentions=tuple(dict.fromkeys((one.kind, one.id) for one in mentions)),
            mentions_removed=request.mentions,
        )
        step("scanned")
        self.requests.answer(entity, report)
        step("answered")
        log.info("forgot a %s: %s items removed", entity.type, sum(removed.values()))
        if report.left:
            log.warning("forgotten texts remain in %d places of the data directory", len(report.left))
        return report

    def _mentions(self, everything: list[EntityData], traces: Traces, *, remove: bool) -> list[Mention]:
        mentions = Mentions(traces.entity, traces.names, traces.texts)
        found: list[Mention] = []
        for store in everything:
            some = mentions.among(_told(store))
            if some and remove:
                store.drop({one.id for one in some}, mentions.stand_in)
                traces.texts.update(one.text for one in some)
            found += some
        return found

    def _scanned(self, everything: list[EntityData], traces: Traces) -> ForgetReport:
        directory = self._parts.directory
        wanted: set[bytes] = set()
        too_short = 0
        for text in traces.texts:
            wanted_of_text = pieces(text)
            too_short += not wanted_of_text and bool(text.strip())
            wanted |= wanted_of_text
        found, unread = scan(directory, wanted, skip=[self.requests.path(traces.entity)])
        if found:
            # The same words in records of others are not remains.
            others = chain.from_iterable(_texts(store) for store in everything)
            shared = standing_in(others, {one.piece for one in found})
            found = [one for one in found if one.piece not in shared]
        size = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
        left = tuple(dict.fromkeys(f"{one.path}: byte {one.offset}" for one in found))
        return ForgetReport(traces.entity.key, left=left, unread=tuple(unread), too_short=too_short, bytes_scanned=size)


def _told(store: EntityData) -> Iterator[Mention]:
    """Yield the texts of all records of a store."""
    for record in store.records(None):
        for text in record.texts if record.told is None else record.told:
            yield Mention(store.kind, record.id, text)


def _texts(store: EntityData) -> Iterator[str]:
    """Yield the texts of a store, and for records of several lines (profiles, articles) also the lines joined, because a piece
    may span two lines."""
    for _, lines in groupby(_told(store), key=attrgetter("id")):
        texts = [mention.text for mention in lines]
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
    """Forget `entity`: in this process if the data directory has no owner, otherwise by its owner.

    `wake` notifies a worker of this process. The tombstone is always written here. If the owner has not answered after
    `wait_seconds`, the report has `done=False`; the owner continues, also after a restart. Raises StorageError.
    """
    requests = ForgetRequests(parts.directory)
    until = parts.clock()
    await asyncio.to_thread(parts.erasure.bury, entity.key, until)
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
            return answer
    except TimeoutError:
        owner = owner_of(parts.directory)
        log.warning("a %s is not forgotten yet: %s has not answered", entity.type, owner or "the last owner")
        return ForgetReport(entity.key, done=False)


def forget_all(parts: Parts) -> list[ForgetReport]:
    """Carry out all requests, and return the reports. Blocking; raises OwnerLockHeld where an owner does it, and StorageError."""
    lock = OwnerLock(parts.directory)
    lock.acquire(parts.clock())
    with lock:
        work = Forgetting(parts, drop_index=lambda: remove_chroma(parts.directory / "chromadb"))
        requests = work.requests.all()
        reports = work.carry_out()
        for request in requests:
            work.requests.take_answer(request.entity)
    return reports


def _as_owner(parts: Parts, entity: Entity) -> ForgetReport | None:
    """Carry out the requests under the owner lock. Return None if another process holds it."""
    lock = OwnerLock(parts.directory)
    try:
        lock.acquire(parts.clock())
    except OwnerLockHeld:
        return None
    with lock:
        work = Forgetting(parts, drop_index=lambda: remove_chroma(parts.directory / "chromadb"))
        reports = {report.entity: report for report in work.carry_out()}
        taken = work.requests.take_answer(entity)
    report = reports.get(entity.key, taken)
    if report is None:
        raise HistorianError(f"{entity.key}: the request to forget it was removed; ask again")
    return report


def _is_left_alone(parts: Parts, requests: ForgetRequests, entity: Entity) -> bool:
    """Return True if the owner has ended without carrying out the request."""
    return requests.path(entity).exists() and owner_of(parts.directory) is None
