"""gate: code decides whether a text is absolute and says what was handed over; when tries are spent, the rules' is taken."""

from __future__ import annotations

import asyncio

from langgraph.runtime import Runtime

from ...schema.graph_states.historian import HistorianContext, HistorianState, HistorianUpdate, ItemState
from ...schema.job import Job
from ...schema.settings import Settings
from ...text.job_verdicts import judge, last_resort, with_verdict


async def gate(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """Judge every text that has not passed. When the tries are spent, every item gets a final text."""
    return {"items": await asyncio.to_thread(_judged, state, runtime.context.settings)}


def _judged(state: HistorianState, settings: Settings) -> list[ItemState]:
    job = Job.model_validate(state["job"])
    judged: list[ItemState] = []
    for item in state["items"]:
        if not item["passed"]:
            item = with_verdict(item, judge(item, item["candidate"], job, settings))
            item["first_pass"] = item["passed"] and state.get("attempt", 0) <= 1
            if not item["passed"] and state.get("spent"):
                item = last_resort(item, job, settings)
        judged.append(item)
    return judged
