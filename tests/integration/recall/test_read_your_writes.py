"""What was accepted is recalled before it is filed, marked so, and once only."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from historian.schema.errors import StorageError
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from support.draining import open_worker
from support.memory import group_fields, settings_for
from support.recall import events_in, file_events, open_memory

GROUP = Scope.group("100", "42")


async def test_an_accepted_job_is_in_the_next_context_with_its_dates_resolved(
    tmp_path: Path,
) -> None:
    settings = settings_for(tmp_path)
    async with open_memory(settings) as (memory, _):
        job_id = await memory.enqueue_job(
            "我昨天给他推荐了《三体》", "他明天要考试", **group_fields(request_id="r1")
        )
        text = await memory.build_context("考试是哪天？", GROUP)
        assert "尚未归档" in text and "2026-02-22" in text and "2026-02-20" in text
        assert "昨天" not in text and "阿明" in text
        assert "明天" not in text and (await memory.search_events("三", GROUP))[0].score > 0, (
            "one character is enough"
        )
        (exam, book) = await memory.search_events("考试", GROUP)
        assert (
            exam.pending
            and book.pending
            and exam.event.event_id == f"{job_id}:1"
            and exam.score > book.score == 0
        )
        assert "not filed yet" in exam.explain()
        assert await memory.build_context("考试", Scope.group("200", "42")) == ""
        assert await memory.build_context("考试", Scope.private("42")) == ""
        assert await memory.search_events("考试", Scope.private("42")) == []


async def test_filters_hold_for_what_waits(tmp_path: Path) -> None:
    async with open_memory(settings_for(tmp_path)) as (memory, _):
        await memory.enqueue_job("我推荐了《三体》", "他要考试", **group_fields())
        assert len(await memory.search_events("考试", GROUP)) == 2
        assert [
            hit.event.kind for hit in await memory.search_events("考试", GROUP, kind="action")
        ] == ["action"]
        assert await memory.search_events("考试", GROUP, sender_id="43") == []
        assert await memory.search_events("考试", GROUP, time_to="2026-02-20") == []
        assert (
            len(
                await memory.search_events(
                    "考试", GROUP, time_from="2026-02-22", time_to="2026-02-20"
                )
            )
            == 2
        )
        assert await memory.search_events("考试", GROUP, is_absolute=True) == []
        assert len(await memory.search_events("考试", GROUP, top_k=1)) == 1


async def test_once_filed_it_is_found_once_and_no_longer_marked(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    async with open_memory(settings) as (memory, _):
        await memory.enqueue_job("我推荐了《三体》", "他要考试", **group_fields())
        async with open_worker(settings) as (_, worker):
            assert await worker.run(drain=True)
        hits = await memory.search_events("考试", GROUP)
        assert len(hits) == 2 and not any(hit.pending for hit in hits)
        assert "尚未归档" not in await memory.build_context("考试", GROUP)


async def test_a_job_that_is_filed_and_still_in_the_queue_is_not_offered_twice(
    tmp_path: Path,
) -> None:
    async with open_memory(settings_for(tmp_path)) as (memory, parts):
        job_id = await memory.enqueue_job("我推荐了《三体》", **group_fields(request_id="r9"))
        assert job_id
        event = events_in("100", ["小史向阿明推荐了《三体》"])[0]
        parts.events.file_job(
            job_id, [dataclasses.replace(event, job_id=job_id, event_id=f"{job_id}:0")], [None]
        )
        hits = await memory.search_events("三体", GROUP)
        assert [hit.pending for hit in hits] == [False]


async def test_what_was_forgotten_is_not_offered_either(tmp_path: Path) -> None:
    async with open_memory(settings_for(tmp_path)) as (memory, parts):
        await memory.enqueue_job("我推荐了《三体》", **group_fields())
        parts.backend.erasure.bury("user:42", 2.0**62)
        assert await memory.search_events("三体", GROUP) == []


async def test_a_queue_that_can_not_be_read_costs_only_what_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(tmp_path)
    async with open_memory(settings) as (memory, parts):
        file_events(parts, events_in("100", ["阿明在学吉他"]))

        def fails(*_: object) -> None:
            raise StorageError(
                "queues/pending: permission denied; let the user who runs this process read it"
            )

        monkeypatch.setattr(parts.queue, "waiting", fails)
        assert "吉他" in await memory.build_context("吉他", GROUP)


async def test_a_short_query_is_widened_by_what_was_said_before(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    async with open_memory(settings) as (memory, parts):
        file_events(parts, events_in("100", ["阿明的钢琴花了三千元", "阿明养了一只猫"]))
        assert "钢琴" not in await memory.build_context("多少？", GROUP, top_k=1)
        assert "钢琴" in await memory.build_context(
            "多少？", GROUP, top_k=1, context=["我想起我那台钢琴"]
        )
        assert (await memory.search_events("多少？", GROUP, context=["钢琴"]))[
            0
        ].event.text.startswith("阿明的钢琴")


async def test_messages_are_one_of_the_user_s_role_or_none(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    async with open_memory(settings) as (memory, parts):
        assert await memory.build_messages("吉他", GROUP) == []
        file_events(parts, events_in("100", ["阿明在学吉他"]))
        (message,) = await memory.build_messages(["在吗", "谁会吉他？"], GROUP)
        assert (
            message["role"] == "user"
            and message["content"].startswith("<memory>")
            and "吉他" in message["content"]
        )
        assert (
            "for reference only"
            in (await memory.build_messages("吉他", GROUP, language="en"))[0]["content"]
        )


async def test_a_service_that_is_not_open_gives_nothing(tmp_path: Path) -> None:
    memory = CognitiveService.open(settings_for(tmp_path), worker=False)
    assert await memory.build_context("吉他", GROUP) == ""
    assert (
        await memory.search_everywhere("吉他") == []
        and await memory.search_profiles("吉他", GROUP) == []
    )
