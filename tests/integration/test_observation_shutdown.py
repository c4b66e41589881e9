"""The end of a service and its parts: each is closed whatever the others do, and forgetting needs none of them."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from historian.schema.scope import Scope
from historian.schema.settings import Settings
from historian.schema.settings.source import parse_settings
from historian.service.cognitive import CognitiveService
from historian.stores.files.owner_lock import owner_of
from support.memory import settings_for
from support.waiting import eventually

GROUP = Scope.group("7001", "1001")


@dataclass(frozen=True)
class SilentServer:
    """A model's endpoint that takes requests and does not answer; `asked` is set when the first one comes."""

    base_url: str
    asked: threading.Event


@pytest.fixture
def silent_server() -> Iterator[SilentServer]:
    asked, ended = threading.Event(), threading.Event()

    class Silent(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.set()
            ended.wait(30)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Silent)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield SilentServer(f"http://127.0.0.1:{server.server_address[1]}/v1", asked)
    finally:
        ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


def settings_with(directory: Path, **models: Any) -> Settings:
    cognitive = {
        "data_dir": str(directory),
        "timezone": "UTC",
        "observation": {"summary_interval_seconds": 0.2},
    }
    embedding = {"embedding": {"provider": "none"}}
    return parse_settings(
        {"cognitive": cognitive, "models": embedding | models}, environ={}, base=directory
    )


def stored(directory: Path) -> dict[str, int]:
    connection = sqlite3.connect(directory / "index.sqlite")
    try:
        return dict(connection.execute("SELECT source, count(*) FROM events GROUP BY source"))
    finally:
        connection.close()


async def test_a_model_that_hangs_over_talk_holds_up_no_end_and_costs_no_message(
    tmp_path: Path, silent_server: SilentServer
) -> None:
    chat = {"base_url": silent_server.base_url, "api_key": "none", "model": "m"}
    memory = CognitiveService.open(settings_with(tmp_path, chat=chat))
    await memory.start()
    for session in range(5):
        for n in range(8):
            text = f"I like book number {n} of series {session} and live in Leeds"
            memory.feed_message(
                "user",
                text,
                f"s{session}",
                scope=Scope.group(str(7000 + session), "1001"),
                name="Ann",
            )
    assert await asyncio.to_thread(silent_server.asked.wait, 10)
    async with asyncio.timeout(20):
        await memory.aclose()
    assert stored(tmp_path) == {"message": 40}


async def test_an_end_that_is_cut_off_leaves_nothing_running_and_counts_what_it_gives_up(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory = CognitiveService.open(settings_with(tmp_path), worker=False)
    await memory.start()
    observation = memory.observation
    assert observation is not None
    text = "I moved to Leeds and it rains. " * 60
    for n in range(300):
        memory.feed_message("user", f"Book {n}: {text}", f"s{n % 4}", scope=GROUP, name="Ann")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(memory.aclose(), 0.05)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    counted = observation.statistics
    assert counted.noted == 300 and counted.lost > 0
    assert f"{counted.lost} observations were not stored before the service closed" in caplog.text
    await memory.aclose()
    async with CognitiveService.open(settings_with(tmp_path), worker=False) as memory:
        await memory.on_tool_executed("t", {}, "seen", scope=GROUP)
        assert memory.observation is not None and await memory.observation.settled(10)


async def test_an_end_that_is_cut_off_ends_the_look_at_the_database_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()
    memory = CognitiveService.open(settings_with(tmp_path), worker=False)
    (tmp_path / "index.sqlite").write_bytes(b"garbage" * 1000)
    await memory.start()

    async def look() -> bool:
        try:
            return await asyncio.sleep(60, True)
        finally:
            ended.set()

    monkeypatch.setattr(memory.lifecycle, "database_is_away", look)
    memory.lifecycle.look_into_trouble()
    await asyncio.sleep(0)
    closing = asyncio.create_task(memory.aclose())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    await asyncio.sleep(0)
    assert ended.is_set() and asyncio.all_tasks() == {asyncio.current_task()}


async def test_what_goes_wrong_with_one_part_leaves_no_other_open(tmp_path: Path) -> None:
    memory = CognitiveService.open(settings_for(tmp_path))
    await memory.start()
    assert memory.observation is not None and memory.lifecycle.opened is not None
    ended = threading.Event()
    memory.hooks.register("closing", ended.set)
    memory.hooks.emit("closing")
    assert await asyncio.to_thread(ended.wait, 10)
    await eventually(lambda: owner_of(tmp_path))

    async def broken(timeout_seconds: float) -> None:
        raise UnicodeEncodeError("utf-8", "x", 0, 1, "made up")

    real, events = memory.observation.aclose, memory.lifecycle.opened.parts.events
    memory.observation.aclose = broken  # type: ignore[method-assign]
    with pytest.raises(UnicodeEncodeError):
        await memory.aclose()
    await real(1)
    assert owner_of(tmp_path) is None, "the worker has stopped"
    assert memory.observation is None
    with pytest.raises(Exception, match="closed"):
        events.count()
    await eventually(
        lambda: not any(thread.name == "hook closing" for thread in threading.enumerate())
    )
    await memory.aclose()


async def test_nothing_held_in_memory_keeps_a_person_from_being_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        assert memory.observation is not None
        await memory.on_tool_executed("t", {}, "Ann collects old lanterns", scope=GROUP)
        assert await memory.observation.settled(10)

        def broken(entity: object) -> int:
            raise AttributeError("made up")

        monkeypatch.setattr(memory.observation, "forget", broken)
        report = await memory.forget_user("1001")
        assert report.done and report.clean
        await memory.on_tool_executed("t", {}, "Ann collects new lanterns", scope=GROUP)
        assert await memory.observation.settled(10)
        assert stored(tmp_path) == {"observation": 1}
