"""Events and vectors for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from historian.schema.event import Event
from historian.schema.protocols import EventStore, ScopeNews, Vector

DIMENSION = 8


def make_event(job_id: str = "j1-0", n: int = 0, *, group: str | None = "7", **fields: Any) -> Event:
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


def file_texts(store: EventStore, texts: Sequence[str], job_id: str = "j1-0", **fields: Any) -> list[str]:
    """File one job with an event a text, without vectors; gives the event ids."""
    events = [make_event(job_id, n, text=text, **fields) for n, text in enumerate(texts)]
    assert store.file_job(job_id, events, [None] * len(events))
    return [event.event_id for event in events]


def embedded_ids(news: ScopeNews) -> list[str]:
    """Return the ids of the events of `news` that have their vectors there, in the order of the vectors."""
    names = dict(zip(news.rows, (event.event_id for event in news.events), strict=True))
    return [names[row] for row in news.embedded]
