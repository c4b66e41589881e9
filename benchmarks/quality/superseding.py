"""What is no longer true: links between facts, and which of them answers a question.

    python -m benchmarks.quality.superseding [FILE.jsonl] [--embedding none] [--model URL] [--show]

Files the sequences of `benchmarks/data/superseding.jsonl` (each a conversation of its own: a change, an undone change, a
correction, or what looks like one and is none) and asks each one's questions. Every sequence names the statements that are over
(`links`), the one that answers the question about the present (`current`) and those that were true before. `--show` prints the
mistakes; the frozen set is not meant to be read.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from historian import CognitiveService, Scope
from historian.schema.event import Event, EventFilter
from historian.schema.job import make_job_id
from historian.schema.settings import Settings
from historian.schema.settings.source import parse_settings
from historian.service.components import open_parts, open_queue
from historian.service.intake import make_job
from historian.service.running.ownership import owned_worker

from ..machine import machine_line

DATA = Path(__file__).parents[1] / "data"
Place = Sequence[int]


def scope_of(sequence: dict[str, Any]) -> Scope:
    job = sequence["jobs"][0]
    return (
        Scope.group(job["group_id"])
        if job["request_type"] == "group"
        else Scope.private(job["user_id"])
    )


def request_id(sequence: dict[str, Any], job: int) -> str:
    return f"{sequence['id']}-{job}"


def event_id(sequence: dict[str, Any], place: Place) -> str:
    job, info = place
    offset = bool(sequence["jobs"][job].get("action_summary"))
    return f"{make_job_id(request_id(sequence, job), 0)}:{info + offset}"


def in_the_right_order(ids: list[str], current: str, former: set[str]) -> bool:
    """Return True if `current` is among the ten best hits and no former fact comes before it."""
    return current in ids[:10] and not former & set(ids[: ids.index(current)])


async def measure(
    sequences: list[dict[str, Any]], directory: Path, arguments: argparse.Namespace
) -> Counter[str]:
    settings, stored = await filed(
        sequences, directory, embedding=arguments.embedding, model=arguments.model
    )
    count: Counter[str] = Counter()
    async with CognitiveService.open(settings, worker=False) as memory:
        for sequence in sequences:
            await one(memory, sequence, stored, count, show=arguments.show)
    return count


async def filed(
    sequences: list[dict[str, Any]], directory: Path, *, embedding: str = "local", model: str = ""
) -> tuple[Settings, dict[str, Event]]:
    """File the sequences. Return the settings used, and the events by id."""
    models: dict[str, Any] = {"embedding": {"provider": embedding}}
    if model:
        models["chat"] = {
            "base_url": model,
            "model": "local",
            "api_key": "none",
            "timeout_seconds": 300,
        }
    settings = parse_settings(
        {"cognitive": {"data_dir": str(directory)}, "models": models}, environ={}, base=Path.cwd()
    )
    queue = open_queue(settings, time.time)
    for sequence in sequences:
        for n, job in enumerate(sequence["jobs"]):
            queue.put(make_job({**job, "request_id": request_id(sequence, n)}, settings, time.time))
    parts = open_parts(settings, queue=queue, clock=time.time)
    stack = ExitStack()
    worker = stack.enter_context(owned_worker(parts))
    if not await worker.run(drain=True):
        raise SystemExit("draining was given up")
    stored = {
        event.event_id: event for event in parts.events.find(EventFilter(None), limit=100_000)
    }
    stack.close()
    await parts.aclose()
    return settings, stored


async def one(
    memory: CognitiveService,
    sequence: dict[str, Any],
    stored: dict[str, Event],
    count: Counter[str],
    *,
    show: bool = False,
) -> None:
    """Add the results of one sequence to `count`."""
    scope, prefix = scope_of(sequence), request_id(sequence, 0)[:-1]
    gold = {
        (event_id(sequence, one["old"]), event_id(sequence, one["new"]))
        for one in sequence["links"]
    }
    made = {
        (event.event_id, successor)
        for event in stored.values()
        if event.event_id.startswith(prefix)
        and (successor := event.superseded_by or event.corrected_by)
    }
    count["links"] += len(gold)
    count["made"] += len(made)
    count["right"] += len(made & gold)
    count["old ends"] += len({old for old, _ in gold} & {old for old, _ in made})
    count["sequences with a false link"] += bool(made - gold)
    former = {event_id(sequence, place) for place in sequence["former"]}
    current = event_id(sequence, sequence["current"])
    hits = [
        hit.event.event_id
        for hit in await memory.search_events(sequence["question"], scope, top_k=10)
    ]
    good = in_the_right_order(hits, current, former)
    count["questions"] += 1
    count["current first"] += good
    count[sequence["kind"]] += 1
    count[f"{sequence['kind']}: current first"] += good
    count[f"{sequence['kind']}: current on top"] += hits[:1] == [current]
    count["current on top"] += hits[:1] == [current]
    if former:
        count["of changes"] += 1
        count["of changes, current first"] += good
    if sequence["past_question"]:
        found = [
            hit.event.event_id
            for hit in await memory.search_events(sequence["past_question"], scope, top_k=3)
        ]
        count["past questions"] += 1
        count["former fact found"] += bool(former & set(found))
    if show and (made != gold or not good):
        print(f"{sequence['id']} {sequence['kind']}{'' if good else ' NOT FIRST'}")
        for what, links in (("missed", gold - made), ("false", made - gold)):
            for old, new in sorted(links):
                print(f"  {what}: {stored[old].text}\n      -> {stored[new].text}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="?", default=DATA / "superseding.jsonl")
    parser.add_argument("--embedding", default="local", choices=["local", "none"])
    parser.add_argument(
        "--model",
        default="",
        help="address of an OpenAI-compatible chat model; without one, rules only",
    )
    parser.add_argument("--most", type=int, default=None, help="only so many sequences")
    parser.add_argument("--show", action="store_true", help="print the mistakes")
    arguments = parser.parse_args()
    lines = arguments.data.read_text(encoding="utf-8").splitlines()
    sequences = [json.loads(line) for line in lines][: arguments.most]
    with tempfile.TemporaryDirectory() as temporary:
        count = asyncio.run(measure(sequences, Path(temporary), arguments))
    print(machine_line())
    how = f"model: {arguments.model or 'none'}, embedding: {arguments.embedding}"
    print(f"{arguments.data.name}: {len(sequences)} sequences, {how}")
    for told, part, whole in (
        ("current fact before the former ones", "current first", "questions"),
        ("  of changes alone", "of changes, current first", "of changes"),
        ("current fact on top", "current on top", "questions"),
        ("  of look-alikes alone", "lookalike: current on top", "lookalike"),
        ("past questions that find a former fact (of 3)", "former fact found", "past questions"),
        ("true links found", "right", "links"),
        ("ended facts found", "old ends", "links"),
        ("sequences with a false link", "sequences with a false link", "questions"),
    ):
        print(
            f"  {told:48} {count[part]:4} of {count[whole]:4}  {100 * count[part] / max(count[whole], 1):5.1f} %"
        )
    print(f"  {'false links':48} {count['made'] - count['right']:4} of {count['made']:4} made")


if __name__ == "__main__":
    sys.exit(main())
