"""The prompt that asks a model what of a conversation is worth remembering, and what of its answer is believed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from ..schema.job import Job
from ..schema.names import Names
from ..text.gate import find_invented
from ..text.language import Language
from ..text.questions.asking import asking_sentences
from ..text.references.finding import deictic_words
from ..text.speakers.no_facts import why_no_fact
from ..text.statements import LONGEST_STATEMENT
from ..text.support import content_terms, share
from ..text.talk_jobs import said_by_people
from ..text.time_expressions import find_relative
from .templates import one_line, render

LONGEST_SHOWN = 2_000
"""Characters of one message that the model is shown."""

MOST_BEFORE, MOST_AFTER = 6, 1
"""Messages of others before and after its own that a statement may have words of: a question says what its answer is about."""

MOST_STATEMENTS = 8
"""The most statements of one message. A longer message is a document, not talk."""
CARRIED, OWN = 0.7, 0.25
"""The least shares of a statement's content words that the talk must hold, and its message itself."""
_CLAUSES = re.compile(r"(?<=[。！？!?.\n])")
_REDACTED = re.compile(r"\[[A-Z][A-Z_]+\]")
"""A secret's placeholder: what is said about it is not worth remembering."""

_BOT = {"zh": "机器人", "en": "the bot"}
_SENT_BACK = {
    "zh": "上次有这些不是消息里说的，只交这几条：改正，或去掉：\n",
    "en": "Last time these were not what the message says; hand in these alone, mended, or leave them out:\n",
}


_WHY = {
    "zh": {
        "question": "提问、假设或玩笑不是事实",
        "invented": "有消息里没有的数字、日期、书名或名字",
        "not said": "大半的词不在消息里，或和这条消息无关",
        "another speaker": "speaker 不是这条消息的发送者",
        "said by the bot": "这是机器人说的",
        "no such message": "没有这个编号的消息",
        "empty": "是空的，或太长",
    },
    "en": {
        "question": "a question, supposition or joke is no fact",
        "invented": "a number, date, title or name in it is in no message",
        "not said": "most of its words are in no message, or none in this one",
        "another speaker": "the speaker is not the sender of this message",
        "empty": "empty, or too long",
    },
}


class Told(BaseModel):
    """One statement taken from a message."""

    model_config = ConfigDict(title="statement")

    message: int = Field(description="number of the message")
    speaker: str = Field(description="sender of that message")
    statement: str


class Extracted(BaseModel):
    """What is worth remembering; may be empty."""

    model_config = ConfigDict(title="extract_statements")

    statements: list[Told] = Field(default_factory=list)


def sender_of(job: Job, names: Names, language: Language) -> str:
    """Return how the sender of a message is listed."""
    if not said_by_people(job):
        return names.bot_name or _BOT[language]
    return job.user_name or job.user_id


def extract_prompt(jobs: Sequence[Job], names: Names, language: Language, refused: Sequence[tuple[Told, str]] = ()) -> str:
    """Return the user message: the messages, numbered from 1, and what was refused of the last answer."""
    lines = [
        f"{n} {one_line(sender_of(job, names, language))}: {one_line(_text(job)[:LONGEST_SHOWN])}"
        for n, job in enumerate(jobs, 1)
    ]
    back = "\n".join(f"- {one.message} {one_line(one.statement)} ({_WHY[language].get(why, why)})" for one, why in refused)
    return render(
        "extract_user",
        language,
        time=f"{jobs[-1].moment:%Y-%m-%d %H:%M}",
        messages="\n".join(lines),
        refused=_SENT_BACK[language] + back if back else "",
    )


def believed(
    answer: Extracted, jobs: Sequence[Job], names: Sequence[Names], language: Language
) -> tuple[list[list[str]], list[tuple[Told, str]]]:
    """Return the statements of each message that it does say, and the others with why they are refused.

    Refused are those of no message, of the bot's or a tool's, of another speaker than the message's sender, and those that
    `why_not_told` names.
    """
    kept: list[list[str]] = [[] for _ in jobs]
    refused: list[tuple[Told, str]] = []
    for one in answer.statements:
        why = _why_refused(one, jobs, names, language)
        if why:
            refused.append((one, why))
            continue
        mine = kept[one.message - 1]
        if one.statement.strip() not in mine and len(mine) < MOST_STATEMENTS:
            mine.append(one.statement.strip())
    return kept, refused


def _why_refused(one: Told, jobs: Sequence[Job], names: Sequence[Names], language: Language) -> str:
    if not 1 <= one.message <= len(jobs):
        return "no such message"
    job, who = jobs[one.message - 1], names[one.message - 1]
    if not said_by_people(job):
        return "said by the bot"
    if one.speaker.strip().casefold() not in {sender_of(job, who, language).casefold(), job.user_id.casefold()}:
        return "another speaker"
    beside = [other for n, other in enumerate(jobs, 1) if n != one.message and _may_complete(n, other, one.message, job)]
    elsewhere = [other for other in beside if other.moment.date() != job.moment.date()]
    for _, _, wording in find_relative(one.statement):
        if wording not in _text(job) and any(wording in _text(other) for other in elsewhere):
            return "invented"  # "tomorrow" of another day
    talk = "\n".join(_text(other) if said_by_people(other) else asking_sentences(_text(other)) for other in beside)
    others = [_text(other) for other in jobs if not _is_of_sender(other, job)]
    return why_not_told(one.statement, _text(job), who, talk, others)


def _may_complete(n: int, other: Job, place: int, job: Job) -> bool:
    """Return True if the n-th message may give words to a statement of that at `place`: the sender's own, and neighbours."""
    near = place - MOST_BEFORE <= n <= place + MOST_AFTER
    return near or (n < place and _is_of_sender(other, job))


def _is_of_sender(other: Job, job: Job) -> bool:
    """Return True if the person who sent the message of `job` sent the other one too."""
    return said_by_people(other) and other.user_id == job.user_id


def _text(job: Job) -> str:
    return str(job.payload.get("text", ""))


def why_not_told(statement: str, message: str, names: Names, talk: str = "", others: Sequence[str] = ()) -> str:
    """Return why a statement is not what a message says: "empty", "question", "invented" or "not said"; "" if it is.

    The names of the conversation may stand for its pronouns; any other number, date, title or Latin name must be in the message
    or the `talk` around it, and so must most of the statement's words. It has some words of the message, or most of a short one,
    and is not what one of the `others` told, a message of somebody else. Their questions tell nothing.
    """
    bare = statement.strip()
    if not bare or len(bare) > LONGEST_STATEMENT:
        return "empty"
    if why_no_fact(bare, names) or _REDACTED.search(bare):
        return "question"
    if find_invented(bare, f"{message}\n{talk}", names):
        return "invented"
    wanted, own = content_terms(bare, names), content_terms(message, names)
    if wanted and share(wanted, own | content_terms(talk, names)) < CARRIED:
        return "not said"
    mine = share(wanted, own)
    if wanted and (not own or max(mine, share(own, wanted)) < OWN):  # "yes, on Sunday" says all that it says
        return "not said"
    for other in others if mine < CARRIED else ():
        told = " ".join(part for part in _CLAUSES.split(other) if not asking_sentences(part))
        if share(wanted, content_terms(told, names)) >= CARRIED:
            return "not said"
    if not wanted and not deictic_words(bare, ()):
        return "not said"
    return ""
