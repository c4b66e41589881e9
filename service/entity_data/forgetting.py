"""Forgetting a person or a group: everything that is kept of them, wherever it lies, for good.

The order matters. A tombstone first, so that a job in flight brings nothing back. Then what is known of them is written
into the request, which stays on disk until the end: a process that is killed anywhere leaves a request that the next
owner finishes. Then every store erases its part, twice, since a thread of a job that was interrupted may have been
writing. Then the files are written anew, and in the end every byte is looked at.
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
    """The work of the owner of a data directory, for one request after the other. Blocking; raises StorageError.

    `drop_index` deletes the derived vector index, which is rebuilt from the truth. `on_step` is told what was just done.
    Nothing else may work on the data directory meanwhile: no job runs, no checkpoint is open. Readers may read.
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
        """Whether anybody is to be forgotten."""
        return self.requests.waiting()

    def carry_out(self) -> list[ForgetReport]:
        """Work on everything that was asked for; the reports are kept for those who asked, too."""
        return [self._forget(request) for request in self.requests.all()]

    def _forget(self, request: ForgetRequest) -> ForgetReport:
        parts, entity, step = self._parts, request.entity, self._on_step
        parts.erasure.bury(entity.key, request.until)
        step("buried")
        everything = entity_stores(parts)
        # What a worker that was killed had claimed goes back into the queue, where it can be dropped.
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
            log.warning("a reader of index.sqlite is in the way; what it still holds is overwritten when it ends")
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
        log.info("%s is forgotten: %s removed", entity.type, sum(removed.values()))
        if report.left:
            log.warning("forgotten texts still stand in %d places of the data directory", len(report.left))
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
            # What others' records say as well is no trace: the same words, said by somebody else.
            others = chain.from_iterable(_texts(store) for store in everything)
            shared = standing_in(others, {one.piece for one in found})
            found = [one for one in found if one.piece not in shared]
        size = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
        left = tuple(dict.fromkeys(f"{one.path}: byte {one.offset}" for one in found))
        return ForgetReport(traces.entity.key, left=left, unread=tuple(unread), too_short=too_short, bytes_scanned=size)


def _told(store: EntityData) -> Iterator[Mention]:
    """What a store keeps of everybody, a text at a time."""
    for record in store.records(None):
        for text in record.texts if record.told is None else record.told:
            yield Mention(store.kind, record.id, text)


def _texts(store: EntityData) -> Iterator[str]:
    """The texts of a store, and of those that are the lines of one thing (a profile, an article) all of it: a piece of what
    was said over two lines stands there over two lines."""
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
    """Forget `entity`: at once where nobody owns the data directory, else by its owner.

    `wake` tells a worker of this process. The tombstone is written here in any case. Where the owner has not answered
    after `wait_seconds`, the report says `done=False`; the owner goes on, also after a restart. Raises StorageError.
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
        return ForgetReport(entity.key, done=False)


def _as_owner(parts: Parts, entity: Entity) -> ForgetReport | None:
    """Carry out what was asked under the owner lock; None where somebody else holds it."""
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
        raise HistorianError(f"{entity.key}: the request to forget it is gone; ask again")
    return report


def _is_left_alone(parts: Parts, requests: ForgetRequests, entity: Entity) -> bool:
    """Whether the owner that was to do it has ended without doing it."""
    return requests.path(entity).exists() and owner_of(parts.directory) is None
