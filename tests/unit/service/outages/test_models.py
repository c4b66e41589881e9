"""A model that is away is waited for by nobody, and found again by a probe."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from historian.schema.errors import ModelAnswerUnusable, ModelRefused, ModelUnavailable
from historian.schema.protocols import Matrix
from historian.service.blocking import run_blocking
from historian.service.outages import availability
from historian.service.outages.models import (
    LONGEST_PAUSE_SECONDS,
    SharedOutageEmbedder,
    SharedOutageReranker,
)
from support.clock import Clock
from support.recall import ReversingReranker, WordEmbedder, down
from support.waiting import eventually, eventually_async


class Counting(WordEmbedder):
    """Raises `fault` for documents too; notes all texts."""

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.calls += texts
        if self.fault is not None:
            raise self.fault
        return await super().embed_documents(texts)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def exact_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(availability, "jitter", lambda: 1.0)


@pytest.fixture
def embedder() -> Counting:
    return Counting()


@pytest.fixture
def shared(embedder: Counting, clock: Clock) -> SharedOutageEmbedder:
    return SharedOutageEmbedder(embedder, clock=clock)


async def test_after_the_first_failure_nobody_asks_until_the_pause_is_over(
    shared: SharedOutageEmbedder, embedder: Counting, clock: Clock
) -> None:
    embedder.fault = down()
    with pytest.raises(ModelUnavailable):
        await shared.embed_documents(["tea"])
    embedder.gate = asyncio.Event()  # from here on it would hang
    for _ in range(50):
        with pytest.raises(
            ModelUnavailable, match=r"the embedder is unavailable: .*cannot be reached"
        ):
            await shared.embed_query("piano")
        with pytest.raises(ModelUnavailable):
            await shared.embed_documents(["piano"])
    assert embedder.calls == ["tea"]


async def test_one_probe_at_a_time_finds_it_again_and_no_caller_waits_for_it(
    shared: SharedOutageEmbedder, embedder: Counting, clock: Clock
) -> None:
    embedder.fault = down()
    with pytest.raises(ModelUnavailable):
        await shared.embed_query("tea")
    embedder.gate = asyncio.Event()
    clock.now += 1.5
    for _ in range(10):
        with pytest.raises(ModelUnavailable):
            await shared.embed_query("piano")
        await asyncio.sleep(0)
    assert embedder.calls == ["tea", "probe"]
    embedder.fault = None
    embedder.gate.set()

    async def answered() -> bool:
        try:
            return bool(len(await shared.embed_query("piano")))
        except ModelUnavailable:
            return False

    assert await eventually_async(answered)
    assert embedder.calls == ["tea", "probe", "piano"]


async def test_pauses_grow_to_a_minute(
    shared: SharedOutageEmbedder, embedder: Counting, clock: Clock
) -> None:
    embedder.fault = down()
    begun = clock.now
    while clock.now < begun + 3600:
        with pytest.raises(ModelUnavailable) as caught:
            await shared.embed_query("tea")
        assert (caught.value.retry_after or 0) <= LONGEST_PAUSE_SECONDS
        await clock.sleep(1)
    assert 60 <= len(embedder.calls) <= 70


@pytest.mark.parametrize(
    "fault", [ModelRefused("HTTP 401", status=401), ModelAnswerUnusable("NaN")]
)
async def test_an_embedder_that_refuses_is_not_away(
    shared: SharedOutageEmbedder, embedder: Counting, clock: Clock, fault: Exception
) -> None:
    embedder.fault = fault
    for _ in range(2):
        with pytest.raises(type(fault)):
            await shared.embed_query("tea")
    embedder.fault = down()
    with pytest.raises(ModelUnavailable):
        await shared.embed_query("tea")
    embedder.fault = fault
    clock.now += 1.5
    with pytest.raises(ModelUnavailable):
        await shared.embed_query("tea")
    await eventually(lambda: "probe" in embedder.calls)
    with pytest.raises(type(fault)):
        await shared.embed_query("tea")


async def test_closing_ends_a_probe(
    shared: SharedOutageEmbedder, embedder: Counting, clock: Clock
) -> None:
    embedder.fault = down()
    with pytest.raises(ModelUnavailable):
        await shared.embed_query("tea")
    embedder.gate = asyncio.Event()
    clock.now += 1.5
    with pytest.raises(ModelUnavailable):
        await shared.embed_query("tea")
    await eventually(lambda: "probe" in embedder.calls)
    async with asyncio.timeout(20):
        await shared.aclose()


async def give_up(shared: SharedOutageReranker) -> None:
    """Ask for a ranking until a time limit is over."""
    until = asyncio.get_running_loop().time() + 0.05
    with pytest.raises(TimeoutError):
        async with asyncio.timeout_at(until):
            await shared.rerank("tea", ["a", "b"], 2, until)


async def test_a_reranker_that_hangs_costs_one_recall_its_limit_and_a_probe_finds_it_again(
    clock: Clock,
) -> None:
    reranker = ReversingReranker()
    reranker.gate = asyncio.Event()
    shared = SharedOutageReranker(reranker, clock=clock)
    await give_up(shared)
    for _ in range(50):
        with pytest.raises(ModelUnavailable, match="the reranker is unavailable"):
            await shared.rerank("tea", ["a", "b"], 2)
    assert len(reranker.seen) == 1
    reranker.gate = None  # the first request hangs on
    clock.now += 10

    async def answered() -> bool:
        try:
            return bool(await shared.rerank("tea", ["a", "b"], 2))
        except ModelUnavailable:
            return False

    assert await eventually_async(answered)
    assert ("probe", ["probe"]) in reranker.seen
    await shared.aclose()


async def test_a_reranker_that_answers_late_is_asked_again(clock: Clock) -> None:
    reranker = ReversingReranker()
    reranker.gate = asyncio.Event()
    shared = SharedOutageReranker(reranker, clock=clock)
    await give_up(shared)
    with pytest.raises(ModelUnavailable):
        await shared.rerank("tea", ["a", "b"], 2)
    reranker.gate.set()

    async def answered() -> bool:
        try:
            return await shared.rerank("tea", ["a", "b"], 2) == [(1, 1.0), (0, 0.0)]
        except ModelUnavailable:
            return False

    assert await eventually_async(answered), "without a pause being over"
    assert ("probe", ["probe"]) not in reranker.seen
    await shared.aclose()


async def test_a_caller_that_is_cancelled_before_its_limit_tells_nothing_of_the_reranker(
    clock: Clock,
) -> None:
    reranker = ReversingReranker()
    reranker.gate = asyncio.Event()
    shared = SharedOutageReranker(reranker, clock=clock)
    until = asyncio.get_running_loop().time() + 60
    for limit in (until, None):
        reranker.seen.clear()
        asking = asyncio.create_task(shared.rerank("tea", ["a", "b"], 2, limit))
        await eventually(lambda: bool(reranker.seen))
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    reranker.gate.set()
    assert await shared.rerank("tea", ["a", "b"], 2, until) == [(1, 1.0), (0, 0.0)]
    await shared.aclose()


class Hanging(ReversingReranker):
    """Never answers while it `hangs`; usable from several event loops."""

    hangs = True

    async def rerank(
        self, query: str, documents: Sequence[str], top_n: int, until: float | None = None
    ) -> list[tuple[int, float]]:
        found = await super().rerank(query, documents, top_n, until)
        await asyncio.sleep(3600 if self.hangs else 0)
        return found


def test_synchronous_callers_find_a_reranker_again_although_their_loops_end_its_probes(
    clock: Clock,
) -> None:
    reranker = Hanging()
    shared = SharedOutageReranker(reranker, clock=clock)

    def answers() -> bool:
        try:
            return bool(run_blocking(shared.rerank("tea", ["a", "b"], 2)))
        except ModelUnavailable:
            return False

    for minute in range(
        5
    ):  # the pauses grow: one caller each waits for its limit, and the others for nothing
        run_blocking(give_up(shared))
        assert not answers()
        clock.now += 60
        assert not answers(), "a probe has begun, and ended with its loop"
        assert [query for query, _ in reranker.seen].count("tea") == minute + 1
    reranker.hangs = False
    assert answers() and answers()
