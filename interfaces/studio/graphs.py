"""Graph factories for LangGraph Studio, listed in `langgraph.json`; `make studio` starts the server.

The nodes and edges are those of the service, with two differences. First, a form cannot contain
stores and models: each node gets them from the memory of this process (`memory.opened`), with the
options of the form. Second, the graph begins with a node `accept`. It makes a question or a job
from the form; jobs are made as by `enqueue_job`, `remember` and `update_memory`. A field that was
left out of the form has the value of the example.

The graphs are compiled without a checkpointer, because the server has its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from ...graph.historian import wire_historian
from ...graph.recall import wire_recall
from ...graph.reflection import wire_reflection
from ...retrieval.event_recall import EventRecall
from ...retrieval.recall_states import RecallContext, RecallInput, RecallOutput, RecallState
from ...schema.errors import InvalidInput
from ...schema.graph_states.historian import HistorianInput, HistorianState
from ...schema.graph_states.reflection import ReflectionInput, ReflectionState
from ...schema.scope import Scope
from ...service.intake import make_job, redacted
from ...service.recall.articles import states_job
from ...service.talk import talk_jobs
from ...stores.historian_context import HistorianContext
from ..langchain.graphs import bound_to
from .forms import (
    Form,
    HistorianForm,
    HistorianOptions,
    RecallForm,
    RecallOptions,
    ReflectionForm,
    ReflectionOptions,
    TalkForm,
    overridden,
)
from .memory import Memory, opened

ContextOf = Callable[[Memory, Any], Any]
"""A function that returns the context of the nodes for an open memory and the options of a form."""

RECALLS_KEPT = 8
"""Maximum number of combinations of options whose recall, with its vectors, is cached."""


def historian() -> CompiledStateGraph[
    HistorianState, HistorianOptions, HistorianForm, HistorianState
]:
    """Return the write graph with a form as input: accept → rewrite → gate → embed → link → …"""
    graph = StateGraph(HistorianState, HistorianOptions, input_schema=HistorianForm)
    return _compiled("historian", graph, accept_job, wire_historian, _historian_context)


def talk() -> CompiledStateGraph[HistorianState, HistorianOptions, TalkForm, HistorianState]:
    """Return the write graph with messages as input: accept → extract → gate → embed → link → …"""
    graph = StateGraph(HistorianState, HistorianOptions, input_schema=TalkForm)
    return _compiled("talk", graph, accept_talk, wire_historian, _historian_context)


def recall() -> CompiledStateGraph[RecallState, RecallOptions, RecallForm, RecallOutput]:
    """Return the recall graph with a form as input.

    Its nodes are accept → prepare → (survey ∥ embed) → fuse → rerank → select.
    """
    graph = StateGraph(
        RecallState, RecallOptions, input_schema=RecallForm, output_schema=RecallOutput
    )
    return _compiled("recall", graph, accept_question, wire_recall, _recall_context)


def reflection() -> CompiledStateGraph[
    ReflectionState, ReflectionOptions, ReflectionForm, ReflectionState
]:
    """Return the consolidation graph with a form as input: accept → buffer → summarise → …"""
    graph = StateGraph(ReflectionState, ReflectionOptions, input_schema=ReflectionForm)
    return _compiled("reflection", graph, accept_states, wire_reflection, _reflection_context)


def _compiled(
    name: str, graph: StateGraph[Any, Any, Any, Any], accept: Any, wire: Any, context_of: ContextOf
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return a compiled graph with `accept` as the first node. `wire` adds the other nodes."""
    graph.add_node("accept", accept)
    graph.add_edge(START, "accept")

    async def context(runtime: Runtime[Any]) -> Any:
        return context_of(await opened(), runtime.context)

    wire(graph, after="accept", bound=bound_to(context))
    return graph.compile(name=name)


def _filled(form: Form, *names: str) -> dict[str, Any]:
    """Return the fields of a form that are not empty. If `names` are given, only these."""
    return {
        name: value
        for name, value in form.model_dump(include=set(names) or None).items()
        if value not in ("", [])
    }


async def accept_job(state: HistorianForm, runtime: Runtime[HistorianOptions]) -> HistorianInput:
    """Return the job for a form: completed, validated and redacted.

    Raises InvalidInput that names the field.
    """
    memory = await opened()
    job = await asyncio.to_thread(make_job, _filled(state), memory.settings, memory.parts.clock)
    if job.is_empty:
        raise InvalidInput(
            "action_summary and new_info are both empty: there is nothing to remember; fill in one of them"
        )
    return {"job": redacted(job, memory.settings.historian.redact_jobs).model_dump()}


async def accept_talk(state: TalkForm, runtime: Runtime[HistorianOptions]) -> HistorianInput:
    """Return the messages of a form as redacted jobs, as `remember` makes them.

    Raises InvalidInput that names the message.
    """
    memory = await opened()
    scope = Scope.group(state.group_id) if state.group_id else Scope.private(state.user_id)
    messages, fields = (
        [_filled(one) for one in state.messages],
        _filled(state, "group_name", "bot_name", "timezone"),
    )
    jobs = await asyncio.to_thread(
        talk_jobs, messages, scope, memory.settings, memory.parts.clock, fields
    )
    if not jobs:
        raise InvalidInput("messages: nothing was said; fill in one message")
    return {"job": jobs[-1].model_dump(), "talk": [one.model_dump() for one in jobs]}


async def accept_states(
    state: ReflectionForm, runtime: Runtime[ReflectionOptions]
) -> ReflectionInput:
    """Return the job that `update_memory` would enqueue, redacted.

    Raises InvalidInput that names the field.
    """
    memory = await opened()
    scope = Scope.group(state.group_id, state.user_id) if state.group_id else None
    job = await asyncio.to_thread(
        states_job,
        [one.model_dump() for one in state.states],
        state.user_id,
        scope,
        memory.settings,
        memory.parts.clock,
        threshold=state.threshold,
        reflect=state.reflect,
        fields=_filled(state, "user_name", "bot_name", "timestamp", "timezone", "request_id"),
    )
    if job is None:
        raise InvalidInput("states: nothing was said; add a line with some content")
    return {"job": job.model_dump()}


async def accept_question(state: RecallForm) -> RecallInput:
    """Return the input of the recall graph.

    Raises InvalidInput if no conversation is given or the query is empty.
    """
    if not state.group_id and not state.user_id:
        raise InvalidInput(
            "user_id, group_id: both are empty; fill in user_id for a private chat, group_id for a group"
        )
    if not state.query.strip():
        raise InvalidInput("query: empty; write what is to be recalled")
    return RecallInput(
        query=state.query, group_id=state.group_id, user_id=state.user_id, top_k=state.top_k
    )


def _historian_context(memory: Memory, options: HistorianOptions | None) -> HistorianContext:
    settings = overridden(memory.settings, "historian", options)
    return replace(memory.parts.context(), settings=settings)


def _reflection_context(memory: Memory, options: ReflectionOptions | None) -> HistorianContext:
    settings = overridden(memory.settings, "shortterm", options)
    return replace(memory.parts.context(), settings=settings)


def _recall_context(memory: Memory, options: RecallOptions | None) -> RecallContext:
    """Return the context for these options.

    It is cached, so that the vectors of the scope stay in memory between steps and runs.
    """
    settings = overridden(memory.settings, "query", options)
    chosen = settings.cognitive.query.model_dump_json()
    known = memory.recalls.get(chosen)
    if known is None:
        parts = memory.parts
        steps = EventRecall(
            parts.events,
            parts.embedder,
            parts.reranker,
            settings=lambda: settings.query,
            clock=parts.clock,
        )
        known = RecallContext(steps, settings, parts.clock, memory.timezone)
        while len(memory.recalls) >= RECALLS_KEPT:
            memory.recalls.pop(next(iter(memory.recalls)))
        memory.recalls[chosen] = known
    return known
