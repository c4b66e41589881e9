"""Public conversations with questions and their evidence, read from the files of LoCoMo and
MADial-Bench.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

TURN_SECONDS = 30
"""The distance between the turns of a session. LoCoMo dates sessions, not turns."""

_EVIDENCE = re.compile(r"D(\d+):0*(\d+)")
_LOCOMO_TIME = "%I:%M %p on %d %B, %Y"
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}
"""LoCoMo's categories; 5 (adversarial, without an answer) is left out."""


@dataclass(frozen=True, slots=True)
class Document:
    """One record: its text as it is indexed, its speaker, and its time (UTC)."""

    text: str
    speaker: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """A query with the positions of its evidence among the documents."""

    text: str
    evidence: frozenset[int]
    category: str


@dataclass
class Conversation:
    """One scope."""

    name: str
    documents: list[Document] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


def corpora(paths: Sequence[Path], *, held_out: bool = False) -> dict[str, list[Conversation]]:
    """Return the corpora in the files, by name. With `held_out`, the questions `qa_held_out` of a
    file in LoCoMo's form replace `qa`.

    Raises ValueError for a file in neither form.
    """
    found: dict[str, list[Conversation]] = {}
    memories: dict[str, list[dict[str, Any]]] = {}
    dialogues: dict[str, list[dict[str, Any]]] = {}
    for path in paths:
        text = path.read_text(encoding="utf-8-sig")
        if text.lstrip().startswith("["):
            samples = [
                {**one, "qa": one.get("qa_held_out", []) if held_out else one["qa"]}
                for one in json.loads(text)
            ]
            found.setdefault("LoCoMo turns", []).extend(map(locomo_turns, samples))
            found.setdefault("LoCoMo observations", []).extend(map(locomo_observations, samples))
            continue
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        language = "zh" if re.search(r"[一-鿿]", text) else "en"
        if rows and "dialogue" in rows[0]:
            dialogues[language] = rows
        elif rows:
            memories[language] = [{"id": key, **one} for row in rows for key, one in row.items()]
        else:
            raise ValueError(f"{path}: neither LoCoMo nor MADial-Bench")
    # The English memories do not name their owners. They have the same numbers as the Chinese ones.
    owners = {
        one["id"]: one["user-id"]
        for every in memories.values()
        for one in every
        if "user-id" in one
    }
    for language in memories.keys() & dialogues.keys():
        owned = [
            {"user-id": owners[one["id"]], **one}
            for one in memories[language]
            if one["id"] in owners
        ]
        found[f"MADial {language}"] = madial(owned, dialogues[language])
    return found


def locomo_turns(sample: dict[str, Any]) -> Conversation:
    """Return one document per turn, `Speaker: text`, with the caption of a shared picture."""
    conversation = Conversation(str(sample["sample_id"]))
    places: dict[str, set[int]] = {}
    for at, turns in _sessions(sample["conversation"]):
        for n, turn in enumerate(turns):
            text = " ".join(part for part in (turn["text"], turn.get("blip_caption")) if part)
            places.setdefault(_id(turn["dia_id"]), set()).add(len(conversation.documents))
            moment = at + timedelta(seconds=TURN_SECONDS * n)
            conversation.documents.append(
                Document(f"{turn['speaker']}: {text}", turn["speaker"], moment)
            )
    return _with_questions(conversation, sample, places)


def locomo_observations(sample: dict[str, Any]) -> Conversation:
    """Return one document per observation, as a bot would have written it; its evidence are the
    turns from which it was made.
    """
    conversation = Conversation(str(sample["sample_id"]))
    places: dict[str, set[int]] = {}
    for number, (at, _) in enumerate(_sessions(sample["conversation"]), 1):
        for speaker, items in (
            sample["observation"].get(f"session_{number}_observation", {}).items()
        ):
            for text, *turns in items:
                for turn in map(
                    "D{}:{}".format, *zip(*_EVIDENCE.findall(json.dumps(turns)), strict=True)
                ):
                    places.setdefault(turn, set()).add(len(conversation.documents))
                conversation.documents.append(Document(text, speaker, at))
    return _with_questions(conversation, sample, places)


def madial(
    memories: Sequence[dict[str, Any]], dialogues: Sequence[dict[str, Any]]
) -> list[Conversation]:
    """Return one scope per user. The query is all the text before the turn in which the memory is
    needed.
    """
    users = {
        int(memory["user-id"]): Conversation(f"user {memory['user-id']}") for memory in memories
    }
    places: dict[tuple[int, int], int] = {}
    for memory in memories:
        user = int(memory["user-id"])
        places[user, int(memory["id"])] = len(users[user].documents)
        name = str(memory["event"]).partition("在")[0]
        speaker = name if name.isascii() and len(name) < 20 else ""
        at = datetime.fromisoformat(f"{memory['time']}T12:00:00+00:00")
        users[user].documents.append(Document(str(memory["event"]), speaker, at))
    for dialogue in dialogues:
        user = int(dialogue["user-id"])
        said = [
            line.strip() for line in dialogue["dialogue"] if not line.startswith(("<BOD>", "<EOD>"))
        ]
        due = min(dialogue["test-turn"]) - 1
        query = " ".join(re.sub(r'^<[^>]*>:?"?|"$', "", line) for line in said[:due])
        evidence = frozenset(
            places[user, one] for one in dialogue["relevant-id"] if (user, one) in places
        )
        if evidence and query:
            users[user].questions.append(Question(query, evidence, "all"))
    return list(users.values())


def _sessions(conversation: dict[str, Any]) -> list[tuple[datetime, list[dict[str, Any]]]]:
    sessions = []
    number = 1
    while f"session_{number}" in conversation:
        at = session_time(conversation[f"session_{number}_date_time"])
        sessions.append((at, conversation[f"session_{number}"]))
        number += 1
    return sessions


def session_time(text: str) -> datetime:
    """Return a time of LoCoMo (`1:56 pm on 8 May, 2023`) as a time in UTC."""
    return datetime.strptime(text, _LOCOMO_TIME).replace(tzinfo=UTC)


def _id(text: str) -> str:
    found = _EVIDENCE.search(text)
    return f"D{found[1]}:{found[2]}" if found else text


def _with_questions(
    conversation: Conversation, sample: dict[str, Any], places: dict[str, set[int]]
) -> Conversation:
    for item in sample["qa"]:
        if item["category"] not in CATEGORIES:
            continue
        turns = {f"D{a}:{b}" for a, b in _EVIDENCE.findall(json.dumps(item.get("evidence") or []))}
        evidence = (
            frozenset().union(*(places.get(turn, set()) for turn in turns))
            if turns
            else frozenset()
        )
        if evidence:
            conversation.questions.append(
                Question(item["question"], evidence, CATEGORIES[item["category"]])
            )
    return conversation
