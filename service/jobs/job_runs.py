"""Runs jobs through the graph for their kind (historian or reflection), resumed from
checkpoints."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from ...graph.historian import HistorianGraph, compile_historian
from ...graph.reflection import ReflectionGraph, compile_reflection
from ...schema.errors import StorageError
from ...schema.graph_states.historian import events_of
from ...schema.job import DONE, Job
from ...schema.payloads import StatesPayload
from ...schema.protocols import Answer, JobQueue, StructuredChat
from ...schema.settings import Settings
from ...schema.summary import ArticleKey
from ...stores.historian_context import HistorianContext
from ...stores.threaded_saver import OpenCheckpoints
from ...text.job_verdicts import by_rules
from ...text.speakers.borne_names import with_people
from ..components import Parts
from .feeding import feed, merge_later
from .messages import FiledMessages
from .statistics import WorkerStatistics
from .step_stream import JobWatch

log = logging.getLogger(__name__)

GATHERED_AT_ONCE = 64
GATHERED_CHARACTERS = 24_000
"""Maximum number of messages of a conversation, and of their characters, in one run of a job of
kind `talk`."""

MOST_STEPS = 100_000
"""Maximum number of steps of one run: a large job makes many summaries. LangGraph's default is
25."""


@dataclass(frozen=True, slots=True)
class ClaimedChat:
    """A chat model that checks before every call whether this worker still has the claim of the
    job.

    Raises ClaimLost if another worker has the job. Without the check, a worker that was suspended,
    or whose session has ended, would pay for answers that the other worker has already paid for.
    """

    chat: StructuredChat
    queue: JobQueue
    job_id: str

    async def structured(
        self, answer: type[Answer], *, purpose: str, system: str, user: str
    ) -> Answer:
        await asyncio.to_thread(self.queue.check_claim, self.job_id)
        return await self.chat.structured(answer, purpose=purpose, system=system, user=user)


def with_claimed_chat(context: HistorianContext, queue: JobQueue, job_id: str) -> HistorianContext:
    """Return the context for the nodes of one job, with a `ClaimedChat` if there is a model."""
    return (
        context
        if context.chat is None
        else replace(context, chat=ClaimedChat(context.chat, queue, job_id))
    )


class JobRuns:
    """Runs jobs of the kinds `remember`, `talk`, `profile` and `states`. If a job is given up,
    files its content by rules.

    `watch` is notified of every step. Jobs run after `open`.
    """

    _historian_graph: HistorianGraph
    _reflection_graph: ReflectionGraph

    def __init__(self, parts: Parts, statistics: WorkerStatistics, watch: JobWatch) -> None:
        self.context = parts.context()
        self._queue = parts.queue
        self._ledger = parts.backend.ledger
        self._workers_are_many = parts.backend.workers.many
        self.messages = FiledMessages(lambda: self.context)
        self.statistics = statistics
        self.watch = watch
        self._checkpoints: OpenCheckpoints | None = None

    @property
    def settings(self) -> Settings:
        """The settings for the next job."""
        return self.context.settings

    @property
    def asks_a_model(self) -> bool:
        """True if a model extracts events from talk."""
        return self.context.asks_a_model

    @property
    def _merges_later(self) -> bool:
        """True if new facts wait for further facts of their conversation before a model merges them
        into profiles."""
        return (
            self.context.chat is not None
            and self.settings.cognitive.profile.merge_after_seconds > 0
        )

    def open(self, checkpoints: OpenCheckpoints) -> None:
        """Compile the graphs, with a checkpoint after every step."""
        self._checkpoints = checkpoints
        self._historian_graph = compile_historian(checkpoints.saver)
        self._reflection_graph = compile_reflection(checkpoints.saver)

    def apply(self, settings: Settings) -> None:
        """Use other settings from the next job on."""
        self.context = replace(self.context, settings=settings)

    async def run(self, job: Job) -> str:
        """Run a job to its end. Return the outcome: filed, merged, reflected, duplicate or
        forgotten."""
        self.watch.began(job)
        if job.kind == "states":
            state = await self._run(self._reflection_graph, job)
            return "forgotten" if state.get("forgotten") else "reflected"
        if job.kind == "talk" and not self.asks_a_model:
            await asyncio.to_thread(self.messages.file, [job])
            return "filed"
        if job.kind == "talk" and await self._is_filed_with_others(job):
            return "duplicate"
        state = await self._run(self._historian_graph, job)
        self.statistics.filed(state.get("items", []))
        if state.get("filed") == "forgotten":
            return "forgotten"
        values: Any = {"job": job.model_dump()}
        if self._checkpoints is not None and (
            job.kind != "remember" or self.context.chat is not None
        ):
            values = (await self._historian_graph.aget_state(_config(job))).values
        if job.kind == "profile":
            others = [
                one["job_id"] for one in values.get("talk", []) if one["job_id"] != job.job_id
            ]
            await self._settle_merged(others)
            return "merged"
        if values.get("merges_later") and values.get("filed") != "forgotten":
            await merge_later(values, self.context, self._queue)
        for one in await self._filed(job, values):
            await feed(one, self.context, self._queue)
        return "filed"

    async def _settle_merged(self, job_ids: Sequence[str]) -> None:
        """Mark the jobs whose facts this run has merged as done, and make them due. Their own runs
        only remove them from the queue."""
        for job_id in job_ids:
            await asyncio.to_thread(self._ledger.add, DONE, job_id)
        await asyncio.to_thread(self._queue.hasten, job_ids)

    async def _is_filed_with_others(self, job: Job) -> bool:
        """Return True if the run of another job has filed the message, and no run of this job has
        begun."""
        if not await asyncio.to_thread(self.context.events.is_filed, job.job_id):
            return False
        return (await self._historian_graph.aget_state(_config(job))).created_at is None

    async def _filed(self, job: Job, values: Mapping[str, Any]) -> list[Job]:
        """Return the jobs that the run of `job` has filed. Jobs of kind `talk` are made due, so
        that they leave the queue."""
        if job.kind != "talk":
            return [job]
        parts = [
            (Job.model_validate(one["job"]), one.get("filed")) for one in values.get("parts", [])
        ]
        await asyncio.to_thread(self._queue.hasten, [one.job_id for one, _ in parts])
        return [one for one, outcome in parts if one.texts and outcome != "forgotten"]

    async def pass_over(self, job: Job) -> None:
        """Make the messages due that would have run together with this forgotten or expired
        message. Otherwise no other job might start their run."""
        if job.kind == "talk":
            others = await asyncio.to_thread(self._queue.together, job.job_id, GATHERED_AT_ONCE + 1)
            await asyncio.to_thread(self._queue.hasten, [one.job_id for one in others])

    async def _input(self, job: Job) -> dict[str, Any]:
        """Return the input of the graph. For a job of kind `talk` or `profile` the input also
        contains the other waiting jobs of this kind in the conversation.

        Messages are sorted by time. Those beyond the limits are made due: their runs come next, and
        take further waiting messages along. Messages that are filed already (sent again during
        their run) are made due too: their runs only remove them from the queue.
        """
        if job.kind == "profile":
            waiting = await asyncio.to_thread(self._queue.together, job.job_id, GATHERED_AT_ONCE)
            return {"job": job.model_dump(), "talk": [one.model_dump() for one in waiting]}
        if job.kind != "talk":
            return {"job": job.model_dump(), "merges_later": self._merges_later}
        gathered: list[tuple[int, Job]] = []
        left: list[str] = []
        room, seats = GATHERED_CHARACTERS - len(str(job.payload.get("text", ""))), GATHERED_AT_ONCE
        # One more than a run takes: the run of this one continues with the rest.
        for place, one in enumerate(
            await asyncio.to_thread(self._queue.together, job.job_id, GATHERED_AT_ONCE + 1)
        ):
            if one.job_id != job.job_id:
                if await asyncio.to_thread(self.context.events.is_filed, one.job_id):
                    left.append(one.job_id)
                    continue
                room, seats = room - len(str(one.payload.get("text", ""))), seats - 1
                if room < 0 or seats < 1:
                    left.append(one.job_id)
                    continue
            gathered.append((place, one))
        await asyncio.to_thread(self._queue.hasten, left)
        # Declarations are written into the profiles before the run merges these profiles: a write
        # during the merge would cause another model call.
        await asyncio.to_thread(self.messages.file, [one for _, one in gathered])
        gathered.sort(key=lambda one: (one[1].moment, one[0]))
        return {
            "job": job.model_dump(),
            "talk": [one.model_dump() for _, one in gathered],
            "merges_later": self._merges_later,
        }

    async def _run(self, graph: CompiledStateGraph[Any, Any, Any, Any], job: Job) -> dict[str, Any]:
        """Run a graph from the checkpoint of a job. Run it again from the beginning if the database
        does not have the results.

        A checkpoint can be newer than the database if the job was running when a backup was
        restored.
        """
        context = self.context
        if self._workers_are_many:
            context = with_claimed_chat(context, self._queue, job.job_id)
        state = await self._resumed(graph, job, context)
        is_kept = (
            self.context.article_stores.buffer.was_taken
            if job.kind == "states"
            else self.context.events.is_filed
        )
        gone = state.get("forgotten") or state.get("filed") == "forgotten"
        if (
            gone
            or self._checkpoints is None
            or job.kind == "profile"
            or await asyncio.to_thread(is_kept, job.job_id)
        ):
            return state
        log.warning("job %s is run again: its checkpoint does not match the database", job.job_id)
        await self._checkpoints.drop(job.job_id)
        return await self._resumed(graph, job, context)

    async def _resumed(
        self, graph: CompiledStateGraph[Any, Any, Any, Any], job: Job, context: object
    ) -> dict[str, Any]:
        """Run a graph from the checkpoint of a job. Return the state updates of the steps of this
        run."""
        config = _config(job)
        snapshot = await graph.aget_state(config)
        begun = snapshot.created_at is not None
        state: dict[str, Any] = {}
        if begun and not snapshot.next and not snapshot.tasks:
            return state
        given = None if begun else await self._input(job)
        mark = asyncio.get_running_loop().time()
        async for chunk in graph.astream(
            given, config, context=context, stream_mode="updates", durability="sync"
        ):
            for node, update in chunk.items():
                now = asyncio.get_running_loop().time()
                self.statistics.step(job.kind, node, update, now - mark)
                state |= update
                self.watch.step(job, node, update)
                mark = now
        return state

    async def file_by_rules(self, job: Job) -> bool:
        """File the content of a failed job by rules, so that nothing is lost. Return True if the
        content is filed.

        Raises StorageError if the disk fails; the job is then not given up.
        """
        events = self.context.events
        try:
            if job.kind == "states":
                return await asyncio.to_thread(self._keep_states, job)
            if job.kind == "talk":
                await asyncio.to_thread(self.messages.file, [job])
                return True
            if job.kind != "remember":
                return job.kind == "profile"  # the events of its facts are filed
            if not await asyncio.to_thread(events.is_filed, job.job_id):
                items = await asyncio.to_thread(by_rules, job, self.settings)
                made = await asyncio.to_thread(with_people, job, events_of(job, items))
                await asyncio.to_thread(events.file_job, job.job_id, made, [None] * len(made))
        except StorageError:
            raise
        except Exception:
            # A job must reach the state `failed`, where operators see it, even if the rules fail
            # too.
            log.exception("job %s: filing by rules failed too", job.job_id)
            return False
        return True

    def _keep_states(self, job: Job) -> bool:
        """Add the states of a job to the buffer, for the next job of the same person and
        conversation."""
        states = StatesPayload.model_validate(job.payload).entries(job)
        buffered = self.context.article_stores.buffer
        key = ArticleKey(job.user_id, job.group_id)
        buffered.add(key, job.job_id, states, entities=job.entities, at=job.moment.timestamp())
        return buffered.was_taken(job.job_id)


def _config(job: Job) -> RunnableConfig:
    return {"configurable": {"thread_id": job.job_id}, "recursion_limit": MOST_STEPS}
