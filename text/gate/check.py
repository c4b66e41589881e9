"""The check of a text by the gate: is it true out of context?"""

from __future__ import annotations

from typing import Literal

from ...schema.language import LanguageChoice
from ...schema.names import Names
from ..absolutize import LONGEST_TEXT
from .findings import Finding, GateResult
from .relative_words import Pronouns, find_relative_words, is_unread
from .unsaid import unsaid


def check(
    candidate: str,
    *,
    source: str,
    names: Names,
    item: Literal["action", "fact"],
    pronouns: Pronouns = "orphan",
    language: LanguageChoice = "auto",
) -> GateResult:
    """Return the gate's judgement on storing `candidate` in place of `source`.

    Violations are relative words (`find_relative_words`), what the text leaves unsaid (`unsaid`), and an empty text. A
    source of more than LONGEST_TEXT characters fails without being read, and so does a text in another language than
    English and Chinese. `item` is "action" for the bot's own summary and "fact" for one piece of new information.
    """
    if len(source) > LONGEST_TEXT or len(candidate) > 2 * LONGEST_TEXT:
        why = "unread" if len(source) > LONGEST_TEXT else "too long"
        return GateResult((Finding("length", "", 0, len(candidate), why),))
    if not candidate.strip():
        return GateResult((Finding("empty", "", 0, len(candidate), "empty"),))
    if language == "auto" and (is_unread(source, names) or is_unread(candidate, names)):
        return GateResult((Finding("language", candidate, 0, len(candidate), "other"),))
    relative = find_relative_words(candidate, names=names, pronouns=pronouns, language=language)
    seen = {one.start for one in relative.violations}
    # Who is meant is said once: a word that stands for somebody is reported by itself.
    told = any(one.kind != "time" for one in relative.violations)
    left = (one for one in unsaid(candidate, names, item) if one.start not in seen)
    found = (*relative.violations, *(one for one in left if not (told and one.why == "subject")))
    return GateResult(tuple(sorted(found, key=lambda one: (one.start, one.end))), relative.notes)
