"""The check of a text by the gate: is it true out of context?"""

from __future__ import annotations

from typing import Literal

from ...schema.language import LanguageChoice
from ...schema.names import Names
from ..absolutize import LONGEST_TEXT
from ..sentence import NOBODY, Sentence, as_sentence
from .findings import Finding, GateResult
from .relative_words import Pronouns, find_relative_words
from .unsaid import unsaid


def check(
    candidate: str | Sentence,
    *,
    source: str | Sentence,
    names: Names = NOBODY,
    item: Literal["action", "fact"],
    pronouns: Pronouns = "orphan",
    language: LanguageChoice = "auto",
) -> GateResult:
    """Return the gate's judgement on storing `candidate` in place of `source`.

    Violations are relative words (`find_relative_words`), what the text leaves unsaid (`unsaid`), and an empty text. A
    source of more than LONGEST_TEXT characters fails without being read, and so does a text in another language than
    English and Chinese. `item` is "action" for the bot's own summary and "fact" for one piece of new information.
    """
    said, made = as_sentence(source, names, language), as_sentence(candidate, names, language)
    text = made.text
    if len(said.text) > LONGEST_TEXT or len(text) > 2 * LONGEST_TEXT:
        why = "unread" if len(said.text) > LONGEST_TEXT else "too long"
        return GateResult((Finding("length", "", 0, len(text), why),))
    if not text.strip():
        return GateResult((Finding("empty", "", 0, len(text), "empty"),))
    if said.is_other_language or made.is_other_language:
        return GateResult((Finding("language", text, 0, len(text), "other"),))
    relative = find_relative_words(made, pronouns=pronouns)
    seen = {one.start for one in relative.violations}
    # Who is meant is said once: a word that stands for somebody is reported by itself.
    told = any(one.kind != "time" for one in relative.violations)
    left = (one for one in unsaid(made, item) if one.start not in seen)
    found = (*relative.violations, *(one for one in left if not (told and one.why == "subject")))
    return GateResult(tuple(sorted(found, key=lambda one: (one.start, one.end))), relative.notes)
