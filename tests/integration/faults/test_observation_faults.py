"""What observation and notes survive: no owner anywhere, garbage for a database, a disk that is full, SIGKILL at any point."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from pathlib import Path
from typing import Any, Literal

import pytest
from historian.schema.errors import StorageError
from historian.schema.event import EventFilter
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from historian.service.components import Parts, open_parts
from historian.service.running.ownership import owned_worker
from historian.service.upkeep import notes_index
from historian.service.upkeep.missing_vectors import EMBED_BATCH
from historian.service.upkeep.notes_index import NotesIndex
from historian.stores.tables.notes import NoteTables
from support.crashes.child import Killer, is_killed
from support.memory import settings_for
from support.recall import NOW, WordEmbedder, open_memory, replaced_models
from support.stores import refusing_writes

GROUP = Scope.group("7", "42")


def opened(data: Path, *, embedder: WordEmbedder | None = None) -> Parts:
    settings = settings_for(data, observation={"chunk_max_tokens": 32})
    with replaced_models(embedder, None):
        return open_parts(settings, clock=lambda: NOW)


# --- nobody owns the directory


async def test_what_was_observed_without_any_owner_is_found_by_keywords_at_once_and_embedded_by_the_next_one(
    tmp_path: Path,
) -> None:
    settings = settings_for(tmp_path, observation={"chunk_max_tokens": 16})
    async with open_memory(settings, embedder=WordEmbedder()) as (memory, parts):
        assert memory.observation is not None
        words = [f"piano{n}" for n in range(EMBED_BATCH * 5)]
        await memory.on_tool_executed("list", {}, " ".join(words), scope=GROUP)
        assert await memory.observation.settled(20)
        count = parts.events.count()
        assert count > EMBED_BATCH
        assert parts.events.embedded_count() == 0
        for word in (words[0], words[-1]):
            assert any(word in hit.event.text for hit in await memory.search_events(word, GROUP))
            assert word in await memory.build_context(word, GROUP)
    owner = opened(tmp_path, embedder=WordEmbedder())
    with owned_worker(owner) as worker:
        assert await worker.run(drain=True)
        for _ in range(count // EMBED_BATCH + 1):
            await worker.maintenance.idle()
    assert owner.events.embedded_count() == count and owner.events.without_vector(1) == []
    await owner.aclose()


async def test_notes_indexed_without_an_embedder_are_embedded_by_the_next_owner(
    tmp_path: Path,
) -> None:
    folder = notes_in(tmp_path)
    parts = opened(tmp_path / "data")
    await NotesIndex(parts.backend.manifest, parts.settings, time.time).run(folder, GROUP)
    count = parts.events.count()
    assert count > EMBED_BATCH and parts.events.search_keywords("owl", EventFilter(GROUP.key), 5)
    await parts.aclose()
    owner = opened(tmp_path / "data", embedder=WordEmbedder())
    with owned_worker(owner) as worker:
        assert await worker.run(drain=True)
        for _ in range(count // EMBED_BATCH + 1):
            await worker.maintenance.idle()
    assert owner.events.embedded_count() == count
    await owner.aclose()


# --- the database


async def test_a_database_replaced_by_garbage_while_observing_stops_neither_the_agent_nor_the_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_memory(
        settings_for(tmp_path, observation={"queue_max": 50}), embedder=None
    ) as (memory, _):
        assert memory.observation is not None
        await memory.on_tool_executed("t", {}, "seen before the harm", scope=GROUP)
        assert await memory.observation.settled(10)
        (tmp_path / "index.sqlite").write_bytes(os.urandom(200_000))
        (tmp_path / "index.sqlite-wal").write_bytes(os.urandom(50_000))
        for n in range(200):
            await memory.on_tool_executed("t", {"n": n}, f"tulip{n} " * 50, scope=GROUP)
            memory.feed_message("user", f"tulip message {n}", scope=GROUP)
        await memory.observation.settled(0.5)
        assert isinstance(await memory.build_context("tulip", GROUP), str)
        statistics = memory.observation.statistics
        assert statistics.noted == 401
    assert statistics.dropped >= 350
    assert statistics.dropped + statistics.stored + statistics.lost >= 401, "each is accounted for"
    assert "tulip" not in caplog.text
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        await memory.on_tool_executed("t", {}, "nobody can keep this", scope=GROUP)
        memory.feed_message("user", "nor this", scope=GROUP)
        assert isinstance(await memory.build_context("tulip", GROUP), str)


# --- notes: the disk, the process


def notes_in(directory: Path, files: int = 5) -> Path:
    folder = directory / "notes"
    folder.mkdir(parents=True)
    for n in range(files):
        paragraphs = "\n\n".join(
            f"The owl number {n}.{k} sleeps in the old barn behind the mill and wakes at night."
            for k in range(20)
        )
        (folder / f"{n:02}.md").write_text(paragraphs)
        os.utime(folder / f"{n:02}.md", (time.time() - 3600,) * 2)
    return folder


def texts_of(parts: Parts) -> list[str]:
    return sorted(event.text for event in parts.events.find(EventFilter(GROUP.key), limit=10_000))


def index(parts: Parts, folder: Path) -> Any:
    return asyncio.run(
        NotesIndex(parts.backend.manifest, parts.settings, time.time).run(folder, GROUP)
    )


@pytest.mark.parametrize("fault", ["full", "read-only"])
def test_notes_that_the_disk_refuses_are_indexed_when_it_takes_them(
    tmp_path: Path, fault: Literal["full", "read-only"]
) -> None:
    folder = notes_in(tmp_path)
    parts = opened(tmp_path / "data")
    with refusing_writes(parts.backend.database, fault):
        with pytest.raises(StorageError):
            index(parts, folder)
        assert texts_of(parts) == [] and parts.backend.manifest.files(GROUP.key, str(folder)) == {}
    assert index(parts, folder).new == 5
    assert len(texts_of(parts)) == 100
    asyncio.run(parts.aclose())


def run_killed(data: Path, folder: Path, point: int) -> bool:
    """Index the folder in a child that is killed at the `point`th passage before or after reading or writing."""

    def work() -> None:
        killer = Killer(point)
        NoteTables.write = killer.around(NoteTables.write)  # type: ignore[method-assign]
        notes_index.content_hash = killer.around(notes_index.content_hash)
        index(opened(data), folder)

    return is_killed(work)


@pytest.mark.slow
def test_killed_anywhere_while_indexing_notes_the_next_run_ends_as_if_nothing_had_been(
    tmp_path: Path,
) -> None:
    folder = notes_in(tmp_path)
    whole = opened(tmp_path / "whole")
    index(whole, folder)
    expected = texts_of(whole)
    asyncio.run(whole.aclose())
    point, killed = 0, True
    while killed:
        point += 1
        data = tmp_path / str(point)
        killed = run_killed(data, folder, point)
        connection = sqlite3.connect(data / "index.sqlite")
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
        parts = opened(data)
        assert set(texts_of(parts)) <= set(expected)
        report = index(parts, folder)
        assert texts_of(parts) == expected
        assert report.new + report.unchanged == 5
        assert len(parts.events.search_keywords("owl", EventFilter(GROUP.key), 1_000)) == len(
            expected
        )
        asyncio.run(parts.aclose())
    assert point > 3, "it was killed at several points"
