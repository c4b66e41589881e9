"""What is found of raw talk: LoCoMo's turns handed over by `remember`, and its questions asked of what was filed.

    python -m benchmarks.quality.extraction locomo.json [--conversations 1] [--sessions N] [--embedding local|none]
                                                [--base-url URL --model NAME]

Every turn is a message of its speaker, dated by its session; nothing is distilled, and without a model nothing is taken out. Each
question (the adversarial ones aside) is searched for among these records, and counts what it finds of its evidence in
the first ten:

| row | records |
| --- | --- |
| turns | the messages themselves |
| events | the statements that a model took out of them; one covers the turn that it comes from |
| both | turns and events, as a bot searches them |
| observations | those that the set brings along, made by a large model; filed as new information |

`filed` is the share of questions of whose evidence at least one turn was filed at all, `any` of those that find a part of it
among ten, `R@10` the mean share of the evidence found. The last lines tell the same of the block that `build_context` gives for
the question (800 tokens), in which a turn stands as a message or as a statement that was made of it: without an asker, asked by
the speaker whom the question does not name, and asked so at once, when the messages are filed and hardly any has a vector.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from historian import CognitiveService, Scope
from historian.retrieval.prompt_block.quoting import quoted
from historian.schema.event import EventFilter
from historian.schema.settings import Settings
from historian.schema.settings.source import parse_settings
from historian.text.tokens import estimate_tokens

from ..machine import machine_line
from .retrieval_corpora import Conversation, locomo_observations, locomo_turns

TOP_K = 10
BATCH = 20
"""The number of turns that are handed over in one call."""
AT_ONCE, ASKED, BLOCK = "block, at once", "block, asker known", "block"
_DATED = re.compile(r" \(\d{4}-\d\d-\d\d[^()]{0,20}\)")
"""A day in brackets after its expression."""
BLOCKS = (AT_ONCE, ASKED, BLOCK)
SHOWN = 200
"""A text counts as shown if the block holds this many of its first characters, because the last
line may be cut."""


@dataclass
class Row:
    """The results for one kind of records, one number per question; `records` and `turns` are
    counts.
    """

    filed: list[bool] = field(default_factory=list)
    any: list[bool] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)
    records: int = 0
    turns: int = 0

    def note(self, evidence: frozenset[int], filed: set[int], found: set[int]) -> None:
        """Count a question. The arguments are the places of its evidence, of the filed records and
        of the hits.
        """
        self.filed.append(bool(evidence & filed))
        self.any.append(bool(evidence & found))
        self.recall.append(len(evidence & found) / len(evidence))


def beginning(sample: dict[str, Any], sessions: int) -> dict[str, Any]:
    """Return the first sessions of a sample, with those questions whose evidence lies completely in
    them.
    """
    kept = {
        name: turns
        for name, turns in sample["conversation"].items()
        if int((re.findall(r"\d+", name) or [0])[0]) <= sessions
    }
    asked = [
        one
        for one in sample["qa"]
        if all(
            int(session) <= sessions
            for session in re.findall(r"D(\d+):", json.dumps(one.get("evidence") or []))
        )
    ]
    return {**sample, "conversation": kept, "qa": asked}


async def hand_over(
    memory: CognitiveService, talk: Conversation, scope: Scope
) -> dict[str | float, int]:
    """Hand over every turn; return its place by the id of its job."""
    places: dict[str | float, int] = {}
    for start in range(0, len(talk.documents), BATCH):
        batch = talk.documents[start : start + BATCH]
        messages = [
            {
                "content": one.text.removeprefix(f"{one.speaker}: "),
                "sender_id": one.speaker.lower(),
                "name": one.speaker,
                "id": f"{start + n}",
                "at": one.at.isoformat(),
            }
            for n, one in enumerate(batch)
        ]
        ids = await memory.remember(messages, scope)
        assert len(ids) == len(batch)
        places.update((job_id, start + n) for n, job_id in enumerate(ids))
    await memory.flush()
    return places


async def file_observations(
    memory: CognitiveService, noted: Conversation, scope: Scope
) -> dict[str | float, int]:
    """File the observations of the set as new information; return their places by the ids of their
    jobs.
    """
    places: dict[str | float, int] = {}
    for n, one in enumerate(noted.documents):
        job_id = await memory.enqueue_job(
            "",
            [one.text],
            group_id=scope.group_id,
            user_id=one.speaker.lower(),
            user_name=one.speaker,
            timestamp=one.at,
            request_id=f"observation-{noted.name}-{n}",
        )
        assert job_id is not None
        places[job_id] = n
    return places


async def embedded(memory: CognitiveService) -> None:
    """Wait until the idle worker has embedded the records that were filed without a vector."""
    parts = memory.lifecycle.opened.parts if memory.lifecycle.opened is not None else None
    while (  # noqa: ASYNC110 - another task embeds
        parts is not None
        and parts.embedder is not None
        and await asyncio.to_thread(parts.events.without_vector, 1)
    ):
        await asyncio.sleep(0.2)


async def ask(
    memory: CognitiveService,
    asked: Conversation,
    scope: Scope,
    sources: tuple[str, ...],
    places: Mapping[str | float, int],
    row: Row,
) -> None:
    """Search for every question among the records of the given sources. The place of a record
    follows from its job or its time.
    """
    assert memory.lifecycle.opened is not None
    events = memory.lifecycle.opened.parts.events.find(
        EventFilter(scope.key, sources=sources), limit=1_000_000
    )
    place_of = {
        one.event_id: places.get(one.job_id, places.get(one.timestamp, -1)) for one in events
    }
    row.records += len(events)
    for question in asked.questions:
        hits = await memory.search_events(question.text, scope, top_k=TOP_K, sources=sources)
        row.note(
            question.evidence,
            set(place_of.values()),
            {place_of.get(hit.event.event_id, -1) for hit in hits},
        )


async def read_blocks(
    memory: CognitiveService,
    asked: Conversation,
    scope: Scope,
    places: Mapping[str | float, int],
    row: Row,
    askers: Sequence[str] = (),
) -> None:
    """Record which evidence of every question is in its block; `records` counts the tokens, `turns`
    the blocks.

    Each question is asked by the first of `askers` whom it does not name.
    """
    assert memory.lifecycle.opened is not None
    texts: dict[int, list[str]] = {}
    for one in memory.lifecycle.opened.parts.events.find(EventFilter(scope.key), limit=1_000_000):
        place = places.get(one.job_id, places.get(one.timestamp, -1))
        texts.setdefault(place, []).append(_DATED.sub("", quoted(one.text))[:SHOWN])
    for question in asked.questions:
        asker = next(
            (one for one in askers if one.lower() not in question.text.lower()),
            askers[0] if askers else "",
        )
        asked_in = Scope.group(scope.group_id, asker.lower()) if asker else scope
        block = await memory.build_context(question.text, asked_in)
        row.records += estimate_tokens(block)
        block = _DATED.sub("", block)
        row.turns += 1
        row.note(
            question.evidence,
            set(texts),
            {place for place, said in texts.items() if any(text in block for text in said)},
        )


async def measure(
    samples: Sequence[dict[str, Any]], settings: Settings
) -> tuple[dict[str, Row], float, dict[str, Any]]:
    """Return the rows by kind of records, the seconds that filing the turns took, and the service's
    report on its models.
    """
    rows = {name: Row() for name in ("turns", "events", "both", "observations", *BLOCKS)}
    seconds = 0.0
    async with CognitiveService.open(settings) as memory:
        for sample in samples:
            talk, noted = locomo_turns(sample), locomo_observations(sample)
            scope, beside = Scope.group(talk.name), Scope.group(f"{talk.name}-observations")
            started = time.perf_counter()
            places = await hand_over(memory, talk, scope)
            assert await memory.settled(3600.0)
            seconds += time.perf_counter() - started
            moments = {one.at.timestamp(): n for n, one in enumerate(talk.documents)}
            people = list(dict.fromkeys(one.speaker for one in talk.documents))
            await read_blocks(memory, talk, scope, {**places, **moments}, rows[AT_ONCE], people)
            await embedded(memory)
            for name, sources in (
                ("turns", ("message",)),
                ("events", ("job",)),
                ("both", ("message", "job")),
            ):
                await ask(memory, talk, scope, sources, {**places, **moments}, rows[name])
            await read_blocks(memory, talk, scope, {**places, **moments}, rows[ASKED], people)
            await read_blocks(memory, talk, scope, {**places, **moments}, rows[BLOCK])
            noted_places = await file_observations(memory, noted, beside)
            assert await memory.settled(3600.0)
            await embedded(memory)
            await ask(memory, noted, beside, ("job",), noted_places, rows["observations"])
            for name, row in rows.items():
                row.turns += len(talk.documents) if name not in BLOCKS else 0
        stats = await memory.stats()
    return rows, seconds, stats


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path, help="locomo10.json or a part of it")
    parser.add_argument(
        "--conversations", type=int, default=1, help="how many of them, from the first"
    )
    parser.add_argument(
        "--sessions", type=int, default=1000, help="how many sessions of each, from the first"
    )
    parser.add_argument(
        "--embedding", default="none", choices=["none", "local"], help="none: by keywords"
    )
    parser.add_argument(
        "--base-url",
        default="",
        help="an OpenAI-compatible endpoint that extracts, instead of the rules",
    )
    parser.add_argument("--model", default="")
    options = parser.parse_args()
    samples = json.loads(options.path.read_text(encoding="utf-8"))[: options.conversations]
    samples = [beginning(one, options.sessions) for one in samples]
    with tempfile.TemporaryDirectory() as directory:
        given = {
            "cognitive": {
                "data_dir": directory,
                "timezone": "UTC",
                "observation": {"max_age_days": 36_500},
                "query": {"recall_timeout_seconds": 30},
            },
            "models": {
                "embedding": {"provider": options.embedding},
                "chat": {
                    "base_url": options.base_url,
                    "model": options.model,
                    "api_key": "none",
                    "timeout_seconds": 900,
                },
            },
        }
        if not options.model:
            del given["models"]["chat"]
        settings = parse_settings(given, environ={}, base=Path(directory))
        rows, seconds, stats = asyncio.run(measure(samples, settings))
    blocks = {name: rows.pop(name) for name in BLOCKS}
    turns = rows["turns"].turns
    print(machine_line())
    print(
        f"{len(samples)} conversations, {turns} turns, {len(rows['turns'].any)} questions; embedding {options.embedding}"
    )
    print(
        f"filed in {seconds:.1f} s ({turns / seconds:.0f} turns a second), by {options.model or 'rules'}"
    )
    print(f"{'records':<14}{'a 100 turns':>12}{'filed':>8}{'any@10':>8}{'R@10':>8}")
    for name, row in rows.items():
        if not row.any:  # a set without observations
            continue
        shares = [sum(numbers) / len(numbers) for numbers in (row.filed, row.any, row.recall)]
        print(
            f"{name:<14}{100 * row.records / row.turns:>12.1f}"
            + "".join(f"{100 * share:>7.1f}%" for share in shares)
        )
    for name, block in blocks.items():
        shares = [100 * sum(numbers) / len(numbers) for numbers in (block.any, block.recall)]
        print(
            f"{name}: any {shares[0]:.1f} %, share {shares[1]:.1f} %, {block.records / block.turns:.0f} tokens"
        )
    if options.model:
        for purpose, used in stats.get("usage", {}).items():
            print(f"{purpose}: {json.dumps(used)}")


if __name__ == "__main__":
    main()
