"""Verdicts of the gate on a job's texts, and what is filed where no try is left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from ..schema.graph_states.historian import ItemState, Reason
from ..schema.job import Job
from ..schema.names import Names
from ..schema.settings import Settings
from .gate import RELATIVE_KINDS, Finding, GateResult, check, reason
from .job_drafts import language_of, names_of, prepare
from .profiles.rules import is_about
from .questions.asking import asking_sentences
from .references.subjects import predicate_of
from .speakers.shown_names import shared_name_in
from .support import content_terms, share, weight

SHOWN_MESSAGES, SHOWN_CHARACTERS = 6, 120
"""Messages before a job that a model is shown, and the characters of each; more of them cost tokens and decide nothing."""
CARRIED, ADDED = 0.6, 2.0
"""The least share of a text's content words that what was handed over must hold, and so many more that it need not."""


def judge(item: ItemState, candidate: str, job: Job, settings: Settings) -> GateResult:
    """Return the gate's result for one text of a job."""
    names = names_of(job, settings)
    verdict = check(
        candidate,
        source=item["source"],
        resolved=item["resolved"],
        draft=item["draft"],
        names=names,
        item=item["kind"],
        pronouns=settings.historian.gate_pronouns,
        open_subject=bool(item["undecided"]),
        beside="\n".join(text for is_theirs, text in _shown(job) if is_theirs),
    )
    found = [
        *_still_open(item, candidate, names),
        *_of_another(item, candidate, names),
        *_of_nowhere(item, candidate, job, names),
    ]
    return GateResult((*verdict.violations, *found), verdict.notes) if found else verdict


def is_no_fact(item: ItemState) -> bool:
    """Return True if a text tells nothing that is so (a supposition, what was asked): no model mends it, no profile takes it."""
    return any(kind == "claim" for kind, _, _ in item.get("open", [])) or item.get("asks", False)


def _still_open(item: ItemState, candidate: str, names: Names) -> Iterator[Finding]:
    """Yield what the words leave open and `candidate` does not say either."""
    end = len(candidate)
    for kind, why, wording in item.get("open", []):
        if kind == "claim":
            yield Finding("claim", wording, end, end, why)
        elif why == "shared":
            if shared_name_in(candidate, [wording]):
                yield Finding("reference", wording, end, end, why)
        elif wording in candidate if why == "mention" else candidate == item["draft"] or predicate_of(candidate, names):
            yield Finding("reference", wording, end, end, why)


_OF = re.compile(r"的(?!确)|['’]s\s+[a-z]")
"""A relative or thing of somebody is not that one: "Ann's brother"."""


def _of_another(item: ItemState, candidate: str, names: Names) -> Iterator[Finding]:
    """Yield the subject of `candidate` if it is certainly not about that one."""
    for name in item.get("not_about", []):
        given = is_about(item["source"], name) or is_about(item["draft"], name)
        if not given and is_about(candidate, name) and not _OF.match(candidate, len(name)):
            yield Finding("role", name, 0, len(name), "subject")


def _of_nowhere(item: ItemState, candidate: str, job: Job, names: Names) -> Iterator[Finding]:
    """Yield what a model adds that neither the text nor what the user says or somebody asks before it holds."""
    if candidate != item["draft"]:
        told = [text if is_theirs else asking_sentences(text) for is_theirs, text in _shown(job)]
        known = "\n".join((item["source"], item["resolved"], item["draft"], names.group_name, *told))
        wanted, held = content_terms(candidate, names, dates=False), content_terms(known, names)
        if share(wanted, held) < CARRIED and weight(wanted - held) > ADDED:
            yield Finding("length", candidate, 0, len(candidate), "too long")


def _shown(job: Job) -> list[tuple[bool, str]]:
    """Return the messages before a job as far as a model is shown them, and whether each is the user's.

    What others tell is theirs, and no text of the user's is completed from it.
    """
    return [(one.sender_id == job.user_id, one.text[:SHOWN_CHARACTERS]) for one in job.recent_messages[-SHOWN_MESSAGES:]]


def left_to_mend(item: ItemState) -> list[Reason]:
    """Return the violations of an item without relative times that its draft has as well: nobody can mend those."""
    return [one for one in item["violations"] if one["kind"] != "time" or not _stands_in(one["text"], item["draft"])]


def _stands_in(wording: str, text: str) -> bool:
    edge = r"(?<!\w){}(?!\w)" if wording.isascii() else "{}"
    return re.search(edge.format(re.escape(wording)), text) is not None


def with_verdict(item: ItemState, verdict: GateResult, job: Job, settings: Settings) -> ItemState:
    """Return the item with the gate's findings; each violation carries the sentence for the model."""
    language = language_of(job, settings)
    violations = [_reason(finding, reason(finding, language)) for finding in verdict.violations]
    notes = [_reason(finding, finding.why) for finding in verdict.notes]
    return {**item, "passed": verdict.passed, "violations": violations, "notes": notes}


def passed_by_rules(item: ItemState, job: Job, settings: Settings) -> ItemState:
    """Return the item as passed if its draft needs no model: mode `auto`, no reference is undecided, the gate passes it, and no
    messages came with it that may tell what it leaves out (those of talk were read when it was taken out).

    The gate node uses this result and does not check the draft again.
    """
    if settings.historian.rewrite_mode == "always" or item["undecided"] or (job.recent_messages and job.kind != "talk"):
        return item
    verdict = judge(item, item["draft"], job, settings)
    return {**with_verdict(item, verdict, job, settings), "first_pass": True} if verdict.passed else item


def last_resort(item: ItemState, draft_verdict: GateResult) -> ItemState:
    """Return the item as it is filed when no try is left.

    The rules' draft is filed where the gate finds nothing in it but words that stay open: an undecidable word does not take
    away the names that the others got. Where the draft itself may be wrong, only the times are resolved.
    """
    if draft_verdict.passed:
        return {**item, "candidate": item["draft"], "rewritten_by": "rules", "passed": True, "violations": []}
    if all(map(_stays_open, draft_verdict.violations)):
        return {**item, "candidate": item["draft"], "rewritten_by": _writer(item, item["draft"])}
    return {**item, "candidate": item["resolved"], "rewritten_by": _writer(item, item["resolved"])}


def _stays_open(finding: Finding) -> bool:
    """Return True if a finding names a word left as it was said, which says nothing against the rest of the text."""
    return finding.kind == "claim" or (finding.kind in RELATIVE_KINDS and finding.why not in ("owner", "lost"))


def _writer(item: ItemState, filed: str) -> Literal["rules", "time", "none"]:
    """Return who changed the text that is filed."""
    if filed != item["resolved"]:
        return "rules"
    return "time" if item["dated"] else "none"


def by_rules(job: Job, settings: Settings) -> list[ItemState]:
    """Return the items of a job as they are filed without a model, by rules and gate alone."""
    filed: list[ItemState] = []
    for item in prepare(job, settings):
        verdict = judge(item, item["draft"], job, settings)
        judged = with_verdict(item, verdict, job, settings)
        filed.append(judged if judged["passed"] else last_resort(judged, verdict))
    return filed


def _reason(finding: Finding, why: str) -> Reason:
    return Reason(kind=finding.kind, text=finding.text, start=finding.start, end=finding.end, why=why)
