"""gate: code decides whether each text is absolute and faithful; when tries are spent, the best honest text is taken."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ...schema.job import Job
from ...schema.settings import Settings
from ...schema.states import HistorianContext, HistorianState, HistorianUpdate, ItemState
from ...text.gate import GateResult
from .conversation import job_of
from .rewrite import prepare
from .verdict import judge, with_verdict


async def gate(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """Judge every text that has not passed. With tries spent each gets its final text, never none."""
    job, settings = job_of(state), runtime.context.settings
    first = state.get("attempt", 0) <= 1
    judged: list[ItemState] = []
    for item in state["items"]:
        if not item["passed"]:
            verdict = judge(item, item["candidate"], job, settings)
            item = with_verdict(item, verdict, job, settings)
            item["first_pass"] = item["passed"] and first
            if not item["passed"] and state.get("spent"):
                is_draft = item["candidate"] == item["draft"]
                item = last_resort(item, verdict if is_draft else judge(item, item["draft"], job, settings))
        judged.append(item)
    return {"items": judged}


def by_rules(job: Job, settings: Settings) -> list[ItemState]:
    """The items of a job as the rules and the gate alone leave them: what a run without any model files."""
    items: list[ItemState] = []
    for item in prepare(job, settings):
        item = with_verdict(item, judge(item, item["draft"], job, settings), job, settings)
        items.append(item if item["passed"] else last_resort(item, None))
    return items


def last_resort(item: ItemState, draft_verdict: GateResult | None) -> ItemState:
    """The rules' text if the gate passes it, else the text with only its times resolved: filed as not absolute."""
    if draft_verdict is not None and draft_verdict.passed:
        return {**item, "candidate": item["draft"], "rewritten_by": "rules", "passed": True, "violations": []}
    return {**item, "candidate": item["resolved"], "rewritten_by": "time" if item["dated"] else "none"}
