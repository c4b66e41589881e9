"""Summarise a conversation: by the model if its summary passes the checks, else by the most informative lines."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field

from ..schema.article import Spoken, SummaryDraft
from ..schema.names import Names
from ..schema.protocols import StructuredChat
from ..text.absolutize import absolutize
from ..text.declared import declared_topics
from ..text.gate import find_invented, find_relative_words
from ..text.language import Language, detect_language
from ..text.redaction import redact
from ..text.references.naming import direct_speech
from ..text.salience import salient_lines
from ..text.statements import spoken_by, statements
from ..text.telling import told_in
from .asking import asked
from .templates import render

log = logging.getLogger(__name__)

LINES_CHOSEN = 5
"""Lines that a summary by rules has for each two hundred of the conversation, and ..."""
MOST_LINES = 20
"""... at most, besides those in which somebody says who they are."""
LINE_CHARACTERS = 400
LONGEST_SUMMARY = 4_000
_WEIGHED_TOGETHER = 200
"""Lines that are weighed against each other; the work grows with the square of their number."""
_KEPT_SENTENCES = 0.5
"""A model's summary stands without its untrue sentences where so large a share of it is true."""


class StatesSummary(BaseModel):
    """The finished summary."""

    usual_tokens: ClassVar[int] = 1_000
    model_config = ConfigDict(title="summarise_states")

    summary: str = Field(description="finished summary")


class SessionSummary(StatesSummary):
    """The finished summary."""

    model_config = ConfigDict(title="session_summary")


_FORMS = {"summarise_states": StatesSummary, "session_summary": SessionSummary}


async def summarise(
    spoken: Sequence[Spoken],
    *,
    chat: StructuredChat | None,
    names: Names,
    moment: datetime,
    timezone: str | ZoneInfo | None,
    language: Language | None = None,
    purpose: str = "summarise_states",
    most_characters: int = 300_000,
) -> SummaryDraft:
    """Return the summary of a conversation, redacted and absolute; its text is "" if nothing was said.

    Every time and "I" is resolved by rules before a model sees the text, at each line's `at` (else `moment`). What the model
    writes is resolved too and put through the gate; untrue or relative sentences are left out, and with most of them gone
    the rules' lines stand. Of a text over `most_characters` the model sees the end. `purpose` names the prompts
    (summarise_states, session_summary); `language` is theirs, None for that of the conversation. Raises ModelUnavailable,
    and ModelRefused where no content could change it.
    """
    lines = await asyncio.to_thread(absolute_lines, spoken, names, moment, timezone)
    if not lines:
        return SummaryDraft("", "rules", is_absolute=True)
    if chat is not None:
        transcript = _newest("\n".join(lines), most_characters)
        written = await _by_model(transcript, chat, names, moment, timezone, language, purpose)
        if written:
            return SummaryDraft(written, "model", is_absolute=True)
    text = redact("\n".join(await asyncio.to_thread(_chosen, lines, names)), "all")[:LONGEST_SUMMARY]
    relative = _relative(text, names)
    return SummaryDraft(text, "rules", not relative, relative)


def absolute_lines(spoken: Sequence[Spoken], names: Names, moment: datetime, timezone: str | ZoneInfo | None) -> list[str]:
    """Return each state as a redacted line with its speaker, times resolved and "I" replaced by the speaker's name.

    A record stands as it is: it is absolute already.
    """
    partner = next((one.name for one in spoken if one.role == "user" and one.name), names.user_name)
    lines = []
    for one in spoken:
        if one.role == "user" and one.name:
            partner = one.name
        text = " ".join(one.text[:LINE_CHARACTERS].split())
        if text:
            lines.append(redact(_absolute_line(one, text, partner, names, _moment(one, moment), timezone), "all"))
    return lines


def _moment(spoken: Spoken, otherwise: datetime) -> datetime:
    """Return the time of speaking; `otherwise` if it is not a time. Without an offset it gets that of `otherwise`."""
    try:
        at = datetime.fromisoformat(spoken.at)
    except ValueError:
        return otherwise
    return at if at.tzinfo is not None else at.replace(tzinfo=otherwise.tzinfo)


def _absolute_line(spoken: Spoken, text: str, partner: str, names: Names, at: datetime, timezone: str | ZoneInfo | None) -> str:
    if spoken.role == "record":
        return text
    if spoken.role == "tool":
        return f"{spoken.name or spoken.role}: {text}"
    language = detect_language(text)
    user = Names(user_name=partner, user_id=names.user_id).user(language)
    bot = names.bot(language)
    if spoken.role == "assistant":
        cast, speaker = Names(bot_name=bot, user_name=user), bot
    else:
        # The rules write for the one who speaks, whoever that is: here the user is the one who says "I".
        cast, speaker = Names(bot_name=user, user_name=bot), user
    return f"{speaker}: {direct_speech(absolutize(text, at, timezone, cast, 'action').resolved_text, cast)}"


async def _by_model(
    transcript: str,
    chat: StructuredChat,
    names: Names,
    moment: datetime,
    timezone: str | ZoneInfo | None,
    language: Language | None,
    purpose: str,
) -> str:
    """Return the model's summary, or "" if it gave none that passes the checks."""
    spoken = language or detect_language(transcript)
    answer = await asked(
        chat,
        _FORMS[purpose],
        "a conversation is summarised without the model",
        purpose=purpose,
        system=render(f"{purpose}_system", spoken),
        user=render(f"{purpose}_user", spoken, time=moment.isoformat(timespec="minutes"), lines=transcript),
    )
    if answer is None:
        return ""
    text = redact(answer.summary.strip()[:LONGEST_SUMMARY], "all")
    return await asyncio.to_thread(_believed, text, transcript, names, moment, timezone)


def _believed(text: str, transcript: str, names: Names, moment: datetime, timezone: str | ZoneInfo | None) -> str:
    """Return `text` with times (in a private chat also pronouns) resolved, without relative or invented sentences.

    In a group "he" may be anybody: there only the times are resolved, and the gate turns the rest down.
    """
    resolved = absolutize(text, moment, timezone, names, "action")
    text = resolved.resolved_text if names.group_id else resolved.text
    given = f"{transcript}\n{moment.isoformat()}"
    if text and not _relative(text, names) and not find_invented(text, given, names):
        return text
    written = statements(text)
    kept = [
        one for one in written if not find_relative_words(one, names=names).violations and not find_invented(one, given, names)
    ]
    log.info("of the %d sentences of a model's summary %d are absolute and faithful", len(written), len(kept))
    if len(kept) < 2 or len(kept) < _KEPT_SENTENCES * len(written):
        return ""
    return "\n".join(kept)


def _chosen(lines: Sequence[str], names: Names) -> list[str]:
    """Return the most informative lines, in order and without small talk, and those in which the person describes themselves.

    What is still relative ("she likes it") is passed over as long as anything else was said; of small talk alone the lines
    that stand for most of it are given.
    """
    lines = [line for line in lines if not _relative(line, names)] or lines
    told = [told_in(line, names) for line in lines]
    worth = [one for _, one in told] if any(text for text, _ in told) else None
    chosen: set[int] = set()
    for begin in range(0, len(lines), _WEIGHED_TOGETHER):
        window = slice(begin, begin + _WEIGHED_TOGETHER)
        found = salient_lines(lines[window], LINES_CHOSEN, worth and worth[window])
        chosen.update(begin + n for n in found)
    if len(chosen) > MOST_LINES:
        numbers = sorted(chosen)[-2 * _WEIGHED_TOGETHER :]
        best = salient_lines([lines[n] for n in numbers], MOST_LINES, worth and [worth[n] for n in numbers])
        chosen = {numbers[n] for n in best}
    chosen.update(n for n, line in enumerate(lines) if _declares(line, names))
    return list(dict.fromkeys(_whole_or(told[n][0], lines[n], names) for n in sorted(chosen)))


def _whole_or(shorter: str, line: str, names: Names) -> str:
    """Return the shorter line, or the whole one if a pronoun depends on what was left out."""
    return line if not shorter or _relative(shorter, names) else shorter


def _declares(line: str, names: Names) -> bool:
    speaker, said = spoken_by(line)
    by_user = speaker in ("", names.user("zh"), names.user("en"))
    return by_user and any(declared_topics(one, names, by_user=True) for one in statements(said))


def _relative(text: str, names: Names) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"relative: {one.text}" for one in find_relative_words(text, names=names).violations))


def _newest(text: str, characters: int) -> str:
    """Return the end of a text, starting at the beginning of a line."""
    if len(text) <= characters:
        return text
    tail = text[-characters:]
    return tail[tail.find("\n") + 1 :]
