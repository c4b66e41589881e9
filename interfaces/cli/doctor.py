"""`historian doctor`: tries every configured part for real, and says what to do where one fails."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer
from rich.text import Text

from ...schema.errors import HistorianError
from .console import counted, plain, table
from .invocation import FAILED, Shell, command
from .root import app
from .stats import duration

if TYPE_CHECKING:
    from ...schema.settings import ChatSettings, Settings

PATIENCE_SECONDS = 60.0
"""How long one part may take; a cold local model server needs some of it."""

State = Literal["ok", "warning", "failed", "off"]
MARKS: dict[State, tuple[str, str]] = {
    "ok": ("✓", "bold green"),
    "warning": ("!", "bold yellow"),
    "failed": ("✗", "bold red"),
    "off": ("–", "dim"),
}


@dataclass(frozen=True)
class Finding:
    """What a check found: `detail` says it, `remedy` what to do about it."""

    state: State
    detail: str
    remedy: str = ""


@dataclass(frozen=True)
class Result:
    """One check of one part, with the seconds it took."""

    part: str
    state: State
    detail: str
    remedy: str
    seconds: float


Check = Callable[["Settings", Path], Awaitable[Finding]]


@command(app, "doctor")
async def doctor(shell: Shell) -> None:
    """Try the disk, the database, the queue and every configured model."""
    settings, directory = shell.settings, shell.directory
    failed = False
    rows = []
    for part, check in CHECKS:
        result = await _checked(part, check, settings, directory)
        failed = failed or result.state == "failed"
        if shell.json:
            shell.emit(**asdict(result))
            continue
        mark, style = MARKS[result.state]
        text = Text.assemble(plain(result.detail), (f"\n→ {plain(result.remedy)}" if result.remedy else "", style))
        rows.append((Text(mark, style), Text(part, "bold"), text, Text(duration(result.seconds), "dim")))
    if not shell.json:
        shell.out.print(table(("", "part", "what was found", "took"), rows))
        shell.say("")
        shell.say(
            "Something that is configured does not work: see → above." if failed else "Everything that is configured works."
        )
    if failed:
        raise typer.Exit(FAILED)


async def _checked(part: str, check: Check, settings: Settings, directory: Path) -> Result:
    started = time.perf_counter()
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            found = await check(settings, directory)
    except TimeoutError:
        found = Finding(
            "failed", f"no answer within {PATIENCE_SECONDS:.0f} s", "see whether it is overloaded, or name another one"
        )
    except HistorianError as error:
        found = Finding("failed", str(error), REMEDIES.get(part, ""))
    except Exception as error:
        found = Finding("failed", f"{type(error).__name__}: {error}", REMEDIES.get(part, ""))
    return Result(part, found.state, found.detail, found.remedy, round(time.perf_counter() - started, 4))


async def _memory(settings: Settings, directory: Path) -> Finding:
    if not settings.cognitive.enabled:
        return Finding("warning", "switched off: only plain summaries are kept", "set cognitive.enabled = true to remember")
    return Finding("ok", f"switched on, data in {directory}")


async def _disk(settings: Settings, directory: Path) -> Finding:
    """Write, flush, rename and remove a file where the data are, as accepting a job does."""
    from ...stores.durable import make_folder, write_atomically

    def write() -> float:
        existed = directory.is_dir()
        make_folder(directory)
        probe = directory / f"doctor-{os.getpid()}.tmp"
        started = time.perf_counter()
        write_atomically(probe, b"x" * 1024)
        took = time.perf_counter() - started
        probe.unlink()
        if not existed:
            directory.rmdir()
        return took

    took = await asyncio.to_thread(write)
    detail = f"a file is written and flushed in {1000 * took:.1f} ms"
    if took > 0.1:
        return Finding("warning", detail, "accepting a job takes that long; a local disk is faster than a network share")
    return Finding("ok", detail)


async def _database(settings: Settings, directory: Path) -> Finding:
    import sqlite3

    from ...stores.events import SqliteEventStore
    from ...stores.index_schema import open_index

    path = directory / "index.sqlite"
    if not path.exists():
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        return Finding("ok", f"SQLite {sqlite3.sqlite_version} with full text search; no records yet")

    def look() -> int:
        database = open_index(path)
        try:
            with database.reading() as connection:
                verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if verdict != "ok":
                raise sqlite3.DatabaseError(verdict)
            return SqliteEventStore(database).count()
        finally:
            database.close()

    return Finding("ok", f"{path.name} is sound: {counted(await asyncio.to_thread(look), 'record')}")


async def _queue(settings: Settings, directory: Path) -> Finding:
    from ...service.parts import open_queue

    if not (directory / "queues").is_dir():
        return Finding("ok", "empty")
    queue = await asyncio.to_thread(open_queue, settings, time.time)
    counts = await asyncio.to_thread(queue.counts, time.time())
    detail = f"{counts.pending} pending, {counts.processing} processing, {counts.failed} failed"
    if counts.failed:
        return Finding("warning", detail, "`historian jobs list --state failed` tells why")
    if counts.pending and counts.oldest_pending_seconds > 600:
        age = duration(counts.oldest_pending_seconds)
        return Finding("warning", f"{detail}; the oldest waits {age}", "see that a worker runs: `historian worker`")
    return Finding("ok", detail)


async def _owner(settings: Settings, directory: Path) -> Finding:
    from ...stores.owner_lock import owner_of

    owner = await asyncio.to_thread(owner_of, directory)
    if owner is None:
        return Finding("off", "nobody works on this directory now; a bot or `historian worker` does when it runs")
    return Finding("ok", f"{owner}")


async def _embedding(settings: Settings, directory: Path) -> Finding:
    from ...models.embeddings import make_embedder
    from ...stores.events import SqliteEventStore
    from ...stores.index_schema import open_index

    embedder = make_embedder(settings.models.embedding)
    if embedder is None:
        why = "switched off" if settings.models.embedding.provider == "none" else "none configured, none installed"
        remedy = (
            "" if settings.models.embedding.provider == "none" else "pip install 'langgraph-historian[local]' brings one along"
        )
        return Finding("off", f"{why}: memory is searched by keywords", remedy)
    try:
        texts = ["王小明喜欢爬山", "Ann plays chess"]
        matrix = await embedder.embed_documents(texts)
        started = time.perf_counter()
        await embedder.embed_query("谁喜欢爬山？")
        took = time.perf_counter() - started
    finally:
        await embedder.aclose()
    detail = f"{embedder.model}, {matrix.shape[1]} dimensions, a query in {1000 * took:.0f} ms"
    path = directory / "index.sqlite"
    if path.exists():
        database = await asyncio.to_thread(open_index, path)
        stored = await asyncio.to_thread(SqliteEventStore(database).fingerprint)
        await asyncio.to_thread(database.close)
        if stored is not None and stored != (embedder.model, int(matrix.shape[1])):
            return Finding(
                "failed",
                f"{detail}; but the stored vectors were made by {stored[0]} ({stored[1]} dimensions): searching by keywords only",
                "run `historian reembed`, or configure the former model again",
            )
    return Finding("ok", detail)


async def _chat(settings: Settings, directory: Path) -> Finding:
    return await _asked(settings.models.chat, "models.chat")


async def _historian(settings: Settings, directory: Path) -> Finding:
    """The model of the background, where it is another one than that of the chat."""
    if settings.models.background.model_dump() == settings.models.chat.model_dump():
        return Finding("off", "none of its own: [models.chat] does its work")
    return await _asked(settings.models.background, "models.historian")


async def _asked(chosen: ChatSettings, section: str) -> Finding:
    """One small question whose answer has to have a form, as all answers do that the historian asks for."""
    from pydantic import BaseModel, Field

    from ...models.chat import make_chat_model

    class Answer(BaseModel):
        """The sum."""

        sum: int = Field(description="the sum")

    model = make_chat_model(chosen, section=section)
    if model is None:
        return Finding("off", "no model: records are rewritten by rules, portraits are lists of facts")
    try:
        answer = await model.structured(Answer, purpose="doctor", system="Answer with the tool.", user="What is 2 + 3?")
        used = model.usage()["doctor"]
    finally:
        await model.aclose()
    detail = f"{model.model} answers in the form asked for ({counted(used.calls, 'call')}, {used.prompt_tokens} prompt tokens)"
    if answer.sum != 5:
        return Finding("warning", f"{detail}, but thinks that 2 + 3 is {answer.sum}", "take a somewhat larger model")
    return Finding("ok", detail)


async def _rerank(settings: Settings, directory: Path) -> Finding:
    from ...models.rerank import make_reranker

    reranker = make_reranker(settings.models.rerank)
    if reranker is None:
        return Finding("off", "none configured; the order of the search stands")
    try:
        ranked = await reranker.rerank("who likes tea?", ["The weather is fine.", "Ann likes green tea."], 2)
    finally:
        await reranker.aclose()
    detail = f"{reranker.model} answers"
    if not ranked or ranked[0][0] != 1:
        return Finding("warning", f"{detail}, but puts the wrong text first", "see that models.rerank.model is a reranker")
    return Finding("ok", detail)


CHECKS: list[tuple[str, Check]] = [
    ("memory", _memory),
    ("disk", _disk),
    ("database", _database),
    ("queue", _queue),
    ("owner", _owner),
    ("embedding", _embedding),
    ("chat", _chat),
    ("historian", _historian),
    ("rerank", _rerank),
]

REMEDIES = {
    "disk": "see that the directory is writable and the disk is not full, or set cognitive.data_dir elsewhere",
    "database": "move index.sqlite away and restore it from a backup; jobs that come in meanwhile wait on disk",
    "queue": "see that queues/ in the data directory is readable and writable",
    "owner": "see that the data directory lies on a local disk",
    "embedding": 'mend [models.embedding], or set provider = "none" to search by keywords',
    "chat": "mend base_url, api_key and model in [models.chat]; without a model the rules work",
    "historian": "mend base_url, api_key and model in [models.historian], or remove them to use [models.chat]",
    "rerank": "mend [models.rerank], or empty base_url and model to do without",
}
