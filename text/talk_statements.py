"""What a message tells that is worth remembering, by rules; and the check of statements that a model took from messages."""

from __future__ import annotations

import re

from ..schema.names import Names
from .gate import find_invented
from .no_facts import why_no_fact
from .references.finding import deictic_words
from .statements import LONGEST_STATEMENT, statements
from .support import content_terms, share
from .telling import TELLS, compact, telling

MOST_STATEMENTS = 8
"""The most statements of one message. A longer message is a document, not talk."""
LONGEST_MESSAGE = 8_000
"""Characters of a message that statements are taken from."""
CARRIED = 0.7
"""The least share of a statement's content words that its message must hold."""

_CHAT = re.compile(
    r"^(?:哈{2,}|嗯+|哦+|好[的吧呀啊]?|谢谢|晚安|早安?|拜拜|在吗|收到"
    r"|ok(?:ay)?|lol|thanks?(?: you)?|hi|hello|bye|good (?:night|morning))\b",
    re.I,
)
_COMMAND = re.compile(r"^\s*(?:[/!#.]\w|https?://\S+\s*$|\[CQ:[^\]]+\]\s*$)")

_REDACTED = re.compile(r"\[[A-Z][A-Z_]+\]")
"""A secret's placeholder: what is said about it is not worth remembering."""


def statements_by_rules(message: str, names: Names) -> list[str]:
    """Return the statements of a person's message that tell something lasting, in its own words; of small talk none."""
    if _COMMAND.match(message):
        return []
    found: list[str] = []
    for one in statements(message[:LONGEST_MESSAGE]):
        short = compact(one, names)
        if (
            not short
            or len(short) > LONGEST_STATEMENT
            or _CHAT.match(short)
            or _REDACTED.search(short)
            or why_no_fact(one, names)
        ):
            continue
        if _worth(short, names) >= TELLS:
            found.append(short)
    return found[:MOST_STATEMENTS]


def _worth(statement: str, names: Names) -> float:
    """Return how much a statement tells, in the first person as well as told of its sender."""
    user = names.user("zh" if not statement.isascii() else "en")
    told = re.sub(r"^(?:我|俺)(?!们)", user, statement)
    told = re.sub(r"^I(?:['’]m| am)\b", f"{user} is", told)
    told = re.sub(r"^I['’]ve\b", f"{user} has", told)
    told = re.sub(r"^My\b", f"{user}'s", told, flags=re.I)
    told = re.sub(r"^I\b", user, told)
    return max(telling(statement, names), telling(told, names))


def why_not_told(statement: str, message: str, names: Names) -> str:
    """Return why a statement is not what a message says: "empty", "question", "invented" or "not said"; "" if it is.

    The names of the conversation may stand for its pronouns; any other number, date, title or Latin name must be in the message,
    and so must most of the statement's words.
    """
    bare = statement.strip()
    if not bare or len(bare) > LONGEST_STATEMENT:
        return "empty"
    if why_no_fact(bare, names) or _REDACTED.search(bare):
        return "question"
    if find_invented(bare, message, names):
        return "invented"
    wanted = content_terms(bare, names)
    if wanted and share(wanted, content_terms(message, names)) < CARRIED:
        return "not said"
    if not wanted and not deictic_words(bare, ()):
        return "not said"
    return ""
