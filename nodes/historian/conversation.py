"""The messages of a conversation before a given time."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from ...schema.event import MESSAGE, Event, EventFilter, is_raw
from ...schema.graph_states.historian import HistorianState
from ...schema.job import Job, RecentMessage
from ...stores.historian_context import HistorianContext
from ...stores.tables.events.store import EventStore
from ...text.job_verdicts import SHOWN_MESSAGES

BEFORE_SECONDS = 21_600.0


def messages_before(
    store: EventStore, scope_key: str, at: float, most: int, now: float, but: Collection[str] = ()
) -> list[Event]:
    """Return the last messages of a conversation from the six hours before `at`, oldest first.

    These are at most `most` messages. Tool results, messages that were superseded or corrected, and
    messages of the jobs `but` are left out. Times are seconds since the epoch.
    """
    where = EventFilter(
        scope_key, sources=(MESSAGE,), time_from=at - BEFORE_SECONDS, time_to=at, now=now
    )
    found = store.find(where, limit=most + len(but))
    return [
        one for one in reversed(found) if one.job_id not in but and one.holds and not is_raw(one)
    ][-most:]


def recent_messages(job: Job, context: HistorianContext) -> list[RecentMessage]:
    """Return the last messages before a hand-over, in the form in which a bot hands them over."""
    at = job.moment.timestamp()
    found = messages_before(context.events, job.scope.key, at, SHOWN_MESSAGES, context.clock())
    return [
        RecentMessage(
            sender_id=one.said_by if one.role == "user" else job.bot_id,
            sender_name=one.speaker,
            text=one.text,
            at=datetime.fromtimestamp(one.timestamp, job.moment.tzinfo).isoformat(
                timespec="seconds"
            ),
        )
        for one in found
    ]


def with_messages(state: HistorianState) -> Job:
    """Return the job of a state with the messages that were shown to the model with it, if any."""
    job = Job.model_validate(state["job"])
    shown = [RecentMessage.model_validate(one) for one in state.get("beside", [])]
    return job.model_copy(update={"recent_messages": shown}) if shown else job
