"""Run the steps of a recall in order, with or without a deadline.

The service, the command line and the tools search through `find` and `search`. The nodes of the
recall graph run the same steps one by one and use the same time limits for models (`embed`,
`rerank`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypeVar

from ..schema.errors import HistorianError, ModelError, StorageError
from ..schema.hit import Hit
from ..schema.protocols import Vector
from ..text.questions import is_question
from .choosing import Candidates
from .event_recall import EventRecall, RunInThread
from .request import RecallRequest
from .survey import Survey

log = logging.getLogger(__name__)

Result = TypeVar("Result")

MODEL_SECONDS = 5.0
"""Time limit in seconds for embedding, and again for reranking, in a search without a deadline."""


COLD_SHARE = 0.2
"""The share of the time of a recall for which it waits for a scope that is not in memory. After
that the keyword index of the store is searched instead."""
CROWD_COLD_SHARE = 0.4
"""The same share while many recalls run: a keyword search in the store then costs more than waiting
until the scope is in memory."""
ENOUGH_WORDS = 0.5
"""If a scope is silent about the query (see `silence`), a text that is not filed yet is returned
only if it holds at least this share of the words of the query."""
HELD = "database: unavailable; answered from the memory of this process"
COLD = "scope: not loaded yet; searched by keywords in the database"


class Deadline(NamedTuple):
    """Times of the running event loop: models are waited for until `models`, the recall ends at
    `end`.

    While many recalls run, `models` may already be in the past at the start: then no model is
    called.
    """

    models: float
    end: float


@dataclass
class SearchResult:
    """The result of a recall at its deadline.

    `hits` are filed events, best first; `waiting` are the texts of jobs that are not filed yet.
    `is_silent` is True if the conversation holds nothing about the query: then there are no hits,
    and `waiting` has only texts that share many words with the query. `with_vectors` is None if the
    events could not be searched. `reasons` say what is missing and why, `failure` is the error of
    the search itself.
    """

    hits: list[Hit] = field(default_factory=list)
    waiting: list[Hit] = field(default_factory=list)
    is_silent: bool = False
    with_vectors: bool | None = None
    reasons: list[str] = field(default_factory=list)
    failure: BaseException | None = None

    @property
    def in_order(self) -> list[Hit]:
        """All hits, best first. Texts that are not filed yet come first if they share words with
        the query and are no questions, else last.
        """
        first: list[Hit] = []
        last: list[Hit] = []
        for hit in self.waiting:
            (first if hit.score > 0 and not is_question(hit.event.text) else last).append(hit)
        return [*first, *self.hits, *last]


async def search(steps: EventRecall, request: RecallRequest) -> list[Hit]:
    """Return the `top_k` best hits. A model that fails or takes longer than MODEL_SECONDS is left
    out.

    Texts that are not filed yet come first if they share words with the query and are no questions,
    else last if there is room. Raises StorageError.
    """
    found = await find(steps, request)
    if found.failure is not None:
        raise found.failure
    warn(steps, request, found.reasons)
    return found.in_order[: request.top_k]


async def find(
    steps: EventRecall,
    request: RecallRequest,
    deadline: Deadline | None = None,
    run: RunInThread = asyncio.to_thread,
) -> SearchResult:
    """Run all steps; `run(function, *arguments)` calls a blocking step in a thread.

    With a deadline, return what is ready in time. Model calls and reads that are late are finished
    in the background, so that the next recall finds their results in the caches.
    """
    loop = asyncio.get_running_loop()
    now = loop.time
    if deadline is not None and deadline.models <= now():
        return await _by_keywords(steps, request, deadline.end, run)
    found, end = SearchResult(), deadline.end if deadline is not None else None

    def models_until() -> float:
        return deadline.models if deadline is not None else now() + MODEL_SECONDS

    embedding = steps.tasks.spawn(steps.embed(request, models_until()), "embedding of a recall")
    patience = None if end is None else COLD_SHARE * (end - now())
    surveying = steps.tasks.spawn(run(steps.survey, request, patience), "survey of a recall")
    await asyncio.wait((embedding, surveying), timeout=models_until() - now())
    survey: Survey | None = None
    finish: Callable[..., Awaitable[tuple[Candidates, list[Hit]]]] = run
    if deadline is not None and (
        not surveying.done() or isinstance(surveying.exception(), StorageError)
    ):
        survey = steps.held(request)
    if (
        survey is not None
    ):  # the store is unavailable, and all threads except `spare` may be waiting for it
        surveying.cancel()
        found.reasons.append(HELD)
        finish = partial(loop.run_in_executor, steps.spare)
    else:
        await asyncio.wait((surveying,), timeout=None if end is None else end - now())
        survey = result(surveying, "search", found.reasons)
    if survey is None:
        found.failure = (
            surveying.exception() if surveying.done() and not surveying.cancelled() else None
        )
        surveying.cancel()  # if no thread has begun it, it would only delay the next recalls
        return found
    vectors = result(embedding, "embedder", [] if survey.is_held else found.reasons) or []
    found.waiting = list(survey.waiting)
    try:
        async with asyncio.timeout_at(end):
            candidates, found.hits = await finish(_finished, steps, request, survey, vectors)
    except (TimeoutError, StorageError) as error:
        found.failure = error
        found.reasons.append(
            f"search: {error}" if isinstance(error, StorageError) else "finishing: out of time"
        )
        return found
    found.is_silent = candidates.is_silent
    found.with_vectors = candidates.has_vectors or bool(
        vectors and not survey.snapshot.dimension and not survey.is_excerpt
    )
    if survey.is_excerpt and not found.with_vectors:
        found.reasons.append(COLD)
    elif vectors and not found.with_vectors:
        found.reasons.append(
            "dimension: the query's vector does not fit the stored ones; run `historian reembed`"
        )
    if survey.is_held:
        return found
    # The hits are complete before the reranker is called: if it is late, only the reranking is lost.
    reranked = await rerank(steps, request, candidates, found.reasons, models_until())
    if reranked is not candidates:
        try:
            async with asyncio.timeout_at(end):
                found.hits = await run(steps.select, request, reranked)
        except TimeoutError:
            found.reasons.append("reranker: out of time")
    found.waiting = _worth_telling(found, found.waiting)
    return found


async def _by_keywords(
    steps: EventRecall, request: RecallRequest, end: float, run: RunInThread
) -> SearchResult:
    """Run all steps without models in one call of a thread, until `end`.

    While many recalls run, they are answered one after the other in this way, instead of all being
    started before the first is answered.
    """
    found, now = SearchResult(), asyncio.get_running_loop().time
    # The event loop waits for the scope, not the thread that answers all recalls.
    patience = CROWD_COLD_SHARE * (end - now())
    if steps.tables.held(request.where.scope_key or "") is None:
        reading = steps.tasks.spawn(_read_scope(steps, request, run), "scope of a recall")
        await asyncio.wait((reading,), timeout=patience)

    def in_one_go() -> tuple[Survey, tuple[Candidates, list[Hit]]]:
        survey = steps.survey(request, 0.0)
        return survey, _finished(steps, request, survey, ())

    working = steps.tasks.spawn(run(in_one_go), "recall by keywords")
    await asyncio.wait((working,), timeout=end - now())
    if steps.vectors is not None:
        found.reasons.append("embedder: busy with other recalls")
    done = result(working, "search", found.reasons)
    if done is None:
        found.failure = working.exception() if working.done() and not working.cancelled() else None
        working.cancel()
        return found
    survey, (candidates, found.hits) = done
    found.is_silent = candidates.is_silent
    if survey.is_excerpt:
        found.reasons.append(COLD)
    found.waiting, found.with_vectors = _worth_telling(found, survey.waiting), False
    return found


async def _read_scope(steps: EventRecall, request: RecallRequest, run: RunInThread) -> None:
    """Start reading a scope in the background and wait until it is read."""
    scope_key = request.where.scope_key or ""
    await run(steps.tables.ready, scope_key, 0.0)
    if (reading := steps.tables.under_way(scope_key)) is not None:
        await asyncio.shield(asyncio.wrap_future(reading))


def _worth_telling(found: SearchResult, waiting: Sequence[Hit]) -> list[Hit]:
    """Return the hits of `waiting` without those that were filed in the meantime and are already in
    `found.hits`. If the scope is silent about the query, return only those that hold at least
    ENOUGH_WORDS of its words.
    """
    known = {hit.event.event_id for hit in found.hits}
    return [
        hit
        for hit in waiting
        if hit.event.event_id not in known and (not found.is_silent or hit.score >= ENOUGH_WORDS)
    ]


def _finished(
    steps: EventRecall, request: RecallRequest, survey: Survey, vectors: Sequence[Vector]
) -> tuple[Candidates, list[Hit]]:
    """Fuse and select in one call, because each change of threads costs a tenth of the time of a
    recall.
    """
    candidates = steps.fuse(request, survey, vectors)
    return candidates, steps.select(request, candidates)


async def embed(steps: EventRecall, request: RecallRequest) -> Sequence[Vector]:
    """Return the vectors of the queries. If the embedder fails or takes longer than MODEL_SECONDS,
    log a warning and return none.
    """
    reasons: list[str] = []
    until = asyncio.get_running_loop().time() + MODEL_SECONDS
    task = steps.tasks.spawn(steps.embed(request, until), "embedding of a recall")
    await asyncio.wait((task,), timeout=MODEL_SECONDS)
    vectors = result(task, "embedder", reasons) or []
    warn(steps, request, reasons)
    return vectors


async def rerank(
    steps: EventRecall,
    request: RecallRequest,
    candidates: Candidates,
    reasons: list[str],
    until: float | None = None,
) -> Candidates:
    """Return the candidates reranked. If the reranker fails or is not ready by `until`, return them
    unchanged and append a reason.
    """
    until = until or asyncio.get_running_loop().time() + MODEL_SECONDS
    try:
        async with asyncio.timeout_at(until):
            return await steps.rerank(request, candidates, until)
    except (TimeoutError, ModelError) as error:
        reasons.append(f"reranker: {str(error) or 'out of time'}")
        return candidates


def warn(steps: EventRecall, request: RecallRequest, reasons: Sequence[str]) -> None:
    """Log why a search found less than it could have. The first time that a kind of reason occurs
    it is logged as a warning, later at DEBUG.
    """
    if reasons:
        told = "search in %s returned a reduced result: %s"
        log.log(
            steps.seen_warnings.level(reasons), told, request.where.scope_key, "; ".join(reasons)
        )


def result(task: asyncio.Task[Result], what: str, reasons: list[str]) -> Result | None:
    """Return the result of a task. If the task is late or failed, return None and append the
    reason.
    """
    if not task.done() or task.cancelled():
        reasons.append(f"{what}: {'cancelled' if task.done() else 'out of time'}")
        return None
    error = task.exception()
    if error is None:
        return task.result()
    if not isinstance(error, HistorianError):
        log.error("%s failed unexpectedly", what, exc_info=error)
    reasons.append(f"{what}: {error}")
    return None
