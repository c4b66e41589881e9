"""Events and vectors for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from historian.schema.event import Event
from historian.schema.protocols import Vector
from historian.stores.tables.events.reading import ScopeNews
from historian.stores.tables.events.store import EventStore
from historian.text.messages.records import message_events

from .jobs import make_job

DIMENSION = 8
SATURDAY = 1_771_666_200.0
"""2026-02-21 17:30 in Shanghai."""
NO_TURN: dict[str, Any] = {"action_summary": "", "new_info": []}


def make_event(
    job_id: str = "j1-0", n: int = 0, *, group: str | None = "7", **fields: Any
) -> Event:
    """Event `n` of a job, in group 7 by user 42; `group=None` makes it a private one."""
    values: dict[str, Any] = {
        "event_id": f"{job_id}:{n}",
        "job_id": job_id,
        "kind": "fact",
        "text": "小林养了一只叫阿橘的猫",
        "user_id": "42",
        "group_id": group or "",
        "request_type": "private" if group is None else "group",
        "timestamp": 1_770_000_000.0 + n,
        "timestamp_local": "2026-02-02T10:40:00+08:00",
        "timezone": "Asia/Shanghai",
    }
    return Event(**{**values, **fields})


def unit_vectors(count: int, *, seed: int = 0, dimension: int = DIMENSION) -> list[Vector]:
    """Random directions, the same for the same seed."""
    made = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return list(made / np.linalg.norm(made, axis=1, keepdims=True))


def file_texts(
    store: EventStore, texts: Sequence[str], job_id: str = "j1-0", **fields: Any
) -> list[str]:
    """File one job with an event a text, without vectors; gives the event ids."""
    events = [make_event(job_id, n, text=text, **fields) for n, text in enumerate(texts)]
    assert store.file_job(job_id, events, [None] * len(events))
    return [event.event_id for event in events]


def embedded_ids(news: ScopeNews) -> list[str]:
    """Return the ids of the events of `news` that have their vectors there, in the order of the vectors."""
    names = dict(zip(news.rows, (event.event_id for event in news.events), strict=True))
    return [names[row] for row in news.embedded]


def make_message(
    message_id: str, text: str, *, reply_to: str = "", role: str = "user", **fields: Any
) -> Event:
    """A message of user 42 (小林) in group 7, said on Saturday 2026-02-21 at 17:30 unless `timestamp` says otherwise."""
    payload = {"role": role, "text": text, "message_id": message_id, "reply_to": reply_to}
    (event,) = message_events(
        make_job(f"talk-{message_id}", kind="talk", payload=payload, **NO_TURN, **fields), 400
    )
    return event


def file_messages(store: EventStore, texts: Sequence[str], **fields: Any) -> list[str]:
    """File messages m0, m1 …, a minute apart, each an answer to the one before; gives the event ids."""
    messages = [
        make_message(
            f"m{n}", text, reply_to=f"m{n - 1}" if n else "", timestamp=SATURDAY + 60 * n, **fields
        )
        for n, text in enumerate(texts)
    ]
    return store.file_messages([[one] for one in messages])
