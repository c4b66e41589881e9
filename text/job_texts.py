"""The texts of a job before they become events: drafted by rules, checked by the gate."""

from __future__ import annotations

from collections.abc import Sequence

from ..schema.event import Event
from ..schema.job import Job
from ..schema.names import Names
from ..schema.settings import Settings
from ..schema.states import ItemState, Reason
from .absolutize import absolutize
from .gate import Finding, GateResult, check, reason
from .language import Language, detect_language
from .references.subjects import with_subject


def names_of(job: Job, settings: Settings) -> Names:
    """Return the names of a job's conversation."""
    return Names.of_job(job, settings.cognitive.bot_name)


def language_of(job: Job, settings: Settings) -> Language:
    """Return the language of a job's prompts: the configured one, else that of its texts."""
    configured = settings.cognitive.language
    return detect_language("\n".join([job.action_summary, *job.new_info])) if configured == "auto" else configured


def prepare(job: Job, settings: Settings) -> list[ItemState]:
    """Return every text of the job with its times resolved and the rules' draft as the first candidate."""
    names, speakers = names_of(job, settings), job.speakers
    items: list[ItemState] = []
    for kind, source in job.texts:
        done = absolutize(source, job.moment, job.timezone, names, kind, recent_speakers=speakers)
        draft = with_subject(done.text, names, kind, done.language)
        items.append(
            ItemState(
                kind=kind,
                source=source,
                resolved=done.resolved_text,
                draft=draft,
                candidate=draft,
                undecided=[reference.text for reference in done.drafted.undecided],
                dated=bool(done.resolved),
                rewritten_by="rules",
                passed=False,
                first_pass=False,
                violations=[],
                notes=[],
            )
        )
    return items


def judge(item: ItemState, candidate: str, job: Job, settings: Settings) -> GateResult:
    """Return the gate's result for one text of a job."""
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
    """Return the item with the gate's findings; each violation carries the sentence for the model."""
    language = language_of(job, settings)
    violations = [_reason(finding, reason(finding, language)) for finding in verdict.violations]
    notes = [_reason(finding, finding.why) for finding in verdict.notes]
    return {**item, "passed": verdict.passed, "violations": violations, "notes": notes}


def passed_by_rules(item: ItemState, job: Job, settings: Settings) -> ItemState:
    """Return the item as passed if its draft needs no model (mode `auto`: no reference is undecided and the gate passes it).

    The gate node uses this result and does not check the draft again.
    """
    if settings.historian.rewrite_mode == "always" or item["undecided"]:
        return item
    verdict = judge(item, item["draft"], job, settings)
    return {**with_verdict(item, verdict, job, settings), "first_pass": True} if verdict.passed else item


def last_resort(item: ItemState, draft_verdict: GateResult | None) -> ItemState:
    """Return the item with the rules' draft if the gate passes it, else with only its times resolved (filed as not absolute)."""
    if draft_verdict is not None and draft_verdict.passed:
        return {**item, "candidate": item["draft"], "rewritten_by": "rules", "passed": True, "violations": []}
    return {**item, "candidate": item["resolved"], "rewritten_by": "time" if item["dated"] else "none"}


def by_rules(job: Job, settings: Settings) -> list[ItemState]:
    """Return the items of a job as they are filed without a model, by rules and gate alone."""
    judged = [with_verdict(item, judge(item, item["draft"], job, settings), job, settings) for item in prepare(job, settings)]
    return [item if item["passed"] else last_resort(item, None) for item in judged]


def events_of(job: Job, items: Sequence[ItemState]) -> list[Event]:
    """Return the events of a job."""
    return [
        Event.of_job(
            job,
            n,
            item["kind"],
            item["candidate"],
            is_absolute=item["passed"],
            gate_reasons=() if item["passed"] else tuple(dict.fromkeys(reason["why"] for reason in item["violations"])),
            rewritten_by=item["rewritten_by"],
        )
        for n, item in enumerate(items)
    ]


def _reason(finding: Finding, why: str) -> Reason:
    return Reason(kind=finding.kind, text=finding.text, start=finding.start, end=finding.end, why=why)
