"""The prompt that asks a model for the final texts of a job."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from ..schema.graph_states.historian import ItemState
from ..schema.job import Job
from ..schema.names import Names
from ..text.job_verdicts import SHOWN_CHARACTERS, SHOWN_MESSAGES, left_to_mend
from ..text.language import Language
from .templates import one_line, render


class RecordTexts(BaseModel):
    """The finished texts, one for each item, in order."""

    model_config = ConfigDict(title="record_texts")

    texts: list[str] = Field(description="finished texts")


def rewrite_prompt(items: Sequence[ItemState], job: Job, names: Names, language: Language) -> str:
    """Return the user message: names, time, earlier messages, the items."""
    labels = ("机器人", "用户", "群") if language == "zh" else ("bot", "user", "group")
    people = zip(labels, (names.bot(language), names.user(language), names.group(language)), strict=True)
    listed = ("，" if language == "zh" else ", ").join(f"{label}={one_line(name)}" for label, name in people if name)
    return render(
        "rewrite_user",
        language,
        names=listed,
        time=f"{job.moment:%Y-%m-%d %H:%M}",
        recent=recent_lines(job, language),
        items="\n".join(_item_lines(n, item, language) for n, item in enumerate(items, 1)),
    )


def recent_lines(job: Job, language: Language) -> str:
    """Return the last messages before the turn, one a line under a heading; "" if there are none."""
    if not job.recent_messages:
        return ""
    lines = [
        f"- {one_line(m.sender_name or m.sender_id)}: {one_line(m.text)[:SHOWN_CHARACTERS]}"
        for m in job.recent_messages[-SHOWN_MESSAGES:]
    ]
    return ("此前的消息：\n" if language == "zh" else "Said before:\n") + "\n".join(lines) + "\n"


def _item_lines(number: int, item: ItemState, language: Language) -> str:
    source, draft, last, wrong = ("原文", "草稿", "上次", "问题") if language == "zh" else ("source", "draft", "last", "wrong")
    lines = [(source, one_line(item["source"])), (draft, one_line(item["draft"]))]
    if item["violations"]:
        lines.append((last, one_line(item["candidate"])))
        # The same word twice is one complaint. What the draft leaves relative as well is nobody's to mend.
        lines += [(wrong, why) for why in dict.fromkeys(reason["why"] for reason in left_to_mend(item))]
    colon = "：" if language == "zh" else ": "
    return "\n".join(f"{number} {label}{colon}{text}" for label, text in lines)
