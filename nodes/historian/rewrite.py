"""rewrite: resolve time, draft by rules, then let the model write the final text where one is configured."""

from __future__ import annotations

import json
import logging

from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field

from ...prompts import Language, render
from ...schema.errors import ModelAnswerUnusable, ModelRefused
from ...schema.event import EventKind
from ...schema.job import Job
from ...schema.names import Names
from ...schema.settings import Settings
from ...schema.states import HistorianContext, HistorianState, HistorianUpdate, ItemState
from ...text.absolutize import absolutize
from ...text.references.subjects import with_subject
from .conversation import job_of, language_of, names_of, speakers_of
from .verdict import judge, with_verdict

log = logging.getLogger(__name__)

RECENT_MESSAGES = 6
"""Messages shown to the model where a reference is undecided; more of them cost tokens and decide nothing."""


class RecordTexts(BaseModel):
    """The finished texts, one for each item, in order."""

    model_config = ConfigDict(title="record_texts")

    texts: list[str] = Field(description="finished texts")


async def rewrite(state: HistorianState, runtime: Runtime[HistorianContext]) -> HistorianUpdate:
    """Prepare the items on the first visit; ask the model, in one call, for those that still need it."""
    context = runtime.context
    job = job_of(state)
    items = state.get("items") or prepare(job, context.settings)
    attempt = state.get("attempt", 0)
    if context.chat is None or context.settings.historian.rewrite_mode == "rules":
        return {"items": items, "attempt": attempt, "spent": True}
    if attempt == 0:
        items = [passed_by_rules(item, job, context.settings) for item in items]
    wanted = [n for n, item in enumerate(items) if not item["passed"]]
    if not wanted:
        return {"items": items, "attempt": attempt, "spent": True}
    language = language_of(job, context.settings)
    try:
        answer = await context.chat.structured(
            RecordTexts,
            purpose="rewrite",
            system=render("rewrite_system", language),
            user=rewrite_prompt([items[n] for n in wanted], job, names_of(job, context.settings), language),
        )
    except (ModelAnswerUnusable, ModelRefused) as error:
        if isinstance(error, ModelRefused) and not error.about_content:
            raise
        log.warning("job %s: the model gave no usable rewrite, the rules' text stands: %s", job.job_id, error)
        return {"items": items, "attempt": attempt + 1, "spent": True}
    if len(answer.texts) != len(wanted):
        log.info("job %s: %d texts came back for %d items", job.job_id, len(answer.texts), len(wanted))
    changed = list(items)
    for position, n in enumerate(wanted):
        # An item that the answer leaves out keeps an empty candidate: the gate says so, and it is asked for again.
        candidate = answer.texts[position].strip() if len(answer.texts) == len(wanted) else ""
        changed[n] = {**items[n], "candidate": candidate, "rewritten_by": "model", "passed": False}
    spent = attempt >= context.settings.historian.rewrite_max_retry
    return {"items": changed, "attempt": attempt + 1, "spent": spent}


def prepare(job: Job, settings: Settings) -> list[ItemState]:
    """Every text of the job with its times resolved and its draft by rules as the first candidate."""
    names, speakers = names_of(job, settings), speakers_of(job)
    texts: list[tuple[EventKind, str]] = [("action", job.action_summary)] if job.action_summary else []
    texts += [("fact", text) for text in job.new_info]
    items: list[ItemState] = []
    for kind, source in texts:
        done = absolutize(source, job.moment, job.timezone, names, kind, recent_speakers=speakers)
        drafted = with_subject(done.text, names, kind, done.language)
        items.append(
            ItemState(
                kind=kind,
                source=source,
                resolved=done.resolved_text,
                draft=drafted,
                candidate=drafted,
                undecided=[reference.text for reference in done.drafted.undecided],
                dated=bool(done.resolved),
                rewritten_by="rules",
                passed=False,
                first_pass=False,
                violations=[],
                notes=[],
            )
        )
    return items


def passed_by_rules(item: ItemState, job: Job, settings: Settings) -> ItemState:
    """The item as passed where its draft needs no model (`auto`: the rules leave nothing open and the gate lets it pass).

    The gate node takes the verdict as it is and does not judge the draft again.
    """
    if settings.historian.rewrite_mode == "always" or item["undecided"]:
        return item
    verdict = judge(item, item["draft"], job, settings)
    return {**with_verdict(item, verdict, job, settings), "first_pass": True} if verdict.passed else item


def rewrite_prompt(items: list[ItemState], job: Job, names: Names, language: Language) -> str:
    """The user message: names, time, what was said before (only where that can decide something), the items."""
    labels = ("机器人", "用户", "群") if language == "zh" else ("bot", "user", "group")
    people = [(labels[0], names.bot(language)), (labels[1], names.user(language)), (labels[2], names.group(language))]
    listed = ("，" if language == "zh" else ", ").join(f"{label}={one_line(name)}" for label, name in people if name)
    recent = ""
    if any(item["undecided"] for item in items) and job.recent_messages:
        shown = job.recent_messages[-RECENT_MESSAGES:]
        lines = [f"- {one_line(m.sender_name or m.sender_id)}: {one_line(m.text)[:120]}" for m in shown]
        recent = ("此前的消息：\n" if language == "zh" else "Said before:\n") + "\n".join(lines) + "\n"
    return render(
        "rewrite_user",
        language,
        names=listed,
        time=f"{job.moment:%Y-%m-%d %H:%M}",
        recent=recent,
        items="\n".join(_item_lines(n, item, language) for n, item in enumerate(items, 1)),
    )


def _item_lines(number: int, item: ItemState, language: Language) -> str:
    source, draft, last, wrong = ("原文", "草稿", "上次", "问题") if language == "zh" else ("source", "draft", "last", "wrong")
    colon = "：" if language == "zh" else ": "
    lines = [f"{number} {source}{colon}{one_line(item['source'])}", f"{number} {draft}{colon}{one_line(item['draft'])}"]
    if item["violations"]:
        lines.append(f"{number} {last}{colon}{one_line(item['candidate'])}")
        said = dict.fromkeys(reason["why"] for reason in item["violations"])  # the same word twice is one complaint
        lines += [f"{number} {wrong}{colon}{why}" for why in said]
    return "\n".join(lines)


def one_line(text: str) -> str:
    """`text` as one line of a prompt; line ends become visible escapes, so that no content can pose as a new line of it."""
    return json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"') if "\n" in text or "\r" in text else text
