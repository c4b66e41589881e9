"""`historian demo`: shows all steps on a sample conversation.

It uses a temporary directory and needs neither an API key nor a chat model.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any

from rich.text import Text
from typer import Option

from ....schema.language import LanguageChoice
from ....service.inspection.json_data import profile_data
from ....service.jobs.step_stream import JobWatch
from ...texts import NAMES
from ..console import changes, minute, plain
from ..demo_conversation import SECRET, SampleTurn, conversation
from ..invocation import command
from ..language import say, speaking
from ..opening import opened_parts
from ..shell import CommandFailed, Shell

if TYPE_CHECKING:
    from ....schema.graph_states.historian import ItemState
    from ....schema.job import Job
    from ....schema.settings import Settings


TEXTS: Mapping[str, str] = NAMES["command_line"]["demo"]


class Rewriting(JobWatch):
    """The latest items of each job, by job id: the texts with the results of the gate."""

    def __init__(self) -> None:
        self.items: dict[str, list[ItemState]] = {}

    def step(self, job: Job, node: str, update: Mapping[str, Any]) -> None:
        if "items" in update:
            self.items[job.job_id] = update["items"]


@command("demo")
async def demo(
    shell: Shell,
    lang: Annotated[
        LanguageChoice,
        Option(
            "--lang",
            help="Language of the comments; the sample conversation is in Chinese and English.",
        ),
    ] = "auto",
) -> None:
    """Show the whole path on a sample conversation: jobs, events, profiles, recall. Nothing is kept."""
    from ....schema.settings import CognitiveSettings, Settings

    started = time.monotonic()
    waiting = shell.err.status("…") if shell.err.is_terminal else nullcontext()
    with (
        tempfile.TemporaryDirectory(prefix="historian-demo-", ignore_cleanup_errors=True) as folder,
        waiting,
    ):
        steps = await run_demo(
            Settings(cognitive=CognitiveSettings(data_dir=folder))
        )  # the local embedder, if installed
    end = steps[-1]
    end["seconds"] = round(time.monotonic() - started, 2)
    if shell.json:
        for one in steps:
            shell.emit(**one)
    else:
        with speaking(None if lang == "auto" else lang):
            _print(shell, steps)
    if end["secret_on_disk"]:
        raise CommandFailed(
            "the API key in the sample conversation was found on disk; please report this"
        )
    missing = ", ".join(one["query"] for one in _named(steps, "recall") if not _is_answered(one))
    if missing:
        raise CommandFailed(
            "the demo did not find the expected memories for {questions}; please report this",
            questions=missing,
        )


async def run_demo(settings: Settings) -> list[dict[str, Any]]:
    """Enqueue the sample jobs, run the worker, and search for each question.

    Returns JSON objects; the key `step` of each is job, profile, recall, context or end.
    """
    from ....service.cognitive import CognitiveService
    from ....service.running.ownership import owned_worker

    watch = Rewriting()
    turns, questions = conversation()
    steps: list[dict[str, Any]] = []
    async with (
        opened_parts(settings) as parts,
        CognitiveService.open(settings, worker=False) as memory,
    ):
        ids = [await memory.enqueue_job(**turn.fields) or "" for turn in turns]
        with owned_worker(parts, watch=watch) as historian:
            await historian.run(drain=True)
        for n, job_id in enumerate(ids):
            again = job_id in ids[:n]
            items = [] if again else [dict(item) for item in watch.items.get(job_id, [])]
            steps.append({"step": "job", "job_id": job_id, "duplicate": again, "items": items})
        for key in parts.profiles.keys():  # noqa: SIM118 - no dict
            if (profile := parts.profiles.read(key)) is not None:
                steps.append({"step": "profile", "entity": str(key), **profile_data(profile)})
        for one in questions:
            hits = await memory.search_events(one.text, one.scope, top_k=2)
            found = [
                {"score": hit.score, "event_id": hit.event.event_id, "text": hit.event.text}
                for hit in hits
            ]
            asked = {"query": one.text, "scope": one.scope.key, "expects": one.expects}
            steps.append({"step": "recall", **asked, "hits": found})
        block = await memory.build_context(questions[0].text, questions[0].scope)
        stored = parts.backend.stored_bytes([])
        on_disk = await asyncio.to_thread(
            lambda: any(SECRET.encode() in one.data for one in stored)
        )
        model = parts.embedder.model if parts.embedder is not None else ""
    steps.append({"step": "context", "text": block})
    return [*steps, {"step": "end", "embedding": model, "secret_on_disk": on_disk}]


def _named(steps: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [one for one in steps if one["step"] == name]


def _is_answered(asked: dict[str, Any]) -> bool:
    hits = [hit["text"] for hit in asked["hits"]]
    return any(asked["expects"] in text for text in hits) if asked["expects"] else not hits


def _print(shell: Shell, steps: list[dict[str, Any]]) -> None:
    """Print the results for people."""
    from rich.panel import Panel

    out = shell.out
    turns, questions = conversation()
    out.print(Panel(Text(say(TEXTS["title"]), "bold"), border_style="cyan", padding=(0, 1)))
    out.print(Text(say(TEXTS["setting"]), "dim"))
    _heading(shell, say("1. Jobs: before → after, and what the gate said"))
    for number, (turn, job) in enumerate(zip(turns, _named(steps, "job"), strict=True), 1):
        _print_job(shell, number, turn, job)
    _heading(shell, say("2. Profiles: what was learnt from the new information"))
    for one in _named(steps, "profile"):
        head = Text(
            f"{plain(one['name'] or one['entity_id'])}  {plain(one['entity'])}  r{one['revision']}"
        )
        out.print(
            Panel(
                Text(plain(one["summary"])), title=head, title_align="left", border_style="magenta"
            )
        )
    _heading(shell, say("3. Recall: what is found before the bot replies"))
    for question, asked in zip(questions, _named(steps, "recall"), strict=True):
        out.print(
            Text.assemble(
                ("? ", "bold cyan"), (question.text, "bold"), (f"   {say(question.remark)}", "dim")
            )
        )
        for hit in asked["hits"]:
            out.print(Text.assemble((f"  {hit['score']:.2f} ", "dim"), plain(hit["text"])))
        if not asked["hits"]:
            out.print(Text(f"  {say('(nothing)')}", "green" if not question.expects else "yellow"))
        out.print()
    out.print(Text(say("What goes into the prompt"), "dim"))
    context, end = steps[-2:]
    for line in plain(context["text"]).splitlines():
        out.print(Text(f"  {line}"), soft_wrap=True)
    out.print()
    none = say("no local embedder is installed: search by keywords only")
    vectors = say("vectors: {model}", model=end["embedding"]) if end["embedding"] else none
    out.print(Text(f"{vectors} · {say('{n:.1f} s', n=end['seconds'])}", "dim"))
    out.print(Text(say(TEXTS["end"])))


def _heading(shell: Shell, text: str) -> None:
    from rich.rule import Rule

    shell.out.print()
    shell.out.print(Rule(Text(text, "bold cyan"), align="left", style="cyan"))


def _print_job(shell: Shell, number: int, turn: SampleTurn, job: dict[str, Any]) -> None:
    """Print a turn and the events of its job."""
    out, values = shell.out, turn.fields
    place = values.get("group_name") or say("private chat")
    out.print(
        Text(
            f"\n{number}  {place} · {plain(values['user_name'])} · {minute(values['timestamp'])}",
            "bold",
        )
    )
    out.print(Text(f"   {say(turn.remark)}", "dim"))
    if job["duplicate"]:
        out.print(
            Text(f"   = {say('this job was accepted before; nothing is filed twice')}", "yellow")
        )
        return
    texts = [text for text in (values["action_summary"], *values["new_info"]) if text]
    for text, item in zip(texts, job["items"], strict=False):
        before, after = changes(text, item["candidate"])
        mark, style = ("✓", "bold green") if item["passed"] else ("≈", "bold yellow")
        out.print(Text.assemble(("   · ", "dim"), before))
        out.print(Text.assemble((f"   {mark} ", style), after))
        for reason in [] if item["passed"] else item["violations"]:
            out.print(Text(f"     {say('gate: {why}', why=plain(reason['why']))}", "yellow"))
