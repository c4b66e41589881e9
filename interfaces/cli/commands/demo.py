"""`historian demo`: the whole path on a sample, in a temporary directory, with no key and no model of yours."""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from ..changes import changes
from ..console import plain
from ..demo_conversation import QUESTIONS, SAMPLE_SECRET, TURNS, Question, Turn
from ..invocation import CommandFailed, Shell, command
from ..language import both, either, speaking
from ..root import app

if TYPE_CHECKING:
    from ....schema.hit import Hit
    from ....schema.job import Job
    from ....schema.profile import Profile
    from ....schema.settings import Settings
    from ....schema.states import HistorianUpdate, ItemState
    from ....service.cognitive import CognitiveService


@dataclass
class Story:
    """What the demo saw: each accepted job as it lies on disk, its texts as they became, the profiles, the answers."""

    ids: list[str] = field(default_factory=list)
    jobs: dict[str, Job] = field(default_factory=dict)
    items: dict[str, list[ItemState]] = field(default_factory=dict)
    written_profiles: dict[str, list[str]] = field(default_factory=dict)
    profiles: list[Profile] = field(default_factory=list)
    answers: list[list[Hit]] = field(default_factory=list)
    prompt: str = ""
    embedding: str = ""
    secret_on_disk: bool = False

    def saw(self, job: Job, node: str, update: HistorianUpdate) -> None:
        """Note one step of one job."""
        self.jobs[job.job_id] = job
        if "items" in update:
            self.items[job.job_id] = update["items"]
        if node == "write_profile":
            self.written_profiles[job.job_id] = list(update.get("written", []))


SAYINGS = {
    "title": (
        "史官：把聊天机器人的笔记变成一年后仍然看得懂的记录，归档，并在回复之前取回。",
        "Historian: what a bot notes becomes records that still make sense a year later, filed, and recalled before a reply.",
    ),
    "setting": (
        "临时目录，不用密钥，不用模型：改写全凭规则。红色是换掉的，绿色是换成的；✓ 闸门通过，≈ 没有通过。",
        "A temporary directory, no key, no model: rules do the rewriting. Red is what went, green what came; ✓ passed the "
        "gate, ≈ did not.",
    ),
    "jobs": ("一、任务：之前 → 之后，以及闸门的判断", "1. Jobs: before → after, and what the gate said"),
    "profiles": ("二、画像：从新信息里学到的", "2. Profiles: what was learnt from the new information"),
    "recall": ("三、召回：回复之前问一句", "3. Recall: a question before the reply"),
    "prompt": ("放进提示词的样子", "What goes into the prompt"),
    "nothing": ("（什么也没有）", "(nothing)"),
    "failed": ("闸门", "gate"),
    "duplicate": ("已有同一个任务，不再记录", "this very job was accepted before; nothing is filed twice"),
    "profile": ("画像", "profile"),
    "embedding": ("向量", "vectors"),
    "keywords": ("没有本地向量模型，只用关键词", "no local embedder is installed: keywords alone"),
    "end": (
        "接下来：`historian init` 写一份配置，`historian doctor` 检查，README 里有十行接入代码。",
        "Next: `historian init` writes a config.toml, `historian doctor` checks it, the README connects a bot in ten lines.",
    ),
}


@command(app, "demo", zh="用一段示例对话走完全程：任务、记录、画像、召回。什么也不留下。")
async def demo(
    shell: Shell,
    lang: Annotated[
        Literal["auto", "zh", "en"],
        typer.Option("--lang", help=both("说明用的语言；示例两种都有。", "Language of the remarks; the sample has both.")),
    ] = "auto",
) -> None:
    """Show the whole path on a sample conversation: jobs, records, profiles, recall. Nothing is kept."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="historian-demo-", ignore_cleanup_errors=True) as folder:
        status = shell.err.status("…") if shell.err.is_terminal else None
        if status is not None:
            status.start()
        try:
            story = await live_through(demo_settings(Path(folder)))
        finally:
            if status is not None:
                status.stop()
    missing = [q.text for q, hits in zip(QUESTIONS, story.answers, strict=True) if not _answered(q, hits)]
    if shell.json:
        _emit(shell, story, time.monotonic() - started)
    else:
        with speaking(None if lang == "auto" else lang):
            _Picture(shell, story).show(time.monotonic() - started)
    if story.secret_on_disk:
        raise CommandFailed(
            either("在磁盘上找到了示例里的密钥；请报告这件事", "the sample's key was found on disk; please report this")
        )
    if missing:
        questions = ", ".join(missing)
        raise CommandFailed(
            either(
                f"演示没有想起该想起的：{questions}；请报告这件事",
                f"the demo did not recall what it should for {questions}; please report this",
            )
        )


def demo_settings(folder: Path) -> Settings:
    """The defaults, in a directory of their own, with the local embedder if it is installed and no model else."""
    from ....schema.settings import CognitiveSettings, Settings

    return Settings(cognitive=CognitiveSettings(data_dir=str(folder)))


async def live_through(settings: Settings) -> Story:
    """Hand the sample over, let the historian work, ask the questions."""
    from ....service.cognitive import CognitiveService
    from ....service.components import open_parts, open_queue
    from ....service.ownership import owned_worker

    story = Story()
    queue = await asyncio.to_thread(open_queue, settings, time.time)
    parts = await asyncio.to_thread(open_parts, settings, queue=queue, clock=time.time)
    try:
        async with CognitiveService.open(settings, worker=False) as memory:
            story.ids = [await memory.enqueue_job(**turn.fields) or "" for turn in TURNS]
            story.embedding = parts.embedder.model if parts.embedder is not None else ""
            with owned_worker(parts, random=random.random, on_step=story.saw) as historian:
                await historian.run(drain=True)
            story.profiles = [p for key in parts.profiles.keys() if (p := parts.profiles.read(key)) is not None]  # noqa: SIM118
            story.answers = [await _ask(memory, question) for question in QUESTIONS]
            story.secret_on_disk = await asyncio.to_thread(_holds, parts.directory, SAMPLE_SECRET.encode())
            story.prompt = await memory.build_context(QUESTIONS[0].text, _scope(QUESTIONS[0]))
    finally:
        await parts.aclose()
    return story


async def _ask(memory: CognitiveService, question: Question) -> list[Hit]:
    return await memory.search_events(question.text, _scope(question), top_k=2)


def _scope(question: Question) -> Any:
    from ....schema.scope import Scope

    return Scope.group(question.group_id, question.user_id) if question.group_id else Scope.private(question.user_id)


def _holds(folder: Path, needle: bytes) -> bool:
    """Whether any file of a folder holds some bytes."""
    return any(needle in file.read_bytes() for file in folder.rglob("*") if file.is_file())


def _answered(question: Question, hits: list[Hit]) -> bool:
    if not question.expects:
        return not hits
    return any(question.expects in hit.event.text for hit in hits)


class _Picture:
    """The story for people."""

    def __init__(self, shell: Shell, story: Story) -> None:
        self._out = shell.out
        self._story = story

    def show(self, seconds: float) -> None:
        out, story = self._out, self._story
        out.print(Panel(Text(self._say("title"), "bold"), border_style="cyan", padding=(0, 1)))
        out.print(Text(self._say("setting"), "dim"))
        self._heading("jobs")
        seen: set[str] = set()
        for number, (turn, job_id) in enumerate(zip(TURNS, story.ids, strict=True), 1):
            self._job(number, turn, job_id, again=job_id in seen)
            seen.add(job_id)
        self._heading("profiles")
        for profile in story.profiles:
            self._profile(profile)
        self._heading("recall")
        for question, hits in zip(QUESTIONS, story.answers, strict=True):
            self._question(question, hits)
        out.print(Text(self._say("prompt"), "dim"))
        for line in plain(story.prompt).splitlines():
            out.print(Text(f"  {line}"), soft_wrap=True)
        out.print()
        vectors = f"{self._say('embedding')}: {story.embedding}" if story.embedding else self._say("keywords")
        out.print(Text(f"{vectors} · {seconds:.1f} {either('秒', 's')}", "dim"))
        out.print(Text(self._say("end")))

    def _say(self, key: str) -> str:
        return either(*SAYINGS[key])

    def _heading(self, key: str) -> None:
        self._out.print()
        self._out.print(Rule(Text(self._say(key), "bold cyan"), align="left", style="cyan"))

    def _job(self, number: int, turn: Turn, job_id: str, *, again: bool) -> None:
        values = turn.fields
        place = values.get("group_name") or either("私聊", "private chat")
        head = Text(f"\n{number}  ", "bold")
        head.append(f"{place} · {plain(values['user_name'])} · {values['timestamp'][:16].replace('T', ' ')}", "bold")
        self._out.print(head)
        self._out.print(Text(f"   {turn.remark()}", "dim"))
        if again:
            self._out.print(Text(f"   = {self._say('duplicate')}", "yellow"))
            return
        texts = [text for text in (values["action_summary"], *values["new_info"]) if text]
        for text, item in zip(texts, self._story.items.get(job_id, []), strict=False):
            before, after = changes(text, item["candidate"])
            mark, style = ("✓", "bold green") if item["passed"] else ("≈", "bold yellow")
            self._out.print(Text.assemble(("   · ", "dim"), before))
            self._out.print(Text.assemble((f"   {mark} ", style), after))
            if not item["passed"]:
                for reason in item["violations"]:
                    self._out.print(Text(f"     {self._say('failed')}: {plain(reason['why'])}", "yellow"))
        written = self._story.written_profiles.get(job_id, [])
        if written:
            self._out.print(Text(f"   + {self._say('profile')}: {plain(', '.join(written))}", "magenta"))

    def _profile(self, profile: Profile) -> None:
        title = f"{plain(profile.name or profile.key.entity_id)}  {plain(profile.key)}  r{profile.revision}"
        self._out.print(Panel(Text(plain(profile.summary)), title=Text(title), title_align="left", border_style="magenta"))

    def _question(self, question: Question, hits: list[Hit]) -> None:
        self._out.print(Text.assemble(("? ", "bold cyan"), (question.text, "bold"), (f"   {question.remark()}", "dim")))
        for hit in hits:
            self._out.print(Text.assemble((f"  {hit.score:.2f} ", "dim"), plain(hit.event.text)))
        if not hits:
            self._out.print(Text(f"  {self._say('nothing')}", "green" if not question.expects else "yellow"))
        self._out.print()


def _emit(shell: Shell, story: Story, seconds: float) -> None:
    """The story for programs: lines with `step` job, profile, recall, context and end."""
    seen: set[str] = set()
    for job_id in story.ids:
        items = [] if job_id in seen else story.items.get(job_id, [])
        shell.emit(step="job", job_id=job_id, duplicate=job_id in seen, items=[dict(item) for item in items])
        seen.add(job_id)
    for profile in story.profiles:
        shell.emit(step="profile", entity=str(profile.key), name=profile.name, summary=profile.summary, revision=profile.revision)
    for question, hits in zip(QUESTIONS, story.answers, strict=True):
        found = [{"score": hit.score, "event_id": hit.event.event_id, "text": hit.event.text} for hit in hits]
        shell.emit(step="recall", query=question.text, scope=_scope(question).key, expects=question.expects, hits=found)
    shell.emit(step="context", text=story.prompt)
    shell.emit(step="end", seconds=round(seconds, 2), embedding=story.embedding, secret_on_disk=story.secret_on_disk)
