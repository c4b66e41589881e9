"""Observations as a former version kept them of talk and of tools, and the messages that they are now."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any, NamedTuple

from historian.schema.event import Event
from historian.schema.ids import digest_of
from historian.text.tokens import chunk
from support.events import make_event

LONG = " ".join(
    f"Then number {n} happened: we looked at house {n}, and it was fine." for n in range(40)
)
LONG_ZH = "".join(f"第{n}天：我们去了第{n}家店，老板说：很好。" for n in range(60))


class Former(NamedTuple):
    """What was said or returned, as `text` with its speaker in front, in a former version.

    Now it is a message of `role` by `speaker` with the words `words`, or still an observation (`role` empty).
    """

    text: str
    words: str
    role: str = "user"
    speaker: str = ""
    kind: str = "fact"
    user_id: str = "42"
    user_name: str = ""
    borne: str | None = None
    """`user_name` of the message, if it is not that of the observation."""


def _bot(text: str, words: str, speaker: str, **more: Any) -> Former:
    return Former(text, words, "assistant", speaker, "action", borne="", **more)


def _tool(text: str, **more: Any) -> Former:
    return Former(text, text, "", "", "action", **more)


FORMER = {
    "by name": Former("Ann: I moved to Leeds", "I moved to Leeds", speaker="Ann", user_name="Ann"),
    "by id": Former("42: I moved", "I moved", speaker="42"),
    "of nobody known": Former("user: I moved", "I moved", speaker="42"),
    "of a human": Former("human: I moved", "I moved", speaker="42"),
    "colon in the name": Former("A: B: hello: you", "hello: you", speaker="A: B", user_name="A: B"),
    "brackets in the name": Former(
        "小林（工号 7）: 我搬家了", "我搬家了", speaker="小林（工号 7）", user_name="小林（工号 7）"
    ),
    "emoji in the name": Former(
        "🦊 Fox →: hi 🎉", "hi 🎉", speaker="🦊 Fox →", user_name="🦊 Fox →"
    ),
    "name shown with the id": Former(
        "Clio (42): hi", "hi", speaker="Clio", user_name="Clio (42)", borne="Clio"
    ),
    "name redacted": Former("[phone]: hi there", "[phone]: hi there", speaker="42"),
    "name twice": Former("Ann: Ann: what?", "Ann: what?", speaker="Ann", user_name="Ann"),
    "nothing but a name": Former("Ann:", "Ann:", speaker="Ann", user_name="Ann"),
    "looks like a call": Former("Ann: f(x) → 3", "f(x) → 3", speaker="Ann", user_name="Ann"),
    "several lines": Former("Ann: 一\n二: 三", "一\n二: 三", speaker="Ann", user_name="Ann"),
    "long": Former(f"Ann: {LONG}", LONG, speaker="Ann", user_name="Ann"),
    "long Chinese": Former(f"小林: {LONG_ZH}", LONG_ZH, speaker="小林", user_name="小林"),
    "bot": _bot("Clio: noted: 3 eggs", "noted: 3 eggs", "Clio"),
    "bot without a name": _bot("assistant: noted", "noted", "assistant"),
    "bot with brackets": _bot("Clio (bot): noted", "noted", "Clio (bot)"),
    "bot with a name kept": _bot("Clio: 2.0: noted", "noted", "Clio: 2.0", user_name="Clio: 2.0"),
    "Chinese bot": _bot("小史【助手】: 记住了：三个鸡蛋", "记住了：三个鸡蛋", "小史【助手】"),
    "long of the bot": _bot(f"Clio: {LONG}", LONG, "Clio"),
    "tool": _tool("weather({'city': 'Leeds'}) → rain: all day"),
    "tool without arguments": _tool("now() → time: 12:30"),
    "long of a tool": _tool("read({'path': 'x: y'}) → " + LONG),
    "long call": _tool("write({'text': '" + LONG + "'}) → done"),
    "of the role tool": _tool("tool: rain: all day"),
    "long of the role tool": _tool(f"tool: {LONG}"),
    "instructions": _tool("system: be kind: always"),
}


def observations(name: str, *, max_tokens: int = 100, **fields: Any) -> list[Event]:
    """The observations of `FORMER[name]`, one a chunk, as the former version filed them."""
    former = FORMER[name]
    job = hashlib.sha256(name.encode()).hexdigest()[:32]
    return [
        make_event(
            f"observation-{job}",
            n,
            **{
                "event_id": f"observation-{digest_of(piece)}-{job[:4]}",
                "kind": former.kind,
                "text": piece,
                "user_id": former.user_id,
                "user_name": former.user_name,
                "is_absolute": False,
                "gate_reasons": ("observed as it was, not rewritten",),
                "rewritten_by": "none",
                "source": "observation",
                "schema_version": 2,
                "timestamp": 1_770_000_000.0,
                **fields,
            },
        )
        for n, piece in enumerate(chunk(former.text, max_tokens))
    ]


def messages(name: str, **fields: Any) -> list[Event]:
    """What they are now."""
    former, before = FORMER[name], observations(name, **fields)
    if not former.role:
        return before
    head = len(former.text) - len(former.words)
    pieces = [
        one.text[head:] if one.text.startswith(former.text[:head]) and head else one.text
        for one in before
    ]
    is_person = former.role == "user"
    return [
        replace(
            one,
            text=text,
            kind="message",
            source="message",
            role=former.role,
            gate_reasons=(),
            schema_version=3,
            said_by=one.user_id if is_person else "",
            user_name=one.user_name if former.borne is None else former.borne,
            bot_name="" if is_person else former.speaker,
        )
        for one, text in zip(before, pieces, strict=True)
    ]
