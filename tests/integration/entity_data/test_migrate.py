"""Old summaries become records: from every form they come in, nothing lost, nothing twice, also when killed in the middle."""

import asyncio
import json
import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from historian.interfaces.cli.shell import Shell
from historian.schema.entity import Entity
from historian.schema.errors import InvalidInput
from historian.schema.event import Event, EventFilter
from historian.schema.scope import Scope
from historian.schema.settings import Settings
from historian.service.cognitive import CognitiveService
from historian.service.components import open_parts, open_queue
from historian.service.entity_data.forgetting import forget
from historian.service.entity_data.migration import TIME_UNKNOWN, Migration
from historian.service.entity_data.old_summaries import (
    UNKNOWN_USER,
    Assumed,
    BadEntry,
    OldSummary,
    read_old_summaries,
)
from support.command import Called, historian
from support.crashes.child import is_killed
from support.draining import open_worker
from support.memory import settings_for
from support.waiting import eventually_async

NOW = 1_771_666_200.0
TURNS: list[Any] = [
    {"summary": "我昨天给他推荐了《三体》", "timestamp": "2026-02-21T17:30:00+08:00", "group_id": 100, "user_id": 42,
     "user_name": "阿明"},
    {"text": "I met her yesterday", "timestamp": 1771666200, "user_id": "7", "user_name": "Ann", "bot_name": "Clio"},
    {"content": "小史和大家聊了春天的花", "time": "2026-02-20 09:00", "group_id": "100"},
]  # fmt: skip


def write(path: Path, value: Any) -> Path:
    path.write_text(
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), encoding="utf-8"
    )
    return path


def migrate(path: Path, data: Path, *options: object) -> Called:
    return historian("migrate", path, *options, "--json", "--data-dir", data)


def stored(data: Path, where: EventFilter | None = None) -> list[Event]:
    settings = settings_for(data)
    parts = open_parts(settings, clock=lambda: NOW)
    try:
        return parts.events.find(where or EventFilter(None), limit=100_000, newest_first=False)
    finally:
        asyncio.run(parts.aclose())


@pytest.mark.parametrize(
    "document",
    [
        TURNS,
        {"summaries": TURNS},
        {"g:100": [TURNS[0], TURNS[2]], "user_7": [TURNS[1]]},
        "\n".join(json.dumps(turn, ensure_ascii=False) for turn in TURNS),
    ],
    ids=["list", "wrapped", "by conversation", "lines"],
)
def test_every_form_gives_the_same_records(tmp_path: Path, document: Any) -> None:
    called = migrate(write(tmp_path / "old.json", document), tmp_path / "data")
    assert called.status == 0 and called.lines[-1]["taken"] == 3
    texts = {event.text: event for event in stored(tmp_path / "data")}
    assert set(texts) == {
        next(text for text in texts if "三体" in text),
        "Clio met Ann on 2026-02-20",
        "小史和大家聊了春天的花",
    }
    book = next(event for text, event in texts.items() if "三体" in text)
    assert (
        "2026-02-20" in book.text
        and "阿明" in book.text
        and book.is_absolute
        and book.source == "migrated"
    )
    assert (book.scope.key, book.user_id) == ("g:100", "42")
    assert texts["小史和大家聊了春天的花"].user_id == UNKNOWN_USER
    assert texts["小史和大家聊了春天的花"].timestamp_local == "2026-02-20T09:00:00+08:00"


def test_the_same_file_again_and_the_same_file_grown_longer_give_each_record_once(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    path = write(tmp_path / "old.json", TURNS)
    migrate(path, data)
    before = stored(data)
    assert migrate(path, data).lines == [
        {
            "file": str(path),
            "seconds": pytest.approx(0, abs=60),
            "taken": 0,
            "known": 3,
            "forgotten": 0,
            "bad": 0,
            "unplaced": 0,
        }
    ]
    migrate(
        write(
            path, [*TURNS, TURNS[0], {"text": "新的一条", "user_id": 1, "timestamp": 1771666300}]
        ),
        data,
    )
    after = stored(data)
    assert (
        len(after) == 4
        and [event for event in after if not event.text.endswith("新的一条")] == before
    )
    # What an operator has removed stays away.
    historian("events", "delete", before[0].event_id, "--data-dir", data)
    migrate(path, data)
    assert len(stored(data)) == 3


def test_bad_entries_are_named_and_the_good_ones_taken(tmp_path: Path) -> None:
    entries = [
        TURNS[0],
        {"summary": "没有说是谁的"},
        {"user_id": 1},
        7,
        {"text": "x", "user_id": 1, "timestamp": "last spring"},
        {"text": "y", "user_id": "a\u202eb"},
        {"text": "z", "user_id": 1, "new_info": [1]},
        {"text": "w", "": "x", "user_id": 1},
    ]
    called = migrate(write(tmp_path / "old.json", entries), tmp_path / "data")
    assert called.status == 1
    *bad, summed_up = called.lines
    assert [one["where"] for one in bad] == [f"entry {n}" for n in range(2, 8)]
    reasons = [
        "--user or --group",
        "contains no text",
        "got int",
        "'last spring' is not a time",
        "user_id",
        "new_info",
    ]
    assert all(reason in one["error"] for reason, one in zip(reasons, bad, strict=True)), bad
    assert (summed_up["taken"], summed_up["bad"]) == (2, 6)
    assert len(stored(tmp_path / "data")) == 2


def test_entries_that_name_no_conversation_belong_to_the_one_on_the_command_line(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "old.json", ["阿明养了猫", "阿明喜欢茶"])
    assert migrate(path, tmp_path / "data", "--user", "42").lines[-1]["taken"] == 2
    assert {(event.text, event.scope.key) for event in stored(tmp_path / "data")} == {
        ("阿明养了猫", "p:42"),
        ("阿明喜欢茶", "p:42"),
    }


def located(name: str, kind: str, text: str) -> dict[str, Any]:
    return {
        "summary": text,
        "timestamp": "2026-02-20 09:00",
        "location": {"type": kind, "name": name},
    }


OLD_BOT: list[Any] = [
    located("读书会", "group", "小史和大家聊了《三体》"),
    located("阿明", "private", "我昨天给他推荐了《三体》"),
    located("读书会", "private", "我给他讲了第九章"),
    located("猫友群", "group", "小史讲了猫粮"),
    located("猫友群", "group", "小史讲了猫砂"),
    {**located("阿红", "private", "阿红养了猫"), "user_id": 43},
]


def test_places_that_entries_name_get_the_ids_that_are_given(tmp_path: Path) -> None:
    data, path = tmp_path / "data", write(tmp_path / "old.json", OLD_BOT)
    file = write(tmp_path / "places.json", {"阿明": 42, "group:读书会": "7000"})
    given = ("--places", file, "--place", "group:读书会=7001", "--place", "private:读书会=9")
    called = migrate(path, data, *given)
    assert called.status == 1
    assert [line for line in called.lines if "place" in line] == [
        {"place": "group:猫友群", "entries": 2, "error": "its id is not known"}
    ]
    assert (called.lines[-1]["taken"], called.lines[-1]["unplaced"], called.lines[-1]["bad"]) == (
        4,
        2,
        0,
    )
    filed = {event.scope.key: event.text for event in stored(data)}
    assert set(filed) == {"g:7001", "p:42", "p:9", "p:43"}
    assert "2026-02-19给阿明推荐了《三体》" in filed["p:42"], (
        "the name of the place is the person's"
    )
    assert "猫友群" in historian("migrate", path, "--data-dir", data).err
    again = migrate(path, data, *given, "--place", "猫友群=1")
    assert (again.status, again.lines[-1]["taken"], again.lines[-1]["known"]) == (0, 2, 4)


def test_in_a_terminal_each_place_is_asked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Shell, "can_ask", True)
    path = write(tmp_path / "old.json", OLD_BOT[2:5])
    called = historian("migrate", path, "--data-dir", tmp_path / "data", stdin="9\n\n")
    assert called.status == 1 and called.out.count("empty: leave out") == 2
    assert [event.scope.key for event in stored(tmp_path / "data")] == ["p:9"]


BOOK_CLUB = {"type": "group", "name": "读书会"}
PLACES = {"读书会": "7001", "阿明": "43"}


@pytest.mark.parametrize(
    ("ids", "location", "assumed", "expected"),
    [
        ({"sender_id": 42}, BOOK_CLUB, None, "g:7001"),
        ({"user_id": 42}, BOOK_CLUB, Scope.private("42"), "g:7001"),
        ({"group_id": 9, "qq": 42}, BOOK_CLUB, Scope.group("8"), "g:9"),
        ({"user_id": 42}, {"type": "private"}, Scope.group("7001"), "p:42"),
        ({"user_id": 42}, {"type": "private", "name": "阿明"}, Scope.group("7001"), "p:42"),
        ({}, {"type": "private", "name": "阿明"}, Scope.group("7001"), "p:43"),
        ({"group_id": 9, "user_id": 42}, {"type": "private"}, None, "p:42"),
        ({"user_id": 42}, {"type": "group"}, Scope.group("8"), "g:8"),
        ({}, {"type": "private"}, Scope.private("42"), "p:42"),
        ({"user_id": 42}, {"type": "group"}, Scope.private("42"), "group:"),
        ({"group_id": 9}, {"type": "private"}, Scope.group("9"), "private:"),
        ({"user_id": 42}, {"type": "group", "name": "猫友群"}, Scope.group("8"), "group:猫友群"),
    ],
)
def test_an_entry_goes_into_a_conversation_of_the_type_that_its_location_says(
    tmp_path: Path,
    ids: dict[str, int],
    location: dict[str, str],
    assumed: Scope | None,
    expected: str,
) -> None:
    path = write(tmp_path / "old.json", [{"summary": "我讲了第九章", "location": location, **ids}])
    (found,) = read_old_summaries(path, Assumed("UTC", 0.0, assumed, places=PLACES))
    assert (found.job.scope.key if isinstance(found, OldSummary) else found.place) == expected


@pytest.mark.parametrize(
    ("options", "location"),
    [
        (["--place", "x"], {}),
        (["--place", "=7"], {}),
        (["--places", "none.json"], {}),
        ([], {"type": "planet", "name": "x"}),
    ],
)
def test_places_that_are_none_are_named(
    tmp_path: Path, options: list[str], location: dict[str, str]
) -> None:
    path = write(
        tmp_path / "old.json", [{"text": "一", "location": location}] if location else OLD_BOT
    )
    called = migrate(path, tmp_path / "data", *options)
    assert called.status == (1 if location else 2)
    assert ("'planet'" if location else options[1].partition("=")[0]) in called.err + called.out


def test_without_a_time_a_text_stands_as_it_is_and_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "old.json", [{"text": "我昨天见了他", "user_id": 42}])
    os.utime(path, (NOW, NOW))
    migrate(path, tmp_path / "data", "--rewrite")
    (event,) = stored(tmp_path / "data")
    assert (event.text, event.is_absolute, event.gate_reasons) == (
        "我昨天见了他",
        False,
        (TIME_UNKNOWN,),
    )
    assert event.timestamp == NOW


@pytest.mark.parametrize(
    "content", ["", "[1", "hello", "7", '{"a": 1}', '{"entries": {}}'], ids=str
)
def test_a_file_of_no_known_form_is_refused(tmp_path: Path, content: str) -> None:
    called = migrate(write(tmp_path / "old.json", content), tmp_path / "data")
    assert called.status == 2 and "old.json" in called.err
    with pytest.raises(InvalidInput, match="cannot be read"):
        list(read_old_summaries(tmp_path / "none.json", Assumed("UTC", 0.0)))


def test_conversations_that_are_none_are_named_and_the_others_taken(tmp_path: Path) -> None:
    path = write(
        tmp_path / "old.json",
        {
            "g:1": ["一"],
            "planet": ["二"],
            "p:": ["三"],
            "g:2": "四",
            "user:historian:shared-notes": ["五"],
        },
    )
    found = list(read_old_summaries(path, Assumed("UTC", 0.0)))
    assert [one.where for one in found if isinstance(one, BadEntry)] == [
        "'planet'",
        "'p:'",
        "'g:2'",
        "'user:historian:shared-notes'",
    ]
    assert "reserved" in [one.error for one in found if isinstance(one, BadEntry)][-1]
    assert [one.job.scope.key for one in found if isinstance(one, OldSummary)] == ["g:1"]


def test_what_historian_kept_itself_is_not_filed_a_second_time(tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "data", historian={"rewrite_mode": "rules"})

    async def work() -> None:
        async with open_worker(settings) as (parts, worker):
            async with CognitiveService.open(settings, worker=False) as memory:
                await memory.enqueue_job(
                    "我给阿明推荐了《三体》", user_id="42", timestamp="2026-02-21T17:30:00+08:00"
                )
            await worker.run(drain=True)
            del parts

    asyncio.run(work())
    assert len(stored(tmp_path / "data")) == 1
    assert migrate(tmp_path / "data/end_summaries.json", tmp_path / "data").lines[-1]["known"] == 1
    assert len(stored(tmp_path / "data")) == 1


def test_who_was_forgotten_does_not_come_back_with_old_summaries(tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "data")

    async def work() -> None:
        parts = open_parts(settings, clock=lambda: NOW + 9)
        await forget(parts, Entity("user", "42"))
        await parts.aclose()

    asyncio.run(work())
    assert (
        migrate(write(tmp_path / "old.json", TURNS), tmp_path / "data").lines[-1]["forgotten"] == 1
    )
    assert not stored(tmp_path / "data", EventFilter(None, user_ids=("42",)))


def test_with_rewrite_the_historian_files_them(tmp_path: Path) -> None:
    data, path = tmp_path / "data", write(tmp_path / "old.json", TURNS)
    assert migrate(path, data, "--rewrite").lines[-1]["taken"] == 3
    assert stored(data) == [] and migrate(path, data, "--rewrite").lines[-1]["known"] == 3
    historian("worker", "--drain", "--data-dir", data)
    assert {event.source for event in stored(data)} == {"job"} and len(stored(data)) == 3
    assert (
        migrate(path, data, "--rewrite").lines[-1]["known"] == 3
        and migrate(path, data).lines[-1]["known"] == 3
    )
    assert len(stored(data)) == 3


async def test_a_file_that_is_configured_is_taken_in_once_in_the_background(tmp_path: Path) -> None:
    path = write(tmp_path / "old.json", TURNS)
    settings = settings_for(tmp_path / "data", migrate_from=str(path))
    for _ in range(2):
        async with CognitiveService.open(settings) as memory:
            await eventually_async(partial(_has_filed, memory, 3), seconds=30)
    parts = open_parts(settings, clock=lambda: NOW)
    assert parts.events.count() == 3
    assert await Migration(parts, settings).run_once(path, pause=_never) is None
    await parts.aclose()


async def _has_filed(memory: CognitiveService, events: int) -> bool:
    return int((await memory.stats())["events"]) >= events


async def _never() -> bool:
    return False


@pytest.mark.slow
@pytest.mark.parametrize("rewrite", [False, True], ids=["by rules", "as jobs"])
def test_killed_in_the_middle_it_goes_on_and_nothing_is_lost_or_twice(
    tmp_path: Path, rewrite: bool
) -> None:
    count = 450
    entries = [
        {"text": f"小史讲了第{n}个故事", "user_id": n % 7 + 1, "timestamp": 1771666200 + n}
        for n in range(count)
    ]
    path, settings = write(tmp_path / "old.json", entries), settings_for(tmp_path / "data")
    for last in (100, 300):
        assert _is_killed_at(path, settings, last, rewrite=rewrite)
    called = migrate(path, tmp_path / "data", *(["--rewrite"] if rewrite else []))
    assert called.lines[-1]["known"] == 300 and called.lines[-1]["taken"] == 150
    if rewrite:
        queue = open_queue(settings, lambda: NOW)
        found = [job.action_summary for job in queue.jobs("pending")]
    else:
        found = [
            event.text.removeprefix("机器人：") for event in stored(tmp_path / "data")
        ]  # the command knows no bot's name
    assert sorted(found) == sorted(f"小史讲了第{n}个故事" for n in range(count))


def _is_killed_at(path: Path, settings: Settings, last: int, *, rewrite: bool) -> bool:
    def progress(done: int, total: int) -> None:
        if done >= last:
            os.kill(os.getpid(), signal.SIGKILL)

    def work() -> None:
        parts = open_parts(settings, clock=lambda: NOW)
        asyncio.run(Migration(parts, settings, rewrite=rewrite).run(path, on_progress=progress))

    return is_killed(work)
