"""What the functions behind the addresses ask for: the memory, its stores, and who is asking."""

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

# All of them are coroutines: FastAPI runs others in a thread each, which costs more than what they do.


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
"""Whoever asks."""
OperatorHere = Annotated[Caller, Depends(_operator)]
"""Whoever asks, if it is the operator; others get 403."""
OPERATOR_ALONE = [Depends(_operator)]
"""The same for all addresses of a router."""


async def _parts(memory: MemoryHere) -> Parts:
    if memory.lifecycle.opened is None:
        detail = "the stores are not open: memory is switched off, or the database cannot be used; the log says which"
        raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers={"Retry-After": "5"})
    return memory.lifecycle.opened.parts


async def _queue(memory: MemoryHere) -> JobQueue:
    if memory.lifecycle.queue is None:
        raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "memory is switched off (cognitive.enabled = false): there is no queue")
    return memory.lifecycle.queue


PartsHere = Annotated[Parts, Depends(_parts)]
"""The open stores; 503 while there are none. Their calls block: use them in functions without `async`, which run in threads."""
QueueHere = Annotated[JobQueue, Depends(_queue)]
"""The queue of jobs. Its calls block, too."""

ScopeParameter = Annotated[
    str | None, Query(alias="scope", description="A conversation: `group:ID`, `user:ID` (or a key: `g:ID`, `p:ID`), or `notes`.")
]


async def _scope(caller: CallerHere, scope: ScopeParameter = None) -> Scope | None:
    return caller.scope_named(scope)


ScopeHere = Annotated[Scope | None, Depends(_scope)]
"""The scope of the query parameter `scope`; by default the caller's own, and of the operator None: every conversation."""
