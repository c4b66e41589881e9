"""What memory cannot do is said: once in the log, with the remedy, and in what the tools answer. It never stops the bot."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from historian import (
    CognitiveService,
    Scope,
    handle_end_call,
    handle_memory_call,
    make_memory_tools,
)
from historian.models.embeddings import factory, local
from historian.retrieval.seen_warnings import SeenWarnings
from historian.schema.settings.source import parse_settings
from support.memory import private_fields, settings_for
from support.recall import WordEmbedder, down, open_memory

ANN = Scope.private("7")


def warnings(caplog: pytest.LogCaptureFixture, about: str) -> list[str]:
    return [
        record.message
        for record in caplog.records
        if record.levelno >= logging.WARNING and about in record.message
    ]


async def test_a_memory_that_nobody_opened_says_so_once_and_in_its_tools(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory = CognitiveService.open(settings_for(tmp_path))
    for _ in range(3):
        assert (
            await memory.build_context("tea", ANN) == ""
            and memory.get_memory_context("tea", ANN) == ""
        )
        assert await memory.search("tea", ANN) == []
        memory.feed_message("user", "tea", scope=ANN)
    (told,) = warnings(caplog, "memory is not open")
    assert "async with CognitiveService.open" in told and "await memory.start()" in told
    assert memory.reading_state() == "closed"
    assert await handle_memory_call(
        memory, "search_events", {"query": "tea"}, ANN, language="en"
    ) == ("Memory is not open; nothing was looked up.")
    (tool, *_) = make_memory_tools(memory, ANN, language="zh")
    assert await tool.ainvoke({"query": "茶"}) == "记忆还没有打开，什么也没有查。"


async def test_a_memory_that_is_switched_off_says_so_once_and_in_its_tools(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with CognitiveService.open(settings_for(tmp_path, enabled=False)) as memory:
        for _ in range(2):
            await memory.build_context("tea", ANN)
            assert "未启用" in await handle_memory_call(
                memory, "get_profile", {}, ANN, language="zh"
            )
        assert memory.reading_state() == "off"
    (told,) = warnings(caplog, "switched off (cognitive.enabled = false)")
    assert "set cognitive.enabled to true" in told


async def test_a_damaged_store_is_told_with_the_remedy_and_never_as_nothing_found(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "index.sqlite").write_bytes(b"no database at all" * 1_000)
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        (told,) = warnings(caplog, "the file is damaged")
        assert "historian restore" in told and "move the file away" in told
        assert memory.reading_state() == "unreadable"
        for name, arguments in (
            ("search_events", {"query": "tea"}),
            ("get_profile", {}),
            ("recall_deeply", {"about": "tea"}),
        ):
            answer = await handle_memory_call(memory, name, arguments, ANN, language="en")
            assert answer == "Memory cannot be read at the moment."
        ended = await handle_end_call(
            memory, {"action_summary": "I told a story"}, private_fields(), language="en"
        )
        assert (
            ended
            == "Ended; handed over to memory, which cannot be read at the moment: it waits on disk."
        )


async def test_where_only_words_are_searched_nothing_found_says_so(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    async with open_memory(settings_for(tmp_path), embedder=embedder) as (memory, _):
        asked = ("search_events", {"query": "tea"}, ANN)
        assert memory.reading_state() == "open"
        assert (
            await handle_memory_call(memory, *asked, language="en")
            == "Nothing is remembered of that."
        )
        embedder.fault = down()
        await memory.search("piano", ANN)
        assert memory.reading_state() == "keywords"
        assert "Only keywords were searched" in await handle_memory_call(
            memory, *asked, language="en"
        )


async def test_an_embedder_that_nobody_chose_and_that_is_not_there_is_missed_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factory, "is_installed", lambda package: False)
    settings = parse_settings({"cognitive": {"data_dir": str(tmp_path)}}, environ={}, base=tmp_path)
    async with CognitiveService.open(settings) as memory:
        await memory.build_context("tea", ANN)
    (told,) = warnings(caplog, "no embedder is installed or configured")
    assert 'pip install "langgraph-historian[local]"' in told
    caplog.clear()
    async with CognitiveService.open(
        settings_for(tmp_path / "chosen")
    ) as memory:  # provider = "none"
        assert memory.reading_state() == "keywords"
    assert not warnings(caplog, "embedder")


@pytest.mark.parametrize("provider", ["local", "fastembed"])
async def test_a_provider_that_is_configured_and_not_installed_does_not_stop_the_bot(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setattr(local, "is_installed", lambda package: False)
    async with CognitiveService.open(settings_for(tmp_path, embedding=provider)) as memory:
        await memory.enqueue_job(new_info=["She likes tea"], **private_fields())
        assert await memory.settled(20) and await memory.search("tea", ANN)
        assert memory.reading_state() == "keywords"
    (told,) = warnings(caplog, "search uses keywords only")
    assert (
        f'models.embedding.provider is "{provider}"' in told
        and f"langgraph-historian[{provider}]" in told
    )


async def test_an_answer_with_less_is_told_once_for_each_reason(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    embedder = WordEmbedder()
    embedder.fault = down()
    async with open_memory(settings_for(tmp_path), embedder=embedder, worker=True) as (memory, _):
        for word in ("tea", "piano", "exam"):
            await memory.search(word, ANN)
            await memory.build_context(word, ANN)
        (away,) = warnings(caplog, "the embedder is unavailable, next try")
        assert "searches use keywords" in away and "events are filed without vectors" in away
        fields = private_fields()
        for number in range(3):
            await memory.enqueue_job(new_info=[f"She likes tea number {number}"], **fields)
        assert await memory.settled(20)
    assert len(warnings(caplog, "answered with")) <= 3 and not warnings(
        caplog, "stored without vectors"
    )
    told = SeenWarnings()
    levels = [
        told.level([reason])
        for reason in ("embedder: away: 1 s", "embedder: away: 2 s", "reranker: away")
    ]
    assert levels == [logging.WARNING, logging.DEBUG, logging.WARNING]
