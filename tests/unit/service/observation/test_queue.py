"""The observation queue and the task behind it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from historian.schema.entity import Entity
from historian.schema.errors import InvalidInput, StorageError
from historian.schema.event import EventFilter
from historian.schema.scope import Scope
from historian.schema.settings import ObservationSettings
from historian.service.observation import queue as observation_module
from historian.service.observation import sessions
from historian.service.observation.queue import Observation
from historian.service.observation.records import cleaned, observe_message, observe_tool
from historian.service.outages import availability as outage_module
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.sqlite.index_schema import open_index
from historian.text.redaction import redact
from quality.redaction_lines import LABELLED, read_lines
from support.clock import Clock
from support.stores import open_events

GROUP = Scope.group("100", "42")
PRIVATE = Scope.private("42")
SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = 1_770_000_000.0


@asynccontextmanager
async def observing(
    directory: Path,
    *,
    clock: Clock | None = None,
    store: Any = None,
    **settings: Any,
) -> AsyncIterator[tuple[Observation, SqliteEventStore]]:
    events = store or open_events(directory)
    ticking = clock or Clock(NOW)
    observation = Observation(
        events=events,
        settings=ObservationSettings(**settings),
        timezone=SHANGHAI,
        clock=ticking,
    )
    await observation.start()
    try:
        yield observation, events
    finally:
        await observation.aclose()
        events.close()


async def test_a_tool_result_is_stored_in_its_scope_and_found_there_only(tmp_path: Path) -> None:
    async with observing(tmp_path) as (observation, events):
        observation.observe_tool("weather", {"city": "杭州"}, "明天小雨", scope=GROUP)
        assert await observation.settled(10)
        (event,) = events.find(EventFilter(GROUP.key))
        assert event.text == 'weather({"city": "杭州"}) → 明天小雨'
        assert (event.source, event.kind, event.is_absolute, event.timestamp) == (
            "observation",
            "action",
            False,
            NOW,
        )
        assert event.timestamp_local == "2026-02-02T10:40:00+08:00"
        assert events.search_keywords("小雨", EventFilter(GROUP.key), 5)
        assert not events.search_keywords("小雨", EventFilter(PRIVATE.key), 5)
        assert not events.search_keywords("小雨", EventFilter(Scope.group("200").key), 5)


async def test_the_same_content_is_stored_once_in_a_scope_and_once_more_in_another(
    tmp_path: Path,
) -> None:
    async with observing(tmp_path) as (observation, events):
        for _ in range(3):
            observation.observe_tool("weather", {}, "明天小雨", scope=GROUP)
            assert await observation.settled(10)
        observation.observe_tool("weather", {}, "明天小雨", scope=PRIVATE)
        assert await observation.settled(10)
        assert events.count() == 2
        assert observation.statistics.stored == 2


async def test_long_results_are_cut_into_chunks(tmp_path: Path) -> None:
    async with observing(tmp_path, chunk_max_tokens=32) as (observation, events):
        observation.observe_tool(
            "read",
            "",
            "\n".join(f"Line {n} tells of chapter {n * n}." for n in range(100)),
            scope=GROUP,
        )
        assert await observation.settled(10)
        assert events.count() > 20
        assert events.search_keywords("9801", EventFilter(GROUP.key), 1)


async def test_a_session_is_bound_by_its_first_scope_and_cannot_move(tmp_path: Path) -> None:
    async with observing(tmp_path) as (observation, events):
        with pytest.raises(InvalidInput, match="not bound"):
            observation.observe_message("user", "hello there", "s1")
        observation.observe_message(
            "user", "my cat is called Miso", "s1", scope=PRIVATE, name="Ann"
        )
        observation.observe_message("assistant", "what a fine name for a cat", "s1")
        with pytest.raises(InvalidInput, match="belongs to p:42"):
            observation.observe_message("user", "psst", "s1", scope=GROUP)
        with pytest.raises(InvalidInput, match="scope"):
            observation.observe_tool("t", {}, "r")
        assert await observation.settled(10)
        stored = events.find(EventFilter(PRIVATE.key), newest_first=False)
        assert [(event.text, event.kind) for event in stored] == [
            ("my cat is called Miso", "message"),
            ("what a fine name for a cat", "message"),
        ]
        assert events.count() == 2


async def test_a_session_that_is_in_use_stays_bound_however_many_others_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "SESSIONS_KNOWN", 3)
    async with observing(tmp_path) as (observation, _):
        observation.observe_message("user", "hello", "busy", scope=GROUP)
        for n in range(10):
            observation.observe_message("user", "hello", f"other {n}", scope=GROUP)
            observation.observe_message("user", "still here", "busy")
        with pytest.raises(InvalidInput, match="'other 0' is not bound"):
            observation.observe_message("user", "hello", "other 0")


async def test_full_the_oldest_is_dropped_counted_and_told_once_a_minute(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock(NOW)
    async with observing(tmp_path, queue_max=10, clock=clock) as (observation, events):
        with caplog.at_level(logging.WARNING):
            for n in range(25):
                observation.observe_tool("t", {}, f"number {n}", scope=GROUP)
            assert observation.statistics.dropped == 15
            assert await observation.settled(10)
            for n in range(25):
                observation.observe_tool("t", {}, f"again {n}", scope=GROUP)
            assert await observation.settled(10)
            assert caplog.text.count("were dropped") == 1
            clock.now += 61
            observation.observe_tool("t", {}, "later", scope=GROUP)
            assert await observation.settled(10)
        assert caplog.text.count("were dropped") == 2
        texts = {event.text for event in events.find(EventFilter(GROUP.key))}
        assert "t() → number 24" in texts
        assert "t() → number 14" not in texts
        assert observation.statistics.noted == 51


async def test_anything_may_be_observed_from_any_thread(tmp_path: Path) -> None:
    class Bad:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    async with observing(tmp_path) as (observation, events):

        def observe(n: int) -> None:
            for thing in (
                Bad(),
                None,
                b"\xff",
                ValueError(f"v{n}"),
                {"n": n, "\ud800": "\udfff"},
                [[]],
                object,
            ):
                observation.observe_tool("t", thing, thing, scope=GROUP)

        threads = [threading.Thread(target=observe, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            await asyncio.to_thread(thread.join)
        assert await observation.settled(10)
        assert observation.statistics.unusable == observation.statistics.lost == 0
        assert events.search_keywords("v7", EventFilter(GROUP.key), 1)


async def test_an_item_that_breaks_the_work_costs_itself_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = observation_module.cleaned

    def sometimes(observed: Any) -> Any:
        if observed.name == "bad":
            raise RuntimeError("the secret is swordfish")
        return real(observed)

    monkeypatch.setattr(observation_module, "cleaned", sometimes)
    async with observing(tmp_path) as (observation, events):
        for name in ("good", "bad", "fine"):
            observation.observe_tool(name, {}, f"{name} result", scope=GROUP)
        assert await observation.settled(10)
        assert events.count() == 2
        assert observation.statistics.unusable == 1
    assert "swordfish" not in caplog.text


def test_what_is_stored_of_a_tool_is_clean_as_a_whole_wherever_arguments_end_and_the_result_begins() -> (
    None
):
    for line in [one for one in read_lines(LABELLED) if one.secrets][::15]:
        at = line.text.find(line.secrets[0])
        text = cleaned(observe_tool(GROUP, 0.0, "tool", line.text[:at], line.text[at:])).text
        assert redact(text, "all") == text


class Refusing(SqliteEventStore):
    refuses = True

    def file_new(self, events: Any, vectors: Any) -> list[str]:
        if self.refuses:
            raise StorageError("database or disk is full")
        return super().file_new(events, vectors)


async def test_while_the_disk_refuses_observations_wait_and_nothing_is_lost(tmp_path: Path) -> None:
    store, clock = Refusing(open_index(tmp_path / "index.sqlite")), Clock(NOW)
    async with observing(tmp_path, store=store, clock=clock) as (observation, events):
        observation.observe_tool("t", {}, "first", scope=GROUP)
        assert not await observation.settled(0.2)
        assert events.count() == 0
        observation.observe_tool("t", {}, "second", scope=GROUP)
        store.refuses = False
        clock.now += 10
        observation.observe_tool("t", {}, "third", scope=GROUP)
        assert await observation.settled(10)
        assert events.count() == 3


async def test_the_end_stores_what_is_queued(tmp_path: Path) -> None:
    async with observing(tmp_path) as (observation, _):
        for n in range(101):
            observation.observe_tool("t", {}, f"queued {n}", scope=GROUP)
        await observation.aclose(60)
        assert observation.statistics.lost == 0
        observation.observe_tool("t", {}, "after the end", scope=GROUP)
        assert observation.statistics.noted == 101
    events = open_events(tmp_path)
    assert events.count() == 101
    events.close()


async def test_the_end_is_bounded_and_counts_what_it_leaves(tmp_path: Path) -> None:
    class Stuck(SqliteEventStore):
        gate = threading.Event()

        def file_new(self, events: Any, vectors: Any) -> list[str]:
            self.gate.wait(10)
            return super().file_new(events, vectors)

    store = Stuck(open_index(tmp_path / "index.sqlite"))
    async with observing(tmp_path, store=store) as (observation, _):
        observation.observe_tool("t", {}, "stuck", scope=GROUP)
        assert not await observation.settled(0.05)
        observation.observe_tool("t", {}, "behind it", scope=GROUP)
        await observation.aclose(0.05)
        assert observation.statistics.lost == 2
        store.gate.set()


async def test_what_is_being_cleaned_when_the_bound_ends_is_counted_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, gate = threading.Event(), threading.Event()
    real = observation_module.cleaned

    def slowly(observed: Any) -> Any:
        begun.set()
        gate.wait(10)
        return real(observed)

    monkeypatch.setattr(observation_module, "cleaned", slowly)
    async with observing(tmp_path) as (observation, _):
        observation.observe_tool("t", {}, "half cleaned", scope=GROUP)
        assert await asyncio.to_thread(begun.wait, 10)
        await observation.aclose(0.01)
        gate.set()
        assert observation.statistics.lost == 1


async def test_a_clock_that_goes_back_makes_nothing_wait_for_it(tmp_path: Path) -> None:
    store, clock = Refusing(open_index(tmp_path / "index.sqlite")), Clock(NOW)
    async with observing(tmp_path, store=store, clock=clock) as (observation, events):
        observation.observe_tool("t", {}, "first", scope=GROUP)
        assert not await observation.settled(0.2)
        clock.now -= 86_400
        store.refuses = False
        observation.observe_tool("t", {}, "second", scope=GROUP)
        assert await observation.settled(10), "after the second that the pause was to last"
        assert events.count() == 2


async def test_a_clock_that_went_back_does_not_stop_what_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    elapsed = 1_000.0
    monkeypatch.setattr(outage_module, "monotonic", lambda: elapsed)
    clock = Clock(NOW)
    async with observing(tmp_path, clock=clock, queue_max=1, max_age_days=1) as (observation, _):

        async def drop_one(text: str) -> None:
            observation.observe_tool("t", {}, f"{text}, dropped", scope=GROUP)
            observation.observe_tool("t", {}, text, scope=GROUP)
            assert await observation.settled(10)

        await drop_one("before")
        clock.now -= 86_400 / 2
        await drop_one("set back")
        assert caplog.text.count("were dropped") == 1
        elapsed += observation_module.DROPS_TOLD_SECONDS
        await drop_one("a minute later")
        assert caplog.text.count("were dropped") == 2


@pytest.mark.parametrize("scope", ["g:100", 5, {"group_id": "100"}, Scope], ids=repr)
async def test_a_scope_that_is_none_is_turned_down_at_the_call_and_leaves_nothing_behind(
    tmp_path: Path, scope: Any
) -> None:
    async with observing(tmp_path) as (observation, events):
        for session_id in ("", "s1"):
            with pytest.raises(InvalidInput, match="scope: expected a Scope"):
                observation.observe_tool("t", {}, "r", scope=scope, session_id=session_id)
            with pytest.raises(InvalidInput, match="scope: expected a Scope"):
                observation.observe_message("user", "hello there", session_id, scope=scope)
        observation.observe_message("user", "my cat is called Miso", "s1", scope=GROUP)
        with pytest.raises(InvalidInput, match="scope: expected a Scope"):
            observation.observe_message("user", "hello there", "s1", scope=scope)
        assert await observation.settled(10)
        assert [event.text for event in events.find(EventFilter(None))] == ["my cat is called Miso"]
        assert observation.forget(Entity("user", "42")) == 0


async def test_a_session_may_be_a_number_or_none_and_nothing_else(tmp_path: Path) -> None:
    async with observing(tmp_path) as (observation, events):
        observation.observe_message("user", "said in session 7", 7, scope=GROUP)  # type: ignore[arg-type]
        observation.observe_message("user", "said in session 7 too", "7")
        observation.observe_message("user", "said in no session", None, scope=PRIVATE)  # type: ignore[arg-type]
        for session_id in (["s"], b"s", True, {}):
            with pytest.raises(InvalidInput, match="session_id"):
                observation.observe_message("user", "hello", session_id, scope=GROUP)  # type: ignore[arg-type]
        assert await observation.settled(10)
        assert events.count() == 3


LOTTERY = "Tr0" + "ub4dor&3xyz"
HEX = "a8f5f167f44f4964" + "e6c998dee827110c"


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("get_password", {"user": "ann"}, LOTTERY),
        ("read_env", {"name": "DB_PASSWORD"}, LOTTERY),
        ("vault", "api_key", HEX),
    ],
    ids=["name of the tool", "an argument that names it", "an argument that is its name"],
)
async def test_what_is_a_secret_only_beside_the_tools_name_or_arguments_is_not_stored(
    tmp_path: Path, name: str, arguments: object, result: str
) -> None:
    async with observing(tmp_path) as (observation, events):
        observation.observe_tool(name, arguments, result, scope=GROUP)
        observation.observe_tool(
            name, arguments, f"{result}\n" + "The lake is quiet and wide. " * 200, scope=GROUP
        )
        assert await observation.settled(10)
        texts = [event.text for event in events.find(EventFilter(None))]
        assert len(texts) > 2
        assert not any(result in text for text in texts)


@pytest.mark.parametrize(
    ("role", "name"),
    [("password", ""), ("user", "password"), ("api_key", "Ann"), ("Ann", "password")],
)
async def test_what_is_a_secret_only_behind_a_role_or_a_name_reaches_neither_the_store_nor_a_summary(
    tmp_path: Path, role: str, name: str
) -> None:
    async with observing(tmp_path) as (observation, events):
        observation.observe_message(role, LOTTERY, "s1", scope=GROUP, name=name)
        assert await observation.settled(10)
        (event,) = events.find(EventFilter(None))
        assert LOTTERY not in event.text
    clean = cleaned(observe_message(GROUP, NOW, role, name, LOTTERY))
    assert LOTTERY not in clean.text
