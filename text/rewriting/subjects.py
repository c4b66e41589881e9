"""Prefixing of a text without a subject with its speaker: "Omar: Studies law", 刘洋：和女朋友去青岛.

The words are not changed. The speaker of a fact is the person who said it, the speaker of an action
is the bot.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from ..borders import begins_with, places_of
from ..references.agreement import is_finite_verb
from ..references.english import next_word
from ..references.people import ROLE_NOUNS
from ..sentence import Sentence
from ..word_lists import compiled_patterns, word_tables
from .wording import capital

_RE = compiled_patterns(word_tables("rewriting/subjects.toml"))
_LOOKED_AT = 2_000
"""Maximum characters of a text in which its subject is looked for."""
_DATE = re.compile(
    r"\d{4}(?:-\d{2}-\d{2}|年(?:\d{1,2}月)?(?:\d{1,2}日)?)(?:至\d{4}-\d{2}-\d{2})?(?: ?\d{2}:\d{2})?"
)


class Headed(NamedTuple):
    """A text, prefixed with its speaker if needed. `is_open` is True if its subject is unknown."""

    sentence: Sentence
    is_open: bool = False


def with_speaker(
    draft: Sentence,
    said: Sentence,
    speaker: str,
    replaced: Collection[int],
    *,
    is_deed: bool = False,
) -> Headed:
    """Return `draft`, prefixed with the name of its speaker if it has no subject.

    `said` is the text before the rewriting, and `replaced` are the offsets in it at which names
    replaced references. The subject of a fact is unknown (`is_open`) if `speaker` is "", or if the
    fact names its speaker as an object: the person who was helped or called is not the one who did
    so. A fact about a thing is an exception.
    """
    if not said.text.strip() or said.is_other_language:
        return Headed(draft)
    said = said.beginning(_LOOKED_AT)
    if names_subject(said, replaced, is_deed=is_deed):
        return Headed(draft)
    named = places_of(draft.text, (speaker,) if speaker else draft.names.everybody)
    if not is_deed and not speaker:
        return Headed(draft, is_open=not (named and _RE.of_thing.match(draft.text)))
    begins_with_relative = any(one.start == 0 for one in said.people)
    if (
        not is_deed
        and not begins_with_relative
        and any(_RE.owns.match(draft.text, end) is None for _, end in named)
    ):
        return Headed(draft, is_open=_RE.of_thing.match(draft.text) is None)
    mark = "：" if said.language == "zh" else ": "
    return Headed(draft.edited([(0, 0, f"{capital(draft.text, 0, speaker)}{mark}")]))


def after_time(sentence: Sentence) -> int:
    """Return the end of a time at the beginning of a text (今年, 2025年, 2026-02-20 20:00), else 0."""
    dated = _DATE.match(sentence.text)
    relative = next((one for one in sentence.times if one.start == 0), None)
    return relative.end if relative is not None else dated.end() if dated else 0


def names_subject(
    sentence: Sentence, replaced: Collection[int] = (), *, is_deed: bool = False
) -> bool:
    """Return True if a text names its subject.

    A subject is a name of the conversation at the beginning of the text or of a clause, or another
    person at the beginning. A role noun alone is no subject, since it needs an owner. A pronoun is
    a subject at the beginning, or if a name replaced it. In an action, only the bot is a subject
    after the beginning.
    """
    text, names = sentence.text, sentence.names
    everybody = [
        *names.everybody,
        *names.user_names,
        names.group_name,
        names.group("zh"),
        names.group("en"),
    ]
    if any(begins_with(text, name) for name in everybody if name):
        return True
    if any(
        _acts(sentence, *place)
        for place in places_of(text, (names.bot_name,) if is_deed else everybody)
    ):
        return True
    if any(one.start == 0 and one.name.lower() not in ROLE_NOUNS for one in sentence.people):
        return True
    spoken = (one for one in sentence.references if one.form not in ("here", "there"))
    return any(
        one.start == 0
        or (
            one.start in replaced
            and (one.person == "first" or not is_deed)
            and (one.form in ("subject", "chat") or _acts(sentence, one.start, one.end))
        )
        for one in spoken
    )


def _acts(sentence: Sentence, start: int, end: int) -> bool:
    """Return True if the name at `start` begins a clause.

    Then it is after a punctuation mark, a conjunction or a time, or before a verb.
    """
    text = sentence.text
    before = text[max(0, start - 60) : start]
    if any(one.end == start for one in sentence.times) or not before.strip():
        return True
    if "㐀" <= text[start] <= "鿿" or "㐀" <= before[-1] <= "鿿":
        return _RE.zh_lead.search(before) is not None
    return _RE.en_lead.search(before) is not None or is_finite_verb(next_word(text, end))
