"""gate: code checks that a text is absolute and faithful to its source.

When no attempts are left, the text made by rules is used.
"""

from __future__ import annotations

import asyncio

from langgraph.runtime import Runtime

from ...prompts.event_checks import EventChecks
from ...prompts.extracting import TalkQuestion, ToldEvent
from ...schema.graph_states.historian import HistorianState, HistorianUpdate, ItemState
from ...schema.settings import Settings
from ...stores.historian_context import HistorianContext
from ...text.job_verdicts import judge, last_resort, with_verdict
from .conversation import with_messages


async def gate(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """Judge every text that has not passed, or the events that a model extracted from a talk.

    When no attempts are left, every item of a hand-over gets a final text.
    """
    context = runtime.context
    if "parts" in state:
        update = await asyncio.to_thread(pass_talk, state, context.settings)
        refused = len(update["refused"])
        context.judged("extract", taken=len(state.get("told", [])) - refused, refused=refused)
        return update
    items, by_model = await asyncio.to_thread(_judged, state, context.settings)
    context.judged("rewrite", taken=sum(by_model), refused=len(by_model) - sum(by_model))
    return {"items": items}


def _judged(state: HistorianState, settings: Settings) -> tuple[list[ItemState], list[bool]]:
    """Return the items, and for each newly judged text of a model whether it passed."""
    job = with_messages(state)
    judged: list[ItemState] = []
    by_model: list[bool] = []
    for item in state["items"]:
        if not item["passed"]:
            item = with_verdict(item, judge(item, item["candidate"], job, settings))
            if item["rewritten_by"] == "model":
                by_model.append(item["passed"])
            item["first_pass"] = item["passed"] and state.get("attempt", 0) <= 1
            if not item["passed"] and state.get("spent"):
                item = last_resort(item, job, settings)
        judged.append(item)
    return judged, by_model


def pass_talk(state: HistorianState, settings: Settings) -> HistorianUpdate:
    """Return the state update with the extracted events that the messages support as items.

    The other events are `refused`. If they are not corrected, only the messages remain of them.
    """
    parts = list(state["parts"])
    known = [item for one in parts for item in one.get("items", [])]
    if (
        not state.get("told") or "shown" not in state
    ):  # checkpoints of older versions have no `shown`
        return {"items": known, "refused": [], "spent": True}
    question = TalkQuestion.of(parts, state["shown"], settings)
    checks = EventChecks(question, settings, [item["candidate"] for item in known])
    refused = checks.take([ToldEvent.model_validate(one) for one in state["told"]])
    for place, item in checks.taken:
        at = state["shown"]["parts"][place]
        item["first_pass"] = state.get("attempt", 1) <= 1
        items = [*parts[at].get("items", []), item]
        job = {**parts[at]["job"], "new_info": [one["candidate"] for one in items]}
        parts[at] = {**parts[at], "job": job, "items": items}
    return {
        "parts": parts,
        "items": [item for one in parts for item in one.get("items", [])],
        "told": [],
        "refused": [(one.model_dump(), why) for one, why in refused],
        "spent": state.get("spent", True) or not refused,
    }
