"""What running a job means, by its kind: the write graph and the reflection graph, from where a job stands."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph

from ...graph.historian import HistorianGraph, compile_historian
from ...graph.reflection import ReflectionGraph, compile_reflection
from ...nodes.historian.embed import events_of
from ...nodes.historian.gate import by_rules
from ...nodes.reflection.job import reflection_job
from ...schema.errors import StorageError
from ...schema.job import Job
from ...schema.protocols import JobQueue
from ...schema.reflection_states import ReflectionContext
from ...schema.settings import Settings
from ...schema.states import HistorianContext, HistorianUpdate, ItemState
from .feeding import feed
from .statistics import WorkerStatistics

log = logging.getLogger(__name__)

MOST_STEPS = 100_000
"""Steps of one run: a job that brings very much makes many summaries. LangGraph's own bound would end it at 25 or so."""


class JobRuns:
    """Runs jobs of the kinds `remember` and `states`, and files by rules what no run can.

    `on_step` is told (job, node, update) after every step of a job that is remembered.
    """

    def __init__(
        self,
        context: HistorianContext,
        reflection: ReflectionContext,
        queue: JobQueue,
        statistics: WorkerStatistics,
        on_step: Callable[[Job, str, HistorianUpdate], None] | None = None,
    ) -> None:
        self._context = context
        self._reflection = reflection
        self._queue = queue
        self._statistics = statistics
        self._on_step = on_step
        self._historian_graph: HistorianGraph = compile_historian()
        self._reflection_graph: ReflectionGraph = compile_reflection()

    def open(self, saver: BaseCheckpointSaver[str]) -> None:
        """Checkpoint every step with `saver`."""
        self._historian_graph = compile_historian(saver)
        self._reflection_graph = compile_reflection(saver)

    def apply(self, settings: Settings) -> None:
        """Work with other settings from the next job on."""
        self._context = replace(self._context, settings=settings)
        self._reflection = replace(self._reflection, settings=settings)

    def sweep(self) -> None:
        """Remove what killed writers left half-written. Blocking."""
        self._context.profiles.sweep()
        self._reflection.layers.summaries.sweep()
        self._reflection.layers.articles.sweep()

    async def remember(self, job: Job) -> str:
        """Rewrite, file and portray; then what was filed enters the short-term layer. Gives the outcome."""
        items: list[ItemState] = []
        filed = ""

        def step(node: str, update: HistorianUpdate, seconds: float) -> None:
            nonlocal items, filed
            self._statistics.node_done(node, update, seconds)
            items = update.get("items", items)
            filed = update.get("filed", filed)
            if self._on_step is not None:
                self._on_step(job, node, update)

        await _resume(self._historian_graph, job, self._context, step)
        if items:
            self._statistics.filed(items)
        if filed == "forgotten":
            return "forgotten"
        await feed(job, self._reflection, self._queue)
        return "filed"

    async def reflect(self, job: Job) -> str:
        """Buffer the states, and whatever follows from that. Gives the outcome."""
        forgotten = False

        def step(node: str, update: dict[str, Any], seconds: float) -> None:
            nonlocal forgotten
            forgotten = update.get("forgotten", forgotten)
            self._statistics.reflection_step(node, update, seconds)

        await _resume(self._reflection_graph, job, self._reflection, step)
        return "forgotten" if forgotten else "reflected"

    async def file_by_rules(self, job: Job) -> bool:
        """Keep a hopeless job's content without any model, so that what was learnt is not lost; whether it is kept.

        Raises StorageError where the disk refuses it: then it is not given up.
        """
        try:
            if job.kind == "states":
                return await asyncio.to_thread(self._keep_states, job)
            if job.kind != "remember":
                return False
            if await asyncio.to_thread(self._context.events.is_filed, job.job_id):
                return True
            events = events_of(job, by_rules(job, self._context.settings))
        except StorageError:
            raise
        except Exception:
            # A text on which even the rules fail must not keep its job from ending in `failed`, where it can be seen.
            log.exception("job %s: the rules fail on it too", job.job_id)
            return False
        await asyncio.to_thread(self._context.events.file_job, job.job_id, events, [None] * len(events))
        return True

    def _keep_states(self, job: Job) -> bool:
        """The states wait in the buffer for the next job of the same person."""
        given = reflection_job({"job": job.model_dump()}, self._reflection.settings)
        buffered = self._reflection.layers.buffer
        buffered.add(given.key, job.job_id, given.states, entities=job.entities, at=job.moment.timestamp())
        return buffered.was_taken(job.job_id)


async def _resume(
    graph: CompiledStateGraph[Any, Any, Any, Any], job: Job, context: object, step: Callable[[str, Any, float], None]
) -> None:
    """Run a graph from where this job stands; `step` is told every node, its update and its seconds."""
    config: RunnableConfig = {"configurable": {"thread_id": job.job_id}, "recursion_limit": MOST_STEPS}
    snapshot = await graph.aget_state(config)
    begun = snapshot.created_at is not None
    if begun and not snapshot.next and not snapshot.tasks:
        return
    mark = asyncio.get_running_loop().time()
    stream = graph.astream(
        None if begun else {"job": job.model_dump()}, config, context=context, stream_mode="updates", durability="sync"
    )
    async for chunk in stream:
        for node, update in chunk.items():
            now = asyncio.get_running_loop().time()
            step(node, update, now - mark)
            mark = now
