"""gate: code decides whether each text is absolute and faithful; when tries are spent, the best honest text is taken."""

from __future__ import annotations

import asyncio

from langgraph.runtime import Runtime

from ...schema.graph_states.historian import HistorianContext, HistorianState, HistorianUpdate, ItemState
from ...schema.job import Job
from ...schema.settings import Settings
from ...text.job_verdicts import judge, last_resort, with_verdict
from .talk_verdicts import pass_talk


async def gate(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """Judge every text that has not passed, and what a model told of a talk. When the tries are spent, every item gets a
    final text."""
    if "parts" in state:
        return await asyncio.to_thread(pass_talk, state, runtime.context.settings)
    return {"items": await asyncio.to_thread(_judged, state, runtime.context.settings)}


def _judged(state: HistorianState, settings: Settings) -> list[ItemState]:
    job = Job.model_validate(state["job"])
    judged: list[ItemState] = []
    for item in state["items"]:
        if not item["passed"]:
            verdict = judge(item, item["candidate"], job, settings)
            item = with_verdict(item, verdict, job, settings)
            item["first_pass"] = item["passed"] and state.get("attempt", 0) <= 1
            if not item["passed"] and state.get("spent"):
                is_draft = item["candidate"] == item["draft"]
                item = last_resort(item, verdict if is_draft else judge(item, item["draft"], job, settings))
        judged.append(item)
    return judged
