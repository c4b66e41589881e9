"""Of events that are marked absolute: how many name the wrong person.

    python -m benchmarks.quality.attribution [FILE.jsonl] [--base-url URL] [--limit N]

Each line of the data (`benchmarks/data/attribution.jsonl`) is one job, as a bot hands it over, with statements of it and the
name of whom each is truly about (`about`, `also_ok`); `must_not_be_subject` are people of the conversation who would be wrong.
The first person that the filed text names is compared; a speaker whom the rules put in front ("Omar: Studies law") is wrong only
if the labelled person is another one and is not named behind it:

| figure | meaning |
| --- | --- |
| wrong | absolute, and another person than the labelled one is named first |
| nobody | absolute, and the labelled one is not named at all |
| not absolute | filed with the reasons of the gate |
| unclear | absolute, though a careful reader could not tell either whom or what it is about |

Of the unclear statements (`clear` is false) the share that is marked absolute is told, and of the clear ones the share that
is not.

Without `--base-url` the rules alone write. `--show` prints what is not right; the frozen set is not meant to be read.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from historian.models.chat.model import make_chat_model
from historian.nodes.historian.gate import gate
from historian.nodes.historian.rewrite import rewrite
from historian.schema.graph_states.historian import ItemState
from historian.schema.job import Job
from historian.schema.settings import Settings
from historian.schema.settings.source import parse_settings
from historian.text.job_verdicts import by_rules
from langgraph.runtime import Runtime

from ..machine import machine_line

Line = dict[str, Any]


def job_of(line: Line, n: int) -> Job:
    """Return the complete job of a line: its other texts may show whose words the judged statement
    is.
    """
    return Job.model_validate({**line["job"], "request_id": f"r{n}"})


def place_of(line: Line) -> int:
    """Return the place of the judged statement among the texts of its job."""
    is_action = line["field"] == "action_summary"
    return 0 if is_action else int(line["index"]) + bool(line["job"].get("action_summary"))


def named_first(text: str, line: Line, source: str) -> str:
    """Return "right", "wrong" or "nobody", depending on which person of the conversation the text
    names first.
    """
    right = {name for name in (line["about"], *line["also_ok"]) if name}
    job = line["job"]
    people = {
        job.get("user_name", ""),
        job.get("bot_name", ""),
        *(one["sender_name"] for one in job.get("recent_messages", [])),
    }
    inserted = {name for name in people if name and name.casefold() not in source.casefold()}
    wrong = (set(line["must_not_be_subject"]) | inserted) - right
    speaker, words = _speaker_in_front(text, source, right | wrong)
    if speaker:
        is_named = any(name.casefold() in words.casefold() for name in right)
        return "right" if is_named or speaker in right or not line["about"] else "wrong"
    folded = text.casefold()
    found = [
        (folded.find(name.casefold()), -len(name), name)
        for name in right | wrong
        if name.casefold() in folded
    ]
    return "nobody" if not found else "right" if min(found)[2] in right else "wrong"


def _speaker_in_front(text: str, source: str, names: set[str]) -> tuple[str, str]:
    """Return the speaker that the rules put before a text ("Omar: Studies law"), "" if there is
    none, and the words after it.
    """
    for name in sorted(names, key=len, reverse=True):
        for mark in (": ", "："):
            if text.startswith(name + mark) and not source.startswith(name):
                return name, text[len(name + mark) :]
    return "", text


def verdict(item: ItemState, line: Line) -> str:
    """Return the figure for which a filed text counts."""
    if not item["passed"]:
        return "not absolute"
    if not line["clear"]:
        return "unclear"
    return named_first(item["candidate"], line, item["source"])


async def by_model(jobs: list[Job], base_url: str) -> list[list[ItemState]]:
    """Return the items of each job as they are filed with the model at `base_url`, as in
    `rewrite_mode = "auto"`.
    """
    chat = {"base_url": base_url, "model": "local", "api_key": "none", "timeout_seconds": 600}
    settings = parse_settings(
        {"models": {"chat": chat, "embedding": {"provider": "none"}}}, environ={}, base=Path.cwd()
    )
    context: Any = SimpleNamespace(
        settings=settings, chat=make_chat_model(settings.models.background)
    )
    filed: list[list[ItemState]] = []
    for job in jobs:
        state: Any = {"job": job.model_dump(mode="json")}
        while "items" not in state or not (
            state["spent"] or all(item["passed"] for item in state["items"])
        ):
            state |= await rewrite(state, Runtime(context=context))
            state |= await gate(state, Runtime(context=context))
        filed.append(state["items"])
    return filed


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "data",
        type=Path,
        nargs="?",
        default=Path(__file__).parents[1] / "data" / "attribution.jsonl",
    )
    parser.add_argument("--base-url", default="")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    rows = [
        json.loads(line)
        for line in given.data.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]
    lines: list[Line] = [
        {"job": row["job"], **statement} for row in rows for statement in row["statements"]
    ]
    lines = lines[:: max(1, len(lines) // given.limit)][: given.limit] if given.limit else lines
    jobs = [job_of(line, n) for n, line in enumerate(lines)]
    if given.base_url:
        items = asyncio.run(by_model(jobs, given.base_url))
    else:
        items = [by_rules(job, Settings()) for job in jobs]
    tally: Counter[str] = Counter()
    kinds: dict[str, Counter[str]] = {}
    for line, of_job in zip(lines, items, strict=True):
        item = of_job[place_of(line)]
        found = verdict(item, line)
        tally[found] += 1
        kinds.setdefault(line["category"], Counter())[found] += 1
        if given.show and found != "right":
            why = "; ".join(dict.fromkeys(reason["why"] for reason in item["violations"]))
            print(
                f"{line['id']} {line['category']} {found}: {item['source']!r} -> {item['candidate']!r} [{line['about']}] {why}"
            )
    absolute = tally["right"] + tally["wrong"] + tally["nobody"] + tally["unclear"]
    print(machine_line())
    for kind, one in sorted(kinds.items()):
        print(f"{kind:24}", dict(one))
    print(
        f"{len(lines)} statements: {absolute} absolute; "
        f"wrong {tally['wrong']} ({tally['wrong'] / max(1, absolute):.1%} of the absolute), "
        f"nobody {tally['nobody']}, unclear {tally['unclear']}; not absolute {tally['not absolute'] / len(lines):.1%}"
    )
    unclear = sum(not line["clear"] for line in lines)
    clear = len(lines) - unclear
    open_though_clear = clear - (absolute - tally["unclear"])
    print(
        f"of {unclear} unclear {tally['unclear']} absolute ({tally['unclear'] / max(1, unclear):.1%}); "
        f"of {clear} clear {open_though_clear} not absolute ({open_though_clear / max(1, clear):.1%})"
    )


if __name__ == "__main__":
    main()
