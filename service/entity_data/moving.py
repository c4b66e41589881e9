"""Moving a whole memory from one backend to another: rows with their row numbers (documents with
their revisions), and waiting jobs.

Rows are copied in portions. Each portion is stored together with a mark of the progress, so that
the next call after a crash continues there. No process may work on either memory meanwhile. Vectors
are copied, not computed again. Checkpoints are not copied: their jobs start from the beginning. The
source memory is not deleted.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ...schema.errors import HistorianError, InvalidInput
from ...schema.event import EventFilter
from ...stores.backend import Backend
from .kinds import ALL

log = logging.getLogger(__name__)

AT_ONCE = 1_000
SAMPLE = 25
"""Number of recalls that are compared, each in a different scope if there are enough scopes."""
SAME = 0.002
"""Scores that differ by at most this count as equal. Sums of the same numbers in another order
differ in the last bits, and half precision changes a cosine by about 0.0005."""

Progress = Callable[[int, int], None]


@dataclass
class MoveReport:
    """The content of the new memory: `rows` per table, `documents` per kind, and `jobs` in the
    queue.

    `recalls` is the number of recalls that were compared, `differing` the number of those that find
    other events after the move.
    """

    rows: dict[str, int] = field(default_factory=dict)
    documents: dict[str, int] = field(default_factory=dict)
    jobs: int = 0
    recalls: int = 0
    differing: int = 0


def move(
    source: Backend, target: Backend, now: float, on_progress: Progress = lambda done, total: None
) -> MoveReport:
    """Copy the memory of `source` to `target`. Blocking.

    `target` must be empty, or hold an unfinished move of the same memory. Raises InvalidInput if
    the target holds another memory, or if the source has changed since the move began;
    OwnerLockHeld if a process works on one of them; HistorianError if a forget request waits in the
    source, or if rows are missing in the target.
    """
    if source.name == target.name:
        raise InvalidInput(f"{target.name} already is the place of the memory; give another place")
    with ExitStack() as stack:
        for one in (source, target):
            stack.enter_context(one.workers.ownership().acquire(now))
            stack.enter_context(one.workers.alone())
        if source.forget_requests.waiting():
            raise HistorianError(
                f"{source.name}: a forget request is in progress there; wait until `historian "
                "forget` has ended"
            )
        moving = _Move(source, target, on_progress)
        moving.rows()
        report = MoveReport(moving.counts(target), moving.documents(), moving.jobs(now))
        moving.check(report)
        moving.finish()
    return report


class _Move:
    def __init__(self, source: Backend, target: Backend, on_progress: Progress) -> None:
        self._from, self._to = source, target
        self._on_progress = on_progress
        for store in (source.profiles, source.article_stores.articles):
            store.edited()  # store documents that were edited by hand as revisions
        self._counts = self.counts(source)
        self._origin = {"from": source.name, "state": _state_of(source, self._counts)}
        found = target.contents.mark()
        self._mark: dict[str, Any] = json.loads(found) if found else {}
        if not self._mark and any(self.counts(target).values()):
            raise InvalidInput(
                f"{target.name} already contains a memory; give an empty place (another "
                "stores.schema_name, another folder)"
            )
        if self._mark and {name: self._mark.get(name) for name in self._origin} != self._origin:
            raise InvalidInput(
                f"{target.name}: {self._mark.get('from')} was being moved here, and that memory "
                "has changed since; empty this place and start again"
            )

    @staticmethod
    def counts(backend: Backend) -> dict[str, int]:
        """Return the number of rows per table."""
        return {table: backend.contents.count(table) for table in backend.contents.tables()}

    def rows(self) -> None:
        """Copy the rows of all tables that the target does not have yet."""
        if self._mark.get("done"):
            return
        source, target, tables = self._from.contents, self._to.contents, list(self._counts)
        first = tables.index(self._mark["table"]) if self._mark else 0
        after = self._mark.get("after")
        done = sum(self._counts[table] for table in tables[:first])
        for table in tables[first:]:
            while rows := source.read(table, after and tuple(after), AT_ONCE):
                after = source.key_of(table, rows[-1])
                target.write(table, rows, self._marked(table=table, after=after))
                done += len(rows)
                self._on_progress(done, sum(self._counts.values()))
            after = None

    def jobs(self, now: float) -> int:
        """Put waiting and failed jobs into the queue of the target. Return the number of jobs in
        that queue."""
        source, target = self._from.queue, self._to.queue
        source.take_over(now)
        failed = [one.job for one in source.failed() if one.job is not None]
        known = target.known_ids()
        for job in (*source.jobs("pending", ALL), *failed):
            if job.job_id not in known and not self._to.ledger.has("job", job.job_id):
                target.put(job)
        counts = target.counts(now)
        return counts.pending + counts.processing + counts.failed

    def check(self, report: MoveReport) -> None:
        """Raise HistorianError if rows are missing in the target. Compare a sample of recalls, and
        add the counts to `report`."""
        lacking = [
            f"{table}: {report.rows[table]} of {n}"
            for table, n in self._counts.items()
            if report.rows[table] != n
        ]
        if lacking:
            raise HistorianError(
                f"{self._to.name}: not everything has arrived ({', '.join(lacking)}); empty this "
                "place and move again"
            )
        for scope_key, query, event_id in _sample(self._from):
            report.recalls += 1
            one, other = (
                _scores(each, scope_key, query, event_id) for each in (self._from, self._to)
            )
            if one.keys() != other.keys() or any(
                abs(score - other[hit]) > SAME for hit, score in one.items()
            ):
                report.differing += 1
                log.warning("a recall in %s finds other events after the move", scope_key)

    def finish(self) -> None:
        self._to.contents.finish(self._marked(done=True))

    def documents(self) -> dict[str, int]:
        """Copy data outside the tables: the index of profiles, items and plain summaries.

        Return the number of documents in the target per kind.
        """
        target = self._to
        self._index_profiles()
        return {
            "profiles": len(target.profiles.keys()),
            "articles": len(target.article_stores.articles.keys()),
            "summaries": target.contents.count("summaries"),
            "items": self._items(),
            "plain summaries": target.plain_summaries.restore(self._from.plain_summaries.entries()),
        }

    def _index_profiles(self) -> None:
        """Copy the index of profiles, with the vectors that are up to date."""
        index, profiles = self._from.profile_index, self._from.profiles
        vectors = dict(zip(*index.vectors(), strict=True))
        current = [one for key in profiles.keys() if (one := profiles.read(key))]  # noqa: SIM118 - no dict
        stale = {one.key for one in index.stale(current)}
        for one in current:
            self._to.profile_index.put(one, None if one.key in stale else vectors.get(one.key))

    def _items(self) -> int:
        """Copy the items that an application stored with `HistorianStore`. Return their number."""
        count, row = 0, 0
        with closing(self._from.items()) as source, closing(self._to.items()) as target:
            while some := source.take(row, AT_ONCE):
                target.bring(some)
                count, row = count + len(some), some[-1].item.row
        return count

    def _marked(self, **how_far: Any) -> str:
        return json.dumps({**self._origin, **how_far})


def _state_of(source: Backend, counts: dict[str, int]) -> str:
    """Return a digest of scopes, row counts and keys of documents. It differs if events or
    documents have changed."""
    contents, after = source.contents, None
    digest = hashlib.sha256(repr((contents.read("scopes", None, ALL), counts)).encode())
    while rows := contents.read("documents", after, AT_ONCE):
        keys = [contents.key_of("documents", row) for row in rows]
        digest.update(repr(keys).encode())
        after = keys[-1]
    return digest.hexdigest()


def _sample(source: Backend) -> Iterator[tuple[str, str, str]]:
    """Yield (scope key, text, event id) of some events, from as many scopes as possible."""
    scopes = [key for key, n in source.events.scopes() if n]
    step = max(len(scopes) // SAMPLE, 1)
    for scope_key in islice(scopes, 0, None, step):
        for event in source.events.find(
            EventFilter(scope_key), limit=max(SAMPLE // max(len(scopes), 1), 1)
        ):
            yield scope_key, event.text, event.event_id


def _scores(backend: Backend, scope_key: str, query: str, event_id: str) -> dict[str, float]:
    """Return the scores of all hits of a keyword search for `query`, and those of all events of the
    scope that have a vector, compared with the event."""
    where = EventFilter(scope_key)
    found = dict(backend.events.search_keywords(query, where, ALL))
    ids, matrix = backend.events.vectors(where)
    if event_id in ids:
        near = (matrix @ matrix[ids.index(event_id)]).tolist()
        found |= {f"near {one}": score for one, score in zip(ids, near, strict=True)}
    return found
