"""Messages have their vectors when `settled()` says True, where nothing else waits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from historian.schema.protocols import Matrix
from historian.schema.scope import Scope
from historian.service.upkeep import idle_work
from historian.service.upkeep.idle_work import Maintenance
from support.memory import settings_for
from support.recall import WordEmbedder, open_memory

GROUP = Scope.group("7", "42")


@pytest.fixture(autouse=True)
def never_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is embedded is embedded by the runs of jobs."""

    async def idle(self: Maintenance, *, leads: bool = True) -> None:
        self._is_embedder_slow = False

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

    async def no_idle(self: Maintenance, *, leads: bool = True) -> None:
        return

    monkeypatch.setattr(Maintenance, "idle", no_idle)
    monkeypatch.setattr(idle_work, "SETTLING_SECONDS", 0.05)
    embedder = Hanging()
    async with open_memory(settings_for(tmp_path), embedder=embedder, worker=True) as (memory, parts):
        for text in ("what a day, really", "and what a night"):
            await memory.remember(talk(text), GROUP)
            await memory.flush()
            assert await memory.settled(20)
        assert embedder.asked == 1, "the next idle round asks again"
        assert len(parts.events.without_vector(9)) == 2


async def test_while_jobs_wait_no_run_embeds_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    due: list[bool] = []

    class Watching(WordEmbedder):
        async def embed_documents(self, texts: Sequence[str]) -> Matrix:
            if any(text.startswith("Ann: ") for text in texts):  # a message as it was said
                due.append(parts.queue.is_due(parts.clock()))
            return await super().embed_documents(texts)

    async with open_memory(settings_for(tmp_path), embedder=Watching(), worker=True) as (memory, parts):
        for n in range(12):
            await memory.remember(talk(f"hmm, place {n}, maybe"), Scope.group(f"g{n}", "42"))
        await memory.flush()
        assert await memory.settled(60) and not parts.events.without_vector(1)
        assert set(due) == {False}
