"""Summaries of sessions that have fallen silent."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest
from historian.schema.errors import ModelUnavailable, StorageError
from historian.schema.event import Event, EventFilter
from historian.schema.protocols import Usage
from historian.schema.scope import Scope
from historian.service.observation.filing import UnwrittenRecords
from historian.service.observation.records import Cleaned
from historian.service.observation.session_summaries import ENOUGH_MESSAGES, SessionSummaries
from historian.service.outages import availability as outage_module
from historian.stores.sqlite.erasure import IndexErasure
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.sqlite.index_schema import open_index
from historian.stores.tables.ledger import LedgerTable
from support.waiting import eventually

PRIVATE = Scope.private("42")
START = 1_771_666_200.0  # 2026-02-21 17:30 in Shanghai
TALK = [
    ("user", "我明天要去北京出差三天"),
    ("assistant", "要不要我帮你订北京的酒店？"),
    ("user", "订一家国贸附近的酒店"),
    ("assistant", "我已经帮你订了国贸附近的如家酒店"),
    ("user", "我对海鲜过敏，吃饭别推荐海鲜"),
    ("assistant", "好的，记住了，不推荐海鲜"),
]
PHONE = "138" + "12345678"
SUMMARY = "阿明2026-02-22去北京出差三天，小史给阿明订了国贸附近的如家酒店。阿明对海鲜过敏。"


class FakeChat:
    """Answers with `answer`, or raises it where it is an exception."""

    model = "test"

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def structured(self, answer: type[Any], *, purpose: str, system: str, user: str) -> Any:
        self.asked.append(user)
        if isinstance(self.answer, Exception):
            raise self.answer
        return answer(summary=self.answer)

    async def probe(self) -> None: ...

    def usage(self) -> Mapping[str, Usage]:
        return {}

    async def aclose(self) -> None: ...


class Bench:
    """A summariser over a real store, with a clock to turn."""

    def __init__(self, directory: Path, chat: FakeChat | None = None) -> None:
        self.now = START
        self.database = open_index(directory / "index.sqlite")
        self.events = SqliteEventStore(self.database)
        self.records = UnwrittenRecords(self.events, None, clock=lambda: self.now, random=random.Random(1).random)
        self.summaries = SessionSummaries(
            self.records,
            cast(Any, chat or FakeChat(SUMMARY)),
            idle_seconds=300,
            timezone=ZoneInfo("Asia/Shanghai"),
            bot_name="小史",
        )

    def say(self, talk: list[tuple[str, str]], session: str = "s1", scope: Scope = PRIVATE) -> None:
        for role, text in talk:
            self.now += 10
            self.summaries.add(Cleaned(scope, session, self.now, role, "阿明" if role == "user" else "", text))

    def stored(self) -> list[Event]:
        return self.events.find(EventFilter(None, sources=("summary",)), newest_first=False)


async def test_nothing_is_summarised_before_the_silence_and_once_after_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.say(TALK)
    bench.now += 299
    assert await bench.summaries.round() == 0
    bench.now += 1
    assert await bench.summaries.round() == 1
    assert await bench.summaries.round() == 0
    (summary,) = bench.stored()
    assert summary.scope == PRIVATE
    assert summary.timestamp == START + 60


async def test_the_models_summary_is_taken_where_it_is_true(tmp_path: Path) -> None:
    chat = FakeChat(SUMMARY)
    bench = Bench(tmp_path, chat)
    bench.say(TALK)
    bench.now += 300
    assert await bench.summaries.round() == 1
    assert "2026-02-22" in chat.asked[0]
    (summary,) = bench.stored()
    assert summary.text == chat.answer
    assert summary.is_absolute


@pytest.mark.parametrize(
    "answer",
    ["前者和那边的人说好了。", "他明天去北京。", "阿明2026-03-09去北京，花了 4500 元。", "", RuntimeError("swordfish")],
    ids=["relative", "he", "invented", "empty", "broken client"],
)
async def test_a_model_that_gives_nothing_true_leaves_the_messages_alone(
    tmp_path: Path, answer: str | Exception, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench(tmp_path, FakeChat(answer))
    bench.say(TALK)
    bench.now += 300
    assert await bench.summaries.round() == 0
    assert await bench.summaries.round() == 0 and bench.stored() == []
    assert "swordfish" not in caplog.text


async def test_while_the_model_is_away_the_sessions_wait(tmp_path: Path) -> None:
    chat = FakeChat(ModelUnavailable("down"))
    bench = Bench(tmp_path, chat)
    bench.say(TALK)
    bench.now += 300
    assert await bench.summaries.round() == 0
    chat.answer = SUMMARY
    assert await bench.summaries.round() == 1


async def test_what_a_model_writes_is_redacted_too(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FakeChat(f"阿明的电话是{PHONE}，阿明对海鲜过敏。"))
    bench.say([*TALK, ("user", f"我的电话是{PHONE}")])
    bench.now += 300
    await bench.summaries.round()
    (summary,) = bench.stored()
    assert PHONE not in summary.text


async def test_short_sessions_are_let_go_and_sessions_keep_their_scopes(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.say(TALK[: ENOUGH_MESSAGES - 1], "short")
    bench.say(TALK, "a", Scope.group("100", "42"))
    bench.say(TALK, "b", Scope.group("200", "42"))
    bench.now += 1_000
    assert await bench.summaries.round() == 2
    assert {event.scope.key for event in bench.stored()} == {"g:100", "g:200"}


async def test_a_session_that_goes_on_gives_another_summary_of_what_was_said_since(tmp_path: Path) -> None:
    chat = FakeChat(SUMMARY)
    bench = Bench(tmp_path, chat)
    bench.say(TALK)
    bench.now += 300
    await bench.summaries.round()
    chat.answer = SUMMARY.replace("北京", "成都").replace("国贸", "春熙路")
    bench.say([(role, text.replace("北京", "成都").replace("国贸", "春熙路")) for role, text in TALK])
    bench.now += 300
    assert await bench.summaries.round() == 1
    assert "国贸" not in chat.asked[1]
    assert "春熙路" in bench.stored()[1].text


async def test_a_session_whose_id_has_no_bytes_is_summarised_like_any_other(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    for n, session in enumerate(("good", "bad-\ud83d", "fine")):
        bench.say(TALK, session, Scope.group(str(100 + n), "42"))
    bench.now += 300
    assert await bench.summaries.round() == 3


async def test_a_session_that_cannot_be_summarised_costs_itself_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench(tmp_path)
    for n in range(3):
        bench.say(TALK, f"s{n}", Scope.group(str(100 + n), "42"))
    bench.say([("user", "swordfish")], "s1", Scope.group("101", "42"))
    real = bench.records.of_the_living

    async def sometimes(messages: Sequence[Cleaned]) -> list[Cleaned]:
        if messages[-1].text == "swordfish":
            raise RuntimeError(messages[-1].text)
        return await real(messages)

    bench.records.of_the_living = sometimes  # type: ignore[method-assign]
    bench.now += 300
    assert await bench.summaries.round() == 2
    assert sorted(event.scope.key for event in bench.stored()) == ["g:100", "g:102"]
    assert "RuntimeError" in caplog.text
    assert "swordfish" not in caplog.text


async def test_the_end_waits_for_no_model_and_stores_no_half_session(tmp_path: Path) -> None:
    class Hanging(FakeChat):
        async def structured(self, answer: type[Any], *, purpose: str, system: str, user: str) -> Any:
            self.asked.append(user)
            await asyncio.Event().wait()

    chat = Hanging("")
    bench = Bench(tmp_path, chat)
    bench.summaries._idle_seconds = 0.01
    bench.summaries.start()
    bench.say(TALK)
    bench.now += 300
    await eventually(lambda: chat.asked)
    async with asyncio.timeout(2):
        await bench.summaries.aclose()
    assert bench.stored() == []


async def test_while_the_store_refuses_the_sessions_wait(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    for n in range(3):
        bench.say(TALK, f"s{n}", Scope.group(str(100 + n), "42"))
    bench.now += 300
    real, calls = bench.events.file_new, []

    def refuse(*arguments: Any) -> list[str]:
        calls.append(arguments)
        raise StorageError("database or disk is full")

    bench.events.file_new = refuse  # type: ignore[method-assign]
    assert await bench.summaries.round() == 0
    assert len(calls) == 3
    bench.events.file_new = real  # type: ignore[method-assign]
    assert await bench.summaries.round() == 3


async def test_a_clock_that_goes_back_a_day_keeps_no_session_open_for_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elapsed = 1_000.0
    monkeypatch.setattr(outage_module, "monotonic", lambda: elapsed)
    bench = Bench(tmp_path)
    bench.say(TALK)
    bench.now -= 86_400
    assert await bench.summaries.round() == 0
    elapsed += 300
    assert await bench.summaries.round() == 1


async def test_a_groups_summary_is_nobodys_alone_and_names_everybody_who_spoke(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    for n, message in enumerate(TALK):
        bench.say([message], "g", Scope.group("100", "42" if n % 2 else "43"))
        bench.say([message], "alone", Scope.group("200", "42"))
        bench.say([message])
    bench.now += 300
    assert await bench.summaries.round() == 3
    found = {event.scope.key: event for event in bench.stored()}
    assert (found["g:100"].user_id, found["g:100"].speakers) == ("", ("42", "43"))
    assert (found["g:200"].user_id, found["g:200"].speakers) == ("42", ())
    assert (found["p:42"].user_id, found["p:42"].speakers) == ("42", ())


async def test_who_is_forgotten_while_the_model_writes_is_not_in_the_summary(tmp_path: Path) -> None:
    class Slow(FakeChat):
        async def structured(self, answer: type[Any], *, purpose: str, system: str, user: str) -> Any:
            if not self.asked:
                IndexErasure(bench.database, lambda: LedgerTable(bench.database)).bury("user:43", bench.now)
            return await super().structured(answer, purpose=purpose, system=system, user=user)

    chat = Slow("阿明2026-02-22去北京出差三天。")
    bench = Bench(tmp_path, chat)
    bench.say(TALK, "g", Scope.group("100", "42"))
    bench.say([("user", "我养了一只叫阿橘的猫")], "g", Scope.group("100", "43"))
    bench.now += 300
    assert await bench.summaries.round() == 1
    assert ["阿橘" in asked for asked in chat.asked] == [True, False]
    (summary,) = bench.stored()
    assert (summary.user_id, summary.speakers) == ("42", ())
