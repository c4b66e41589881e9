"""A rewrite judged against what it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ...schema.language import Language, LanguageChoice
from ...schema.names import Names
from ..language import detect_language
from ..references.finding import Reference
from .faithfulness import Wording, name_spans, unfaithful
from .findings import Finding, GateResult
from .form import malformed
from .relative_words import Pronouns, judge, references_of, relative_parts
from .roles import misattributed


def check(
    candidate: str,
    *,
    source: str,
    resolved: str,
    draft: str,
    names: Names,
    item: Literal["action", "fact"],
    pronouns: Pronouns = "orphan",
    language: LanguageChoice = "auto",
) -> GateResult:
    """Return whether `candidate` may stand in the records for `source`.

    `source` is the input as it was written, `resolved` the same after time resolution, `draft` after the rule rewriter.
    Violations are what is still relative in the candidate (`find_relative_words`) and what is unfaithful: a number,
    date, title or Latin name that none of the three holds ("invented") or that the resolved text holds and the
    candidate does not ("lost"); a person of the draft who is no longer named, or who changed places with another one;
    another language; nothing at all; words of the model that are no part of the record; a length out of all
    proportion. Names and ids of the job may always be brought in.

    `item` is what is being rewritten: "action" the bot's own summary (the bot is its "I"), "fact" one piece of new
    information about the user. It decides whose doing it is where the draft leaves the subject out.
    """
    if not candidate.strip():
        return GateResult((Finding("empty", "", 0, len(candidate), "empty"),))
    references, times = relative_parts(candidate, names, language)
    relative = judge(candidate, references, times, names, pronouns)
    violations: list[Finding] = list(relative.violations)
    spans = name_spans(candidate, names)
    form = malformed(candidate, source=source, drafts=(resolved, draft), names=names, name_spans=spans)
    violations.extend(form)
    if not any(finding.kind in ("language", "empty") for finding in form):
        wordings = {text: Wording.of(text, names) for text in (candidate, source, resolved, draft)}
        violations.extend(unfaithful(wordings[candidate], wordings[source], wordings[resolved], wordings[draft], names))
        spoken: Language = detect_language(draft) if language == "auto" else language
        violations.extend(
            misattributed(
                candidate,
                draft,
                names,
                spoken,
                item,
                pronouns=_third_singular(references),
                draft_pronouns=_third_singular(references_of(draft, names, language)),
            )
        )
    return GateResult(tuple(sorted(violations, key=lambda one: (one.start, one.end))), relative.notes)


def _third_singular(references: Sequence[Reference]) -> list[tuple[int, int]]:
    return [
        (one.start, one.end)
        for one in references
        if one.kind == "pronoun" and one.person == "third" and not one.plural and one.gender != "thing"
    ]
