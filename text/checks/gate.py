"""The gate: the one function through which each text goes before it is stored.

    >>> from historian.schema.names import Names
    >>> verdict = check("He passed the exam", source="He passed the exam", item="fact")
    >>> [(one.kind, one.why) for one in verdict.violations]
    [('pronoun', 'orphan')]

The rules' draft and a model's text of a hand-over, an event of a talk, a line of a profile or an
article, and a sentence of a summary are all judged by `check`; its arguments say what is known of
the text. A new check is a function that yields `Finding`s, called in `check`: a check of every text
beside `find_relative_words`, a check of a model's text beside `unsupported`. The sentences for a
new kind or reason go to `reasons.toml`. What one caller accepts, `allows` says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal

from ...schema.language import LanguageChoice
from ...schema.names import Names
from ..language import detect_language
from ..rewriting.absolutize import LONGEST_TEXT
from ..sentence import NOBODY, Sentence, as_sentence
from .findings import Finding, SourceTexts, Verdict
from .missing_information import missing_information
from .relative_words import Pronouns, find_relative_words
from .supported import lost, unsupported

_CHATTER = re.compile(
    r"\n|```|^\s*[\[{<#*-]|^(?:好的|以下|下面|改写|输出|答|作为|抱歉"
    r"|(?:sure|here|okay|rewritten|output|answer|note|sorry|as an)\b)[^\n]{0,60}?[:：，,]",
    re.IGNORECASE,
)
"""Phrases and markup that a model adds around a text."""


def check(
    text: str | Sentence,
    names: Names = NOBODY,
    *,
    source: str | Sentence | None = None,
    item: Literal["action", "fact"] | None = None,
    sources: SourceTexts | None = None,
    kept: str | None = None,
    allows: Callable[[Finding], bool] = lambda _: False,
    most: int = 0,
    pronouns: Pronouns = "orphan",
    language: LanguageChoice = "auto",
) -> Verdict:
    """Return the gate's judgement on storing `text`.

    A text must not be empty, nor longer than `most` characters (0: any length), and must have no
    relative words (`find_relative_words`).

    A text that stands for a handed-over `source` fails without being read further if the source has
    more than LONGEST_TEXT characters, if the text has more than twice as many, or if either is in
    another language than English or Chinese. `item` says what was handed over: the bot's own
    "action" or a "fact"; then no information may be missing (`missing_information`).

    A model's text has `sources`, which must support it (`unsupported`). A model's rewrite of a
    `source` has `kept`, the source with its times resolved: the rewrite must be in its language and
    without chatter, and must lose nothing of it (`lost`).

    Relative words and missing information that `allows` accepts are no violations. `names` are the
    names of the conversation; a `Sentence` brings its own.
    """
    sentence = as_sentence(text, names, language)
    given = None if source is None else as_sentence(source, names, language)
    if unread := _unread(sentence, given, most):
        return Verdict((unread,))
    relative = find_relative_words(sentence, pronouns=pronouns)
    found = list(relative.violations)
    if item is not None:
        seen = {one.start for one in found}
        # A relative word other than a time explains a missing subject, which is not reported twice.
        is_told = any(one.kind != "time" for one in found)
        found += (
            one
            for one in missing_information(sentence, item)
            if one.start not in seen and not (is_told and one.why == "subject")
        )
        found.sort(key=lambda one: (one.start, one.end))
    found = [one for one in found if not allows(one)]
    if given is not None and kept is not None:
        found += _of_rewrite(sentence, given)
    if sources is not None:
        found += unsupported(sentence.text, sources, sentence.names)
        found += lost(sentence.text, kept, sentence.names) if kept else ()
    return Verdict(tuple(found), relative.notes)


def is_unread(text: str | Sentence, names: Names = NOBODY) -> bool:
    """Return True if a text is neither English nor Chinese, apart from the `names` in it."""
    return as_sentence(text, names).is_other_language


def _unread(made: Sentence, source: Sentence | None, most: int) -> Finding | None:
    """Return why a text is not read at all, or None."""
    text = made.text
    if source is not None and len(source.text) > LONGEST_TEXT:
        return Finding("length", "", 0, len(text), "unread")
    if source is not None and len(text) > 2 * LONGEST_TEXT:
        return Finding("length", "", 0, len(text), "too long")
    if most and len(text) > most:
        return Finding("length", str(most), 0, len(text), "limit")
    if not text.strip():
        return Finding("empty", "", 0, len(text), "empty")
    if source is not None and (source.is_other_language or made.is_other_language):
        return Finding("language", text, 0, len(text), "other")
    return None


def _of_rewrite(made: Sentence, source: Sentence) -> Iterator[Finding]:
    """Yield findings for chatter around a rewrite, and for one in another language."""
    text = made.text
    if _CHATTER.search(text) and not _CHATTER.search(source.text):
        yield Finding("length", text, 0, len(text), "too long")
    if detect_language(source.text) not in (detect_language(text), made.language):
        yield Finding("language", text, 0, len(text))
