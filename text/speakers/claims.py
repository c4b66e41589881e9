"""Claims, which are filed as quotations, and statements that are no facts.

Claims are statements about others, rules, and orders to the memory. Suppositions, questions, tests
and quotations from the memory itself are no facts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...schema.names import Names
from ..borders import begins_with
from ..language import Language
from ..profiles.lines import is_about_group, subject_of
from ..questions import tells_of_question
from ..references.people import ROLE_NOUNS, find_people
from ..statements import gives_orders
from ..word_lists import word_tables
from .mentions import with_group

_REASONS = {
    why: re.compile("|".join(pieces), re.IGNORECASE)
    for why, pieces in word_tables("speakers/no_facts.toml").items()
}


def why_no_fact(text: str, names: Names) -> str:
    """Return why a statement is no fact (recalled, test, supposed, question, asked, played), or "".

    An "asked" statement reports that somebody asked a question. This is true, but it is no
    information about a person.
    """
    if names.group_name:
        text = text.replace(names.group_name, " ")
    reason = next((why for why, pattern in _REASONS.items() if pattern.search(text.strip())), "")
    return reason or ("asked" if tells_of_question(text.strip()) else "")


_OF_ALL = re.compile(
    r"^(?:(?:the|our|all|according to) )*(?:nobody|no one|any(?:one|body)|(?:(?:club|group|server|chat)(?:['’]s)? )?"
    r"(?:rules?|admins?|owners?|moderators?|members?)|club|group|server|chat|of (?:you|us))\b(?! (?:of|at|in|with|for|from)\b)"
    r"|^(?:按照?|根据|依照)?(?:本?群|规[则定矩]|管理员|没有?人|谁[都也]|任何人|除了[^，。]{1,8}谁|你们)",
    re.IGNORECASE,
)
"""Beginnings of statements about all members of a group, its rules, or its admins."""
_AND = re.compile(r"\s*(?:(?:and|&)\s+|[和跟与同、]\s*)")


def is_claim(text: str, names: Names) -> bool:
    """Return True if the subject of a statement is not its speaker, who is the user of `names`.

    The subject is another person, the bot, everybody, or the group and its rules.
    """
    own = (names.user("zh"), names.user("en"))
    subject = subject_of(text, names)
    if subject:
        return subject not in own and not _is_with(text[len(subject) :], own)
    if names.group() and (_OF_ALL.match(text) or is_about_group(with_group(text, names), names)):
        return True
    named = find_people(text, names.everybody)
    is_other = bool(named) and named[0].start == 0 and named[0].name.lower() not in ROLE_NOUNS
    return is_other and not _is_with(text[named[0].end :], own)


def _is_with(rest: str, own: Sequence[str]) -> bool:
    """Return True if `rest` adds the speaker to the subject: " and I got married"."""
    joined = _AND.match(rest)
    return joined is not None and any(
        begins_with(rest, one, joined.end()) for one in ("I", "我", *own)
    )


def as_said(text: str, speaker: str, language: Language) -> str:
    """Return a statement prefixed with its speaker.

    A statement that gives orders to the memory is put in quotation marks.
    """
    if gives_orders(text):
        return f"{speaker}说：“{text}”" if language == "zh" else f'{speaker} said: "{text}"'
    return f"{speaker}说：{text}" if language == "zh" else f"{speaker} said: {text}"


def without_speaker(text: str, speaker: str) -> str:
    """Return a statement without the prefix that `as_said` adds."""
    return next(
        (
            text.removeprefix(head)
            for head in (f"{speaker}说：", f"{speaker} said: ")
            if text.startswith(head)
        ),
        text,
    )
