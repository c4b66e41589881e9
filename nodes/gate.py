"""gate: code decides whether each text is absolute and faithful; when tries are spent, the best honest text is taken."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ..schema.job import Job
from ..schema.settings import Settings
from ..schema.states import HistorianContext, HistorianState, HistorianUpdate, ItemState, Reason
from ..text.gate import Finding, GateResult, reason
from .conversation import job_of, language_of
from .rewrite import prepare
from .verdict import judge


async def gate(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """Judge every text that has not passed. With tries spent each gets its final text, never none."""
    job, settings = job_of(state), runtime.context.settings
    first = state.get("attempt", 0) <= 1
    judged: list[ItemState] = []
    for item in state["items"]:
        if not item["passed"]:
            item = with_verdict(item, judge(item, item["candidate"], job, settings), job, settings)
            item["first_pass"] = item["passed"] and first
            if not item["passed"] and state.get("spent"):
                item = last_resort(item, judge(item, item["draft"], job, settings))
        judged.append(item)
    return {"items": judged}


def by_rules(job: Job, settings: Settings) -> list[ItemState]:
    """The items of a job as the rules and the gate alone leave them: what a run without any model files."""
    items: list[ItemState] = []
    for item in prepare(job, settings):
        item = with_verdict(item, judge(item, item["draft"], job, settings), job, settings)
        items.append(item if item["passed"] else last_resort(item, None))
    return items


def with_verdict(item: ItemState, verdict: GateResult, job: Job, settings: Settings) -> ItemState:
    """The item with what the gate found: each violation with the sentence that is put to the model."""
    language = language_of(job, settings)
    violations = [_reason(finding, reason(finding, language)) for finding in verdict.violations]
    notes = [_reason(finding, finding.why) for finding in verdict.notes]
    return {**item, "passed": verdict.passed, "violations": violations, "notes": notes}


def last_resort(item: ItemState, draft_verdict: GateResult | None) -> ItemState:
    """The rules' text if the gate passes it, else the text with only its times resolved: filed as not absolute."""
    if draft_verdict is not None and draft_verdict.passed:
        return {**item, "candidate": item["draft"], "rewritten_by": "rules", "passed": True, "violations": []}
    return {**item, "candidate": item["resolved"], "rewritten_by": "time" if item["dated"] else "none"}


def _reason(finding: Finding, why: str) -> Reason:
    return Reason(kind=finding.kind, text=finding.text, start=finding.start, end=finding.end, why=why)
