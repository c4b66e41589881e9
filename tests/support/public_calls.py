"""Every public call of the service that takes text, made with a text of any length."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from historian.schema.errors import HistorianError
from historian.schema.scope import Scope
from historian.schema.summary import ArticleKey
from historian.service.cognitive import CognitiveService
from support.articles import Chapters, put_article

from .adversarial import Family
from .loop_watchdog import LoopGap, watched_loop
from .memory import settings_for
from .recall import WordEmbedder, events_in, file_events, open_memory

Call = Callable[[CognitiveService, str], Awaitable[object]]

SCOPE = Scope.group("7", "42")
PRIVATE = Scope.private("42")
SETTLED_SECONDS = 60.0


@asynccontextmanager
async def filled_memory(directory: Path, *, worker: bool = True) -> AsyncIterator[CognitiveService]:
    """A service over 200 events and an article, warmed up."""
    embedder = WordEmbedder()
    settings = settings_for(directory, historian={"rewrite_mode": "auto"})
    async with open_memory(settings, embedder=embedder, worker=worker) as (memory, parts):
        file_events(
            parts, events_in("7", [f"{n} 小林喜欢三体 and tea" for n in range(200)]), embedder
        )
        article = Chapters("- I know Ann well.", "", "- 2026-02-20 tea")
        put_article(
            parts.article_stores.articles,
            ArticleKey.of("42", PRIVATE),
            article,
            expected_revision=0,
            sources=(),
            now="2026-02-21",
            forgotten=lambda: False,
        )
        assert await memory.ready()
        await memory.build_context("tea", SCOPE)
        yield memory


async def _filed(memory: CognitiveService, text: str) -> None:
    await memory.enqueue_job(text, user_id="42", group_id="7", user_name="Ann")
    assert await memory.settled(SETTLED_SECONDS)


async def _told_again(memory: CognitiveService, text: str) -> None:
    """Recall by the beginning of a text that was filed. The block may be silent; a search finds the text."""
    await _filed(memory, text)
    await memory.build_context(text[:30], SCOPE)
    assert await memory.search_events(text[:30], SCOPE, top_k=1)


async def _observed(memory: CognitiveService, text: str) -> None:
    memory.on_tool_executed("read", {"path": text}, text, scope=SCOPE)
    memory.on_tool_executed("rows", {}, pieces(text), scope=SCOPE)
    assert memory.observation is not None and await memory.observation.settled(SETTLED_SECONDS)


async def _fed(memory: CognitiveService, text: str) -> None:
    memory.feed_message("user", text, "session", scope=SCOPE, name=text[:100])
    assert memory.observation is not None and await memory.observation.settled(SETTLED_SECONDS)


async def _prefetched(memory: CognitiveService, text: str) -> None:
    task = memory.prefetch(text, SCOPE, context=[text])
    assert task is not None
    await task


def pieces(text: str) -> list[str]:
    """The text as a list of short ones."""
    return [text[at : at + 200] for at in range(0, len(text), 200)]


FILED = "enqueue_job(text), with the worker"
TOLD = "build_context over what was handed over"
CALLS: Mapping[str, Call] = {
    "enqueue_job(text)": lambda memory, text: memory.enqueue_job(
        text, user_id="42", user_name="Ann"
    ),
    "enqueue_job(new_info=[…])": lambda memory, text: memory.enqueue_job(
        "", pieces(text), user_id="42", user_name="Ann"
    ),
    "enqueue_job(recent_messages=[…])": lambda memory, text: memory.enqueue_job(
        "hi",
        user_id="42",
        recent_messages=[{"sender_name": one[:20], "text": one} for one in pieces(text)],
    ),
    FILED: _filed,
    TOLD: _told_again,
    "update_memory(text)": lambda memory, text: memory.update_memory(text, "42"),
    "update_memory([…])": lambda memory, text: memory.update_memory(pieces(text), "42"),
    "on_tool_executed(…), stored": _observed,
    "feed_message(…), stored": _fed,
    "build_context(text)": lambda memory, text: memory.build_context(text, SCOPE),
    "build_context([…], context=[…])": lambda memory, text: memory.build_context(
        pieces(text), SCOPE, context=pieces(text)
    ),
    "build_context(short, context=[text])": lambda memory, text: memory.build_context(
        "tea?", SCOPE, context=[text]
    ),
    "get_relevant_memories(text, deep=True)": lambda memory, text: memory.get_relevant_memories(
        text, "42", PRIVATE, deep=True
    ),
    "search_events(text)": lambda memory, text: memory.search_events(text, SCOPE),
    "search_profiles(text)": lambda memory, text: memory.search_profiles(text, SCOPE),
    "search_everywhere(text)": lambda memory, text: memory.search_everywhere(text),
    "prefetch(text)": _prefetched,
}


def text_of(family: Family, size: int, serial: int) -> str:
    """Return a text of a family of at most `size` bytes in UTF-8; another one for each serial number."""
    made = family(size, serial * 1_000_000).encode()
    return f"{made[: size - 8].decode(errors='ignore')} {serial}"


async def gap_of(call: Call, memory: CognitiveService, text: str) -> LoopGap:
    """Make one call with a text, and return what it took from the event loop."""
    async with watched_loop() as gap:
        with suppress(
            HistorianError
        ):  # too long for a job: it is refused, which may not block either
            await call(memory, text)
        await asyncio.sleep(0)
    return gap
