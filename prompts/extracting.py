"""The question for the events in a talk: its prompt and the form of its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..schema.graph_states.historian import HistorianPart, TalkShown
from ..schema.job import Job
from ..schema.names import Names
from ..schema.settings import Settings
from ..text.job_verdicts import language_among, names_of
from ..text.language import Language
from ..text.messages.records import dated_words, said_by_people
from ..text.speakers.mentions import with_mentions
from ..text.statements import split_instructions
from .asking import CONTROL, CONTROL_FACT, Texts, listed, some
from .templates import one_line, render

LONGEST_SHOWN, LONGEST_QUOTED = 2_000, 60
"""Maximum number of characters of a shown message, and of a quoted one that another replies to."""
_SILENCE = 1_800
"""Seconds without a message after which the time is shown again."""
_WORDS = {
    "zh": {
        "bot": "机器人",
        "tool": "工具",
        "re": "（回{}）",
        "people": "人：",
        "is_bot": "{}（机器人）",
        "is_group": "{}（本群）",
        "comma": "、",
        "before": "之前的消息（只供理解）：\n",
        "former": "已知事实：\n",
        "refused": "\n上次交来的这几条没有采用，其余的已经记下。只交这几条：改正，或去掉：\n",
    },
    "en": {
        "bot": "bot",
        "tool": "tool",
        "re": " (re {})",
        "people": "People: ",
        "is_bot": "{} (bot)",
        "is_group": "{} (this group)",
        "comma": ", ",
        "before": "Messages before (context only):\n",
        "former": "Known facts:\n",
        "refused": "\nThese of your last answer were not taken, the others were."
        " Hand in these alone, mended, or leave them out:\n",
    },
}

EventForm = Literal["fact", "plan", "event", "wish", "rule"]


def _numbers(value: Any) -> Any:
    return [int(n) for one in listed(value) for n in re.findall(r"(?<!\d)\d{1,3}(?!\d)", one)]


class ToldEvent(BaseModel):
    """One event that messages tell."""

    model_config = ConfigDict(
        title="event", json_schema_extra={"required": ["text", "messages", "speaker"]}
    )

    text: str
    messages: Annotated[list[int], BeforeValidator(_numbers), Field(default_factory=list)]
    speaker: Annotated[str, BeforeValidator(lambda value: "" if value is None else str(value))] = ""
    about: Texts
    kind: Annotated[
        EventForm, BeforeValidator(lambda value: value if value in get_args(EventForm) else "fact")
    ] = "fact"
    lasting: Annotated[bool, BeforeValidator(lambda value: value in (True, "true", "yes"))] = False
    until: Annotated[
        str,
        BeforeValidator(lambda value: value if isinstance(value, str) else ""),
        Field(description="YYYY-MM-DD"),
    ] = ""
    ends: Texts
    corrects: Texts


class RecordEvents(BaseModel):
    """The events worth remembering; may be empty."""

    model_config = ConfigDict(title="record_events")

    events: Annotated[list[ToldEvent], some] = Field(default_factory=list)


Refused = Sequence[tuple[dict[str, Any], str]]
"""Refused events of an answer, each with the reason."""


@dataclass(frozen=True)
class TalkQuestion:
    """The data of a talk that a model is shown: messages 1, 2 … (`jobs`), and `shown`.

    The jobs list the people of the talk. `shown` holds earlier messages, messages that were replied
    to, and former facts.
    """

    jobs: Sequence[Job]
    names: Names
    language: Language
    shown: TalkShown

    @classmethod
    def of(
        cls, parts: Sequence[HistorianPart], shown: TalkShown, settings: Settings
    ) -> TalkQuestion:
        """Return the question for the parts of a state."""
        jobs = [Job.model_validate(parts[place]["job"]) for place in shown["parts"]]
        language = language_among([text_of(job) for job in jobs], settings)
        return cls(jobs, names_of(jobs[-1], settings), language, shown)

    @cached_property
    def people(self) -> dict[str, str]:
        """The listed names of the people of the talk, by id."""
        listed = self.jobs[0].recent_messages
        return {
            one.sender_id: one.sender_name or Names(user_id=one.sender_id).user(self.language)
            for one in listed
        }

    @cached_property
    def words(self) -> list[str]:
        """The text of each message, with names for mentions and with resolved times in brackets."""
        texts = (
            with_mentions(text_of(job)[:LONGEST_SHOWN], job, self.names)[0] for job in self.jobs
        )
        return [
            dated_words(text, job.moment, job.timezone)
            for text, job in zip(texts, self.jobs, strict=True)
        ]

    @cached_property
    def texts(self) -> str:
        """All shown texts: people, former facts, days, and messages without instructions."""
        shown = self.shown
        beside = (*shown["before"], *shown["replied"].values())
        facts = (f"{one['text']} ({one['day']})" for one in shown["former"])
        days = dict.fromkeys(f"{one.moment:%Y-%m-%d}" for one in self.jobs)
        said = "\n".join((*(one["words"] for one in beside), *self.words))
        return "\n".join(
            (
                self.names.group(self.language),
                *self.people.values(),
                *facts,
                *days,
                *split_instructions(said)[0],
            )
        )

    def replied(self, place: int) -> int | None:
        """Return the index of the message that the one at `place` replies to, or None."""
        wanted = str(self.jobs[place].payload.get("reply_to", ""))
        found = (
            n
            for n, job in enumerate(self.jobs)
            if wanted and job.payload.get("message_id") == wanted
        )
        return next(found, None)

    def prompt(self, refused: Refused = ()) -> str:
        """Return the user message. `refused` are refused events of the last answer."""
        heads, shown = _WORDS[self.language], self.shown
        people = [*self.people.values(), heads["is_bot"].format(self.names.bot(self.language))]
        if group := self.names.group(self.language):
            people.append(heads["is_group"].format(group))
        before = [
            f"{one_line(one['speaker'])}: {one_line(one['words'])}" for one in shown["before"]
        ]
        control = CONTROL_FACT[self.language].format(self.names.bot(self.language))
        former = (
            [control, *(f"{one['text']} ({one['day']})" for one in shown["former"])]
            if shown["former"]
            else []
        )
        facts = [f"F{n} {one_line(text)}" for n, text in enumerate(former, CONTROL)]
        back = [f"- {one_line(one['text'])} {one['messages']}: {why}" for one, why in refused]
        return render(
            "extract_user",
            self.language,
            people=heads["people"] + heads["comma"].join(map(one_line, people)),
            former=heads["former"] + "\n".join(facts) + "\n" if facts else "",
            before=heads["before"] + "\n".join(before) + "\n" if before else "",
            messages="\n".join(self._lines()),
            refused=heads["refused"] + "\n".join(back) if back else "",
        )

    def _lines(self) -> list[str]:
        lines: list[str] = []
        for n, job in enumerate(self.jobs):
            last = self.jobs[n - 1].moment if n else None
            is_later = last is None or not 0 <= (job.moment - last).total_seconds() < _SILENCE
            if is_later or (last is not None and last.date() != job.moment.date()):
                lines.append(f"[{job.moment:%Y-%m-%d %a %H:%M}]")
            lines.append(
                f"{n + 1} {one_line(self._head(n))}{self._reply(n)}: {one_line(self.words[n])}"
            )
        return lines

    def speaker(self, place: int) -> str:
        """Return the listed name of a message's sender; the bot's name for the bot and tools."""
        job = self.jobs[place]
        return (
            self.people.get(job.user_id, job.user_id)
            if said_by_people(job)
            else self.names.bot(self.language)
        )

    def _head(self, place: int) -> str:
        heads, role = _WORDS[self.language], self.jobs[place].payload.get("role")
        mark = {"assistant": f" [{heads['bot']}]", "tool": f" [{heads['tool']}]"}.get(str(role), "")
        return self.speaker(place) + mark

    def _reply(self, place: int) -> str:
        at, told = self.replied(place), self.shown["replied"].get(str(place))
        if at is None and not told:
            return ""
        quoted = (
            str(at + 1)
            if at is not None
            else f"“{one_line(told['words'][:LONGEST_QUOTED])}”"
            if told
            else ""
        )
        return _WORDS[self.language]["re"].format(quoted)


def text_of(job: Job) -> str:
    """Return the text of a job's message."""
    return str(job.payload.get("text", ""))
