"""Messages have their vectors when `settled()` says True, where nothing else waits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from historian.schema.errors import ModelUnavailable
from historian.schema.protocols import Matrix
from historian.schema.scope import Scope
from historian.service.upkeep import missing_vectors
from historian.service.upkeep.idle_work import Maintenance
from support.memory import settings_for
from support.recall import WordEmbedder, open_memory

GROUP = Scope.group("7", "42")


@pytest.fixture(autouse=True)
def never_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is embedded is embedded by the runs of jobs."""

    async def idle(self: Maintenance, *, leads: bool = True) -> None:
        return

    monkeypatch.setattr(Maintenance, "idle", idle)


def talk(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text, "sender_id": "42", "name": "Ann"} for text in texts]


@pytest.mark.parametrize("count", [1, 20, 70])
async def test_messages_are_embedded_before_settled_says_true(tmp_path: Path, count: int) -> None:
    settings = settings_for(tmp_path)
    async with open_memory(settings, embedder=WordEmbedder(), worker=True) as (memory, parts):
        await memory.remember(talk(*(f"hiking in place {n}, maybe" for n in range(count))), GROUP)
        await memory.flush()
        assert await memory.settled(60)
        assert parts.events.count() >= count and not parts.events.without_vector(1)


async def test_an_embedder_that_hangs_delays_settled_once_and_for_a_bounded_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hanging(WordEmbedder):
        asked = 0

        async def embed_documents(self, texts: Sequence[str]) -> Matrix:
            self.asked += 1
            await asyncio.Event().wait()
            raise AssertionError

    monkeypatch.setattr(missing_vectors, "SETTLING_SECONDS", 0.05)
    embedder = Hanging()
    async with open_memory(settings_for(tmp_path), embedder=embedder, worker=True) as (
        memory,
        parts,
    ):
        for text in ("what a day, really", "and what a night"):
            await memory.remember(talk(text), GROUP)
            await memory.flush()
            assert await memory.settled(20)
        assert embedder.asked == 1, "nobody asks while it has not answered"
        assert len(parts.events.without_vector(9)) == 2


async def test_a_group_that_talks_on_is_embedded_while_jobs_wait(tmp_path: Path) -> None:
    pending: list[int] = []

    class Watching(WordEmbedder):
        async def embed_documents(self, texts: Sequence[str]) -> Matrix:
            if any(text.startswith("Ann: ") for text in texts):  # a message as it was said
                pending.append(parts.queue.counts(parts.clock()).pending)
            return await super().embed_documents(texts)

    async with open_memory(settings_for(tmp_path), embedder=Watching(), worker=True) as (
        memory,
        parts,
    ):
        for n in range(40):
            await memory.remember(talk(f"hmm, place {n}, maybe"), Scope.group(f"g{n}", "42"))
        await memory.flush()
        assert await memory.settled(60) and not parts.events.without_vector(1)
        assert max(pending) > 0, "the first are embedded before the last are filed"
        assert (await memory.stats())["vectors"] == {"waiting": 0, "oldest_waiting_seconds": 0.0}


async def test_how_many_messages_wait_for_their_vector_is_told_and_since_when(
    tmp_path: Path,
) -> None:
    class Away(WordEmbedder):
        async def embed_documents(self, texts: Sequence[str]) -> Matrix:
            raise ModelUnavailable("away")

    async with open_memory(settings_for(tmp_path), embedder=Away(), worker=True) as (memory, parts):
        await memory.remember(talk("what a day, really", "and what a night"), GROUP)
        await memory.flush()
        assert await memory.settled(20)
        count, oldest = parts.events.waiting_vectors()
        assert count == 2 and oldest is not None
        told = (await memory.stats())["vectors"]
        assert told["waiting"] == 2 and 0.0 <= told["oldest_waiting_seconds"] < 120.0
        assert "historian_vectors_waiting 2" in await memory.metrics_text()
