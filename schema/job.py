"""A job: the JSON document that a bot hands over after a turn."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from .errors import InvalidInput
from .ids import LONGEST_NAME, encode_id, told, type_and_size, validate_id
from .labels import clean_metadata, clean_tags
from .scope import RequestType, Scope, is_asserted, no_reserved_user
from .times import check_expiry, check_timestamp, check_timezone
from .validation import invalid_input, problems

DONE = "job"
"""Ledger key under which finished jobs are noted. A repeated request is recognised by it, and costs
no model call."""
JOB_SCHEMA_VERSION = 1
MAX_JOB_BYTES = 1024 * 1024
"""Maximum size of a job as JSON (1 MiB); `enqueue_job` rejects larger ones."""

SPEAKERS_LOOKED_AT = 64

JobKind = Literal[
    "remember",
    "forget",
    "edit",
    "rollback",
    "index",
    "states",
    "rollback_article",
    "reprocess",
    "talk",
    "profile",
]

# Characters that are not text: C0 and C1 controls other than tab, line feed and carriage return,
# and lone surrogates.
_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")

_BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Characters that Unicode classes as letters or symbols and that look like blanks."""
_LIST_MARKS = re.compile(r"(?:[-*•‣·]\s+)+")


def clean_text(value: str) -> str:
    """Return `value` stripped, without control characters and lone surrogates (which UTF-8 cannot
    encode).
    """
    return _NO_TEXT.sub("", value).strip()


def clean_name(value: str) -> str:
    """Return a display name as `clean_text` does. Return "" for a name of blanks and fillers
    (U+200B, U+3164), which is invisible.
    """
    name = clean_text(value)
    shown = (
        one for one in name if not one.isspace() and unicodedata.category(one) not in ("Cf", "Mn")
    )
    return name if any(one not in _BLANKS for one in shown) else ""


def without_list_mark(value: str) -> str:
    """Return `value` without the list marker ("- ", "• ") that models put before statements."""
    mark = _LIST_MARKS.match(value)
    return value if mark is None else value[mark.end() :]


def _clean_items(value: list[str]) -> list[str]:
    return [item for item in (without_list_mark(clean_text(one)) for one in value) if item]


def check_size(texts: Iterable[str], what: str) -> None:
    """Raise InvalidInput for texts that are too large for a job. To be called before any work that
    takes longer for longer texts.
    """
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    if size > MAX_JOB_BYTES:
        raise InvalidInput(
            f"{what}: {size} bytes, at most {MAX_JOB_BYTES} are allowed; shorten its texts or its recent_messages"
        )


CleanText = Annotated[str, AfterValidator(clean_text)]
CleanName = Annotated[str, AfterValidator(clean_name)]


class RecentMessage(BaseModel):
    """A message that was said shortly before the turn. Lists of them begin with the oldest one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sender_id: Annotated[
        str, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value)
    ] = ""
    sender_name: CleanName = ""
    text: CleanText = ""
    at: Annotated[
        str,
        BeforeValidator(lambda value: value if isinstance(value, str) else check_timestamp(value)),
    ] = ""


def _expiry(value: object, info: ValidationInfo) -> float | None:
    return check_expiry(value, info.data.get("timezone", "UTC"))


class Job(BaseModel):
    """One job with everything that the historian needs, however much later it runs.

    `user_id` is the bot's conversation partner (in a group the sender; the alias `sender_id` takes precedence there).
    `timestamp` is ISO 8601 with offset, `timezone` an IANA name. `not_before` is in seconds since the epoch. `payload`
    carries the arguments of kinds other than `remember`. `tags`, `metadata` and `expires_at` (seconds since the epoch) are
    those of the events that are made of it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = JOB_SCHEMA_VERSION
    job_id: str = ""
    kind: JobKind = "remember"
    request_id: str
    end_seq: int = Field(default=0, ge=0, le=2**63 - 1)
    action_summary: CleanText = ""
    new_info: Annotated[list[str], AfterValidator(_clean_items)] = Field(default_factory=list)
    force: bool = False
    timestamp: Annotated[str, BeforeValidator(check_timestamp)]
    timezone: Annotated[str, AfterValidator(check_timezone)]
    request_type: RequestType
    user_id: str
    group_id: str = ""
    bot_id: str = ""
    user_name: CleanName = ""
    group_name: CleanName = ""
    bot_name: CleanName = ""
    recent_messages: list[RecentMessage] = Field(default_factory=list)
    payload: dict[str, Any] = Field(default_factory=dict)
    attempts: int = Field(default=0, ge=0)
    not_before: float = 0.0
    last_error: str = ""
    tags: Annotated[tuple[str, ...], BeforeValidator(clean_tags)] = ()
    metadata: Annotated[dict[str, Any], BeforeValidator(clean_metadata)] = Field(
        default_factory=dict
    )
    expires_at: Annotated[float | None, BeforeValidator(_expiry)] = None

    @model_validator(mode="before")
    @classmethod
    def _aliases(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        data = dict(data)
        sender = data.pop("sender_id", None)
        if sender not in (None, "") and (
            data.get("request_type") == "group" or data.get("user_id") in (None, "")
        ):
            data["user_id"] = sender
        old_name = data.pop("summary", None)
        if old_name and not data.get("action_summary"):
            data["action_summary"] = old_name
        info = data.get("new_info")
        data["new_info"] = [] if info is None else [info] if isinstance(info, str) else info
        for key in ("user_id", "group_id", "bot_id", "request_id"):
            if isinstance(data.get(key), int) and not isinstance(data[key], bool):
                data[key] = str(data[key])
        empty = (
            "user_id",
            "group_id",
            "bot_id",
            "action_summary",
            "user_name",
            "group_name",
            "bot_name",
        )
        return {**data, **{key: "" for key in empty if data.get(key) is None}}

    @model_validator(mode="after")
    def _ids(self) -> Job:
        validate_id(self.request_id, "request_id")
        no_reserved_user(validate_id(self.user_id, "user_id"))
        if self.request_type == "group" and not self.group_id:
            raise InvalidInput(
                "group_id: missing in a group job; pass the id of the group, or request_type='private'"
            )
        if self.request_type == "private" and self.group_id:
            raise InvalidInput(
                f"group_id: {told(self.group_id)} given for a private job; leave it out, or pass "
                "request_type='group'"
            )
        for what in ("group_id", "bot_id"):
            if getattr(self, what):
                validate_id(getattr(self, what), what)
        if not self.job_id:
            object.__setattr__(self, "job_id", make_job_id(self.request_id, self.end_seq))
        elif self.job_id != make_job_id(self.request_id, self.end_seq):
            raise InvalidInput(
                f"job_id: {told(self.job_id)} does not belong to request_id {told(self.request_id)} "
                f"and end_seq {self.end_seq}; leave it out"
            )
        return self

    @property
    def scope(self) -> Scope:
        return Scope(self.request_type, self.user_id, self.group_id, is_asserted(self.request_id))

    @property
    def entities(self) -> frozenset[str]:
        """The keys that order jobs: `user:{id}` and, in a group, `group:{id}`. Jobs with a common
        key run one after the other."""
        return frozenset(
            [f"user:{self.user_id}", *([f"group:{self.group_id}"] if self.group_id else [])]
        )

    @property
    def texts(self) -> list[tuple[Literal["action", "fact"], str]]:
        """(kind, text) of each future event, in order."""
        facts: list[tuple[Literal["action", "fact"], str]] = [
            ("fact", text) for text in self.new_info
        ]
        return [("action", self.action_summary), *facts] if self.action_summary else facts

    @property
    def speakers(self) -> list[str]:
        """The sender names of the last SPEAKERS_LOOKED_AT recent messages, oldest first, without
        names longer than LONGEST_NAME.
        """
        named = (message.sender_name for message in self.recent_messages[-SPEAKERS_LOOKED_AT:])
        return [name for name in named if 0 < len(name) <= LONGEST_NAME]

    @property
    def nameless_speakers(self) -> list[str]:
        """The ids of the senders without a name among the last SPEAKERS_LOOKED_AT recent messages,
        except the user and the bot.
        """
        nameless = (
            one.sender_id
            for one in self.recent_messages[-SPEAKERS_LOOKED_AT:]
            if not one.sender_name
        )
        return [one for one in nameless if one not in ("", self.user_id, self.bot_id)]

    @property
    def is_empty(self) -> bool:
        return self.kind == "remember" and not self.action_summary and not self.new_info

    def has_expired(self, now: float) -> bool:
        """Return True if the events of the job have expired at `now` (seconds since the epoch)."""
        return self.expires_at is not None and self.expires_at <= now

    @property
    def moment(self) -> datetime:
        """The time of the job in its own time zone."""
        return datetime.fromisoformat(self.timestamp).astimezone(ZoneInfo(self.timezone))

    def to_json(self) -> str:
        """Return the job as one JSON document, without ASCII escapes."""
        return json.dumps(self.model_dump(), ensure_ascii=False, separators=(",", ":"))


def make_job_id(request_id: str, end_seq: int) -> str:
    """Return the id of the job of `request_id` and `end_seq`. It is deterministic and safe as a
    file name.
    """
    return f"{encode_id(request_id)}-{end_seq}"


_QUOTABLE = frozenset(
    (
        "literal_error",
        "int_parsing",
        "int_type",
        "bool_parsing",
        "greater_than_equal",
        "less_than_equal",
    )
)
"""Types of pydantic errors of number and literal fields. The error message quotes the value."""


def parse_job(data: Mapping[str, Any]) -> Job:
    """Return the job in a mapping. Raises InvalidInput that names the field, the given value and the
    allowed ones.

    For a text field, the error message gives only the type and length, since error messages are
    logged and the text is not redacted yet.
    """
    try:
        return Job.model_validate(data)
    except ValidationError as error:
        field, _, first = problems(error, whole="job")[0]
        if first["type"] == "extra_forbidden":
            raise InvalidInput(
                f"{field}: unknown field; the known fields are {', '.join(Job.model_fields)}"
            ) from None
        if first["type"] == "missing":
            raise InvalidInput(f"{field}: missing; every job needs it") from None
        message = invalid_input(error, whole="job")
        if "error" in first.get("ctx", {}):
            raise message from None
        given = (
            told(first["input"]) if first["type"] in _QUOTABLE else type_and_size(first["input"])
        )
        raise InvalidInput(f"{message}, got {given}") from None
