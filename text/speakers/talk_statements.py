"""The check of statements that a model took from messages, and what they leave open."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...schema.names import Names
from ..gate import find_invented
from ..questions.asking import asking_sentences
from ..references.finding import deictic_words
from ..statements import LONGEST_STATEMENT
from ..support import content_terms, share
from .no_facts import why_no_fact

MOST_STATEMENTS = 8
"""The most statements of one message. A longer message is a document, not talk."""
CARRIED, OWN = 0.7, 0.25
"""The least shares of a statement's content words that the talk must hold, and its message itself."""

_GREETING = re.compile(
    r"^(?:(?:(?:哈[喽啰]|嗨)[，, ]?)?(?:大家|各位|你们?|您|早上|[上中下]午|晚上)好[啊呀]?|哈[喽啰]|嗨|早安?|好[的吧]"
    r"|谢谢(?:大家|各位|你们?)?|(?:hi|hello|hey|good (?:morning|evening|afternoon)|thanks)"
    r"(?: (?:all|everyone|everybody|guys|folks|there|again))?)"
    r"[，,！!。.~～]+\s*(?=我|I\b|my\b|we\b)",
    re.I,
)
"""A greeting, a thanks or an "okay" before what somebody tells of themself."""
_CALLED = re.compile(r"^\s*(?:@\S{1,40}\s+|\[CQ:at,[^\[\]]*\][,，:：]?\s*)+")
"""Whom a message is said to. "You" in it is they; else they are not in what it tells."""
_CALLED_TO_TELL = re.compile(_CALLED.pattern + r"(?=[我俺咱]|I\b|[Mm]y\b|[Ww]e\b|[Oo]ur\b)")
_YOURS = re.compile(r"[你您妳]|(?<![\w'’])(?:you|your|yours|u)(?![\w])", re.I)
_TOLD = re.compile(r"^(?P<name>\S.{0,40}?)(?:说：| said: )(?P<body>.+)$", re.DOTALL)
_POINTS = re.compile(
    r"(?<![\w'’])(?:it|its(?= (?:an?|the|been|not|just|so|too) )|this|that|these|those|them)(?![\w])"
    r"(?!\s+(?:is why|way|time|week|month|year|morning|evening))"
    r"|(?<![我咱们])那(?!么|里|边|时|天|就|样|个时|种(?:$|[\s，。]))|[它牠]|这(?!么|里|边|样|会|就|才|次|[个两几一]?[天周月年季学])",
    re.I,
)
NAMED_BEFORE = 3
"""So many content words before "it" may be what it means; what 那药 means stands elsewhere in the talk."""

_CLAUSES = re.compile(r"(?<=[。！？!?.\n])")

_REDACTED = re.compile(r"\[[A-Z][A-Z_]+\]")
"""A secret's placeholder: what is said about it is not worth remembering."""


def without_greeting(statement: str) -> str:
    """Return a statement without the greeting that it begins with: 大家好，我对花生过敏."""
    return _GREETING.sub("", statement, count=1)


def without_address(statement: str) -> str:
    """Return a statement that begins with "I" after a mention without that mention: whom it is said to. "You" needs it."""
    return statement if _YOURS.search(statement) else _CALLED_TO_TELL.sub("", statement)


def leans_on_talk(statement: str, names: Names) -> bool:
    """Return True if a statement out of talk may need the messages around it to be understood.

    It is told as its speaker's words and begins with nobody's name, or it points ("it", 那药) at what it does not name before.
    """
    told = _TOLD.match(statement)
    if told is not None and not any(name and told["body"].startswith(name) for name in (names.user_name, *names.others)):
        return True
    points = _POINTS.search(statement)
    if points is None or not points.group().isascii():
        return points is not None
    return len(content_terms(statement[: points.start()], names)) < NAMED_BEFORE


def why_not_told(statement: str, message: str, names: Names, talk: str = "", others: Sequence[str] = ()) -> str:
    """Return why a statement is not what a message says: "empty", "question", "invented" or "not said"; "" if it is.

    The names of the conversation may stand for its pronouns; any other number, date, title or Latin name must be in the message
    or the `talk` around it, and so must most of the statement's words. It has some words of the message, or most of a short one,
    and is not what one of the `others` told, a message of somebody else. Their questions tell nothing.
    """
    bare = statement.strip()
    if not bare or len(bare) > LONGEST_STATEMENT:
        return "empty"
    if why_no_fact(bare, names) or _REDACTED.search(bare):
        return "question"
    if find_invented(bare, f"{message}\n{talk}", names):
        return "invented"
    wanted, own = content_terms(bare, names), content_terms(message, names)
    if wanted and share(wanted, own | content_terms(talk, names)) < CARRIED:
        return "not said"
    mine = share(wanted, own)
    if wanted and (not own or max(mine, share(own, wanted)) < OWN):  # "yes, on Sunday" says all that it says
        return "not said"
    for other in others if mine < CARRIED else ():
        told = " ".join(part for part in _CLAUSES.split(other) if not asking_sentences(part))
        if share(wanted, content_terms(told, names)) >= CARRIED:
            return "not said"
    if not wanted and not deictic_words(bare, ()):
        return "not said"
    return ""
