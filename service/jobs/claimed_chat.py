"""A chat model on behalf of a job that several workers could have: asked only by the one that has it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TypeVar

from ...schema.graph_states.historian import HistorianContext
from ...schema.graph_states.reflection import ReflectionContext
from ...schema.protocols import Answer, JobQueue, StructuredChat

Context = TypeVar("Context", HistorianContext, ReflectionContext)


@dataclass(frozen=True, slots=True)
class ClaimedChat:
    """Looks before every call whether the job is another worker's meanwhile, and raises ClaimLost then.

    A worker that was suspended, or whose session has ended, would pay for answers that the other one has paid for already.
    """

    chat: StructuredChat
    queue: JobQueue
    job_id: str

    async def structured(self, answer: type[Answer], *, purpose: str, system: str, user: str) -> Answer:
        await asyncio.to_thread(self.queue.check_claim, self.job_id)
        return await self.chat.structured(answer, purpose=purpose, system=system, user=user)


def with_claimed_chat(context: Context, queue: JobQueue, job_id: str) -> Context:
    """Return what the nodes of one job get; without a model there is nothing to look at."""
    return context if context.chat is None else replace(context, chat=ClaimedChat(context.chat, queue, job_id))
