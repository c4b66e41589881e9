"""The graphs of Historian, bound to an open memory: run them with or without a checkpointer, or as
subgraphs.

>>> builder = StateGraph(BotState)  # doctest: +SKIP
>>> builder.add_node("recall", recall_graph(memory))  # doctest: +SKIP

>>> graph = historian_graph(memory, checkpointer=InMemorySaver())  # doctest: +SKIP
>>> thread = {"configurable": {"thread_id": "turn-1"}}  # doctest: +SKIP
>>> await graph.ainvoke(turn(memory, "I told her a story", ["She likes tea"], user_id="42"), thread)  # doctest: +SKIP

The nodes use the stores and models of the memory; the context of the run is ignored. A bot does
not need these graphs: `remember` and `enqueue_job` file turns in the background, and
`build_context` recalls events within a time limit.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from ...graph.historian import wire_historian
from ...graph.recall import wire_recall
from ...graph.reflection import wire_reflection
from ...retrieval.recall_states import RecallContext, RecallInput, RecallOutput, RecallState
from ...schema.errors import InvalidInput
from ...schema.graph_states.historian import HistorianInput, HistorianState
from ...schema.graph_states.reflection import ReflectionInput, ReflectionState
from ...schema.scope import Scope
from ...service.intake import make_job, redacted
from ...service.recall.articles import states_job
from ...service.talk import talk_jobs
from ...service.timezones import configured_timezone

if TYPE_CHECKING:
    from ...service.cognitive import CognitiveService
    from ...service.running.opening import OpenMemory

Node = Callable[[Any, Runtime[Any]], Awaitable[Any]]


def historian_graph(
    memory: CognitiveService, *, checkpointer: BaseCheckpointSaver[str] | None = None
) -> CompiledStateGraph[HistorianState, None, HistorianInput, HistorianState]:
    """Return the graph that stores the events of a conversation turn.

    Its nodes are rewrite → gate → embed → link → merge_profile → write_profile. For talk, events
    are extracted first. Its input is what the function `turn` or `talk` returns. Filing the same job a second
    time changes nothing.
    """
    graph = StateGraph(HistorianState, input_schema=HistorianInput)
    wire_historian(graph, bound=_with(memory, lambda opened: opened.parts.context()))
    return graph.compile(checkpointer=checkpointer, name="historian")


def recall_graph(
    memory: CognitiveService,
) -> CompiledStateGraph[RecallState, None, RecallInput, RecallOutput]:
    """Return the graph that finds events: prepare → (survey ∥ embed) → fuse → rerank → select.

    Its input has the keys `query`, `user_id` and `group_id` (the conversation), and optionally
    `top_k`, `context` and `conditions`. Its output has the key `hits`, best first. The
    graph has no time limit: before a reply, use `build_context`.
    """

    def context(opened: OpenMemory) -> RecallContext:
        settings = memory.settings
        return RecallContext(
            opened.recall.events,
            settings,
            opened.parts.clock,
            configured_timezone(settings.cognitive.timezone),
        )

    graph = StateGraph(RecallState, input_schema=RecallInput, output_schema=RecallOutput)
    wire_recall(graph, bound=_with(memory, context))
    return graph.compile(name="recall")


def reflection_graph(
    memory: CognitiveService, *, checkpointer: BaseCheckpointSaver[str] | None = None
) -> CompiledStateGraph[ReflectionState, None, ReflectionInput, ReflectionState]:
    """Return the graph that summarises talk and writes the article about a person.

    The article is written from the summaries. Its input is what the function `states`
    returns.
    """
    graph = StateGraph(ReflectionState, input_schema=ReflectionInput)
    wire_reflection(graph, bound=_with(memory, lambda opened: opened.parts.context()))
    return graph.compile(checkpointer=checkpointer, name="reflection")


def turn(
    memory: CognitiveService, action_summary: str = "", new_info: Sequence[str] = (), **fields: Any
) -> HistorianInput:
    """Return the input of `historian_graph` for a turn. The parameters are those of `enqueue_job`.

    Raises InvalidInput.
    """
    settings = memory.settings
    given = {"action_summary": action_summary, "new_info": list(new_info), **fields}
    job = make_job(given, settings, memory.lifecycle.clock)
    return {"job": redacted(job, settings.historian.redact_jobs).model_dump()}


def talk(memory: CognitiveService, messages: object, scope: Scope, **names: str) -> HistorianInput:
    """Return the input of `historian_graph` for messages. The parameters are those of `remember`.

    Raises InvalidInput, also if no message has text.
    """
    jobs = [
        job.model_dump()
        for job in talk_jobs(messages, scope, memory.settings, memory.lifecycle.clock, names)
    ]
    if not jobs:
        raise InvalidInput("messages: nothing was said; give at least one message with text")
    return {"job": jobs[-1], "talk": jobs}


def states(
    memory: CognitiveService,
    said: object,
    user_id: str,
    scope: Scope | None = None,
    *,
    reflect: bool = True,
    **fields: Any,
) -> ReflectionInput:
    """Return the input of `reflection_graph`. The parameters are those of `update_memory`.

    Raises InvalidInput, also if no message has text.
    """
    settings, clock = memory.settings, memory.lifecycle.clock
    job = states_job(
        said, user_id, scope, settings, clock, threshold=None, reflect=reflect, fields=fields
    )
    if job is None:
        raise InvalidInput("said: nothing was said; give at least one message with text")
    return {"job": job.model_dump()}


def _with(
    memory: CognitiveService, context_of: Callable[[OpenMemory], Any]
) -> Callable[[Node], Node]:
    """Return a decorator that gives a node the context of the memory."""

    async def context(runtime: Runtime[Any]) -> Any:
        return context_of(memory.lifecycle.in_use())

    return bound_to(context)


def bound_to(context_of: Callable[[Runtime[Any]], Awaitable[Any]]) -> Callable[[Node], Node]:
    """Return a decorator that runs a node with the context that `context_of` returns."""

    def bound(node: Node) -> Node:
        @wraps(node)
        async def run(state: Any, runtime: Runtime[Any]) -> Any:
            return await node(state, runtime.override(context=await context_of(runtime)))

        return run

    return bound
