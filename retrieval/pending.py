"""Read your writes: jobs that were accepted and are not filed yet, as hits.

The texts are drafts by the rules, so that 昨天 in a waiting job means the day before the job was
handed over. The historian may still improve them.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..schema.event import Event, EventFilter, WrittenKind
from ..schema.hit import Hit
from ..schema.job import Job
from ..schema.names import Names
from ..schema.protocols import JobQueue
from ..stores.tables.events.store import EventStore
from ..text.job_verdicts import draft_of
from ..text.messages.records import message_events, message_name
from ..text.piecewise import pieces
from ..text.rewriting.absolutize import LONGEST_TEXT
from ..text.search_words import first_character, last_characters, lookup_tokens, search_tokens
from .request import RecallRequest

log = logging.getLogger(__name__)

JOBS_READ = 20
_DRAFTS_KEPT = 200
LONGEST_DRAFT = 2_000
"""The number of characters of a waiting text that the rules draft; a block has room for no more.
The rest of the text is unchanged."""


class PendingHits:
    """Searches the queue. Blocking; safe to use from several threads."""

    def __init__(self, queue: JobQueue, events: EventStore, bot_name: Callable[[], str]) -> None:
        self._queue = queue
        self._events = events
        self._bot_name = bot_name
        self._drafts: OrderedDict[str, list[str]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, request: RecallRequest, limit: int) -> list[Hit]:
        """Return at most `limit` texts of waiting jobs of the scope. Texts that share more words
        with the query come first; of equal ones, the newer.

        The score is the share of the words of the query that the text holds. The filter of the
        request applies as it does to filed events. Raises StorageError.
        """
        where = request.where
        if limit <= 0 or where.scope_key is None:
            return []
        found: list[tuple[float, Job, Event, int]] = []
        jobs = self._queue.waiting(where.scope_key, JOBS_READ)
        words = (
            {word for query in request.queries for word in lookup_tokens(query)} if jobs else set()
        )
        for job in _latest(jobs):
            if (
                job.kind in ("remember", "talk")
                and job.scope.key == where.scope_key
                and not self._is_settled(job)
            ):
                for n, event in enumerate(_events_of(job)):
                    if admits(where, event):
                        found.append(
                            (
                                len(words & _words_of(event.said)) / len(words) if words else 0.0,
                                job,
                                event,
                                n,
                            )
                        )
        # Texts that were corrected after they were handed over will not be filed.
        texts = [
            replace(event, text=text)
            for _, job, event, n in found
            for text in (event.text, self._drafts_of(job)[n])
        ]
        wrong = self._events.are_corrected(texts)
        found = [one for n, one in enumerate(found) if not any(wrong[2 * n : 2 * n + 2])]
        found.sort(key=lambda one: -one[0])
        return [
            Hit(
                replace(event, text=self._drafts_of(job)[n]),
                share,
                {"words": share, "final": share},
                pending=True,
            )
            for share, job, event, n in found[:limit]
        ]

    def _is_settled(self, job: Job) -> bool:
        """Return True if the job is already filed and about to leave the queue, or if it was
        forgotten.
        """
        if job.kind == "talk":
            name = message_name(job)
            return bool(self._events.known_messages([name])) or self._is_forgotten(name, job)
        return self._events.is_filed(job.job_id) or self._is_forgotten(job.job_id, job)

    def _is_forgotten(self, name: str, job: Job) -> bool:
        return self._events.is_forgotten(name, job.entities, job.moment.timestamp())

    def _drafts_of(self, job: Job) -> list[str]:
        with self._lock:
            known = self._drafts.get(job.job_id)
        if known is None:
            known = drafts(job, self._bot_name())
            with self._lock:
                self._drafts[job.job_id] = known
                while len(self._drafts) > _DRAFTS_KEPT:
                    self._drafts.popitem(last=False)
        return known


def _latest(jobs: Sequence[Job]) -> list[Job]:
    """Return the jobs, newest first, without those whose message has a later wording in another
    job. `jobs` are given newest first.
    """
    kept: dict[str, Job] = {}
    for job in jobs:
        name = message_name(job) if job.kind == "talk" else job.job_id
        if name not in kept or _worded_at(job) > _worded_at(kept[name]):
            kept[name] = job
    return list(kept.values())


def _worded_at(job: Job) -> float:
    return float(job.payload.get("worded_at", 0.0))


def _words_of(text: str) -> set[str]:
    """Return the words by which the beginning of a text is found: its words, and the single
    characters of Chinese words.
    """
    text = text[:LONGEST_TEXT]
    words = search_tokens(text)
    return {*words, *map(first_character, words), *last_characters(text)}


def _events_of(job: Job) -> list[Event]:
    """Return the events that a waiting job will file: its message, or its texts."""
    if job.kind == "talk":
        return message_events(job, LONGEST_DRAFT)
    return [
        Event.of_job(job, n, kind, text, is_absolute=False)
        for n, (kind, text) in enumerate(job.texts)
    ]


def drafts(job: Job, bot_name: str) -> list[str]:
    """Return the texts of a job as the rules alone would write them."""
    if job.kind == "talk":
        return [event.text for event in message_events(job, LONGEST_DRAFT)]
    names = Names.of_job(job, bot_name)
    return [_draft_of(job, names, kind, text) for kind, text in job.texts]


def _draft_of(job: Job, names: Names, kind: WrittenKind, text: str) -> str:
    beginning = next(pieces(text, LONGEST_DRAFT))
    try:
        return draft_of(job, kind, beginning, names) + text[len(beginning) :]
    except Exception:
        # If the rules fail on a text, it is returned unchanged, because the reply must be sent.
        log.exception("the rules failed on a text of job %s; it is returned unchanged", job.job_id)
        return text


def admits(where: EventFilter, event: Event) -> bool:
    """Return True if an event that is not filed yet meets the conditions of the filter. The event
    does not count as absolute.
    """
    allowed = (
        (where.user_ids, event.user_id),
        (where.kinds, event.kind),
        (where.sources, event.source),
        (where.event_ids, event.event_id),
        (where.request_types, event.request_type),
    )
    return (
        where.scope_key in (None, event.scope.key)
        and all(not values or value in values for values, value in allowed)
        and (where.time_from is None or event.timestamp >= where.time_from)
        and (where.time_to is None or event.timestamp <= where.time_to)
        and (where.occurs_from is None or event.told[1] >= where.occurs_from)
        and (where.occurs_to is None or event.told[0] <= where.occurs_to)
        and where.holds is not False
        and where.is_absolute is not True
        and where.labels <= event.labels
        and not event.has_expired(where.now)
    )
