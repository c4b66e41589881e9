"""The look at the database that decides whether MEMORY.md takes its place."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from historian.schema.errors import StorageError
from historian.service.recall.fallback_levels import LOCAL_SECONDS, PlainMemory
from historian.stores.sqlite.queue import QUEUE, SqliteJobQueue
from support.jobs import make_job


def away() -> None:
    raise StorageError("away")


def slowly_away() -> None:
    time.sleep(LOCAL_SECONDS + 0.01)
    away()


def there() -> None:
    pass


@pytest.mark.parametrize(
    ("looks", "is_away"),
    [([there], False), ([away], True), ([slowly_away, there], False), ([slowly_away, away], True)],
)
def test_what_fails_slowly_is_asked_again_since_it_may_be_back(
    tmp_path: Path, looks: list[Callable[[], None]], is_away: bool
) -> None:
    queue = SqliteJobQueue(tmp_path / QUEUE, clock=time.time)
    queue.put(make_job(action_summary="她买了一把吉他"))
    answers: Iterator[Callable[[], None]] = iter(looks)
    events: Any = SimpleNamespace(count=lambda: next(answers)(), find=lambda *_, **__: [])
    memory = PlainMemory(tmp_path, SimpleNamespace())  # type: ignore[arg-type]
    assert memory.look_at(events, queue) is memory.database_away is is_away
    assert (tmp_path / "MEMORY.md").exists() is is_away
    assert next(answers, None) is None
