"""Parts of the recent messages, each with its speaker."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...schema.job import Job
from ...schema.names import Names
from ..content_words import Terms, content_terms
from ..language import detect_language
from ..quotations import comparable
from ..rewriting.first_person import says_i
from ..sentence import Sentence

LONGEST_MESSAGE = 2000
"""Maximum characters of a message that are compared with a statement."""

BOT, USER = "\0bot", "\0user"
"""`Utterance.who` of the bot and of the user."""
_QUOTED = re.compile(r"[“「『\"](?P<body>[^”」』\"]{2,})[”」』\"]")
HEADER = re.compile(
    r"^(?P<name>[^\s\[:：,，。.!?！？\"“][^:：,，。!?！？\"“\n]{0,30}?)\s*"
    r"(?P<said>发消息说|的?原话|[说說]道?|[写寫]道|\s(?:said|says|wrote))?\s*[:：]\s*(?P<body>\S.*)$",
    re.DOTALL | re.IGNORECASE,
)
_FORWARDED = re.compile(r"转一段|转发|轉發|forward|fwd|reply to|quote", re.IGNORECASE)
_ASKS = re.compile(
    r"[?？]|[谁誰]|吗$|咋|怎么|帮我|帮忙|帮看|麻烦|请(?!客|假)|给我|求(?!职)|提醒我"
    r"|\b(?:please|pls|plz|(?:can|could|would) you|(?:help|remind|tell|show|give) me)\b",
    re.IGNORECASE,
)
"""Marks of a question or a request, whose content is no fact."""
_PARTS = {"zh": re.compile(r"(?<=[。！？!?；;，,\n])"), "en": re.compile(r"(?<=[.!?\n])(?=\s)")}
"""Borders between statements and questions in a message.

In Chinese a comma is a border too (浙大我师兄在那，要资料吗).
"""


@dataclass(frozen=True)
class Utterance:
    """A part of a message.

    `who` is the speaker (BOT, USER, a name, or "" if unknown), and `sender_id` the sender's id or
    "". `asks` is True for questions and requests.
    """

    who: str
    sender_id: str
    text: str
    asks: bool
    names: Names

    @cached_property
    def sentence(self) -> Sentence:
        """The text as a sentence."""
        return Sentence(self.text, self.names)

    @cached_property
    def terms(self) -> Terms:
        """The content words of the text."""
        return content_terms(self.text, self.names)

    @cached_property
    def plain(self) -> str:
        """The text in the form of `comparable`."""
        return comparable(self.text)

    @cached_property
    def says_i(self) -> bool:
        """True if the text says "I" or "my"."""
        return says_i(self.sentence)

    @cached_property
    def others(self) -> frozenset[str]:
        """Names and roles of other people in the text, and its words for a third person."""
        words = (
            one.text
            for one in self.sentence.references
            if one.person == "third" and one.gender != "thing"
        )
        known = {self.names.bot_name, self.names.user_name, self.who}
        people = (one.name.casefold() for one in self.sentence.people if one.name not in known)
        return frozenset((*words, *people))


def utterances(job: Job, names: Names) -> Iterator[Utterance]:
    """Yield the parts of the recent messages with their speakers.

    The speaker of a quotation is its author.
    """
    for message in job.recent_messages:
        sender, name = message.sender_id, message.sender_name
        if (name and name == names.bot_name) or (job.bot_id and sender == job.bot_id):
            who = BOT
        elif sender == job.user_id or (names.user_name and name == names.user_name):
            who = USER
        else:
            who = name or Names(user_id=sender).user(detect_language(message.text))
        own = message.text[:LONGEST_MESSAGE]
        for part in _quoted_parts(own):
            head = own[: own.find(part)]
            author = next((name for name in names.people if name in head), "")
            own = own.replace(part, " ", 1)
            yield Utterance(
                USER if author in names.user_names and author else author,
                sender,
                part,
                False,
                names,
            )
        parts = _PARTS[detect_language(own)].split(own)
        asked = "".join(part for part in parts if _ASKS.search(part))
        told = "".join(part for part in parts if not _ASKS.search(part)) if asked else own
        for part, asks in ((told, False), (asked, True)):
            if part.strip():
                yield Utterance(who, sender, part, asks, names)


def _quoted_parts(text: str) -> list[str]:
    forwarded = HEADER.match(text) if _FORWARDED.search(text) else None
    return [forwarded["body"]] if forwarded is not None else _QUOTED.findall(text)
