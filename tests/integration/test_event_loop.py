"""No method of the service blocks the event loop: what takes longer than a few milliseconds runs in a thread."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Literal

import pytest
from historian.schema.errors import HistorianError
from historian.schema.scope import Scope
from support.adversarial import FAMILIES
from support.loop_watchdog import assert_loop_stays_free, watched_loop
from support.memory import settings_for
from support.public_calls import CALLS, filled_memory
from support.recall import WordEmbedder, events_in, file_events, open_memory

CHINESE = "昨天下午三点我和小林去北京看了三体，上周五他说下个月要考试，去年夏天在杭州喝咖啡，前天晚上阿橘又抓坏了沙发。"
ENGLISH = (
    "Yesterday at 3 pm I met Ann for tea, last Friday she said her exam is next month, and in May 2023 we went hiking "
    "two weeks before her birthday. "
)


def long_messages(text: str) -> list[str]:
    """Eight different messages of 1,000 characters."""
    return [f"{n} {text * 40}"[:1_000] for n in range(8)]


async def test_the_watchdog_sees_what_blocks_the_loop() -> None:
    async with watched_loop() as gap:
        await asyncio.sleep(0.01)
        time.sleep(0.05)  # noqa: ASYNC251  (a blocking call is what the test is about)
    assert gap.wall > 0.045
    assert gap.busy < 0.045


async def test_the_watchdog_sees_what_computes_in_the_loop() -> None:
    async def work() -> None:
        end = time.thread_time() + 0.03
        while time.thread_time() < end:
            pass

    with pytest.raises(AssertionError, match="blocked for more than 10 ms"):
        await assert_loop_stays_free(work)


@pytest.mark.parametrize("text", [CHINESE, ENGLISH], ids=["zh", "en"])
@pytest.mark.parametrize("language", [None, "zh"], ids=["detected", "given"])
async def test_eight_long_messages_do_not_block_the_loop(
    tmp_path: Path, text: str, language: Literal["zh"] | None
) -> None:
    embedder = WordEmbedder()
    settings = settings_for(tmp_path)
    async with open_memory(settings, embedder=embedder) as (memory, parts):
        file_events(
            parts, events_in("7", [f"{n} 小林喜欢三体 and tea" for n in range(200)]), embedder
        )
        assert await memory.ready()
        scope, messages = Scope.group("7", "42"), long_messages(text)

        async def recall() -> None:
            assert await memory.build_context(messages, scope, language=language, context=messages)

        await assert_loop_stays_free(recall)


async def test_fifty_recalls_at_once_do_not_block_the_loop(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    settings = settings_for(tmp_path)
    async with open_memory(settings, embedder=embedder) as (memory, parts):
        file_events(
            parts, events_in("7", [f"{n} 小林喜欢三体 and tea" for n in range(200)]), embedder
        )
        assert await memory.ready()

        async def recall() -> None:
            asked = (
                memory.build_context(f"{CHINESE[:40]} {n}", Scope.group("7", "42"))
                for n in range(50)
            )
            assert all(await asyncio.gather(*asked))

        await assert_loop_stays_free(recall, seconds=0.020)


@pytest.mark.parametrize("kind", ["text", "dictionary", "rows"])
async def test_noting_a_hundred_kilobytes_does_not_block_the_loop(
    tmp_path: Path, kind: str
) -> None:
    text = CHINESE * 650
    assert len(text.encode()) > 100_000
    result: object = text
    if kind == "dictionary":
        result = {f"page {n}": text[:200] for n in range(500)}
    elif kind == "rows":
        result = [{"page": n, "text": text[:200]} for n in range(500)]
    async with open_memory(settings_for(tmp_path), embedder=None) as (memory, _):

        async def note() -> None:
            for n in range(3):
                memory.on_tool_executed("read", {"n": n}, result, scope=Scope.group("7", "42"))
                memory.feed_message(
                    "user", text, "session", scope=Scope.group("7", "42"), name="Ann"
                )
                await asyncio.sleep(0)
            assert memory.observation is not None and await memory.observation.settled(30)

        await assert_loop_stays_free(note)


@pytest.mark.parametrize("text", [CHINESE, ENGLISH], ids=["zh", "en"])
async def test_two_hundred_messages_are_handed_over_without_blocking_the_loop(
    tmp_path: Path, text: str
) -> None:
    states = [
        {"role": ("user", "assistant")[n % 2], "content": f"{n} {text}"[:130], "name": "Ann"}
        for n in range(200)
    ]
    async with open_memory(settings_for(tmp_path)) as (memory, parts):

        async def hand_over() -> None:
            assert await memory.update_memory(states, "42")

        await assert_loop_stays_free(hand_over)
        (job, *_) = parts.queue.jobs("pending")
        assert len(job.payload["states"]) == 200


@pytest.mark.parametrize("text", [CHINESE, ENGLISH], ids=["zh", "en"])
async def test_a_job_with_twenty_recent_messages_does_not_block_the_loop(
    tmp_path: Path, text: str
) -> None:
    recent = [{"sender_id": f"{n}", "sender_name": "Ann", "text": f"{n} {text}"} for n in range(20)]
    async with open_memory(settings_for(tmp_path)) as (memory, parts):

        async def hand_over() -> None:
            assert await memory.enqueue_job(
                text, [text] * 5, user_id="42", user_name="Ann", recent_messages=recent
            )

        await assert_loop_stays_free(hand_over)
        (job, *_) = parts.queue.jobs("pending")
        assert len(job.recent_messages) == 20


LONGEST_SECONDS = 0.020
QUICK = (
    "enqueue_job(text)",
    "get_relevant_memories(text, deep=True)",
    "build_context([…], context=[…])",
)


async def assert_call_stays_off_the_loop(
    directory: Path, name: str, family: str, length: int
) -> None:
    """Make a call again and again, each time with another text, until one leaves the loop free."""
    serial = count(1)
    async with filled_memory(directory, worker="worker" in name or "handed over" in name) as memory:

        async def call() -> None:
            n = next(serial)
            with suppress(
                HistorianError
            ):  # a text that is too long for a job is refused, off the loop too
                await CALLS[name](memory, f"{FAMILIES[family](length, 1_000_000 * n)} {n}")

        await assert_loop_stays_free(call, seconds=LONGEST_SECONDS)


@pytest.mark.parametrize("name", QUICK)
async def test_fifty_kilobytes_of_addresses_do_not_block_the_loop(
    tmp_path: Path, name: str
) -> None:
    await assert_call_stays_off_the_loop(tmp_path, name, "'a@b.co '", 50_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
async def test_no_public_call_blocks_the_loop_with_a_megabyte_of_addresses(
    tmp_path: Path, name: str
) -> None:
    await assert_call_stays_off_the_loop(tmp_path, name, "'a@b.co '", 1_000_000)
