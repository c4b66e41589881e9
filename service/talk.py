"""Conversion of messages in any common form into jobs of kind `talk`, one per message, and the
gathering of these jobs by conversation."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..schema.errors import InvalidInput
from ..schema.ids import digest_of, told
from ..schema.job import Job, clean_text, make_job_id
from ..schema.payloads import TalkPayload
from ..schema.scope import Scope, checked_scope
from ..schema.settings import Settings
from ..text.messages.records import message_name, talk_request
from ..text.tokens import estimate_tokens
from .bounded import Bounded
from .incoming_messages import LONGEST_RESULT, Message, read_messages
from .intake import make_job, redacted_in_turn, refuse_unknown, with_redacted_labels

SCOPES_COUNTED = 10_000
MESSAGES_KNOWN = 10_000
WORDINGS_KNOWN = 20
"""Maximum number of wordings that are known of one message."""
_FIELDS = ("bot_id", "bot_name", "user_name", "group_name", "timezone")


class Gathering:
    """Decides how long a message waits for others of its conversation. Thread-safe, because
    synchronous agents hand over messages from their own threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, tuple[int, int, float]] = OrderedDict()

    def due(self, job: Job, now: float, settings: Settings, *, gathers: bool = True) -> Job:
        """Return the job with its due time `not_before`.

        The due time is 0 if the job reaches a limit of messages or tokens: a model then reads all
        waiting messages of the conversation at once. The message itself is filed at once in any
        case. If `gathers` is False (no model reads talk), the job is removed after its message is
        filed, long before the due time.
        """
        limits, key = settings.cognitive.talk, job.scope.key
        if not gathers:
            return job.model_copy(update={"not_before": now + limits.gather_seconds})
        tokens = estimate_tokens(str(job.payload.get("text", "")))
        with self._lock:
            count, total, since = self._waiting.pop(key, (0, 0, now))
            if not 0 <= now - since < limits.gather_seconds:
                count, total, since = 0, 0, now
            count, total = count + 1, total + tokens
            if count >= limits.gather_messages or total >= limits.gather_tokens:
                return job
            self._waiting[key] = (count, total, since)
            if len(self._waiting) > SCOPES_COUNTED:
                self._waiting.popitem(last=False)
        return job.model_copy(update={"not_before": since + limits.gather_seconds})

    def waits(self, scope_key: str) -> bool:
        """Return True if messages of a conversation wait for others."""
        with self._lock:
            return scope_key in self._waiting

    def flushed(self, scope_key: str | None = None) -> list[str]:
        """Return the keys of the conversations in which messages wait, or only `scope_key` if it is
        one of them. From now on no message counts as waiting there."""
        with self._lock:
            keys = [key for key in self._waiting if scope_key in (None, key)]
            for key in keys:
                del self._waiting[key]
        return keys


@dataclass(slots=True)
class _Worded:
    """The known wordings of one message: request ids by job id, the latest last, and the time of
    the last edit."""

    requests: dict[str, str] = field(default_factory=dict)
    edited_at: str = ""


class Wordings:
    """The order of the wordings of each message that was handed over in this process.
    Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: Bounded[str, _Worded] = Bounded(MESSAGES_KNOWN)

    def in_turn(self, job: Job, edited_at: str, now: float) -> Job:
        """Return the job of one wording of a message, with its place in the order of wordings.
        `edited_at` is the time of the edit; "" if the wording is not known to be an edit.

        A wording that is older than a known one gets `worded_at` 0, so that it replaces no other
        wording. Wordings arrive in this order if a bot hands over a message only after its reply,
        and an edit before. If a message returns to an earlier wording, the job gets a new id, so
        that this wording is filed once more.
        """
        said = TalkPayload.model_validate(job.payload)
        if not said.message_id:
            return job
        name = message_name(job)
        with self._lock:
            known = self._known.setdefault(name, _Worded())
            if known.edited_at and (not edited_at or _moment(edited_at) < _moment(known.edited_at)):
                return job.model_copy(update={"payload": {**job.payload, "worded_at": 0.0}})
            known.edited_at = edited_at
            is_latest = next(reversed(known.requests), "") == job.job_id
            request = known.requests.pop(job.job_id, "")
            if not request:
                request = job.request_id
            elif not is_latest:
                request = talk_request(job.scope, said.message_id, job.job_id, repr(now))
            known.requests[job.job_id] = request
            if len(known.requests) > WORDINGS_KNOWN:
                del known.requests[next(iter(known.requests))]
        if request == job.request_id:
            return job
        return job.model_copy(update={"request_id": request, "job_id": make_job_id(request, 0)})


def _moment(edited_at: str) -> datetime:
    return datetime.fromisoformat(edited_at)


def talk_jobs(
    messages: object,
    scope: Scope,
    settings: Settings,
    clock: Callable[[], float],
    fields: Mapping[str, Any],
) -> list[Job]:
    """Return one redacted job per message, in order. Raises InvalidInput that names the message and
    the error."""
    checked_scope(scope)
    refuse_unknown(fields, _FIELDS)
    given = read_messages(messages)
    texts = redacted_in_turn([_text(one) for one in given], settings.historian.redact_jobs)
    jobs: list[Job] = []
    person = (scope.user_id, clean_text(str(fields.get("user_name") or "")))
    now = clock()
    for place, (one, text) in enumerate(zip(given, texts, strict=True)):
        is_bot = one.role != "user" or (
            bool(one.sender_id) and one.sender_id == str(fields.get("bot_id") or "")
        )
        if not is_bot:
            user = one.sender_id or scope.user_id
            person = (user, one.name or (person[1] if user == person[0] else ""))
        if scope.request_type == "private" and person[0] != scope.user_id:
            raise InvalidInput(
                f"messages[{place}].sender_id: {told(person[0])} is not the person of this private chat"
            )
        if not person[0] and not is_bot:
            raise InvalidInput(
                f"messages[{place}].sender_id: missing; in a group every message of a person needs it"
            )
        said_at = one.at or repr(now)
        role = "assistant" if is_bot and one.role == "user" else one.role
        if one.message_id:
            request = talk_request(scope, one.message_id, text, role, one.edited_at)
        else:
            request = scope.request_id(
                f"talk-{digest_of(scope.key, text, one.role, person[0], said_at, str(place))}"
            )
        said = TalkPayload(
            role=role, text=text, message_id=one.message_id, reply_to=one.reply_to, worded_at=now
        )
        data = {
            "kind": "talk",
            "request_id": request,
            "user_id": person[0] or str(fields.get("bot_id") or "") or one.sender_id or "bot",
            "group_id": scope.group_id or None,
            "user_name": person[1],
            "bot_id": fields.get("bot_id"),
            "bot_name": (one.name if is_bot and one.role == "assistant" else "")
            or fields.get("bot_name"),
            "group_name": fields.get("group_name"),
            "timestamp": one.at or None,
            "timezone": fields.get("timezone"),
            "payload": said.model_dump(),
            **{"tags": one.tags, "metadata": one.metadata, "expires_at": one.expires_at},
        }
        try:
            job = make_job(data, settings, lambda: now)
        except InvalidInput as error:
            within = f"messages[{place}]." if str(error).startswith("expires_at") else ""
            raise InvalidInput(f"{within}{error}") from None
        if job.has_expired(job.moment.timestamp()):
            raise InvalidInput(f"messages[{place}].expires_at: lies before the message was said")
        jobs.append(with_redacted_labels(job, settings.historian.redact_jobs))
    return jobs


def _text(one: Message) -> str:
    return one.text if one.role != "tool" else f"{one.name or 'tool'} → {one.text[:LONGEST_RESULT]}"
