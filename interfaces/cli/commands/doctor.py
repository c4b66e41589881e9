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

from ....schema.errors import HistorianError
from ..console import counted, plain, table
from ..invocation import FAILED, Shell, command
from ..language import either
from ..root import app
from .jobs import said_counts
from .stats import duration, named_vectors

if TYPE_CHECKING:
    from ....schema.settings import ChatSettings, Settings

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


@command(app, "doctor", zh="把磁盘、数据库、队列和每个配了的模型逐个真试一遍。")
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
        rows.append((Text(mark, style), Text(either(PARTS[part], part), "bold"), text, Text(duration(result.seconds), "dim")))
    if not shell.json:
        columns = ("", either("部件", "part"), either("结果", "what was found"), either("用时", "took"))
        shell.out.print(table(columns, rows))
        shell.say("")
        shell.say(
            either("配置了的有一项不能用：见上面的 →。", "Something that is configured does not work: see → above.")
            if failed
            else either("配置了的都能用。", "Everything that is configured works.")
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
            "failed",
            either(f"{PATIENCE_SECONDS:.0f} 秒内没有回答", f"no answer within {PATIENCE_SECONDS:.0f} s"),
            either("看看它是否过载，或换一个", "see whether it is overloaded, or name another one"),
        )
    except HistorianError as error:
        found = Finding("failed", str(error), either(*REMEDIES.get(part, ("", ""))))
    except Exception as error:
        found = Finding("failed", f"{type(error).__name__}: {error}", either(*REMEDIES.get(part, ("", ""))))
    return Result(part, found.state, found.detail, found.remedy, round(time.perf_counter() - started, 4))


async def _memory(settings: Settings, directory: Path) -> Finding:
    if not settings.cognitive.enabled:
        return Finding(
            "warning",
            either("已关闭：只留纯文本摘要", "switched off: only plain summaries are kept"),
            either("要记忆，请设 cognitive.enabled = true", "set cognitive.enabled = true to remember"),
        )
    return Finding("ok", either(f"开着，数据在 {directory}", f"switched on, data in {directory}"))


async def _disk(settings: Settings, directory: Path) -> Finding:
    """Write, flush, rename and remove a file where the data are, as accepting a job does."""
    from ....stores.files.durable import make_folder, write_atomically

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
    detail = either(f"写一个文件并刷盘用 {1000 * took:.1f} 毫秒", f"a file is written and flushed in {1000 * took:.1f} ms")
    if took > 0.1:
        remedy = either(
            "接受一个任务就要这么久；本地磁盘比网络共享快",
            "accepting a job takes that long; a local disk is faster than a network share",
        )
        return Finding("warning", detail, remedy)
    return Finding("ok", detail)


async def _database(settings: Settings, directory: Path) -> Finding:
    import sqlite3

    from ....stores.sqlite.events import SqliteEventStore
    from ....stores.sqlite.index_schema import open_index

    path = directory / "index.sqlite"
    if not path.exists():
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        version = sqlite3.sqlite_version
        return Finding(
            "ok",
            either(f"SQLite {version}，带全文检索；还没有记录", f"SQLite {version} with full text search; no records yet"),
        )

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

    count = await asyncio.to_thread(look)
    return Finding("ok", either(f"{path.name} 完好：{count} 条记录", f"{path.name} is sound: {counted(count, 'record')}"))


async def _queue(settings: Settings, directory: Path) -> Finding:
    from ....service.components import open_queue

    if not (directory / "queues").is_dir():
        return Finding("ok", either("空的", "empty"))
    queue = await asyncio.to_thread(open_queue, settings, time.time)
    counts = await asyncio.to_thread(queue.counts, time.time())
    detail = said_counts(counts.pending, counts.processing, counts.failed)
    if counts.failed:
        why = either("原因见 `historian jobs list --state failed`", "`historian jobs list --state failed` tells why")
        return Finding("warning", detail, why)
    if counts.pending and counts.oldest_pending_seconds > 600:
        age = duration(counts.oldest_pending_seconds)
        return Finding(
            "warning",
            either(f"{detail}；最早的等了 {age}", f"{detail}; the oldest waits {age}"),
            either("请让后台运行起来：`historian worker`", "see that a worker runs: `historian worker`"),
        )
    return Finding("ok", detail)


async def _owner(settings: Settings, directory: Path) -> Finding:
    from ....stores.files.owner_lock import owner_of

    owner = await asyncio.to_thread(owner_of, directory)
    if owner is None:
        return Finding(
            "off",
            either(
                "现在没有进程占用这个目录；机器人或 `historian worker` 运行时会占用",
                "nobody works on this directory now; a bot or `historian worker` does when it runs",
            ),
        )
    return Finding("ok", f"{owner}")


async def _embedding(settings: Settings, directory: Path) -> Finding:
    from ....models.embeddings.factory import make_embedder
    from ....stores.sqlite.events import SqliteEventStore
    from ....stores.sqlite.index_schema import open_index

    embedder = make_embedder(settings.models.embedding)
    if embedder is None:
        if settings.models.embedding.provider == "none":
            return Finding("off", either("已关闭：按关键词搜索", "switched off: memory is searched by keywords"))
        return Finding(
            "off",
            either("没有配，也没有装：按关键词搜索", "none configured, none installed: memory is searched by keywords"),
            either(
                "`pip install 'langgraph-historian[local]'` 会带来一个",
                "pip install 'langgraph-historian[local]' brings one along",
            ),
        )
    try:
        texts = ["王小明喜欢爬山", "Ann plays chess"]
        matrix = await embedder.embed_documents(texts)
        started = time.perf_counter()
        await embedder.embed_query("谁喜欢爬山？")
        took = time.perf_counter() - started
    finally:
        await embedder.aclose()
    dimension = int(matrix.shape[1])
    query = either(f"，一次查询 {1000 * took:.0f} 毫秒", f", a query in {1000 * took:.0f} ms")
    detail = named_vectors(embedder.model, dimension) + query
    path = directory / "index.sqlite"
    if path.exists():
        database = await asyncio.to_thread(open_index, path)
        stored = await asyncio.to_thread(SqliteEventStore(database).fingerprint)
        await asyncio.to_thread(database.close)
        if stored is not None and stored != (embedder.model, dimension):
            return Finding(
                "failed",
                either(
                    f"{detail}；但存着的向量是 {stored[0]}（{stored[1]} 维）算的：只能按关键词搜索",
                    f"{detail}; but the stored vectors were made by {stored[0]} ({stored[1]} dimensions): "
                    "searching by keywords only",
                ),
                either(
                    "运行 `historian reembed`，或重新配上原来的模型",
                    "run `historian reembed`, or configure the former model again",
                ),
            )
    return Finding("ok", detail)


async def _chat(settings: Settings, directory: Path) -> Finding:
    return await _asked(settings.models.chat, "models.chat")


async def _historian(settings: Settings, directory: Path) -> Finding:
    """The model of the background, where it is another one than that of the chat."""
    if settings.models.background.model_dump() == settings.models.chat.model_dump():
        return Finding("off", either("没有另配：由 [models.chat] 代劳", "none of its own: [models.chat] does its work"))
    return await _asked(settings.models.background, "models.historian")


async def _asked(chosen: ChatSettings, section: str) -> Finding:
    """One small question whose answer has to have a form, as all answers do that the historian asks for."""
    from pydantic import BaseModel, Field

    from ....models.chat.model import make_chat_model

    class Answer(BaseModel):
        """The sum."""

        sum: int = Field(description="the sum")

    model = make_chat_model(chosen, section=section)
    if model is None:
        return Finding(
            "off",
            either(
                "没有模型：记录由规则改写，画像是一列事实",
                "no model: records are rewritten by rules, profiles are lists of facts",
            ),
        )
    try:
        answer = await model.structured(Answer, purpose="doctor", system="Answer with the tool.", user="What is 2 + 3?")
        used = model.usage()["doctor"]
    finally:
        await model.aclose()
    detail = either(
        f"{model.model} 按要求的格式回答（{used.calls} 次调用，提示词 {used.prompt_tokens} token）",
        f"{model.model} answers in the form asked for ({counted(used.calls, 'call')}, {used.prompt_tokens} prompt tokens)",
    )
    if answer.sum != 5:
        return Finding(
            "warning",
            either(f"{detail}，但认为 2 + 3 是 {answer.sum}", f"{detail}, but thinks that 2 + 3 is {answer.sum}"),
            either("换一个大一些的模型", "take a somewhat larger model"),
        )
    return Finding("ok", detail)


async def _rerank(settings: Settings, directory: Path) -> Finding:
    from ....models.rerank import make_reranker

    reranker = make_reranker(settings.models.rerank)
    if reranker is None:
        return Finding("off", either("没有配：用搜索自己的顺序", "none configured; the order of the search stands"))
    try:
        ranked = await reranker.rerank("who likes tea?", ["The weather is fine.", "Ann likes green tea."], 2)
    finally:
        await reranker.aclose()
    detail = either(f"{reranker.model} 有回答", f"{reranker.model} answers")
    if not ranked or ranked[0][0] != 1:
        return Finding(
            "warning",
            either(f"{detail}，但把不相干的排在了前面", f"{detail}, but puts the wrong text first"),
            either("看看 models.rerank.model 是不是重排模型", "see that models.rerank.model is a reranker"),
        )
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

PARTS = {
    "memory": "记忆",
    "disk": "磁盘",
    "database": "数据库",
    "queue": "队列",
    "owner": "占用",
    "embedding": "向量模型",
    "chat": "聊天模型",
    "historian": "史官模型",
    "rerank": "重排模型",
}
"""The parts in Chinese."""

REMEDIES = {
    "disk": (
        "看看目录是否可写、磁盘是否已满，或把 cognitive.data_dir 设到别处",
        "see that the directory is writable and the disk is not full, or set cognitive.data_dir elsewhere",
    ),
    "database": (
        "把 index.sqlite 移走，用备份恢复；其间交来的任务在磁盘上等着",
        "move index.sqlite away and restore it from a backup; jobs that come in meanwhile wait on disk",
    ),
    "queue": ("看看数据目录里的 queues/ 是否可读写", "see that queues/ in the data directory is readable and writable"),
    "owner": ("看看数据目录是否在本地磁盘上", "see that the data directory lies on a local disk"),
    "embedding": (
        '改正 [models.embedding]，或设 provider = "none" 只按关键词搜索',
        'mend [models.embedding], or set provider = "none" to search by keywords',
    ),
    "chat": (
        "改正 [models.chat] 里的 base_url、api_key 和 model；没有模型也有规则可用",
        "mend base_url, api_key and model in [models.chat]; without a model the rules work",
    ),
    "historian": (
        "改正 [models.historian] 里的 base_url、api_key 和 model，或删掉它们改用 [models.chat]",
        "mend base_url, api_key and model in [models.historian], or remove them to use [models.chat]",
    ),
    "rerank": (
        "改正 [models.rerank]，或清空 base_url 和 model 不用重排",
        "mend [models.rerank], or empty base_url and model to do without",
    ),
}
"""What to do where a part fails, in Chinese and in English."""
