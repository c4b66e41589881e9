"""The check of a rewrite against its source and drafts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from ...schema.language import Language, LanguageChoice
from ...schema.names import Names
from ..absolutize import LONGEST_TEXT
from ..language import detect_language
from ..protected import overlaps
from ..references.finding import Reference
from ..time_expressions import find_relative
from .faithfulness import Wording, name_spans, unfaithful
from .findings import Finding, GateResult
from .form import malformed
from .relative_words import Pronouns, is_unread, judge, protected_text, references_of, relative_parts
from .roles import misattributed
from .unsaid import unsaid


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
    open_subject: bool = False,
    beside: str = "",
) -> GateResult:
    """Return the gate's judgement on storing `candidate` in place of `source`.

    `source` is the input as written, `resolved` the input after time resolution, `draft` the output of the rule rewriter.
    `beside` are the messages before it, whose numbers, titles and names may be added.
    Violations are relative words that remain in the candidate (`find_relative_words`) and unfaithful content: a number,
    date, title or Latin name that none of the three texts contains ("invented") or that the resolved text contains and
    the candidate does not ("lost"); a person of the draft who is not named or is exchanged with another person;
    another language; an empty text; chatter of the model; a length that is far too short or too long. Names and ids
    of the job may always be added. A text of more than LONGEST_TEXT characters fails without being
    read, and so does one in another language than English and Chinese.

    `item` is "action" for the bot's own summary (the bot is "I") and "fact" for one piece of new information about the
    user. It decides who is the subject where the draft leaves it out, unless the draft has it open (`open_subject`).
    """
    if len(source) > LONGEST_TEXT or len(candidate) > 2 * LONGEST_TEXT:
        why = "unread" if len(source) > LONGEST_TEXT else "too long"
        return GateResult((Finding("length", "", 0, len(candidate), why),))
    if not candidate.strip():
        return GateResult((Finding("empty", "", 0, len(candidate), "empty"),))
    if language == "auto" and is_unread(source, names):
        return GateResult((Finding("language", candidate, 0, len(candidate), "other"),))
    references, times = relative_parts(candidate, names, language)
    times = [*times, *_left_standing(candidate, resolved, times, names, language)]
    relative = judge(candidate, references, times, names, pronouns)
    violations: list[Finding] = list(relative.violations)
    seen = {one.start for one in violations}
    # Who is meant is said once: a word that stands for somebody is reported by itself.
    told = any(one.kind != "time" for one in violations)
    violations.extend(
        one for one in unsaid(candidate, names, item) if one.start not in seen and not (told and one.why == "subject")
    )
    spans = name_spans(candidate, names)
    form = list(malformed(candidate, source=source, drafts=(resolved, draft), names=names, name_spans=spans, beside=beside))
    violations.extend(form)
    if not any(finding.kind == "language" for finding in form):
        wordings = {text: Wording.of(text, names) for text in (candidate, source, resolved, draft)}
        violations.extend(unfaithful(wordings[candidate], wordings[source], wordings[resolved], wordings[draft], names, beside))
        spoken: Language = detect_language(draft) if language == "auto" else language
        violations.extend(
            misattributed(
                candidate,
                draft,
                names,
                spoken,
                item,
                pronouns=_third_singular(references),
                open_subject=open_subject,
                draft_pronouns=_third_singular(references_of(draft, names, language)),
            )
        )
    return GateResult(tuple(sorted(violations, key=lambda one: (one.start, one.end))), relative.notes)


def _left_standing(
    candidate: str, resolved: str, found: Sequence[tuple[int, int, str]], names: Names, language: LanguageChoice
) -> Iterator[tuple[int, int, str]]:
    """Yield the relative times of the resolved text that stand in the candidate beside a name, unseen (8号小雨)."""
    if candidate == resolved:
        return
    seen = [(start, end) for start, end, _ in found]
    for _, _, wording in find_relative(resolved, language=language, protected=protected_text(resolved, names)):
        at = candidate.find(wording)
        if at >= 0 and not overlaps(seen, at, at + len(wording)):
            yield at, at + len(wording), wording


def _third_singular(references: Sequence[Reference]) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in references if one.is_he_or_she]
