"""Embeddings of queries are shared, kept for a while, and finished whoever waits."""

from __future__ import annotations

import asyncio

import pytest
from historian.retrieval.query_vectors import QueryVectors
from historian.schema.errors import ModelUnavailable
from support.recall import WordEmbedder, down
from support.waiting import eventually


def cache_over(
    embedder: WordEmbedder,
    *,
    size: int = 2,
    clock: list[float] | None = None,
    stored: list[str] | None = None,
) -> QueryVectors:
    times, models = clock or [0.0], stored or ["m"]

    async def fingerprint() -> tuple[str, int]:
        return models[0], 11

    return QueryVectors(
        embedder,
        fingerprint=fingerprint,
        size=lambda: size,
        seconds=lambda: 60.0,
        clock=lambda: times[0],
    )


async def test_the_same_text_is_embedded_once_until_it_is_old_or_pushed_out() -> None:
    embedder, clock = WordEmbedder(), [0.0]
    cache = cache_over(embedder, clock=clock)
    for text in ("a", "a", "b", "a", "c", "a"):
        await cache.get(text)
    assert embedder.calls == ["a", "b", "c"] and cache.answered_from_cache == 3
    await cache.get("b")
    clock[0] = 61.0
    await cache.get("a")
    assert embedder.calls == ["a", "b", "c", "b", "a"]


async def test_callers_at_the_same_time_share_one_call() -> None:
    embedder = WordEmbedder()
    embedder.gate = asyncio.Event()
    cache = cache_over(embedder)
    waiting = asyncio.gather(*(cache.get("a") for _ in range(5)))
    await asyncio.sleep(0)
    embedder.gate.set()
    assert len(await waiting) == 5 and embedder.calls == ["a"]


async def test_who_gives_up_does_not_stop_it() -> None:
    embedder = WordEmbedder()
    embedder.gate = asyncio.Event()
    cache = cache_over(embedder)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await cache.get("a")
    embedder.gate.set()
    await cache.get("a")
    assert embedder.calls == ["a"]


async def test_a_failure_is_not_kept() -> None:
    embedder = WordEmbedder()
    embedder.fault = down()
    cache = cache_over(embedder)
    with pytest.raises(ModelUnavailable):
        await cache.get("a")
    embedder.fault = None
    assert (await cache.get("a")).shape == (embedder.dimension,)


async def test_closing_ends_what_is_under_way() -> None:
    embedder = WordEmbedder()
    embedder.gate = asyncio.Event()
    cache = cache_over(embedder)
    task = asyncio.create_task(cache.get("a"))
    for _ in range(3):  # until the embedder has it
        await asyncio.sleep(0)
    assert embedder.calls == ["a"]
    await cache.aclose()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_vector_of_the_model_before_is_not_used_for_the_vectors_of_the_next_one() -> None:
    embedder, stored = WordEmbedder(), ["old"]
    cache = cache_over(embedder, stored=stored)
    await cache.get("a")
    stored[0] = "new"
    embedder.fault = down()
    with pytest.raises(ModelUnavailable):
        await cache.get("a")
    stored[0] = "old"
    assert (await cache.get("a")).shape == (embedder.dimension,), "the change was taken back"


async def test_a_query_that_an_embedder_in_this_process_would_not_come_to_in_time_is_refused_at_once() -> (
    None
):
    embedder, loop = WordEmbedder(), asyncio.get_running_loop()
    cache = cache_over(embedder, size=10)
    await cache.get("the first one waits for the model")
    for text in ("a", "b"):
        embedder.gate = asyncio.Event()
        loop.call_later(0.05, embedder.gate.set)
        await cache.get(text)
    embedder.gate = asyncio.Event()
    under_way = asyncio.ensure_future(cache.get("c", loop.time() + 60))
    await eventually(lambda: embedder.calls[-1] == "c")
    with pytest.raises(ModelUnavailable, match="busy with other queries"):
        await cache.get("d", loop.time() + 0.02)
    shared = asyncio.ensure_future(cache.get("c", loop.time() + 0.02))
    patient = [
        asyncio.ensure_future(cache.get("e", loop.time() + 60)),
        asyncio.ensure_future(cache.get("f")),
    ]
    await eventually(lambda: {"e", "f"} <= set(embedder.calls))
    embedder.gate.set()
    await asyncio.gather(under_way, shared, *patient)
    with pytest.raises(ModelUnavailable):
        await cache.get("g", loop.time() - 1)
    assert len(await cache.get("c", loop.time() - 1)), "what is cached costs nothing"
    assert "d" not in embedder.calls and "g" not in embedder.calls


async def test_a_query_that_came_too_late_does_not_keep_the_next_one_from_being_asked() -> None:
    embedder, loop = WordEmbedder(), asyncio.get_running_loop()
    cache = cache_over(embedder, size=10)
    await cache.get("the first one waits for the model")
    embedder.gate = asyncio.Event()
    loop.call_later(0.05, embedder.gate.set)
    await cache.get("this one tells how long they take")
    embedder.gate = asyncio.Event()
    late = [asyncio.ensure_future(cache.get(text, loop.time() + 0.02)) for text in ("a", "a", "b")]
    await eventually(lambda: embedder.calls[-1] == "a")
    await asyncio.sleep(0.03)  # its callers have given up
    asked = asyncio.ensure_future(cache.get("c", loop.time() + 0.02))
    await eventually(lambda: embedder.calls[-1] == "c")
    embedder.gate.set()
    assert len(await asked) == len(await late[0]) == len(await late[1]), "what was late is finished"
    with pytest.raises(ModelUnavailable):
        await late[2]


async def test_late_queries_that_have_not_begun_are_dropped_for_the_next_one() -> None:
    embedder, loop = WordEmbedder(), asyncio.get_running_loop()
    embedder.gate = asyncio.Event()
    cache = cache_over(embedder, size=10)
    late = [asyncio.ensure_future(cache.get(text, loop.time() + 0.02)) for text in "abc"]
    await eventually(lambda: set("abc") <= set(embedder.calls))
    await asyncio.sleep(0.03)
    again = asyncio.ensure_future(cache.get("d", loop.time() + 60))
    await eventually(lambda: "d" in embedder.calls)
    assert [one.done() for one in late] == [False, True, True]
    with pytest.raises(ModelUnavailable, match="out of time"):
        await late[1]
    once_more = asyncio.ensure_future(cache.get("b", loop.time() + 60))
    embedder.gate.set()
    assert len(await once_more) and len(await again) and len(await late[0])


async def test_a_server_answers_many_queries_at_once() -> None:
    embedder, loop = WordEmbedder(), asyncio.get_running_loop()
    embedder.is_remote = True
    cache = cache_over(embedder, size=10)
    for text in ("a", "b"):
        embedder.gate = asyncio.Event()
        loop.call_later(0.05, embedder.gate.set)
        await cache.get(text)
    embedder.gate = asyncio.Event()
    asked = [asyncio.ensure_future(cache.get(text, loop.time() + 0.02)) for text in "cdefg"]
    await eventually(lambda: set("cdefg") <= set(embedder.calls))
    embedder.gate.set()
    await asyncio.gather(*asked)
