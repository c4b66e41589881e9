"""The main job, end to end, on real parts: SQLite, Chroma, files, and an HTTP server that speaks the OpenAI protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from historian.graph import historian as graph_module
from historian.schema.event import EventFilter
from historian.schema.graph_states.historian import HistorianState
from historian.schema.profile import ProfileKey
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from historian.service.jobs.step_stream import JobWatch
from profiles import profile_of
from support.draining import open_worker, put
from support.memory import group_fields, private_fields, settings_for
from support.servers.openai_server import OpenAIServer
from support.strict_nodes import refuse_unknown_keys
from support.waiting import eventually_async

ITEMS = ["我喜欢吉他，也听《今天》", "我搬到了北京"]


@pytest.fixture(autouse=True)
def unknown_keys_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """LangGraph drops a key that the state does not know without a word; here it is an error."""
    nodes = ("rewrite", "gate", "embed", "link", "merge_profile", "write_profile")
    refuse_unknown_keys(monkeypatch, graph_module, HistorianState, nodes)


async def test_a_group_job_becomes_events_and_a_profile_with_two_model_calls(
    tmp_path: Path,
) -> None:
    with OpenAIServer() as server:
        settings = settings_for(tmp_path, base_url=server.base_url, embedding="openai")
        async with open_worker(settings) as (parts, worker):
            job_id = put(
                parts,
                group_fields(request_id="r1", action_summary="我昨天给他讲了递归", new_info=ITEMS),
            )
            assert await worker.run(drain=True)
            events = parts.events.find(EventFilter("g:100"), newest_first=False)
            assert [event.event_id for event in events] == [f"{job_id}:{n}" for n in range(3)]
            assert [event.kind for event in events] == ["action", "fact", "fact"]
            assert (
                "2026-02-20" in events[0].text
                and "小史" in events[0].text
                and "阿明" in events[0].text
            )
            assert (
                "《今天》" in events[1].text
                and "吉他" in events[1].text
                and "我喜欢" not in events[1].text
            )
            assert all(event.is_absolute and event.rewritten_by == "model" for event in events)
            assert parts.events.without_vector(10) == []
            profile = parts.profiles.read(ProfileKey("user", "42"))
            assert (
                profile is not None
                and profile.revision == 1
                and profile.source_event_id == f"{job_id}:1"
            )
            assert parts.queue.counts(0).pending == parts.queue.counts(0).processing == 0
        assert [seen.form for seen in server.requests()] == ["record_texts", "update_profiles"]


async def test_without_a_model_the_rules_file_events_and_a_profile(tmp_path: Path) -> None:
    async with open_worker(settings_for(tmp_path)) as (parts, worker):
        put(
            parts,
            private_fields(
                action_summary="I told her a joke",
                new_info=["She likes tea", "She has an exam tomorrow"],
            ),
        )
        assert await worker.run(drain=True)
        events = parts.events.find(EventFilter("p:7"), newest_first=False)
        assert [event.text for event in events] == [
            "Clio told Ann a joke",
            "Ann likes tea",
            "Ann has an exam on 2026-02-22",
        ]
        assert {event.rewritten_by for event in events} == {"rules"}
        private = parts.profiles.read(ProfileKey("user", "7", "private"))
        assert private is not None and private.summary == "- Ann likes tea (2026-02-21)"
        assert parts.profiles.read(ProfileKey("user", "7")) is None


@pytest.mark.parametrize("nickname", ["", "\u3164", " \u200b "])
async def test_a_person_without_a_name_that_can_be_seen_gets_absolute_facts_and_a_profile(
    tmp_path: Path, nickname: str
) -> None:
    async with open_worker(settings_for(tmp_path)) as (parts, worker):
        said = ["She likes tea", "I live in Leeds", "Me gusta el té"]
        put(
            parts,
            private_fields(action_summary="I told her a joke", new_info=said, user_name=nickname),
        )
        assert await worker.run(drain=True)
        events = parts.events.find(EventFilter("p:7"), newest_first=False)
        assert [(event.text, event.is_absolute) for event in events] == [
            ("Clio told user 7 a joke", True),
            ("User 7 likes tea", True),
            ("User 7 lives in Leeds", True),
            ("Me gusta el té", False),
        ]
        private = parts.profiles.read(ProfileKey("user", "7", "private"))
        assert (
            private is not None
            and private.summary
            == "- User 7 likes tea (2026-02-21)\n- User 7 lives in Leeds (2026-02-21)"
        )


async def test_a_job_without_new_information_changes_no_profile(tmp_path: Path) -> None:
    with OpenAIServer() as server:
        async with open_worker(settings_for(tmp_path, base_url=server.base_url)) as (parts, worker):
            put(parts, group_fields(action_summary="我给他讲了个笑话"))
            assert await worker.run(drain=True)
            assert parts.events.count() == 1
            assert parts.profiles.keys() == []
        assert [seen.form for seen in server.requests()] == ["record_texts"]


async def test_a_request_that_comes_again_after_it_was_done_costs_nothing(tmp_path: Path) -> None:
    with OpenAIServer() as server:
        settings = settings_for(tmp_path, base_url=server.base_url)
        for _ in range(2):
            async with open_worker(settings) as (parts, worker):
                put(parts, group_fields(request_id="same", new_info=ITEMS))
                assert await worker.run(drain=True)
                assert parts.events.count() == 2
                profile = parts.profiles.read(ProfileKey("user", "42"))
                assert profile is not None and profile.revision == 1
        assert server.count("chat") == 2


async def test_what_stays_relative_is_sent_back_with_the_reasons_and_filed_as_not_absolute(
    tmp_path: Path,
) -> None:
    asked: list[str] = []

    def stubborn(request: dict[str, Any]) -> dict[str, Any]:
        asked.append(request["messages"][1]["content"])
        return {"texts": ["那个人昨天来过这里"]}

    with OpenAIServer(responder=stubborn) as server:
        async with open_worker(settings_for(tmp_path, base_url=server.base_url)) as (parts, worker):
            put(parts, group_fields(action_summary="那个人昨天来过"))
            assert await worker.run(drain=True)
            (event,) = parts.events.find(EventFilter("g:100"))
    assert len(asked) == 2
    assert "昨天来过这里" not in asked[0] and "昨天来过这里" in asked[1]
    assert not event.is_absolute and event.gate_reasons
    assert "2026-02-20" in event.text, "the date is resolved even in what is not absolute"


async def test_a_profile_changed_meanwhile_is_merged_again_and_loses_neither(
    tmp_path: Path,
) -> None:
    with OpenAIServer() as server:
        settings = settings_for(tmp_path, base_url=server.base_url)
        key = ProfileKey("user", "42")
        renamed = False

        class Renaming(JobWatch):
            def step(self, job: Any, node: str, update: Any) -> None:
                nonlocal renamed
                if node == "merge_profile" and not renamed:
                    renamed = True
                    profile = profile_of(key, "- 手写的一行", name="明哥", source_event_id="edit")
                    parts.profiles.write(
                        profile, expected_revision=0, now="2026-02-21T18:00:00+08:00"
                    )

        async with open_worker(settings, watch=Renaming()) as (parts, worker):
            put(parts, group_fields(new_info=ITEMS))
            assert await worker.run(drain=True)
            profile = parts.profiles.read(key)
        merges = [seen for seen in server.requests() if seen.form == "update_profiles"]
    assert len(merges) == 2 and "手写的一行" in merges[1].body["messages"][1]["content"]
    assert profile is not None and profile.revision == 2


async def test_an_embedder_that_is_down_delays_vectors_and_nothing_else(tmp_path: Path) -> None:
    with OpenAIServer() as server:
        settings = settings_for(tmp_path, base_url=server.base_url, embedding="openai")
        server.fail("embeddings", "500")
        async with open_worker(settings) as (parts, worker):
            put(parts, group_fields(new_info=ITEMS))
            assert await worker.run(drain=True)
            assert len(parts.events.without_vector(10)) == 2
            assert parts.events.search_keywords("吉他", EventFilter("g:100"), 5)
        server.fail("embeddings", "")
        async with open_worker(settings) as (parts, worker):
            assert await worker.run(drain=True)
            assert parts.events.without_vector(10) == []
            ids, matrix = parts.events.vectors(EventFilter("g:100"))
            assert len(ids) == 2 and matrix.shape == (2, 32)


async def test_the_service_files_in_the_background_and_recalls_in_scope_only(
    tmp_path: Path,
) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        job_id = await memory.enqueue_job(
            "我给他推荐了《三体》", "他喜欢科幻小说", **group_fields()
        )
        assert job_id
        assert await memory.settled(20)
        text = await memory.build_context("他喜欢什么小说？", Scope.group("100", "42"))
        assert text.startswith("<memory>") and text.endswith("</memory>") and "科幻小说" in text
        assert await memory.build_context("科幻小说", Scope.group("200", "43")) == ""
        assert await memory.search_events("科幻小说", Scope.group("200")) == []
        assert await memory.search_events("科幻小说", Scope.private("42")) == []
        stats = await memory.stats()
        assert stats["events"] == 2


async def test_what_was_accepted_is_given_as_plain_summaries_once_memory_is_switched_off(
    tmp_path: Path,
) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        assert await memory.enqueue_job("我给他推荐了《三体》", **group_fields())
    async with CognitiveService.open(settings_for(tmp_path, enabled=False)) as memory:
        assert "《三体》" in await memory.build_context("书", Scope.group("100"))


async def test_a_memory_md_that_somebody_wrote_is_read_as_a_note(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text(
        "## g:100\n\n- 读书会每周三在西湖边碰头\n", encoding="utf-8"
    )
    async with CognitiveService.open(settings_for(tmp_path)) as memory:

        async def is_read() -> bool:
            return "西湖" in await memory.build_context("读书会在哪里碰头？", Scope.group("100"))

        await eventually_async(is_read, seconds=20)
        assert await memory.search_events("西湖", Scope.group("200")) == []


async def test_jobs_that_wait_can_be_read_once_memory_is_switched_off(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        assert await memory.enqueue_job("我给他推荐了《三体》", **group_fields())
    async with CognitiveService.open(settings_for(tmp_path, enabled=False)) as memory:
        assert "《三体》" in await memory.build_context("书", Scope.group("100"))
        assert await memory.build_context("书", Scope.group("200")) == ""


async def test_with_memory_switched_off_plain_summaries_are_kept_and_given(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path, enabled=False)) as memory:
        assert await memory.enqueue_job("我给他推荐了《三体》", **group_fields()) is None
        assert "《三体》" in await memory.build_context("书", Scope.group("100"))
        assert await memory.build_context("书", Scope.group("200")) == ""
        assert await memory.search_events("三体", Scope.group("100")) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "end_summaries.json",
        "end_summaries.lock",
    ]
