"""Forgetting in PostgreSQL: of a person or a group nothing is left in any table, nor on the machine, and of others all."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import psycopg
import pytest
from historian import CognitiveService
from historian.schema.entity import Entity
from historian.schema.event import EventFilter
from historian.schema.forgetting import ForgetReport, ForgetRequest
from historian.schema.profile import ProfileKey
from historian.service.components import Parts
from historian.service.entity_data.forgetting import Forgetting, forget
from historian.service.entity_data.kinds import Traces
from historian.service.entity_data.registry import stored_kinds
from historian.stores.tables import erasure
from support.canaries import (
    GROUP,
    MENTIONING,
    OTHER,
    USER,
    _job,
    canaries,
    canary,
    forms_of,
    opened,
    places,
    planted,
    settings_of,
)
from support.postgres import Schema, server_url
from support.recall import NOW

PERSON, ROOM = Entity("user", USER), Entity("group", GROUP)
ON_FILES_ALONE = {
    "quarantined",
    "leftover",
    "damaged checkpoint",
    "damaged summaries",
}


class Memory:
    """A planted memory in a schema, with the data directory of one machine."""

    def __init__(self, directory: Path, schema: Schema) -> None:
        self.directory, self.schema = directory, schema.name
        self.stores: dict[str, Any] = {
            "url": server_url(),
            "schema_name": schema.name,
            "pool_max": 4,
        }

    def open(self) -> Parts:
        return opened(self.directory, **self.stores)

    def forget(self, entity: Entity, **more: Any) -> ForgetReport:
        async def run() -> ForgetReport:
            parts = self.open()
            try:
                return await forget(parts, entity, **more)
            finally:
                await parts.aclose()

        return asyncio.run(run())

    def left_of(self, whose: str) -> dict[str, list[str]]:
        """Which canaries of `whose` still stand where, in a table or in a file. Reads every value of every table."""
        values: dict[str, bytes] = {}
        with psycopg.connect(server_url()) as connection:
            names = connection.execute(
                "SELECT tablename FROM pg_tables WHERE schemaname = %s", (self.schema,)
            ).fetchall()
            for (table,) in names:
                rows = connection.execute(
                    f'SELECT * FROM {self.schema}."{table}"'.encode()
                ).fetchall()
                values[table] = b"\0".join(_bytes_of(value) for row in rows for value in row)
        found = {}
        for kind, text in canaries(whose).items():
            tables = [
                table
                for table, held in values.items()
                if any(form in held for form in forms_of(text))
            ]
            found[kind] = [*tables, *places(self.directory, text)]
        return {kind: where for kind, where in found.items() if where}


def _bytes_of(value: Any) -> bytes:
    return (
        value
        if isinstance(value, bytes)
        else (value if isinstance(value, str) else repr(value)).encode("utf-8", "replace")
    )


@pytest.fixture
def memory(tmp_path: Path, schema: Schema) -> Memory:
    memory = Memory(tmp_path / "data", schema)
    planted(memory.directory, tmp_path / "notes", **memory.stores)
    for whose in ("user", "group", "other"):
        assert canaries(whose).keys() - memory.left_of(whose).keys() <= ON_FILES_ALONE, (
            "a canary was not planted"
        )
    return memory


def assert_others_are_whole(memory: Memory, before: dict[str, list[str]]) -> None:
    assert memory.left_of("other") == before
    parts = memory.open()
    found = parts.events.search_keywords(canary("event group", "other"), EventFilter("g:77002"), 5)
    assert found[0][0] == "o2-0:0" and parts.events.vectors(EventFilter("p:" + OTHER))[0] == [
        "o1-0:0"
    ]
    stores = parts.article_stores
    assert [(one.id, one.promoted_into) for one in stores.summaries.read(MENTIONING)] == [
        ("dated-3-0", 1),
        ("dated-3-1", None),
    ]
    assert stores.buffer.read(MENTIONING)[0].entry_id == "buffered3-0:0"
    waiting = {job.request_id: job for job in parts.queue.jobs("pending")}
    assert "states-other" in waiting and waiting["wait-other"].action_summary == canary(
        "pending", "other"
    )
    asyncio.run(parts.aclose())


def test_nothing_of_a_person_is_left_in_any_table_or_file(memory: Memory) -> None:
    others, groups = memory.left_of("other"), memory.left_of("group")
    parts = memory.open()
    kinds = list(dict.fromkeys(store.kind for store in stored_kinds(parts)))
    asyncio.run(parts.aclose())
    report = memory.forget(PERSON)
    assert report.clean and report.removed["events"] == 10 and list(report.removed) == kinds
    assert memory.left_of("user") == {}
    assert_others_are_whole(memory, others)
    assert memory.left_of("group") == groups
    assert ("events", "o3-0:0") in report.mentions and not report.mentions_removed
    parts = memory.open()
    assert parts.profiles.layers("user", USER) == [] and parts.profiles.read(
        ProfileKey("user", OTHER)
    )
    assert parts.backend.shadow.sets().next_done == 6
    for store in stored_kinds(parts):
        assert not list(store.records(Traces(PERSON))), store.kind
    # What they said before is not filed again, whenever it is handed over.
    parts.queue.put(_job("u1", timestamp="2026-02-21T17:40:00+08:00", action_summary="又来了"))
    assert parts.events.is_forgotten("u1-0", ["user:nobody"], NOW)
    asyncio.run(parts.aclose())
    assert memory.forget(PERSON).removed.keys() <= {"jobs"}


def test_nothing_of_a_group_is_left_in_any_table_or_file(memory: Memory) -> None:
    others = memory.left_of("other")
    assert memory.forget(ROOM).clean
    assert memory.left_of("group") == {}
    assert_others_are_whole(memory, others)


def test_what_others_say_of_somebody_goes_with_mentions(memory: Memory) -> None:
    others = memory.left_of("other")
    first = memory.forget(PERSON)
    report = memory.forget(PERSON, mentions=True)
    assert (
        report.clean
        and report.mentions_removed
        and set(report.mentions) == set(first.mentions) != set()
    )
    assert memory.forget(PERSON).mentions == ()
    assert_others_are_whole(memory, others)
    parts = memory.open()
    profile = parts.profiles.read(ProfileKey("user", OTHER))
    assert profile is not None and profile.summary == f"- {canary('profile', 'other')}"
    asyncio.run(parts.aclose())


def test_a_job_that_waits_in_the_files_of_this_machine_is_forgotten_too(memory: Memory) -> None:
    spooled = canary("spooled", "user")
    away = settings_of(
        memory.directory, **{**memory.stores, "url": "postgresql://nobody@127.0.0.1:9/nothing"}
    )

    async def accept() -> None:
        from historian.stores.opening import open_queue

        queue = await asyncio.to_thread(open_queue, away, lambda: NOW)
        await asyncio.to_thread(queue.put, _job("spooled", group=None, action_summary=spooled))

    asyncio.run(accept())
    assert places(memory.directory, spooled)
    assert memory.forget(PERSON).clean and not places(memory.directory, spooled)


class _Stopped(Exception):
    pass


@pytest.mark.slow
@pytest.mark.parametrize(
    "at",
    [
        "surveyed",
        "articles and summaries, first time",
        "deleting",
        "some events deleted",
        "scanned",
    ],
)
def test_broken_off_after_a_step_it_is_finished_by_the_next_call(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    monkeypatch.setattr(erasure, "ERASED_AT_ONCE", 2)
    others = memory.left_of("other")

    def on_step(step: str) -> None:
        if step == at:
            raise _Stopped

    parts = memory.open()
    parts.backend.forget_requests.ask(ForgetRequest(PERSON, NOW))
    with pytest.raises(_Stopped):
        Forgetting(parts, None, on_step=on_step).carry_out()
    asyncio.run(parts.aclose())
    assert memory.forget(PERSON).clean and memory.left_of("user") == {}
    assert_others_are_whole(memory, others)


@pytest.mark.slow
async def test_beside_running_workers_what_was_said_before_goes_and_what_comes_after_stays(
    tmp_path: Path, schema: Schema
) -> None:
    memory = Memory(tmp_path, schema)
    settings = [settings_of(tmp_path / name, **memory.stores) for name in "ab"]

    def turn(n: int, user: str, when: str) -> dict[str, Any]:
        fields = _job(f"{when}{user}{n}", user=user, group=GROUP if n % 2 else None).model_dump()
        return {
            **{
                name: fields[name]
                for name in (
                    "request_type",
                    "group_id",
                    "group_name",
                    "user_id",
                    "user_name",
                    "timezone",
                )
            },
            "group_id": fields["group_id"] or None,
            "request_id": f"{when}-{user}-{n}",
            "timestamp": "2026-02-21T17:00:00+08:00"
            if when == "before"
            else "2027-02-21T17:00:00+08:00",
            "new_info": [f"我在第{n}条街上看见了{when}{user}的紫色风筝飞过第{n}座塔"],
        }

    async with CognitiveService.open(settings[0]) as one, CognitiveService.open(settings[1]) as two:
        for n in range(20):
            for user in (USER, OTHER):
                await (one, two)[n % 2].enqueue_job(**turn(n, user, "before"))
        report = await two.forget_user(USER)
        for n in range(6):
            await one.enqueue_job(**turn(n, USER, "after"))
        assert await one.settled(60) and await two.settled(60)
        assert report.done and report.clean, report
        texts = [
            each.event.text
            for each in one.lifecycle.opened.parts.backend.transfer.take(EventFilter(None))
        ]  # type: ignore[union-attr]
    mine = [text for text in texts if USER in text]
    assert len(mine) == 6 and all("after" in text for text in mine)
    assert len([text for text in texts if OTHER in text]) == 20
    with psycopg.connect(server_url()) as connection:
        for (table,) in connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema.name,)
        ).fetchall():
            rows = connection.execute(f'SELECT * FROM {schema.name}."{table}"'.encode()).fetchall()
            held = b"\0".join(_bytes_of(value) for row in rows for value in row)
            assert f"before{USER}".encode() not in held, table
