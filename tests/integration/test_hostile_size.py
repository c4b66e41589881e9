"""Texts of any size: what no job can hold is refused at once, and nothing that is slow keeps a recall waiting."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from historian.retrieval import pending
from historian.schema.errors import InvalidInput
from historian.schema.event import EventKind
from historian.schema.job import MAX_JOB_BYTES, Job
from historian.schema.names import Names
from historian.schema.scope import Scope
from historian.service import intake
from historian.service.cognitive import CognitiveService
from historian.service.recall.fallback_levels import LOCAL_SECONDS
from historian.text.redaction import search
from support.adversarial import CHINESE, ENGLISH
from support.loop_watchdog import ATTEMPTS, watched_loop
from support.memory import settings_for
from support.recall import WordEmbedder, events_in, file_events, open_memory

SCOPE = Scope.group("7", "42")
TOO_LARGE = [f"{n} " + "密码" * 300_000 for n in range(8)]
LARGE = [f"{n} " + "密码" * 170_000 for n in range(8)]
LONGEST_SECONDS = 0.050
Memory = CognitiveService
Call = Callable[[Memory, str], Awaitable[object]]


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    embedder = WordEmbedder()
    async with open_memory(settings_for(tmp_path), embedder=embedder) as (memory, parts):
        file_events(
            parts, events_in("7", [f"{n} 小林喜欢三体 and tea" for n in range(200)]), embedder
        )
        assert await memory.ready()
        await memory.build_context("tea", SCOPE)
        yield memory


def talk(texts: list[str]) -> list[dict[str, str]]:
    return [{"role": "user", "content": text, "sender_id": "42"} for text in texts]


CALLS: dict[str, Call] = {
    "remember": lambda memory, text: memory.remember(talk([text]), SCOPE),
    "remember, with others": lambda memory, text: memory.remember(talk(["hello", text]), SCOPE),
    "remember, in blocks": lambda memory, text: memory.remember(
        [{"role": "user", "content": [{"text": text}]}], SCOPE
    ),
    "enqueue_job": lambda memory, text: memory.enqueue_job(text, user_id="42"),
    "enqueue_job, with messages": lambda memory, text: memory.enqueue_job(
        "hi", user_id="42", recent_messages=[{"text": text}]
    ),
    "enqueue_job, in pieces": lambda memory, text: memory.enqueue_job(
        "", [text[:400_000]] * 3, user_id="42"
    ),
    "enqueue_job, a name": lambda memory, text: memory.enqueue_job(
        "hi", user_id="42", user_name=text
    ),
    "update_memory": lambda memory, text: memory.update_memory([text], "42"),
    "edit_event": lambda memory, text: memory.edit_event("x", text),
}


@pytest.mark.parametrize("name", CALLS)
async def test_what_no_job_can_hold_is_refused_before_it_is_redacted(
    memory: Memory, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = 0
    found_in = search._found_in

    def counted(text: str, level: search.Level) -> object:
        nonlocal read
        read += len(text)
        return found_in(text, level)

    monkeypatch.setattr(search, "_found_in", counted)
    with pytest.raises(InvalidInput, match=f"at most {MAX_JOB_BYTES}"):
        await CALLS[name](memory, TOO_LARGE[0])
    assert read < 1_000  # the message of the refusal


async def test_eight_large_messages_keep_no_recall_and_no_small_message_waiting(
    memory: Memory,
) -> None:
    """They are redacted for seconds; what comes later is answered first, whatever the machine does besides."""
    large = [asyncio.create_task(memory.remember(talk([text]), SCOPE)) for text in LARGE]
    await asyncio.sleep(0.05)
    for n in range(5):
        assert await memory.build_context(f"{n} 小林喜欢三体 and tea?", SCOPE)
        assert await memory.remember(talk([f"I like tea {n}"]), SCOPE)
    assert not any(one.done() for one in large[1:])
    for one in large[1:]:
        one.cancel()
    await asyncio.gather(*large, return_exceptions=True)


async def test_a_recall_for_eight_large_messages_keeps_its_limit(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, query={"recall_timeout_seconds": "auto"})
    async with open_memory(settings, embedder=WordEmbedder()) as (memory, parts):
        file_events(
            parts, events_in("7", [f"{n} 小林喜欢三体 and tea" for n in range(200)]), WordEmbedder()
        )
        assert await memory.ready()
        took: list[float] = []
        while len(took) < ATTEMPTS and min(took, default=1.0) >= LOCAL_SECONDS:
            begun = asyncio.get_running_loop().time()
            await memory.build_context(TOO_LARGE, SCOPE, context=TOO_LARGE)
            took.append(asyncio.get_running_loop().time() - begun)
        assert min(took) < LOCAL_SECONDS


async def test_recall_needs_no_thread_that_others_may_keep_busy(memory: Memory) -> None:
    free = threading.Event()
    others = [asyncio.create_task(asyncio.to_thread(free.wait)) for _ in range(40)]
    await asyncio.sleep(0.05)
    try:
        async with asyncio.timeout(20):
            assert await memory.build_context("小林喜欢三体 and tea", SCOPE)
            assert await memory.remember(talk(["I like tea"]), SCOPE)
            assert await memory.build_context("小林喜欢三体 and tea?", SCOPE)
    finally:
        free.set()
        await asyncio.gather(*others)


ASKED: dict[str, Call] = {
    "handed over": lambda memory, text: memory.remember(talk([text]), SCOPE),
    "handed over as a turn": lambda memory, text: memory.enqueue_job(
        text, [text], user_id="42", group_id="7", user_name="Ann"
    ),
    "asked for": lambda memory, text: memory.build_context(text, SCOPE),
    "searched for": lambda memory, text: memory.search_events(text, SCOPE),
    "told to the assistant": lambda memory, text: memory.update_memory(text, "42"),
}


@pytest.mark.parametrize(
    "text", [ENGLISH * 200, CHINESE * 200, "密码" * 14_000], ids=["en", "zh", "passwords"]
)
async def test_a_message_of_28_kilobytes_does_not_hold_the_loop(memory: Memory, text: str) -> None:
    text = text.encode()[:28_000].decode(errors="ignore")
    best = dict.fromkeys(ASKED, 1.0)
    for n in range(ATTEMPTS):
        for name, call in ASKED.items():
            async with watched_loop() as gap:
                await call(memory, f"{n} {text}")
            best[name] = min(best[name], gap.held)
        if max(best.values()) <= LONGEST_SECONDS:
            return
    raise AssertionError(f"the loop waits for this process: {best}")


async def test_a_waiting_text_is_drafted_as_far_as_a_block_can_show_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafted: list[int] = []
    draft_of = pending.draft_of

    def counted(job: Job, kind: EventKind, text: str, names: Names) -> str:
        drafted.append(len(text))
        return draft_of(job, kind, text, names)

    monkeypatch.setattr(pending, "draft_of", counted)
    text = "Yesterday I met Ann for tea. " * 1_000
    await memory.enqueue_job(text, user_id="42", group_id="7", user_name="Ann")
    hits = [hit for hit in await memory.search_events("tea", SCOPE) if hit.pending]
    assert drafted and max(drafted) <= pending.LONGEST_DRAFT
    assert (
        "Yesterday" not in hits[0].event.text[:1_500]
        and len(hits[0].event.text) >= len(text) - 1_000
    )


LOADED = """
import asyncio, gc, sys
from historian import CognitiveService, Scope, Settings

async def main():
    async with CognitiveService.open(Settings.model_validate({settings!r})) as memory:
        assert await memory.ready(60)
        await memory.enqueue_job("I like tea", user_id="42")
        assert await memory.settled(60)
        await asyncio.sleep(0)
        print(len(gc.get_objects()), gc.get_freeze_count())

asyncio.run(main())
"""


def test_a_full_run_of_the_garbage_collector_leaves_out_what_is_loaded(tmp_path: Path) -> None:
    """It holds the loop for a millisecond for each thousand or two of the objects that it looks at."""
    given = {
        "cognitive": {"data_dir": str(tmp_path)},
        "models": {"embedding": {"provider": "none"}},
    }
    code = LOADED.format(settings=given)
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    looked_at, left_out = map(int, shown.stdout.split())
    assert looked_at < 30_000 < left_out


async def test_long_texts_alone_wait_for_the_thread_of_long_texts(tmp_path: Path) -> None:
    memory = CognitiveService.open(settings_for(tmp_path))
    await memory.start()

    async def threads(characters: int) -> tuple[str, str]:
        names: list[str] = []

        def jobs() -> list[Job]:
            names.append(threading.current_thread().name)
            return []

        def read() -> intake.Unredacted:
            jobs()
            return intake.Unredacted(characters, jobs)

        assert await memory.lifecycle.hand_over(read) == []
        reading, redacting = (name.rpartition("_")[0] for name in names)
        return reading, redacting

    assert await threads(intake.LONG) == ("historian-hand-over", "historian-hand-over")
    assert await threads(intake.LONG + 1) == ("historian-hand-over", "historian-redaction")
    await memory.aclose()
