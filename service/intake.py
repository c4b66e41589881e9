"""Jobs from the arguments of bots. The arguments are completed, validated and redacted before a job
is written to disk."""

from __future__ import annotations

import re
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from ..schema.errors import InvalidInput
from ..schema.job import Job, RecentMessage, check_size, parse_job
from ..schema.labels import clean_metadata, clean_tags
from ..schema.payloads import ProfilePayload, StatesPayload
from ..schema.settings import Settings
from ..schema.times import check_timezone
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
    from .incoming_messages import Message

HANDED_OVER = ("remember", "states", "talk", "profile")
"""The kinds of jobs that a job file may contain. The other kinds are commands of operators."""

_NAMES = ("user_name", "group_name", "bot_name")
_NAMES_KEPT = 2_048
"""Number of names whose redacted form is cached: jobs repeat the same few names of people, groups
and bots."""
_NAMED_BY_COMMANDS = frozenset(
    (
        "event_id",
        "event_ids",
        "entity_type",
        "entity_id",
        "layer",
        "user_id",
        "group_id",
        "folder",
        "notes_scope",
    )
)
"""Fields of a command's payload that are compared, or opened as paths, and are therefore not
redacted."""
LONG = 20_000
"""Texts of more characters are redacted one after the other in a separate thread, because a hostile
megabyte takes seconds."""
_ONE_LOOK = 2_000
"""Texts of up to this many characters in total are first searched together: most contain no secret,
and one search is cheaper than ten."""
_TIME = re.compile(
    r"(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)?)?", re.ASCII
)
_PASSES = 8
"""Maximum number of passes over texts: after a replacement, the text next to a placeholder may be
recognised as a secret too."""


class Unredacted(NamedTuple):
    """What a bot handed over, read and validated: the number of `characters` to redact, and a
    function that returns the redacted jobs."""

    characters: int
    redacted_jobs: Callable[[], list[Job]]


def read_job(data: Mapping[str, Any], settings: Settings, clock: Callable[[], float]) -> Unredacted:
    """Return the job of a bot's arguments (see `make_job`). Raises InvalidInput, also if there are
    too many characters for a job."""
    job = make_job(data, settings, clock)
    names = [job.user_name, job.group_name, job.bot_name]
    said = [text for one in job.recent_messages for text in (one.text, one.sender_name, one.at)]
    texts = [job.action_summary, *job.new_info, *names, *said]
    check_size(texts, f"job {job.job_id}")
    if job.is_empty:
        return Unredacted(0, list)
    level = settings.historian.redact_jobs
    return Unredacted(sum(map(len, texts)), lambda: [redacted(job, level)])


def unredacted(
    said: list[Message], redacted_jobs: Callable[[list[Message]], list[Job]]
) -> Unredacted:
    """Return messages that were read, with the function that makes redacted jobs of them."""
    return Unredacted(sum(len(one.text) for one in said), partial(redacted_jobs, said))


def make_job(data: Mapping[str, Any], settings: Settings, clock: Callable[[], float]) -> Job:
    """Return a job from a bot's arguments, with defaults for time, time zone, bot name and request
    id. In a job of kind `remember`, ids are added to ambiguous names (see `with_ids`).

    Raises InvalidInput that names the field; its message is redacted.
    """
    timezone = data.get("timezone") or told_timezone(
        settings.cognitive.timezone, data.get("timestamp")
    )
    complete = {
        "request_id": uuid.uuid4().hex,
        "request_type": "group" if data.get("group_id") not in (None, "") else "private",
        "bot_name": settings.cognitive.bot_name,
        **{key: value for key, value in data.items() if value is not None},
        "timezone": timezone,
    }
    try:
        if not complete.get("timestamp"):
            complete["timestamp"] = datetime.fromtimestamp(
                clock(), ZoneInfo(check_timezone(str(timezone)))
            ).isoformat()
        job = _plain(parse_job(complete))
        if job.kind == "remember" and job.has_expired(now := clock()):
            moment = datetime.fromtimestamp(now, ZoneInfo(job.timezone)).isoformat(
                timespec="seconds"
            )
            raise InvalidInput(f"expires_at: lies in the past; it is {moment} now")
        return with_ids(job) if job.kind == "remember" else job  # other kinds store ids separately
    except InvalidInput as error:
        raise InvalidInput(redact(str(error))) from None


def _plain(job: Job) -> Job:
    """Return the job with its CQ strings decoded. Only jobs of kind `remember` are changed:
    messages were decoded by `read_messages`."""
    heard = job.recent_messages
    given = [job.action_summary, *job.new_info, *(one.text for one in heard)]
    if job.kind != "remember" or not any("[CQ:" in text or "&" in text for text in given):
        return job
    facts = [words for text in job.new_info if (words := from_cq(text))]
    changes: dict[str, Any] = {
        "action_summary": from_cq(job.action_summary, by_form=False),
        "new_info": facts,
    }
    changes["recent_messages"] = [
        one.model_copy(update={"text": from_cq(one.text)}) for one in heard
    ]
    return job.model_copy(update=changes)


def kept(said: Any) -> Any:
    """Return a copy of a list or deque, because the caller may change it while a thread reads it.
    Return any other value unchanged."""
    return list(said) if isinstance(said, list | deque) else said


def refuse_unknown(given: Iterable[str], known: Sequence[str], others: Iterable[str] = ()) -> None:
    """Raise InvalidInput for a field that is neither in `known` nor in `others`. The message lists
    `known`."""
    unknown = sorted(set(given).difference(known, others))
    if unknown:
        raise InvalidInput(
            f"{unknown[0]:.60}: unknown field; the known fields are {', '.join(known)}"
        )


def check_untried(job: Job) -> None:
    """Raise InvalidInput for a job with attempts, a due time or an error: only the queue sets
    these."""
    for name in ("attempts", "not_before", "last_error"):
        if getattr(job, name):
            raise InvalidInput(f"{name}: only the queue sets it; leave it out")


def redacted(job: Job, level: Level) -> Job:
    """Return the job without secrets and, with the level `all`, without personal data.

    Texts, display names and the texts of a command are redacted. Ids are not: they identify
    entities and are compared.
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
        changes["recent_messages"] = [
            _redacted_message(one, text, level) for one, text in zip(messages, heard, strict=True)
        ]
    return with_redacted_labels(job, level).model_copy(update=changes)


def _redacted_message(message: RecentMessage, text: str, level: Level) -> RecentMessage:
    redacted_form = {
        "text": text,
        "sender_name": _redacted_name(message.sender_name, level),
        "at": _redacted_time(message.at),
    }
    changed = {
        name: value for name, value in redacted_form.items() if value != getattr(message, name)
    }
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
    """Return `at` unchanged if it is a time. Otherwise it is free text; return it redacted."""
    return at if _TIME.fullmatch(at) else redact(at)


@remembered(_NAMES_KEPT)
def _redacted_name(name: str, level: Level) -> str:
    return redact(name, level)


def redacted_in_turn(texts: Sequence[str], level: Level) -> list[str]:
    """Return consecutive texts redacted, each alone and all together: a secret may follow its name
    in the next text.

    >>> redacted_in_turn(["my password is", "Hk2!pplmq93x"], "secrets")
    ['my password is', '[PASSWORD]']

    A secret that spans several texts has its placeholder in the first one and is removed from the
    others.
    """
    if level == "none" or _is_clean(texts, level):
        return list(texts)
    if not any(map(announces_secret, texts)):  # then no secret spans two texts
        return [redact(text, level) for text in texts]
    # First joined by line breaks, because a key block is recognised only while its first line is
    # there; then joined by spaces, because a clause may continue in the next text.
    whole = _redacted_across(texts, "\n")
    return _redacted_across([redact(text, level) for text in whole], " ")


def _is_clean(texts: Sequence[str], level: Level) -> bool:
    """Return True if the texts are short and, searched together, contain no secret and no word that
    announces a secret. This is the common case."""
    joined = "\n".join(texts)
    return (
        len(joined) <= _ONE_LOOK
        and not announces_secret(joined)
        and not find_secrets(joined, level)
    )


def _redacted_across(texts: Sequence[str], between: str) -> list[str]:
    """Return the texts without the secrets that are found when the texts are joined by `between`.

    Personal data is not searched here, but only in single texts: numbers in consecutive texts are
    not one number.
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
    """Return the texts with each span replaced by a placeholder. Spans are ordered offsets into the
    joined texts, with `gap` characters between two texts."""
    left: list[str] = []
    start = first = 0
    labelled = -1
    for text in texts:
        end = start + len(text)
        pieces, done = list[str](), start
        while first < len(spans) and spans[first].start < end:
            span = spans[first]
            if max(span.start, start) < min(span.end, end):  # an empty text has no part of the span
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
    """Return the redacted payload. In the payload of a command, the fields of _NAMED_BY_COMMANDS
    are unchanged."""
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
    if job.kind == "profile":  # contains only ids
        return validated(ProfilePayload, job.payload, within="payload").model_dump()
    clean = redact_value(job.payload, level)
    assert isinstance(clean, dict)
    kept = _NAMED_BY_COMMANDS if job.kind not in HANDED_OVER else frozenset()
    return {**clean, **{key: value for key, value in job.payload.items() if key in kept}}


def was_changed(events: EventStore, job: Job) -> bool:
    """Return True if a job is filed and one of its events was deleted or edited later. The texts of
    the job are then wrong."""
    if job.kind != "remember" or not events.is_filed(job.job_id):
        return False
    found = events.get([f"{job.job_id}:{n}" for n in range(len(job.texts))])
    return len(found) < len(job.texts) or any(one.rewritten_by == "hand" for one in found)
