"""Questions about what happened on a day, told on other days: recall at 5 with and without the time that a record tells of.

    python -m benchmarks.quality.by_date [FILE.jsonl] [--embedding local] [--show]

A line of the data (`benchmarks/data/by_date.jsonl`) is one conversation: its jobs as a bot hands them over, a `question`, the
days asked about (`from`, `to`) and the statements that answer it (`evidence`, as [job, place in `new_info`]). The jobs are
filed by rules. Columns:

| column | searched with |
| --- | --- |
| question | the question alone: the dates that it names lift what tells of them |
| said | and `time_from`, `time_to`: what was said on those days |
| occurs | and `occurs_from`, `occurs_to`: what tells of those days |

A figure is the mean share of a question's evidence among the first five. `--show` prints what is missed; the frozen set is not
meant to be read.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from historian import CognitiveService, Scope
from historian.schema.settings.source import parse_settings

from ..machine import machine_line

TOP_K = 5


async def measure(
    lines: list[dict[str, Any]], directory: Path, embedding: str, *, show: bool
) -> dict[str, dict[str, list[float]]]:
    """Return, by language and column, the share of the evidence that was found, one number per
    question.
    """
    given = {
        "cognitive": {"data_dir": str(directory)},
        "models": {"embedding": {"provider": embedding}},
    }
    settings = parse_settings(given, environ={}, base=directory)
    filed: dict[tuple[str, int], str | None] = {}
    shares: dict[str, dict[str, list[float]]] = {}
    async with CognitiveService.open(settings) as memory:
        for line in lines:
            for n, job in enumerate(line["jobs"]):
                filed[line["id"], n] = await memory.enqueue_job(**_own(job, line["id"]))
        assert await memory.settled(600.0)
        for line in lines:
            first = _own(line["jobs"][0], line["id"])
            group = first.get("group_id")
            scope = (
                Scope.group(group, first["user_id"]) if group else Scope.private(first["user_id"])
            )
            wanted = {
                f"{filed[line['id'], job]}:{n + bool(line['jobs'][job]['action_summary'])}"
                for job, n in line["evidence"]
            }
            days = {"from": line["from"], "to": line["to"]}
            for column, prefix in (("question", ""), ("said", "time_"), ("occurs", "occurs_")):
                narrowed = {prefix + end: day for end, day in days.items()} if prefix else {}
                hits = await memory.search_events(line["question"], scope, top_k=TOP_K, **narrowed)
                found = {hit.event.event_id for hit in hits}
                shares.setdefault(line["lang"], {}).setdefault(column, []).append(
                    len(wanted & found) / len(wanted)
                )
                if show and column != "said" and not wanted <= found:
                    every = await memory.search_events(
                        "", scope, top_k=50, event_ids=tuple(wanted - found)
                    )
                    print(
                        f"{line['id']} {column}: {line['question']} ({line['from']} to {line['to']})"
                    )
                    for hit in every:
                        print(
                            "   missed:",
                            hit.event.explain().replace("\n", " | "),
                            "|",
                            hit.event.text,
                        )
    return shares


def _own(job: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a job in its own conversation."""
    scope = {key: f"{name}.{job[key]}" for key in ("user_id", "group_id") if job.get(key)}
    return {**job, **scope}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "data", type=Path, nargs="?", default=Path(__file__).parents[1] / "data" / "by_date.jsonl"
    )
    parser.add_argument(
        "--embedding", default="none", choices=["none", "local"], help="none: by keywords"
    )
    parser.add_argument("--show", action="store_true", help="print what is missed")
    options = parser.parse_args()
    lines = [json.loads(line) for line in options.data.read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as directory:
        shares = asyncio.run(measure(lines, Path(directory), options.embedding, show=options.show))
    print(machine_line())
    print(f"{options.data.name}, vectors: {options.embedding}; recall at {TOP_K} in %")
    for language, columns in sorted(shares.items()):
        figures = "   ".join(
            f"{column} {100 * sum(values) / len(values):5.1f}" for column, values in columns.items()
        )
        print(f"{language}  n={len(columns['question']):<3}  {figures}")


if __name__ == "__main__":
    main()
