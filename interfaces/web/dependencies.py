"""The dependencies of the routes: the memory, its stores, the caller, and the scope."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Query, Request

from ...schema.protocols import JobQueue
from ...schema.scope import Scope
from ...service.cognitive import CognitiveService
from ...service.components import Parts
from .access import Caller
from .problems import Refused

# The functions are coroutines, because FastAPI runs plain functions in threads, which is slower.


async def _memory(request: Request) -> CognitiveService:
    memory: CognitiveService = request.app.state.memory
    return memory


async def _caller(request: Request) -> Caller:
    caller: Caller | None = request.state.caller
    if caller is None:
        raise Refused(HTTPStatus.UNAUTHORIZED, "sign in first")
    return caller


async def _operator(caller: Annotated[Caller, Depends(_caller)]) -> Caller:
    caller.check_operator()
    return caller


MemoryHere = Annotated[CognitiveService, Depends(_memory)]
"""The open memory."""
CallerHere = Annotated[Caller, Depends(_caller)]
"""The caller."""
OperatorHere = Annotated[Caller, Depends(_operator)]
"""The caller, who must be the operator; others get status 403."""
OPERATOR_ALONE = [Depends(_operator)]
"""The check that the caller is the operator, for all routes of a router."""


async def _parts(memory: MemoryHere) -> Parts:
    if memory.lifecycle.opened is None:
        detail = "the stores are not open: memory is switched off, or the database cannot be used; the log says which"
        raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers={"Retry-After": "5"})
    return memory.lifecycle.opened.parts


async def _queue(memory: MemoryHere) -> JobQueue:
    if memory.lifecycle.queue is None:
        raise Refused(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "memory is switched off (cognitive.enabled = false): there is no queue",
        )
    return memory.lifecycle.queue


PartsHere = Annotated[Parts, Depends(_parts)]
"""The open stores; status 503 while they are not open. Their methods block: call them in routes
without `async`, which run in threads."""
QueueHere = Annotated[JobQueue, Depends(_queue)]
"""The job queue; status 503 while memory is switched off. Its methods block, too."""

ScopeParameter = Annotated[
    str | None,
    Query(
        alias="scope",
        description="A conversation: `group:ID`, `user:ID` (or a key: `g:ID`, `p:ID`), or `notes`.",
    ),
]


async def _scope(caller: CallerHere, scope: ScopeParameter = None) -> Scope | None:
    return caller.scope_named(scope)


ScopeHere = Annotated[Scope | None, Depends(_scope)]
"""The scope that the query parameter `scope` names. The default is the scope of the caller's token,
and for the operator None, which means all conversations."""
