"""The parts of the recent messages, each with who said it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...schema.job import Job
from ...schema.names import Names
from ..language import detect_language
from ..support import Terms, content_terms

LONGEST_MESSAGE = 2000
"""Characters of a message that are compared with a statement."""

BOT = "\0bot"
"""Who said what the bot said."""
_QUOTED = re.compile(r"[“「『\"](?P<body>[^”」』\"]{2,})[”」』\"]")
HEADER = re.compile(
    r"^(?P<name>[^\s\[:：,，。.!?！？\"“][^:：,，。!?！？\"“\n]{0,30}?)\s*"
    r"(?P<said>发消息说|的?原话|[说說]道?|[写寫]道|\s(?:said|says|wrote))?\s*[:：]\s*(?P<body>\S.*)$",
    re.DOTALL | re.IGNORECASE,
)
_FORWARDED = re.compile(r"转一段|转发|轉發|forward|fwd|reply to|quote", re.IGNORECASE)
_ASKS = re.compile(
    r"[?？]|[谁誰]|吗$|咋|怎么|帮我|帮忙|帮看|麻烦|请(?!客|假)|给我|求(?!职)|提醒我"
    r"|\b(?:please|pls|plz|can you|could you|would you|help me|"
    r"remind me|tell me|show me|give me)\b",
    re.IGNORECASE,
)
"""A question or a request: what it holds is not yet so."""
_PARTS = {"zh": re.compile(r"(?<=[。！？!?；;，,\n])"), "en": re.compile(r"(?<=[.!?\n])(?=\s)")}
"""Where a message may go over from telling to asking: in Chinese at a comma as well (浙大我师兄在那，要资料吗)."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """A part of a message: the name of who said it ("" if unknown), the id of who sent it ("" likewise), and whether it asks."""

    who: str
    sender_id: str
    text: str
    terms: Terms
    asks: bool


def utterances(job: Job, names: Names) -> Iterator[Utterance]:
    """Yield the parts of the recent messages with who said them; what somebody quotes is its author's."""
    for message in job.recent_messages:
        is_bot = bool(message.sender_name) and message.sender_name == names.bot_name
        is_bot = is_bot or bool(job.bot_id and message.sender_id == job.bot_id)
        is_user = message.sender_id == job.user_id
        is_user = is_user or (bool(names.user_name) and message.sender_name == names.user_name)
        language = detect_language(message.text)
        user = names.user(language)
        who = BOT if is_bot else user if is_user else message.sender_name or Names(user_id=message.sender_id).user(language)
        own = message.text[:LONGEST_MESSAGE]
        for part in _quoted_parts(own):
            head = own[: own.find(part)]
            author = next((name for name in names.people if name in head), "")
            own = own.replace(part, " ", 1)
            yield Utterance(author, message.sender_id, part, content_terms(part, names), False)
        parts = _PARTS[language].split(own)
        asked = "".join(part for part in parts if _ASKS.search(part))
        told = "".join(part for part in parts if not _ASKS.search(part)) if asked else own
        if told.strip():
            yield Utterance(who, message.sender_id, told, content_terms(told, names), False)
        if asked:
            yield Utterance(who, message.sender_id, asked, content_terms(asked, names), True)


def _quoted_parts(text: str) -> list[str]:
    forwarded = HEADER.match(text) if _FORWARDED.search(text) else None
    if forwarded is not None:
        return [forwarded["body"]]
    return [match["body"] for match in _QUOTED.finditer(text)]
