"""Jobs from the arguments of bots: completed, validated and redacted before they are written to disk."""

from __future__ import annotations

import re
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from ..schema.errors import InvalidInput
from ..schema.job import Job, RecentMessage, check_size, check_timezone, parse_job
from ..schema.labels import clean_metadata, clean_tags
from ..schema.settings import Settings
from ..schema.states_payload import StatesPayload
from ..schema.talk import ProfilePayload
from ..schema.validation import validated
from ..text.message_parts import from_cq
from ..text.redaction import Level, Redaction, find_secrets, redact, redact_value
from ..text.redaction.rules import placeholder
from ..text.redaction.search import announces_secret
from ..text.remembered import remembered
from ..text.speakers.shown_names import with_ids
from .timezones import told_timezone

if TYPE_CHECKING:
    from ..stores.tables.events.store import EventStore

HANDED_OVER = ("remember", "states", "talk", "profile")
"""The kinds of jobs that files may bring. The others are commands of operators."""

_NAMES = ("user_name", "group_name", "bot_name")
_NAMES_KEPT = 2_048
"""Names whose redacted form is cached: jobs repeat the same few names of people, groups and bots."""
_NAMED_BY_COMMANDS = frozenset(
    ("event_id", "event_ids", "entity_type", "entity_id", "layer", "user_id", "group_id", "folder", "notes_scope")
)
"""Fields of a command's payload that are compared or opened, and are therefore not redacted."""
LONG = 20_000
"""Longer texts are redacted in a thread of their own, one after the other: a hostile megabyte takes seconds."""
_ONE_LOOK = 2_000
"""Up to so many characters, texts are first searched together: most hold nothing, and one search is cheaper than ten."""
_TIME = re.compile(r"(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)?)?", re.ASCII)
_PASSES = 8
"""The most passes over one text: what is beside a placeholder may be a secret too."""


def checked_length(job: Job) -> int:
    """Return how many characters are to be redacted. Raises InvalidInput if they are too many for a job."""
    names = [job.user_name, job.group_name, job.bot_name]
    said = [text for one in job.recent_messages for text in (one.text, one.sender_name, one.at)]
    texts = [job.action_summary, *job.new_info, *names, *said]
    check_size(texts, f"job {job.job_id}")
    return sum(map(len, texts))


def make_job(data: Mapping[str, Any], settings: Settings, clock: Callable[[], float]) -> Job:
    """Return a job from a bot's arguments, with defaults for time, time zone, bot name and request id. In a hand-over, of which
    rules make texts, the id stands behind names that do not tell who is meant.

    Raises InvalidInput that names the field; its message is redacted.
    """
    timezone = data.get("timezone") or told_timezone(settings.cognitive.timezone, data.get("timestamp"))
    complete = {
        "request_id": uuid.uuid4().hex,
        "request_type": "group" if data.get("group_id") not in (None, "") else "private",
        "bot_name": settings.cognitive.bot_name,
        **{key: value for key, value in data.items() if value is not None},
        "timezone": timezone,
    }
    try:
        if not complete.get("timestamp"):
            complete["timestamp"] = datetime.fromtimestamp(clock(), ZoneInfo(check_timezone(str(timezone)))).isoformat()
        job = _plain(parse_job(complete))
        if job.kind == "remember" and job.has_expired(now := clock()):
            moment = datetime.fromtimestamp(now, ZoneInfo(job.timezone)).isoformat(timespec="seconds")
            raise InvalidInput(f"expires_at: lies in the past; it is {moment} now")
        return with_ids(job) if job.kind == "remember" else job  # a message keeps its words, and its sender's name and id
    except InvalidInput as error:
        raise InvalidInput(redact(str(error))) from None


def _plain(job: Job) -> Job:
    """Return the job with the words of those of its texts that are CQ strings. Talk has come through `read_messages`."""
    heard = job.recent_messages
    given = [job.action_summary, *job.new_info, *(one.text for one in heard)]
    if job.kind != "remember" or not any("[CQ:" in text or "&" in text for text in given):
        return job
    facts = [words for text in job.new_info if (words := from_cq(text))]
    changes: dict[str, Any] = {"action_summary": from_cq(job.action_summary, by_form=False), "new_info": facts}
    changes["recent_messages"] = [one.model_copy(update={"text": from_cq(one.text)}) for one in heard]
    return job.model_copy(update=changes)


def kept(said: Any) -> Any:
    """Return a copy of a list or deque: its owner may go on filling it while a thread reads it. Anything else as it is."""
    return list(said) if isinstance(said, list | deque) else said


def refuse_unknown(given: Iterable[str], known: Sequence[str], others: Iterable[str] = ()) -> None:
    """Raise InvalidInput for a field that is not among the `known` ones, which the message tells, or the `others`."""
    unknown = sorted(set(given).difference(known, others))
    if unknown:
        raise InvalidInput(f"{unknown[0]:.60}: unknown field; known are {', '.join(known)}")


def check_untried(job: Job) -> None:
    """Raise InvalidInput for a job that says how often it was tried, or when it may run: that is for the queue to say."""
    for name in ("attempts", "not_before", "last_error"):
        if getattr(job, name):
            raise InvalidInput(f"{name}: only the queue sets it; leave it out")


def redacted(job: Job, level: Level) -> Job:
    """Return the job without secrets and, with the level `all`, without personal data.

    Texts, display names and the texts of a command are redacted. Ids are not: they identify entities and are compared.
    """
    if level == "none":
        return job
    messages = job.recent_messages
    said, heard = [job.action_summary, *job.new_info], [one.text for one in messages]
    changes: dict[str, Any] = {"payload": _redacted_payload(job, level)} if job.payload else {}
    if job.last_error:
        changes["last_error"] = redact(job.last_error, level)
    if not _is_clean([*said, *heard], level):
        action_summary, *new_info = redacted_in_turn(said, level)
        changes["action_summary"] = action_summary
        changes["new_info"] = [item for one in new_info if (item := one.strip())]
        heard = redacted_in_turn(heard, level)
    if messages:
        changes["recent_messages"] = [_redacted_message(one, text, level) for one, text in zip(messages, heard, strict=True)]
    return with_redacted_labels(job, level).model_copy(update=changes)


def _redacted_message(message: RecentMessage, text: str, level: Level) -> RecentMessage:
    redacted_form = {"text": text, "sender_name": _redacted_name(message.sender_name, level), "at": _redacted_time(message.at)}
    changed = {name: value for name, value in redacted_form.items() if value != getattr(message, name)}
    return message.model_copy(update=changed) if changed else message


def with_redacted_labels(job: Job, level: Level) -> Job:
    """Return the job with redacted display names, tags and metadata."""
    labels: dict[str, Any] = {name: _redacted_name(getattr(job, name), level) for name in _NAMES}
    if job.tags:
        labels["tags"] = clean_tags([redact(one, level) for one in job.tags])
    if job.metadata:
        labels["metadata"] = clean_metadata(redact_value(job.metadata, level))
    changed = {name: value for name, value in labels.items() if getattr(job, name) != value}
    return job.model_copy(update=changed) if changed else job


def _redacted_time(at: str) -> str:
    """Return a time as it is; `at` is free text, so that anything else is redacted as one."""
    return at if _TIME.fullmatch(at) else redact(at)


@remembered(_NAMES_KEPT)
def _redacted_name(name: str, level: Level) -> str:
    return redact(name, level)


def redacted_in_turn(texts: Sequence[str], level: Level) -> list[str]:
    """Return consecutive texts redacted one by one, and then together for a secret whose name is in the text before it.

    >>> redacted_in_turn(["my password is", "Hk2!pplmq93x"], "secrets")
    ['my password is', '[PASSWORD]']

    A secret that spans several texts has its placeholder in the first one and is removed from the others.
    """
    if level == "none" or _is_clean(texts, level):
        return list(texts)
    if not any(map(announces_secret, texts)):  # then no two of them share a secret
        return [redact(text, level) for text in texts]
    # A key block is whole only before its first line is replaced; a clause goes on where no line ends.
    whole = _redacted_across(texts, "\n")
    return _redacted_across([redact(text, level) for text in whole], " ")


def _is_clean(texts: Sequence[str], level: Level) -> bool:
    """Return True if short texts, searched together, hold no secret and no word that announces one: the common case."""
    joined = "\n".join(texts)
    return len(joined) <= _ONE_LOOK and not announces_secret(joined) and not find_secrets(joined, level)


def _redacted_across(texts: Sequence[str], between: str) -> list[str]:
    """The texts without the secrets that are seen where they are joined by `between`.

    Personal data is looked for in each text alone: numbers of several texts in a row are not one number.
    """
    left = list(texts)
    if sum(map(bool, left)) < 2:
        return left
    for _ in range(_PASSES):
        spans = find_secrets(between.join(left), "secrets")
        if not spans:
            break
        left = without_spans(left, spans, len(between))
    return left


def without_spans(texts: Sequence[str], spans: Sequence[Redaction], gap: int) -> list[str]:
    """Return the texts without the spans. Spans are ordered offsets into all texts, joined with `gap` characters between two."""
    left: list[str] = []
    start = first = 0
    labelled = -1
    for text in texts:
        end = start + len(text)
        pieces, done = list[str](), start
        while first < len(spans) and spans[first].start < end:
            span = spans[first]
            if max(span.start, start) < min(span.end, end):  # an empty text holds no part of it
                pieces.append(text[done - start : max(span.start, start) - start])
                if labelled < first:
                    pieces.append(placeholder(span.label))
                    labelled = first
                done = min(span.end, end)
            if span.end > end:
                break  # the next text begins inside the span
            first += 1
        left.append("".join([*pieces, text[done - start :]]))
        start = end + gap
    return left


def _redacted_payload(job: Job, level: Level) -> dict[str, Any]:
    """Return the payload with everything redacted but the ids and places that commands name."""
    if job.kind == "states":
        payload = validated(StatesPayload, job.payload, within="payload")
        texts = redacted_in_turn([one.text for one in payload.states], "all")
        states = [
            one.model_copy(
                update={
                    "text": text,
                    "name": _redacted_name(one.name, "all"),
                    **({"at": _redacted_time(one.at)} if one.at else {}),
                }
            ).model_dump(exclude_unset=True)
            for one, text in zip(payload.states, texts, strict=True)
        ]
        return {**job.payload, "states": states} if states else job.payload
    if job.kind == "profile":  # ids alone
        return validated(ProfilePayload, job.payload, within="payload").model_dump()
    clean = redact_value(job.payload, level)
    assert isinstance(clean, dict)
    kept = _NAMED_BY_COMMANDS if job.kind not in HANDED_OVER else frozenset()
    return {**clean, **{key: value for key, value in job.payload.items() if key in kept}}


def was_changed(events: EventStore, job: Job) -> bool:
    """Return True if a job is filed, and an event of it was deleted or edited since: its texts tell what was wrong."""
    if job.kind != "remember" or not events.is_filed(job.job_id):
        return False
    found = events.get([f"{job.job_id}:{n}" for n in range(len(job.texts))])
    return len(found) < len(job.texts) or any(one.rewritten_by == "hand" for one in found)
