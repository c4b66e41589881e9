"""Read your writes: what was accepted and is not filed yet, as hits.

The text is the rules' draft, so that a 昨天 in a job that waits means the day it meant when the job was handed over. The
historian may still write it better.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from ..schema.event import Event, EventFilter, EventKind
from ..schema.hit import Hit
from ..schema.job import Job
from ..schema.names import Names
from ..schema.protocols import EventStore, JobQueue
from ..schema.scope import Scope
from ..text.absolutize import absolutize
from ..text.words import first_character, last_characters, lookup_tokens, search_tokens

log = logging.getLogger(__name__)

JOBS_READ = 20
_DRAFTS_KEPT = 200


class PendingHits:
    """Looks into the queue. Blocking; safe to use from several threads."""

    def __init__(self, queue: JobQueue, events: EventStore, bot_name: Callable[[], str]) -> None:
        self._queue = queue
        self._events = events
        self._bot_name = bot_name
        self._drafts: OrderedDict[str, list[Event]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, queries: Sequence[str], scope: Scope, where: EventFilter, limit: int) -> list[Hit]:
        """At most `limit` texts of jobs of `scope` that wait, those that share words with the query first, then newer ones.

        The score is the share of the query's words that the text holds. `where` narrows as it does for filed events.
        Raises StorageError.
        """
        if limit <= 0:
            return []
        words = {word for query in queries for word in lookup_tokens(query)}
        found: list[tuple[float, Job, int]] = []
        for job in self._queue.waiting(scope.key, JOBS_READ):
            if job.kind == "remember" and job.scope.key == scope.key and not self._is_settled(job):
                for n, (kind, text) in enumerate(job.texts):
                    if admits(where, job, kind, f"{job.job_id}:{n}"):
                        share = len(words & _words_of(text)) / len(words) if words else 0.0
                        found.append((share, job, n))
        found.sort(key=lambda one: -one[0])
        return [
            Hit(self._draft(job)[n], share, {"words": share, "final": share}, pending=True) for share, job, n in found[:limit]
        ]

    def _is_settled(self, job: Job) -> bool:
        """Filed by now and about to leave the queue, or forgotten."""
        return self._events.is_filed(job.job_id) or self._events.is_forgotten(job.job_id, job.entities, job.moment.timestamp())

    def _draft(self, job: Job) -> list[Event]:
        with self._lock:
            known = self._drafts.get(job.job_id)
        if known is None:
            known = drafted(job, self._bot_name())
            with self._lock:
                self._drafts[job.job_id] = known
                while len(self._drafts) > _DRAFTS_KEPT:
                    self._drafts.popitem(last=False)
        return known


def _words_of(text: str) -> set[str]:
    """What a text is found by: its words, and the single characters of Chinese."""
    words = search_tokens(text)
    return {*words, *map(first_character, words), *last_characters(text)}


def drafted(job: Job, bot_name: str) -> list[Event]:
    """The events that the rules alone would make of a job."""
    names = Names.of_job(job, bot_name)
    return [
        Event.of_job(job, n, kind, _draft_of(job, names, kind, text), is_absolute=False)
        for n, (kind, text) in enumerate(job.texts)
    ]


def _draft_of(job: Job, names: Names, kind: EventKind, text: str) -> str:
    try:
        return absolutize(text, job.moment, job.timezone, names, kind, recent_speakers=job.speakers).text
    except Exception:
        # The reply must not suffer from a text that the rules cannot read: it is offered as it stands.
        log.exception("job %s is offered as it stands", job.job_id)
        return text


def admits(where: EventFilter, job: Job, kind: EventKind, event_id: str) -> bool:
    """Whether a text of a job meets the conditions of a filter. What waits is not known to be absolute yet."""
    at = job.moment.timestamp()
    return (
        (where.scope_key is None or where.scope_key == job.scope.key)
        and (not where.user_ids or job.user_id in where.user_ids)
        and (not where.kinds or kind in where.kinds)
        and (not where.sources or "job" in where.sources)
        and (not where.event_ids or event_id in where.event_ids)
        and (not where.request_types or job.request_type in where.request_types)
        and (where.time_from is None or at >= where.time_from)
        and (where.time_to is None or at <= where.time_to)
        and where.is_absolute is not True
    )
