"""`historian demo`: all steps on a sample conversation, in a temporary directory, without a key or a chat model."""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from rich.text import Text
from typer import Option

from ....schema.language import LanguageChoice
from ....service.inspection.json_data import profile_data
from ....service.jobs.step_stream import JobWatch
from ...texts import NAMES, shown
from ..console import changes, plain
from ..demo_conversation import SECRET, Question, Turn, conversation
from ..invocation import CommandFailed, Shell, command
from ..language import say, speaking
from ..opening import opened_parts

if TYPE_CHECKING:
    from ....schema.graph_states.historian import ItemState
    from ....schema.hit import Hit
    from ....schema.job import Job
    from ....schema.profile import Profile
    from ....schema.settings import Settings


TEXTS: Mapping[str, str] = NAMES["command_line"]["demo"]


@dataclass
class Story(JobWatch):
    """The results of the demo: accepted jobs, their rewritten texts, profiles, answers."""

    ids: list[str] = field(default_factory=list)
    items: dict[str, list[ItemState]] = field(default_factory=dict)
    written_profiles: dict[str, list[str]] = field(default_factory=dict)
    profiles: list[Profile] = field(default_factory=list)
    answers: list[tuple[Question, list[Hit]]] = field(default_factory=list)
    prompt: str = ""
    embedding: str = ""
    secret_on_disk: bool = False

    def step(self, job: Job, node: str, update: Mapping[str, Any]) -> None:
        if "items" in update:
            self.items[job.job_id] = update["items"]
        if node == "write_profile":
            self.written_profiles[job.job_id] = list(update.get("written", []))

    def turns(self) -> list[tuple[Turn, str, bool]]:
        """Return each turn with its job's id; True if that job was accepted before."""
        return [(turn, one, one in self.ids[:n]) for n, (turn, one) in enumerate(zip(conversation()[0], self.ids, strict=True))]


@command("demo")
async def demo(
    shell: Shell, lang: Annotated[LanguageChoice, Option("--lang", help="Language of the remarks; the sample has both.")] = "auto"
) -> None:
    """Show the whole path on a sample conversation: jobs, events, profiles, recall. Nothing is kept."""
    from ....schema.settings import CognitiveSettings, Settings

    started = time.monotonic()
    waiting = shell.err.status("…") if shell.err.is_terminal else nullcontext()
    with tempfile.TemporaryDirectory(prefix="historian-demo-", ignore_cleanup_errors=True) as folder, waiting:
        story = await live_through(Settings(cognitive=CognitiveSettings(data_dir=folder)))  # the local embedder, if installed
    seconds = time.monotonic() - started
    if shell.json:
        _emit(shell, story, seconds)
    else:
        with speaking(None if lang == "auto" else lang):
            _print(shell, story, seconds)
    if story.secret_on_disk:
        raise CommandFailed("the sample's key was found on disk; please report this")
    missing = ", ".join(question.text for question, hits in story.answers if not _answered(question, hits))
    if missing:
        raise CommandFailed("the demo did not recall what it should for {questions}; please report this", questions=missing)


async def live_through(settings: Settings) -> Story:
    """Enqueue the sample, run the worker, ask the questions."""
    from ....service.cognitive import CognitiveService
    from ....service.running.ownership import owned_worker

    story = Story()
    turns, questions = conversation()
    async with opened_parts(settings) as parts, CognitiveService.open(settings, worker=False) as memory:
        story.ids = [await memory.enqueue_job(**turn.fields) or "" for turn in turns]
        story.embedding = parts.embedder.model if parts.embedder is not None else ""
        with owned_worker(parts, random=random.random, watch=story) as historian:
            await historian.run(drain=True)
        keys = parts.profiles.keys()
        story.profiles = [profile for key in keys if (profile := parts.profiles.read(key)) is not None]
        story.answers = [(one, await memory.search_events(one.text, one.scope, top_k=2)) for one in questions]
        stored = parts.backend.stored_bytes([])
        story.secret_on_disk = await asyncio.to_thread(lambda: any(SECRET.encode() in one.data for one in stored))
        story.prompt = await memory.build_context(questions[0].text, questions[0].scope)
    return story


def _answered(question: Question, hits: list[Hit]) -> bool:
    return any(question.expects in hit.event.text for hit in hits) if question.expects else not hits


def _print(shell: Shell, story: Story, seconds: float) -> None:
    """Print the results for people."""
    from rich.panel import Panel

    out = shell.out
    out.print(Panel(Text(say(TEXTS["title"]), "bold"), border_style="cyan", padding=(0, 1)))
    out.print(Text(say(TEXTS["setting"]), "dim"))
    _heading(shell, say("1. Jobs: before → after, and what the gate said"))
    for number, (turn, job_id, again) in enumerate(story.turns(), 1):
        _print_job(shell, story, number, turn, "" if again else job_id)
    _heading(shell, say("2. Profiles: what was learnt from the new information"))
    for profile in story.profiles:
        head = Text(f"{plain(profile.name or profile.key.entity_id)}  {plain(profile.key)}  r{profile.revision}")
        out.print(Panel(Text(plain(profile.summary)), title=head, title_align="left", border_style="magenta"))
    _heading(shell, say("3. Recall: a question before the reply"))
    for question, hits in story.answers:
        out.print(Text.assemble(("? ", "bold cyan"), (question.text, "bold"), (f"   {say(question.remark)}", "dim")))
        for hit in hits:
            out.print(Text.assemble((f"  {hit.score:.2f} ", "dim"), plain(shown(hit.event))))
        if not hits:
            out.print(Text(f"  {say('(nothing)')}", "green" if not question.expects else "yellow"))
        out.print()
    out.print(Text(say("What goes into the prompt"), "dim"))
    for line in plain(story.prompt).splitlines():
        out.print(Text(f"  {line}"), soft_wrap=True)
    out.print()
    none = say("no local embedder is installed: keywords alone")
    vectors = say("vectors: {model}", model=story.embedding) if story.embedding else none
    out.print(Text(f"{vectors} · {say('{n:.1f} s', n=seconds)}", "dim"))
    out.print(Text(say(TEXTS["end"])))


def _heading(shell: Shell, text: str) -> None:
    from rich.rule import Rule

    shell.out.print()
    shell.out.print(Rule(Text(text, "bold cyan"), align="left", style="cyan"))


def _print_job(shell: Shell, story: Story, number: int, turn: Turn, job_id: str) -> None:
    """Print a turn and what became of it; `job_id` is empty for a job that was accepted before."""
    out, values = shell.out, turn.fields
    place = values.get("group_name") or say("private chat")
    out.print(Text(f"\n{number}  {place} · {plain(values['user_name'])} · {values['timestamp'][:16].replace('T', ' ')}", "bold"))
    out.print(Text(f"   {say(turn.remark)}", "dim"))
    if not job_id:
        out.print(Text(f"   = {say('this very job was accepted before; nothing is filed twice')}", "yellow"))
        return
    texts = [text for text in (values["action_summary"], *values["new_info"]) if text]
    for text, item in zip(texts, story.items.get(job_id, []), strict=False):
        before, after = changes(text, item["candidate"])
        mark, style = ("✓", "bold green") if item["passed"] else ("≈", "bold yellow")
        out.print(Text.assemble(("   · ", "dim"), before))
        out.print(Text.assemble((f"   {mark} ", style), after))
        for reason in [] if item["passed"] else item["violations"]:
            out.print(Text(f"     {say('gate: {why}', why=plain(reason['why']))}", "yellow"))
    written = story.written_profiles.get(job_id, [])
    if written:
        out.print(Text(f"   + {say('profile: {names}', names=plain(', '.join(written)))}", "magenta"))


def _emit(shell: Shell, story: Story, seconds: float) -> None:
    """Print the results for programs: lines with `step` job, profile, recall, context and end."""
    for _, job_id, again in story.turns():
        items = [] if again else story.items.get(job_id, [])
        shell.emit(step="job", job_id=job_id, duplicate=again, items=[dict(item) for item in items])
    for profile in story.profiles:
        shell.emit(step="profile", entity=str(profile.key), **profile_data(profile))
    for question, hits in story.answers:
        found = [{"score": hit.score, "event_id": hit.event.event_id, "text": hit.event.text} for hit in hits]
        shell.emit(step="recall", query=question.text, scope=question.scope.key, expects=question.expects, hits=found)
    shell.emit(step="context", text=story.prompt)
    shell.emit(step="end", seconds=round(seconds, 2), embedding=story.embedding, secret_on_disk=story.secret_on_disk)
