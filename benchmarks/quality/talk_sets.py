"""Sets of talk with questions, in the forms that the benchmark `recall` lists."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from .retrieval_corpora import corpora

DAY = 86_400.0


@dataclass(frozen=True)
class Asked:
    """A question: the places of the wanted messages, or the expressions that the block must
    match.
    """

    text: str
    asker: str = ""
    at: float = 0.0
    gold: frozenset[int] = frozenset()
    expressions: tuple[str, ...] = ()


@dataclass
class TalkSet:
    """One conversation with questions about it; `messages` are (id, seconds since the epoch, sender, name, text)."""

    name: str
    messages: list[tuple[str, float, str, str, str]]
    questions: list[Asked]
    facts: list[Asked] = field(default_factory=list)
    silence: list[Asked] = field(default_factory=list)
    bot: str = "bot"

    @property
    def now(self) -> float:
        return max(at for _, at, *_ in self.messages) + DAY


def read_sets(path: Path, conversations: int, *, held_out: bool) -> list[TalkSet]:
    """Return the conversations of a file."""
    data = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(data, dict):
        return [
            chat_set(f"{path.stem}-{n}", one) for n, one in enumerate(data.get("people", [data]))
        ][:conversations]
    found = corpora([path], held_out=held_out)["LoCoMo turns"][:conversations]
    return [
        TalkSet(
            one.name,
            [
                (
                    f"m{n}",
                    said.at.timestamp(),
                    said.speaker.lower(),
                    said.speaker,
                    said.text.removeprefix(f"{said.speaker}: "),
                )
                for n, said in enumerate(one.documents)
            ],
            [
                Asked(asked.text, one.documents[0].speaker.lower(), gold=asked.evidence)
                for asked in one.questions
            ],
        )
        for one in found
    ]


def chat_set(name: str, data: Mapping[str, Any]) -> TalkSet:
    """Return the conversation of a chat with its questions."""
    messages = [
        (
            str(one.get("id", n)),
            datetime.fromisoformat(one["at"]).timestamp(),
            str(one.get("sender_id") or data.get("user_id") or "user"),
            str(one.get("name") or data.get("user_name") or ""),
            one.get("content") or one["text"],
        )
        for n, one in enumerate(data["messages"])
    ]
    place = {message_id: n for n, (message_id, *_) in enumerate(messages)}

    def asked(one: Mapping[str, Any]) -> Asked:
        gold = one.get("gold", ())
        return Asked(
            one.get("q") or one.get("question") or one.get("note", ""),
            str(one.get("asker") or one.get("about") or data.get("user_id") or "user"),
            datetime.fromisoformat(one["at"]).timestamp() if one.get("at") else 0.0,
            frozenset(
                place[str(key)]
                for key in ([gold] if isinstance(gold, str) else gold)
                if str(key) in place
            ),
            tuple(one.get("rx", ())),
        )

    parts = {
        key: [asked(one) for one in data.get(key, ())] for key in ("questions", "facts", "silence")
    }
    return TalkSet(
        name,
        messages,
        parts["questions"],
        parts["facts"],
        parts["silence"],
        data.get("bot_name", "bot"),
    )
