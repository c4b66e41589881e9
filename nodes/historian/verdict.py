"""The gate's verdict on one text of a job, as the nodes ask for it and write it down."""

from __future__ import annotations

from ...schema.job import Job
from ...schema.settings import Settings
from ...schema.states import ItemState, Reason
from ...text.gate import Finding, GateResult, check, reason
from .conversation import language_of, names_of


def judge(item: ItemState, candidate: str, job: Job, settings: Settings) -> GateResult:
    """What the gate says of one text of a job."""
    return check(
        candidate,
        source=item["source"],
        resolved=item["resolved"],
        draft=item["draft"],
        names=names_of(job, settings),
        item=item["kind"],
        pronouns=settings.historian.gate_pronouns,
    )


def with_verdict(item: ItemState, verdict: GateResult, job: Job, settings: Settings) -> ItemState:
    """The item with what the gate found: each violation with the sentence that is put to the model."""
    language = language_of(job, settings)
    violations = [_reason(finding, reason(finding, language)) for finding in verdict.violations]
    notes = [_reason(finding, finding.why) for finding in verdict.notes]
    return {**item, "passed": verdict.passed, "violations": violations, "notes": notes}


def _reason(finding: Finding, why: str) -> Reason:
    return Reason(kind=finding.kind, text=finding.text, start=finding.start, end=finding.end, why=why)
