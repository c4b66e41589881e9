"""Summaries of a conversation, by a model and checked against the messages, or without a model.

Without a model, or if its summary does not pass, the summary is the conversation itself.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import ClassVar
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field

from ..schema.names import Names
from ..schema.protocols import StructuredChat
from ..schema.summary import Spoken, SummaryDraft
from ..text.checks.findings import SourceTexts
from ..text.checks.gate import check
from ..text.content_words import Sources
from ..text.language import Language, detect_language
from ..text.messages.records import dated_words
from ..text.redaction import redact
from ..text.statements import spoken_by, stamped, statements
from ..text.tokens import newest_within
from .asking import asked
from .templates import one_line, render

log = logging.getLogger(__name__)

TALK_TOKENS = 500
"""Number of tokens of talk for one summary without a model: few enough to keep every word."""
MOST_TOKENS = 1_500
"""Maximum number of tokens of a summary without a model, which has the newest messages."""
SHOWN_CHARACTERS = 400
"""Maximum number of characters of a message that a model is shown."""
TRANSCRIPT_CHARACTERS = 300_000
"""Maximum number of characters, from the end of a conversation, that a model is shown."""
LONGEST_SUMMARY = 4_000
"""Maximum number of characters of a model's summary, and of a message in a summary by rules."""
KEPT_SENTENCES = 0.5
"""The sentences of a model's summary that pass are used if they are at least this share of it."""
SOURCES = 8
"""Maximum number of messages that together support a sentence."""
_WRONG = {
    "zh": ("对话", "上一次的问题，请改正："),
    "en": ("the conversation", "What was wrong last time, mend it:"),
}


class StatesSummary(BaseModel):
    """The finished summary."""

    usual_tokens: ClassVar[int] = 1_000
    model_config = ConfigDict(title="summarise_states")

    summary: str = Field(description="finished summary")


async def summarise(
    spoken: Sequence[Spoken],
    *,
    chat: StructuredChat | None,
    names: Names,
    moment: datetime,
    timezone: str | ZoneInfo | None,
    language: Language | None = None,
) -> SummaryDraft:
    """Return the redacted summary of a conversation; its text is "" if no message has text.

    Without a model, or if the model's summary does not pass, the summary is the conversation, with
    one line per message: `2026-12-01 Ann: we move in on Friday (2026-12-04)`. The day is written
    only where it changes, and only the newest lines are kept, of at most MOST_TOKENS tokens. Raises
    ModelUnavailable, and ModelRefused if the refusal does not depend on the content.
    """
    if chat is not None and (
        written := await _by_model(spoken, chat, names, moment, timezone, language)
    ):
        return SummaryDraft(text=written, written_by="model", is_absolute=True)
    lines = await asyncio.to_thread(said_lines, spoken, names, moment, timezone, LONGEST_SUMMARY)
    kept = len(newest_within(under_days(lines), MOST_TOKENS, least=1))
    absolute = all(one.role == "record" for one in spoken)
    text = "\n".join(under_days(lines[len(lines) - kept :]))
    return SummaryDraft(text=text, written_by="rules", is_absolute=absolute)


async def _by_model(
    spoken: Sequence[Spoken],
    chat: StructuredChat,
    names: Names,
    moment: datetime,
    timezone: str | ZoneInfo | None,
    language: Language | None,
) -> str:
    """Return the model's summary, without sentences that are relative or not supported by messages.

    Such sentences are sent back to the model once, with the reasons. Return "" if too few sentences
    pass. Of a conversation of more than TRANSCRIPT_CHARACTERS the model is shown the end.
    `language` is the language of the prompts (None: that of the conversation). Raises
    ModelUnavailable, and ModelRefused if the refusal does not depend on the content.
    """
    lines = await asyncio.to_thread(said_lines, spoken, names, moment, timezone)
    if not lines:
        return ""
    transcript = _newest("\n".join(under_days(lines)), TRANSCRIPT_CHARACTERS)
    shown = language or detect_language(transcript)
    speakers = {spoken_by(line)[0] for _, line in lines} - {"", *names.everybody}
    check = _Check(
        transcript, replace(names, others=(*names.others, *sorted(speakers))), moment, shown
    )
    kept: list[str] = []
    wrong: list[str] = []
    for _ in range(2):
        complaint = (
            ["", _WRONG[shown][1], *(f"- {one_line(reason)}" for reason in wrong)] if wrong else []
        )
        answer = await asked(
            chat,
            StatesSummary,
            "the conversation itself is kept",
            purpose="summarise_states",
            system=render("summarise_states_system", shown),
            user=render(
                "summarise_states_user",
                shown,
                time=moment.isoformat(timespec="minutes"),
                lines=transcript,
                wrong="\n".join(complaint),
            ).strip(),
        )
        if answer is None:
            break
        text = redact(answer.summary.strip()[:LONGEST_SUMMARY], "all")
        passed, wrong = await asyncio.to_thread(check.judge, text)
        if not wrong:
            return text
        enough = max(2, KEPT_SENTENCES * (len(passed) + len(wrong)))
        kept = max(kept, passed if len(passed) >= enough else [], key=len)
    log.info(
        "sentences of a model's summary that did not pass: %d; kept: %d", len(wrong), len(kept)
    )
    return "\n".join(kept)


class _Check:
    """A check that the sentences of a summary are absolute and supported by a transcript."""

    def __init__(self, transcript: str, names: Names, moment: datetime, language: Language) -> None:
        self._names, self._moment, self._language = names, moment, language
        given = []
        day = ""
        for line in transcript.splitlines():
            own, said = stamped(line)
            day = own or day
            given.append(f"{day} {said}".strip())
        self._messages = Sources({str(n): line for n, line in enumerate(given)}, names)

    def judge(self, text: str) -> tuple[list[str], list[str]]:
        """Return the sentences that pass, and the other sentences with their reasons."""
        passed, wrong = [], []
        for one in statements(text):
            if faults := self._faults(one):
                wrong.append(f"{one}: {' '.join(faults)}")
            else:
                passed.append(one)
        return passed, wrong

    def _faults(self, sentence: str) -> list[str]:
        given = {
            _WRONG[self._language][0]: "\n".join(self._messages.nearest(sentence, SOURCES).values())
        }
        sources = SourceTexts(given, [self._moment.isoformat()])
        return check(sentence, self._names, sources=sources).reasons(self._language)


def said_lines(
    spoken: Sequence[Spoken],
    names: Names,
    moment: datetime,
    timezone: str | ZoneInfo | None,
    most_characters: int = SHOWN_CHARACTERS,
) -> list[tuple[str, str]]:
    """Return each message as (day, line), where the line is redacted: `speaker: words`.

    Relative times are followed by the resolved days in brackets. The day is that of the message's
    `at`, or else of `moment`. The line of a record is its redacted text, and its day is "".
    """
    lines = []
    for one in spoken:
        text = redact(" ".join(one.text.split()), "all")
        if len(text) > most_characters:
            text = f"{text[: most_characters - 1]}…"
        if text and one.role == "record":
            lines.append(("", text))
        elif text:
            at = _moment(one, moment)
            line = f"{_speaker(one, names)}: {dated_words(text, at, timezone)}"
            lines.append((at.date().isoformat(), redact(line, "all")))
    return lines


def under_days(lines: Sequence[tuple[str, str]]) -> list[str]:
    """Return lines with the day only before the first line of a day.

    For example `2026-12-01 Ann: hello`, then `Nova: hello`.
    """
    found = []
    last = ""
    for day, line in lines:
        found.append(f"{day} {line}" if day and day != last else line)
        last = day or last
    return found


def _speaker(spoken: Spoken, names: Names) -> str:
    if spoken.role == "tool":
        return spoken.name or spoken.role
    language = detect_language(spoken.text)
    return (
        names.bot(language) if spoken.role == "assistant" else spoken.name or names.user(language)
    )


def _moment(spoken: Spoken, otherwise: datetime) -> datetime:
    """Return the time of a message, or `otherwise` if `spoken.at` is no time.

    A time without an offset gets the time zone of `otherwise`.
    """
    try:
        at = datetime.fromisoformat(spoken.at)
    except ValueError:
        return otherwise
    return at if at.tzinfo is not None else at.replace(tzinfo=otherwise.tzinfo)


def _newest(text: str, characters: int) -> str:
    """Return the last lines of a text, of at most `characters` characters."""
    if len(text) <= characters:
        return text
    tail = text[-characters:]
    return tail[tail.find("\n") + 1 :]
