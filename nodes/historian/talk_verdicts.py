"""The gate's verdicts on the events that a model told of a talk."""

from __future__ import annotations

from ...prompts.event_checks import EventChecks
from ...prompts.extracting import TalkQuestion, ToldEvent
from ...schema.graph_states.historian import HistorianState, HistorianUpdate
from ...schema.settings import Settings


def pass_talk(state: HistorianState, settings: Settings) -> HistorianUpdate:
    """Return the items of what a model told that the messages say; the rest is `refused`, and left to the messages in the end."""
    parts = list(state["parts"])
    known = [item for one in parts for item in one.get("items", [])]
    if not state.get("told") or "shown" not in state:  # the second is of a checkpoint of a former version
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
