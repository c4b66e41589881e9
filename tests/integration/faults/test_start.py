"""The start of a service: whatever ends it, nothing stays open, and it may be called again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from historian.service.components import Parts
from historian.service.running import lifecycle as lifecycle_module
from historian.service.running import opening as opening_module
from support.memory import group_fields, settings_for
from support.waiting import eventually

GROUP = Scope.group("7", "42")
JOB = group_fields(action_summary="小史送了一本诗集", group_id="7", user_id="42", request_id="r1")


class Opener:
    """`open_parts`, which says when it is at work and waits until it may go on; remembers what it opened."""

    def __init__(self) -> None:
        self.opened: list[Parts] = []
        self.at_work, self.may_go_on = threading.Event(), threading.Event()
        self._open_parts: Callable[..., Parts] = opening_module.open_parts

    def __call__(self, *arguments: Any, **named: Any) -> Parts:
        self.at_work.set()
        assert self.may_go_on.wait(10)
        self.opened.append(self._open_parts(*arguments, **named))
        return self.opened[-1]


def is_closed(parts: Parts) -> bool:
    try:
        parts.events.count()
    except Exception:
        return True
    return False


@pytest.fixture
def opener(monkeypatch: pytest.MonkeyPatch) -> Opener:
    made = Opener()
    monkeypatch.setattr(opening_module, "open_parts", made)
    return made


async def test_a_start_that_was_cancelled_may_be_called_again(
    tmp_path: Path, opener: Opener
) -> None:
    memory = CognitiveService.open(settings_for(tmp_path))
    heard = threading.Event()
    memory.hooks.register("told", heard.set, inline=True)
    starting = asyncio.create_task(memory.start())
    assert await asyncio.to_thread(opener.at_work.wait, 10)
    starting.cancel()
    await asyncio.sleep(0)
    opener.may_go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert [is_closed(parts) for parts in opener.opened] == [True], (
        "the thread went on, and what it opened is closed"
    )
    with pytest.raises(Exception, match="not open"):
        await memory.enqueue_job(**JOB)
    await memory.start()
    memory.hooks.emit("told")
    assert heard.is_set()
    await memory.enqueue_job(**JOB)
    assert memory.observation is not None and await memory.settled(10)
    await memory.aclose()
    assert all(is_closed(parts) for parts in opener.opened)
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize(
    "broken", ["running.opening.make_observation", "observation.queue.Observation.start"]
)
async def test_a_start_that_fails_unexpectedly_leaves_nothing_open_and_may_be_called_again(
    tmp_path: Path, opener: Opener, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    opener.may_go_on.set()
    memory = CognitiveService.open(settings_for(tmp_path))

    def fails(*_: Any, **__: Any) -> Any:
        raise RuntimeError("made up")

    with monkeypatch.context() as patched:
        patched.setattr(f"historian.service.{broken}", fails)
        with pytest.raises(RuntimeError, match="made up"):
            await memory.start()
    assert [is_closed(parts) for parts in opener.opened] == [True]
    assert asyncio.all_tasks() == {asyncio.current_task()}
    async with memory:
        await memory.enqueue_job(**JOB)
        assert memory.observation is not None and await memory.settled(10)


async def test_a_start_that_is_cancelled_while_the_database_is_away_may_be_called_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.sqlite").write_bytes(b"garbage" * 1000)
    memory = CognitiveService.open(settings_for(tmp_path))
    at_work, may_go_on = threading.Event(), threading.Event()
    begin = memory.lifecycle.plain.begin

    def slow_begin(queue: Any) -> None:
        at_work.set()
        assert may_go_on.wait(10)
        begin(queue)

    monkeypatch.setattr(memory.lifecycle.plain, "begin", slow_begin)
    starting = asyncio.create_task(memory.start())
    assert await asyncio.to_thread(at_work.wait, 10)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    may_go_on.set()
    (tmp_path / "index.sqlite").unlink()
    async with memory:
        assert memory.observation is not None


async def test_a_service_that_is_closed_while_it_starts_stays_closed(
    tmp_path: Path, opener: Opener
) -> None:
    memory = CognitiveService.open(settings_for(tmp_path))
    starting = asyncio.create_task(memory.start())
    assert await asyncio.to_thread(opener.at_work.wait, 10)
    await memory.aclose()
    opener.may_go_on.set()
    await starting
    assert memory.observation is None and [is_closed(parts) for parts in opener.opened] == [True]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_an_unexpected_failure_is_tried_again_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lifecycle_module, "REOPEN_SECONDS", 0.02)
    (tmp_path / "index.sqlite").write_bytes(b"garbage" * 1000)
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        failures = ["once"]
        real = opening_module.make_observation

        def fails_once(*arguments: Any, **named: Any) -> Any:
            if failures:
                raise RuntimeError(failures.pop())
            return real(*arguments, **named)

        monkeypatch.setattr(opening_module, "make_observation", fails_once)
        (tmp_path / "index.sqlite").unlink()
        observation = await eventually(lambda: memory.observation)
        assert failures == [] and "memory could not be opened, next try" in caplog.text
        await memory.on_tool_executed("t", {}, "seen", scope=GROUP)
        assert await observation.settled(10)
