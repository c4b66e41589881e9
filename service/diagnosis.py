"""Diagnosis of an installation: each configured part is used once, and each failure is reported
with a remedy."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from pydantic import BaseModel, Field

from ..models.chat.model import make_chat_model
from ..models.embeddings.factory import make_embedder
from ..models.rerank import make_reranker
from ..models.secrets import guard_models, mask_known
from ..schema.errors import HistorianError
from ..schema.finding import DiagnosisFinding, finding
from ..schema.protocols import Embedder
from ..schema.settings import ChatSettings, Settings
from ..stores.files.durable import TEMPORARY_PREFIX, make_folder, write_atomically
from ..stores.local_diagnosis import RESTORE
from ..stores.opening import check_database, owner_of, queue_counts, stored_fingerprint
from .data_directory import check_restored
from .outages.model_record import answers_finding
from .recall.fallback_levels import LOCAL_SECONDS
from .recall.late_embedder import help_for

PATIENCE_SECONDS = 60.0
"""The time limit of one check in seconds; a local model server may have to load its model first."""
SLOW_DISK_SECONDS = 0.1
OLD_JOB_SECONDS = 600.0
QUERIES_TIMED = 7
LATE_SHARE = 0.5
"""A query that takes more than this share of the time limit of a recall is reported as slow. The
rest of the limit is for a second query and the search."""


@dataclass(frozen=True, slots=True)
class Result:
    """The finding of one part, with the seconds that the check took."""

    part: str
    found: DiagnosisFinding
    seconds: float

    def as_dict(self, say: Callable[..., str]) -> dict[str, Any]:
        """Return the result as JSON data. `say(message, **values)` formats `detail` and
        `remedy`."""
        detail, remedy = (
            say(one, **self.found.values) if one else ""
            for one in (self.found.detail, self.found.remedy)
        )
        return {
            "part": self.part,
            "state": self.found.state,
            "detail": detail,
            "remedy": remedy,
            "seconds": self.seconds,
        }


async def diagnose(settings: Settings, directory: Path) -> AsyncIterator[Result]:
    """Check the parts one after the other and yield a result for each. Never raises: errors become
    findings. `directory` is left unchanged."""
    guard_models(settings.models)
    for part, (check, remedy) in CHECKS.items():
        started = time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                found = await check(settings, directory)
        except TimeoutError:
            remedy = "check whether it is overloaded, or configure another one"
            found = finding(
                "failed", "no answer within {patience:.0f} s", remedy, patience=PATIENCE_SECONDS
            )
        except HistorianError as error:
            found = finding("failed", "{error}", remedy, error=error)
        except Exception as error:
            found = finding(
                "failed", "{error}", remedy, error=mask_known(f"{type(error).__name__}: {error}")
            )
        yield Result(part, found, round(time.perf_counter() - started, 4))


async def _memory(settings: Settings, directory: Path) -> DiagnosisFinding:
    if settings.cognitive.enabled:
        return finding("ok", "switched on, data in {directory}", directory=directory)
    return finding(
        "warning",
        "switched off: only plain summaries are kept",
        "set cognitive.enabled = true to remember",
    )


async def _disk(settings: Settings, directory: Path) -> DiagnosisFinding:
    """Write, flush, rename and remove a file in the data directory, as a store of files does."""

    def write() -> float:
        existed = directory.is_dir()
        make_folder(directory)
        probe = directory / f"{TEMPORARY_PREFIX}doctor-{os.getpid()}"
        started = time.perf_counter()
        write_atomically(probe, b"x" * 1024)
        took = time.perf_counter() - started
        probe.unlink(missing_ok=True)  # a starting worker may have removed it
        if not existed:
            directory.rmdir()
        return took

    took = await asyncio.to_thread(write)
    detail = "a file is written and flushed in {ms:.1f} ms"
    if took <= SLOW_DISK_SECONDS:
        return finding("ok", detail, ms=1000 * took)
    remedy = "accepting a job takes this long; a local disk is faster than a network share"
    return finding("warning", detail, remedy, ms=1000 * took)


async def _database(settings: Settings, directory: Path) -> DiagnosisFinding:
    check_restored(directory)
    return await asyncio.to_thread(check_database, settings)


async def _queue(settings: Settings, directory: Path) -> DiagnosisFinding:
    counts = await asyncio.to_thread(queue_counts, settings, time.time)
    if counts is None:
        return finding("ok", "empty")
    values = asdict(counts)
    detail = "{pending} pending, {processing} processing, {failed} failed"
    if counts.failed:
        return finding(
            "warning", detail, "`historian jobs list --state failed` shows why", **values
        )
    if counts.pending and counts.oldest_pending_seconds > OLD_JOB_SECONDS:
        detail = "{pending} pending, {processing} processing, {failed} failed; the oldest waits {minutes:.0f} min"
        remedy = "start a worker: `historian worker`"
        return finding(
            "warning", detail, remedy, **values, minutes=counts.oldest_pending_seconds / 60
        )
    return finding("ok", detail, **values)


async def _owner(settings: Settings, directory: Path) -> DiagnosisFinding:
    owner = await asyncio.to_thread(owner_of, settings)
    if owner is None:
        return finding(
            "off",
            "no process works on this directory now; a bot or `historian worker` does while it "
            "runs",
        )
    if owner.is_suspended:
        return finding(
            "warning", "{owner}", "resume it or end it: until then jobs wait", owner=owner
        )
    return finding("ok", "{owner}", owner=owner)


async def _embedding(settings: Settings, directory: Path) -> DiagnosisFinding:
    embedder = make_embedder(settings.models.embedder)
    if embedder is None and settings.models.embedding.provider == "none":
        return finding("off", "switched off: memory is searched by keywords")
    if embedder is None:
        remedy = "install one with `pip install 'langgraph-historian[local]'`"
        return finding(
            "off", "none configured, none installed: memory is searched by keywords", remedy
        )
    async with aclosing(embedder):
        matrix = await embedder.embed_documents(["王小明喜欢爬山", "Ann plays chess"])
        took = await _query_seconds(embedder)
    dimension = int(matrix.shape[1])
    values: dict[str, Any] = {"model": embedder.model, "dimension": dimension, "ms": 1000 * took}
    stored = await asyncio.to_thread(stored_fingerprint, settings)
    if stored is not None and stored != (embedder.model, dimension):
        return finding(
            "failed",
            "{model}, {dimension} dimensions, a query in {ms:.0f} ms; but the stored vectors are "
            "from {stored} "
            "({stored_dimension} dimensions): searching by keywords only",
            "run `historian reembed`, or configure the former model again",
            **values,
            stored=stored[0],
            stored_dimension=stored[1],
        )
    limit = settings.query.recall_timeout_seconds
    detail = "{model}, {dimension} dimensions, a query in {ms:.0f} ms"
    if not embedder.is_remote and took > LATE_SHARE * (LOCAL_SECONDS if limit == "auto" else limit):
        return finding("warning", detail, help_for(is_remote=False), **values)
    return finding("ok", detail, **values)


async def _query_seconds(embedder: Embedder) -> float:
    """Return the median time of a query in seconds."""
    taken = []
    for _ in range(QUERIES_TIMED):
        started = time.perf_counter()
        await embedder.embed_query("上次说好周末和谁一起去爬山？")
        taken.append(time.perf_counter() - started)
    return median(taken)


async def _chat(settings: Settings, directory: Path) -> DiagnosisFinding:
    return await _asked(settings.models.chat, "models.chat")


async def _historian(settings: Settings, directory: Path) -> DiagnosisFinding:
    """Check the background model, if it differs from the chat model."""
    if settings.models.background.model_dump() == settings.models.chat.model_dump():
        return finding("off", "not configured separately: [models.chat] is used")
    return await _asked(settings.models.background, "models.historian")


class SumAnswer(BaseModel):
    """The sum."""

    sum: int = Field(description="the sum")


async def _asked(chosen: ChatSettings, section: str) -> DiagnosisFinding:
    """Ask the model one question with structured output, as the historian does."""
    model = make_chat_model(chosen, section=section)
    if model is None:
        return finding(
            "off", "no model: events are rewritten by rules, profiles are lists of facts"
        )
    async with aclosing(model):
        answer = await model.structured(
            SumAnswer, purpose="doctor", system="Answer with the tool.", user="What is 2 + 3?"
        )
        used = model.usage()["doctor"]
    if answer.sum != 5:
        detail = "{model} answers in the requested form, but thinks that 2 + 3 is {sum}"
        return finding("warning", detail, "use a larger model", model=model.model, sum=answer.sum)
    detail = "{model} answers in the requested form (calls: {calls}, prompt tokens: {tokens})"
    return finding("ok", detail, model=model.model, calls=used.calls, tokens=used.prompt_tokens)


async def _answers(settings: Settings, directory: Path) -> DiagnosisFinding:
    return await asyncio.to_thread(answers_finding, directory, time.time())


async def _rerank(settings: Settings, directory: Path) -> DiagnosisFinding:
    reranker = make_reranker(settings.models.rerank)
    if reranker is None:
        return finding("off", "none configured; results keep the order of the search")
    async with aclosing(reranker):
        ranked = await reranker.rerank(
            "who likes tea?", ["The weather is fine.", "Ann likes green tea."], 2
        )
    if not ranked or ranked[0][0] != 1:
        remedy = "check that models.rerank.model is a reranker"
        return finding(
            "warning",
            "{model} answers, but puts the wrong text first",
            remedy,
            model=reranker.model,
        )
    return finding("ok", "{model} answers", model=reranker.model)


CHECKS: dict[str, tuple[Callable[[Settings, Path], Awaitable[DiagnosisFinding]], str]] = {
    "memory": (_memory, ""),
    "disk": (
        _disk,
        "check that the directory is writable and the disk is not full, or set cognitive.data_dir "
        "to another place",
    ),
    "database": (_database, RESTORE),
    "queue": (_queue, "check that queue.sqlite in the data directory is readable and writable"),
    "owner": (_owner, "check that the data directory is on a local disk"),
    "embedding": (
        _embedding,
        'correct [models.embedding], or set provider = "none" to search by keywords',
    ),
    "chat": (
        _chat,
        "correct base_url, api_key and model in [models.chat]; without a model, rules are used",
    ),
    "historian": (
        _historian,
        "correct base_url, api_key and model in [models.historian], or remove them to use "
        "[models.chat]",
    ),
    "answers": (_answers, ""),
    "rerank": (
        _rerank,
        "correct [models.rerank], or leave base_url and model empty to use no reranker",
    ),
}
"""The check of each part, in order, and the remedy if the check fails."""
