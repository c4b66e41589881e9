"""Events (absolutized records) and event filters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypedDict, Unpack
from zoneinfo import ZoneInfo

from .ids import id_mark
from .job import Job
from .labels import labels_of, metadata_json
from .scope import RequestType, Scope
from .version import VERSION

EVENT_SCHEMA_VERSION = 3

WrittenKind = Literal["action", "fact"]
"""Kinds of events that the historian writes."""
EventKind = Literal["action", "fact", "message"]
RewrittenBy = Literal["model", "rules", "time", "none", "hand"]


class Labels(TypedDict):
    """What a bot gives with what it hands over, as the fields of `Event`."""

    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    expires_at: float | None


class Written(TypedDict, total=False):
    """Optional fields of a new event; the defaults are those of `Event`."""

    gate_reasons: tuple[str, ...]
    rewritten_by: RewrittenBy
    source: str
    user_name: str
    speakers: tuple[str, ...]
    handed_over: str
    said_by: str
    occurs_from: float | None
    occurs_until: float | None
    bot_name: str
    group_name: str
    version: str
    role: str
    message_id: str
    reply_to: str
    times: tuple[str, ...]
    sources: tuple[str, ...]
    people: tuple[str, ...]
    worded_at: float
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    expires_at: float | None


@dataclass(frozen=True, slots=True)
class Event:
    """One record: a message as it was said, or a text that is true out of context.

    `event_id` is `{job_id}:{n}`. `kind` is `message` (what somebody said), `action` (something the bot did) or `fact` (something
    it learnt). `timestamp` is in
    seconds since the epoch, `timestamp_local` the same moment in ISO 8601 with the offset of `timezone`. `is_absolute` is
    True if the gate passed it; if not, `gate_reasons` say why. `rewritten_by` is the author of the final text. `speakers` are
    the ids of the people whose words it tells, if there are several: it is forgotten with each of them.

    `handed_over` are the words as the bot passed them, redacted ("" for what was filed unchanged and by earlier versions), and
    `said_by` the id of the person whose words they are ("" if unknown). `occurs_from` and `occurs_until` are the first and last
    moment (seconds since the epoch) that the text tells of; None if it names no time.

    `superseded_by` is the id of a later event after which this one is no longer true, from `superseded_at` (seconds since the
    epoch) on; `corrected_by` the id of an event that says that this one was never true.

    `version` is the version of Historian that wrote the text ("" for versions that did not note it), `bot_name` and `group_name`
    are the names of its job.

    Of a message `text` are its words alone, `role` is `user`, `assistant` (the bot) or `tool`, `message_id` the id that its
    platform gives it and `reply_to` that of the message which it answers ("" if unknown). `said_by` is its sender, whose name at
    that time is `user_name`; the bot's is `bot_name`, and `user_id` the person whom the bot answers. A long message is several
    records of one `job_id`. `worded_at` (seconds since the epoch) is when these words were handed over: older ones never replace
    newer ones. `times` are the days that its words name, each as `end:day`, where `end` is the number of characters up to the
    end of the expression (`17:2026-12-04`).

    `sources` are the `job_id`s of the messages on which an event rests: it goes with any of them. `people` are those
    whom a text names, each as `start:end:id`, with `start` and `end` in characters.

    `tags` and `metadata` (a JSON object) are what the bot gave with what it handed over. From `expires_at` (seconds since the
    epoch; None: never) on nobody finds it any more.
    """

    event_id: str
    job_id: str
    kind: EventKind
    text: str
    user_id: str
    group_id: str
    request_type: RequestType
    timestamp: float
    timestamp_local: str
    timezone: str
    user_name: str = ""
    is_absolute: bool = True
    gate_reasons: tuple[str, ...] = ()
    rewritten_by: RewrittenBy = "rules"
    source: str = "job"
    schema_version: int = EVENT_SCHEMA_VERSION
    speakers: tuple[str, ...] = ()
    handed_over: str = ""
    said_by: str = ""
    occurs_from: float | None = None
    occurs_until: float | None = None
    superseded_by: str = ""
    superseded_at: float | None = None
    corrected_by: str = ""
    bot_name: str = ""
    group_name: str = ""
    version: str = ""
    role: str = ""
    message_id: str = ""
    reply_to: str = ""
    times: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    worded_at: float = 0.0
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    expires_at: float | None = None

    @classmethod
    def of_job(cls, job: Job, n: int, kind: EventKind, text: str, *, is_absolute: bool, **written: Unpack[Written]) -> Event:
        """Return the event of the n-th text of a job. Its id is derived from the job, so a second run makes the same event."""
        ids = {"event_id": f"{job.job_id}:{n}", "job_id": job.job_id}
        # What stands behind a name that two people bear is no part of it.
        user_name = job.user_name.removesuffix(id_mark(job.user_id))
        names: Written = {"user_name": user_name, "bot_name": job.bot_name, "group_name": job.group_name, "version": VERSION}
        labels = labels_of_job(job)
        written = {**names, **labels, **written}
        return cls.in_scope(job.scope, job.moment, job.timezone, kind, text, **ids, is_absolute=is_absolute, **written)

    @classmethod
    def in_scope(
        cls,
        scope: Scope,
        moment: datetime,
        timezone: str,
        kind: EventKind,
        text: str,
        *,
        event_id: str,
        job_id: str,
        is_absolute: bool,
        **written: Unpack[Written],
    ) -> Event:
        """Return an event of `scope` that was said at `moment`, an aware time in the zone `timezone`."""
        return cls(
            event_id=event_id,
            job_id=job_id,
            kind=kind,
            text=text,
            user_id=scope.user_id,
            group_id=scope.group_id,
            request_type=scope.request_type,
            timestamp=moment.timestamp(),
            timestamp_local=moment.isoformat(),
            timezone=timezone,
            is_absolute=is_absolute,
            **written,
        )

    @property
    def scope(self) -> Scope:
        return Scope(self.request_type, self.user_id, self.group_id)

    @property
    def is_message(self) -> bool:
        """True for what was said, as it was said; False for an action, a fact, a note."""
        return self.kind == MESSAGE

    @property
    def teller(self) -> str:
        """The id of the person whose words it tells."""
        return self.said_by or self.user_id

    @property
    def day(self) -> str:
        """The day on which it was said (YYYY-MM-DD), in its time zone."""
        return self.timestamp_local[:10]

    @property
    def speaker(self) -> str:
        """How the sender of a message was called when it was said: a person's name or id, the bot's name; "" for a tool."""
        if self.role == "user":
            return self.user_name or self.teller
        return self.bot_name or self.role if self.role == "assistant" else ""

    @property
    def said(self) -> str:
        """The text as it is searched: of a message `speaker: words`."""
        return f"{self.speaker}: {self.text}" if self.is_message and self.speaker else self.text

    @property
    def dated_text(self) -> str:
        """The text with the days of `times` in brackets behind their expressions: `we move in on Friday (2026-12-04)`.

        Which days stand there says `time_marks`.
        """
        text = self.text
        for place, days in reversed(self.time_marks):
            text = f"{text[:place]} ({days}){text[place:]}"
        return text

    @property
    def time_marks(self) -> list[tuple[int, str]]:
        """The ends of the expressions in the text behind which a day is shown, with the day or days, in order.

        A day is shown once, and the day of saying (`today`, `at eight`) not at all: that is the heading's. Of a time the day is
        enough, since its hour stands in the words.
        """
        known = {self.day}
        marks: list[tuple[int, str]] = []
        for one in self.times:
            end, _, when = one.partition(":")
            days = "/".join(dict.fromkeys(part[:10] for part in when.split("/")))
            if days not in known:
                known.add(days)
                marks.append((int(end), days))
        return marks

    @property
    def named(self) -> tuple[NamedPerson, ...]:
        """`people` as places in the text, in order; those that do not fit into it, or overlap, are left out."""
        found: list[NamedPerson] = []
        for one in sorted(map(NamedPerson.read, self.people)):
            if (found[-1].end if found else 0) <= one.start < one.end <= len(self.text) and one.user_id:
                found.append(one)
        return tuple(found)

    @property
    def holds(self) -> bool:
        """True if no later event has superseded or corrected it."""
        return not self.superseded_by and not self.corrected_by

    @property
    def labels(self) -> frozenset[str]:
        """Its tags and the pairs of its metadata, as filters compare them."""
        return labels_of(self.tags, self.metadata)

    def has_expired(self, now: float | None) -> bool:
        """Return True if it has expired at `now` (seconds since the epoch; None: expired ones count as well)."""
        return now is not None and self.expires_at is not None and self.expires_at <= now

    @property
    def told(self) -> tuple[float, float]:
        """The first and last moment (seconds since the epoch) that it tells of: when it was said if it names no time."""
        if self.occurs_from is None or self.occurs_until is None:
            return self.timestamp, self.timestamp
        return self.occurs_from, self.occurs_until

    def local_moment(self, moment: float) -> str:
        """Return a moment (seconds since the epoch) in the event's time zone, ISO 8601 to the second."""
        return datetime.fromtimestamp(moment, ZoneInfo(self.timezone)).isoformat(timespec="seconds")

    def local_day(self, moment: float) -> str:
        """Return the day (YYYY-MM-DD) of a moment (seconds since the epoch) in the event's time zone."""
        return datetime.fromtimestamp(moment, ZoneInfo(self.timezone)).date().isoformat()

    @property
    def entities(self) -> list[str]:
        """The keys of the entities with which it is forgotten, as in `Job.entities`."""
        people = dict.fromkeys(("user", one) for one in (self.user_id, *self.speakers) if one)
        return [f"{kind}:{one}" for kind, one in (*people, *([("group", self.group_id)] if self.group_id else []))]

    def explain(self) -> str:
        """Return the event's origin and the gate's findings, one per line."""
        name = f" ({self.user_name})" if self.user_name else ""
        lines = [
            f"event {self.event_id} (job {self.job_id}), {self.kind}, {self.timestamp_local}",
            f"scope {self.scope.key}, user {self.user_id}{name}, source {self.source}",
            f"written by {self.rewritten_by}, {'absolute' if self.is_absolute else 'not absolute'}",
        ]
        if self.handed_over:
            lines.append(f"handed over as: {self.handed_over}" + (f" (said by {self.said_by})" if self.said_by else ""))
        if self.occurs_from is not None and self.occurs_until is not None:
            first, last = self.local_day(self.occurs_from), self.local_day(self.occurs_until)
            lines.append(f"tells of {first}" + (f" to {last}" if last != first else ""))
        if self.superseded_by:
            until = f" on {self.local_day(self.superseded_at)}" if self.superseded_at is not None else ""
            lines.append(f"superseded{until} by {self.superseded_by}")
        if self.corrected_by:
            lines.append(f"corrected by {self.corrected_by}")
        if self.tags:
            lines.append(f"tags: {', '.join(self.tags)}")
        if self.metadata:
            lines.append(f"metadata: {metadata_json(self.metadata)}")
        if self.expires_at is not None:
            lines.append(f"expires at {self.local_moment(self.expires_at)}")
        return "\n".join([*lines, *(f"gate: {reason}" for reason in self.gate_reasons)])


def labels_of_job(job: Job) -> Labels:
    """Return what the records of a job have of its labels."""
    return {"tags": job.tags, "metadata": job.metadata, "expires_at": job.expires_at}


class EventLink(NamedTuple):
    """A statement that the event `old` is over because of the event `new`; with `corrects`, that it was never true."""

    old: str
    new: str
    corrects: bool = False


class KnownPerson(NamedTuple):
    """Somebody who has events: their id, the name that they had last ("" if unknown), and how many events are theirs."""

    user_id: str
    name: str
    events: int


class NamedPerson(NamedTuple):
    """The place of a person's name in a text, in characters, and their id."""

    start: int
    end: int
    user_id: str

    @classmethod
    def read(cls, written: str) -> NamedPerson:
        """Return the place that `written` ("0:3:1001") names; an empty one of nobody if it has another form."""
        start, _, rest = written.partition(":")
        end, _, user_id = rest.partition(":")
        fits = all(one.isascii() and one.isdecimal() and len(one) < 10 for one in (start, end))
        return cls(int(start), int(end), user_id) if fits else cls(0, 0, "")

    @property
    def written(self) -> str:
        return f"{self.start}:{self.end}:{self.user_id}"


class BorneName(NamedTuple):
    """A name that a person bore in a scope, and when they were first and last seen with it (seconds since the epoch)."""

    user_id: str
    name: str
    first: float
    last: float


@dataclass(frozen=True, slots=True)
class Revision:
    """A former text of an event, which was written anew at `replaced_at` (ISO 8601). `revision` counts from 1."""

    revision: int
    text: str
    is_absolute: bool
    rewritten_by: str
    replaced_at: str


MESSAGE: Literal["message"] = "message"
"""`kind` and `source` of messages, which are stored as they were said."""
MESSAGE_STANDS = (
    "event_id: this is a message, and a message stands as it was said; hand the same message id over again with other words, "
    "or withdraw it (`forget_message`, `historian events withdraw`)"
)
"""The answer to an edit of a message."""
OBSERVATION = "observation"
"""`source` of what tools returned, which is stored unchanged and expires."""
TIME_UNKNOWN = "it is not known when this was said"
"""The gate's reason of migrated events without a time."""
SOURCES = frozenset(("job", MESSAGE, OBSERVATION, "summary", "note", "migrated"))
"""Every value of `source`."""


def is_raw(event: Event) -> bool:
    """Return True for what a tool returned."""
    return event.source == OBSERVATION or event.role == "tool"


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Filter of events. All given conditions must hold; None or empty means "any".

    `scope_key` is `Scope.key`; None means unscoped (owner's tools only). Times are seconds since the epoch, both ends
    included. `people` are user ids: it matches their own events, and events that tell their words among others'. `occurs_from`
    and `occurs_to` match events that tell of a time within them, in whole or in part; those that name no time by when they
    were said. `holds` is False for events that are superseded or corrected. Of `tags` all must be there, and the top-level keys
    of `metadata` with equal values. What has expired at `now` is left out; None leaves nothing out, and is for upkeep.
    """

    scope_key: str | None
    user_ids: tuple[str, ...] = ()
    kinds: tuple[EventKind, ...] = ()
    sources: tuple[str, ...] = ()
    time_from: float | None = None
    time_to: float | None = None
    is_absolute: bool | None = None
    event_ids: tuple[str, ...] = field(default=())
    request_types: tuple[RequestType, ...] = ()
    people: tuple[str, ...] = ()
    occurs_from: float | None = None
    occurs_to: float | None = None
    holds: bool | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    now: float | None = None

    @property
    def narrows(self) -> bool:
        """True if there is any condition besides the scope and `now`."""
        return self != EventFilter(self.scope_key, now=self.now)

    @property
    def labels(self) -> frozenset[str]:
        """The labels (`Event.labels`) that an event must have."""
        return labels_of(self.tags, self.metadata)
