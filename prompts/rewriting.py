"""The prompt that asks a model for the final texts of a job."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from ..schema.graph_states.historian import ItemState
from ..schema.job import Job
from ..schema.names import Names
from ..text.job_verdicts import said_at, shown_messages
from ..text.language import Language
from ..text.messages.records import dated_words
from ..text.speakers.mentions import with_mentions
from .templates import one_line, render

_WORDS: dict[Language, dict[str, str]] = {
    "zh": {"people": "机器人/用户/群", "others": "其他人", "before": "此前的消息：", "comma": "，", "colon": "：",
           "action": "做了", "fact": "得知", "last": "上次", "wrong": "问题"},
    "en": {"people": "bot/user/group", "others": "others", "before": "Messages before:", "comma": ", ", "colon": ": ",
           "action": "did", "fact": "learnt", "last": "last", "wrong": "wrong"},
}  # fmt: skip


class RecordTexts(BaseModel):
    """The finished texts, one for each item, in order."""

    model_config = ConfigDict(title="record_texts")

    texts: list[str] = Field(description="finished texts")


def rewrite_prompt(items: Sequence[ItemState], job: Job, names: Names, language: Language) -> str:
    """Return the user message of a question for final texts.

    It has the names, the time, the messages m1, m2 … before the turn, and the items with their
    resolved times in brackets.
    """
    words = _WORDS[language]
    known = [
        *zip(
            words["people"].split("/"),
            (names.bot(language), names.user(language), names.group(language)),
            strict=True,
        )
    ]
    known.append((words["others"], "/".join(names.others)))
    return render(
        "rewrite_user",
        language,
        names=words["comma"].join(f"{label}={one_line(name)}" for label, name in known if name),
        time=f"{job.moment:%Y-%m-%d %a %H:%M}",
        recent=recent_lines(job, language),
        items="\n".join(
            line
            for n, item in enumerate(items, 1)
            for line in _item_lines(n, item, job, names, language)
        ),
    )


def recent_lines(job: Job, language: Language) -> str:
    """Return the last messages before the turn, one per line under a heading; "" without any."""
    lines = []
    for name, (one, said) in shown_messages(job).items():
        at = f" {when:%m-%d %H:%M}" if (when := said_at(one, job)) else ""
        speaker = one_line(one.sender_name or one.sender_id)
        lines.append(f"{name}{at} {speaker}: {one_line(said)}\n")
    return "".join((f"{_WORDS[language]['before']}\n", *lines)) if lines else ""


def _item_lines(
    number: int, item: ItemState, job: Job, names: Names, language: Language
) -> list[str]:
    """Return the lines for an item: its original words, and a refused text with reasons, if any."""
    words = _WORDS[language]
    said = dated_words(with_mentions(item["source"], job, names)[0], job.moment, job.timezone)
    lines = [f"{number} {words[item['kind']]}{words['colon']}{one_line(said)}"]
    if item["violations"]:
        # The same reason is listed once.
        told = dict.fromkeys(reason["why"] for reason in item["violations"])
        lines += [f"{number} {words['last']}{words['colon']}{one_line(item['candidate'])}"]
        lines += [f"{number} {words['wrong']}{words['colon']}{one_line(why)}" for why in told]
    return lines
