"""What a real model makes of sixty short notes, with more and more of the historian around it.

    python -m benchmarks.quality.rewrite_modes --base-url http://127.0.0.1:8099/v1 [--model NAME] [--limit 60] [--show]

| way | what happens |
| --- | --- |
| a | the model alone, with the date in the prompt |
| b | relative times resolved first, then the model |
| c | `rewrite_mode = "always"`: resolved, drafted by rules, model, gate, retries, rules as the last resort |
| d | `rewrite_mode = "rules"` |
| e | `rewrite_mode = "auto"`: the model only where the rules leave something open |

*absolute*: the gate finds nothing relative in the final text. *dated*: every date, number and title of the label stands
in it. Whether every role is right is for a reader: `--show` prints note, label and text. The notes and labels are in
`benchmarks/data/chat_jobs.jsonl`, written by hand; today is Saturday 2026-02-21, 17:30 in Shanghai.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from historian.graph.historian import compile_historian
from historian.models.chat.model import make_chat_model
from historian.schema.errors import ModelError
from historian.schema.job import Job
from historian.schema.protocols import ChatModel
from historian.schema.settings import Settings
from historian.schema.settings.source import parse_settings
from historian.service.components import open_parts
from historian.service.intake import make_job
from historian.text.checks.relative_words import find_relative_words
from historian.text.job_verdicts import names_of
from historian.text.time_expressions import resolve_times
from pydantic import BaseModel, ConfigDict

from ..machine import machine_line

AT = "2026-02-21T17:30:00+08:00"
PEOPLE = {
    "zh": {"bot_name": "小史", "user_name": "阿明", "group_name": "读书会"},
    "en": {"bot_name": "Clio", "user_name": "Bob", "group_name": "Book Club"},
}
ALONE = {
    "zh": "把下面的笔记改写成脱离上下文也读得懂的一句话：代词换成名字，相对时间换成日期。只交出改好的句子。"
    "现在是2026-02-21（星期六）。机器人（“我”）叫{bot_name}，用户（“他”）叫{user_name}，群叫{group_name}。",
    "en": "Rewrite the note below as one sentence that can be understood without its context: names for pronouns, dates for "
    "relative times. Hand in the sentence alone. Today is 2026-02-21 (Saturday). The bot ('I') is {bot_name}, the user "
    "('he') is {user_name}, the group is {group_name}.",
}


class RecordText(BaseModel):
    """The finished sentence."""

    model_config = ConfigDict(title="record_text")

    text: str


@dataclass
class Tally:
    """The results of one way so far."""

    notes: int = 0
    absolute: int = 0
    dated: int = 0
    both: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    seconds: float = 0.0
    shown: list[str] = field(default_factory=list)


def in_one_form(text: str) -> str:
    """Return `text` with its dates in ISO 8601 and straight quotation marks, so that every correct
    way of writing counts.
    """
    months = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ]
    text = re.sub(
        r"(\d{4})年(\d{1,2})月(\d{1,2})[日号]",
        lambda m: f"{m[1]}-{int(m[2]):02}-{int(m[3]):02}",
        text,
    )
    spelt = re.compile(rf"({'|'.join(months)}) (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})")
    text = spelt.sub(lambda m: f"{m[3]}-{months.index(m[1]) + 1:02}-{int(m[2]):02}", text)
    return re.sub(r"[“”‘’']", '"', text)


def job_of(note: dict[str, Any], number: int, settings: Settings) -> Job:
    text = (
        {"action_summary": note["text"]}
        if note["item"] == "action"
        else {"new_info": [note["text"]]}
    )
    people = PEOPLE[note["language"]]
    fields = {
        "request_id": f"n{number}",
        "user_id": "42",
        "group_id": "100",
        "timestamp": AT,
        "timezone": "Asia/Shanghai",
    }
    return make_job({**fields, **people, **text}, settings, time.time)


async def by_model_alone(note: dict[str, Any], text: str, chat: ChatModel) -> str:
    try:
        system = ALONE[note["language"]].format(**PEOPLE[note["language"]])
        return (await chat.structured(RecordText, purpose="alone", system=system, user=text)).text
    except ModelError as error:
        return f"({error})"


async def by_graph(
    job: Job, mode: str, chat: ChatModel | None, settings: Settings, directory: Path
) -> str:
    historian = settings.historian.model_copy(update={"rewrite_mode": mode})
    changes = {"historian": historian, "data_dir": str(directory)}
    cognitive = settings.cognitive.model_copy(update=changes)
    parts = open_parts(settings.model_copy(update={"cognitive": cognitive}), clock=time.time)
    context = replace(parts.context(), chat=chat, embedder=None)
    text = ""
    try:
        async for chunk in compile_historian().astream(
            {"job": job.model_dump()}, context=context, stream_mode="updates"
        ):
            for node, update in chunk.items():
                text = update["items"][0]["candidate"] if node in {"rewrite", "gate"} else text
            if "embed" in chunk:
                break
    except ModelError as error:
        text = f"({error})"
    finally:
        await parts.aclose()
    return text


async def run(way: str, notes: list[dict[str, Any]], settings: Settings) -> Tally:
    tally = Tally()
    chat = make_chat_model(settings.models.background)
    assert chat is not None
    for number, note in enumerate(notes):
        job = job_of(note, number, settings)
        started = time.perf_counter()
        if way == "a":
            text = await by_model_alone(note, note["text"], chat)
        elif way == "b":
            text = await by_model_alone(
                note, resolve_times(note["text"], job.moment, job.timezone)[0], chat
            )
        else:
            mode = {"c": "always", "d": "rules", "e": "auto"}[way]
            with tempfile.TemporaryDirectory() as directory:
                text = await by_graph(
                    job, mode, None if way == "d" else chat, settings, Path(directory)
                )
        tally.seconds += time.perf_counter() - started
        absolute = find_relative_words(text, names=names_of(job, settings)).passed and bool(text)
        dated = all(re.search(wanted, in_one_form(text)) for wanted in note["must"])
        tally.notes += 1
        tally.absolute += absolute
        tally.dated += dated
        tally.both += absolute and dated
        flags = f"{'A' if absolute else '-'}{'D' if dated else '-'}"
        tally.shown.append(
            f"{way} {flags} {note['text']}\n      → {text}\n        ({note['roles']})"
        )
    for usage in chat.usage().values():
        tally.calls += usage.calls
        tally.prompt_tokens += usage.prompt_tokens
    await chat.aclose()
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", default="local")
    parser.add_argument("--ways", default="abcde")
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    source = Path(__file__).parents[1] / "data" / "chat_jobs.jsonl"
    notes = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    notes = notes[:: max(1, len(notes) // arguments.limit)]
    # A weak model sometimes never ends. The rewrite of a note needs a tenth of this.
    chat = {
        "base_url": arguments.base_url,
        "model": arguments.model,
        "api_key": "none",
        "max_answer_tokens": 512,
    }
    settings = parse_settings(
        {"models": {"chat": chat, "embedding": {"provider": "none"}}}, environ={}, base=Path.cwd()
    )
    print(machine_line("langchain-openai"))
    print(
        f"{len(notes)} notes, half Chinese, half English, model {arguments.model} at {arguments.base_url}"
    )
    print("way  absolute   dated    both   calls/note  prompt tokens/note  s/note")
    for way in arguments.ways:
        tally = asyncio.run(run(way, notes, settings))
        n = tally.notes
        print(
            f"{way}    {100 * tally.absolute / n:6.1f} %  {100 * tally.dated / n:5.1f} %  {100 * tally.both / n:5.1f} %"
            f"   {tally.calls / n:8.2f}   {tally.prompt_tokens / n:14.0f}      {tally.seconds / n:7.2f}"
        )
        if arguments.show:
            print("\n".join(tally.shown))


if __name__ == "__main__":
    main()
