"""Events: messages as they were said, and texts that are true out of context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Unpack
from zoneinfo import ZoneInfo

from .. import VERSION
from ..ids import id_mark
from ..job import Job
from ..labels import labels_of, metadata_json
from ..scope import RequestType, Scope
from .fields import (
    EVENT_SCHEMA_VERSION,
    MESSAGE,
    OBSERVATION,
    EventKind,
    Labels,
    RewrittenBy,
    Written,
)
from .people import NamedPerson


@dataclass(frozen=True, slots=True)
class Event:
    """One record: a message as it was said, or a text that is true out of context.

    `event_id` is `{job_id}:{n}`. `kind` is `message`, `action` (something that the bot did) or
    `fact` (something that it learnt). `timestamp` is in seconds since the epoch; `timestamp_local`
    is the same moment in ISO 8601 with the offset of `timezone`. `is_absolute` is True if the gate
    passed the text; if not, `gate_reasons` say why. `rewritten_by` is the author of the final text.
    `speakers` are the ids of the people whose words the text is made from, if there are several;
    the event is forgotten with each of them.

    `handed_over` is the text as the bot passed it, redacted ("" if it was filed unchanged, or by an
    early version), and `said_by` the id of the person who said it ("" if unknown). `occurs_from`
    and `occurs_until` are the first and last moment (seconds since the epoch) that the text is
    about; None if it names no time.

    `superseded_by` is the id of a later event because of which this one is no longer true, from
    `superseded_at` (seconds since the epoch) on. `corrected_by` is the id of an event that says
    that this one was never true.

    `version` is the version of Historian that wrote the text ("" for early versions, which did not
    store it); `bot_name` and `group_name` are the names in its job.

    For a message, `text` holds only the words of the speaker, `role` is `user`, `assistant` (the
    bot) or `tool`, `message_id` is its id on the platform and `reply_to` the id of the message that
    it answers ("" if unknown). `said_by` is the sender; `user_name` is the name of the sender at
    that time. For a message of the bot the name is `bot_name`, and `user_id` is the person whom the
    bot answers. A long message is several records with the same `job_id`. `worded_at` (seconds
    since the epoch) is the time at which this wording was handed over: an older wording never
    replaces a newer one. `times` are the days that the words refer to, each as `end:day`, where
    `end` is the number of characters up to the end of the expression (`17:2026-12-04`).

    `sources` are the `job_id`s of the source messages of an event: the event is deleted with any of
    them. `people` are the people whom a text names, each as `start:end:id`, with `start` and `end`
    in characters.

    `tags` and `metadata` (a JSON object) are the labels that the bot passed. From `expires_at` on
    (seconds since the epoch; None: never) no search finds the record.
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
    def of_job(
        cls,
        job: Job,
        n: int,
        kind: EventKind,
        text: str,
        *,
        is_absolute: bool,
        **written: Unpack[Written],
    ) -> Event:
        """Return the event of the n-th text of a job. Its id is derived from the job, so that a
        second run makes the same event.
        """
        ids = {"event_id": f"{job.job_id}:{n}", "job_id": job.job_id}
        # The id that is added to a name borne by two people is not part of the name.
        user_name = job.user_name.removesuffix(id_mark(job.user_id))
        names: Written = {
            "user_name": user_name,
            "bot_name": job.bot_name,
            "group_name": job.group_name,
            "version": VERSION,
        }
        labels = labels_of_job(job)
        written = {**names, **labels, **written}
        return cls.in_scope(
            job.scope,
            job.moment,
            job.timezone,
            kind,
            text,
            **ids,
            is_absolute=is_absolute,
            **written,
        )

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
        """Return an event of `scope` that was said at `moment`, an aware time in the zone
        `timezone`.
        """
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
        """True for a message, which is stored as it was said; False for an action, a fact or a
        note.
        """
        return self.kind == MESSAGE

    @property
    def teller(self) -> str:
        """The id of the person who said the text."""
        return self.said_by or self.user_id

    @property
    def day(self) -> str:
        """The day on which the text was said (YYYY-MM-DD), in the time zone of the event."""
        return self.timestamp_local[:10]

    @property
    def speaker(self) -> str:
        """The name of the sender of a message at the time of sending: a person's name or id, the
        bot's name; "" for a tool.
        """
        if self.role == "user":
            return self.user_name or self.teller
        return self.bot_name or self.role if self.role == "assistant" else ""

    @property
    def said(self) -> str:
        """The text as it is searched: `speaker: words` for a message."""
        return f"{self.speaker}: {self.text}" if self.is_message and self.speaker else self.text

    @property
    def dated_text(self) -> str:
        """The text with the days of `times` in brackets after their expressions.

        Example: `we move in on Friday (2026-12-04)`. `time_marks` determines which days are shown.
        """
        text = self.text
        for place, days in reversed(self.time_marks):
            text = f"{text[:place]} ({days}){text[place:]}"
        return text

    @property
    def time_marks(self) -> list[tuple[int, str]]:
        """The ends of the expressions in the text after which a day is shown, with the day or days,
        in order.

        A day is shown only once. The day of saying (`today`, `at eight`) is not shown, because the
        heading shows it. For a time of day only the day is shown, because the hour is in the text.
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
        """`people` as places in the text, in order. Places that lie outside of the text or overlap
        are left out.
        """
        found: list[NamedPerson] = []
        for one in sorted(map(NamedPerson.read, self.people)):
            if (found[-1].end if found else 0) <= one.start < one.end <= len(
                self.text
            ) and one.user_id:
                found.append(one)
        return tuple(found)

    @property
    def holds(self) -> bool:
        """True if no later event has superseded or corrected this one."""
        return not self.superseded_by and not self.corrected_by

    @property
    def labels(self) -> frozenset[str]:
        """The tags and the pairs of the metadata, in the form in which filters compare them."""
        return labels_of(self.tags, self.metadata)

    def has_expired(self, now: float | None) -> bool:
        """Return True if the event has expired at `now` (seconds since the epoch). With None it
        counts as not expired.
        """
        return now is not None and self.expires_at is not None and self.expires_at <= now

    @property
    def told(self) -> tuple[float, float]:
        """The first and last moment (seconds since the epoch) that the event is about; the time of
        saying if it names no time.
        """
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
        """The keys of the entities with which the event is forgotten, as in `Job.entities`."""
        people = dict.fromkeys(("user", one) for one in (self.user_id, *self.speakers) if one)
        return [
            f"{kind}:{one}"
            for kind, one in (*people, *([("group", self.group_id)] if self.group_id else []))
        ]

    def explain(self) -> str:
        """Return the event's origin and the gate's findings, one per line."""
        name = f" ({self.user_name})" if self.user_name else ""
        lines = [
            f"event {self.event_id} (job {self.job_id}), {self.kind}, {self.timestamp_local}",
            f"scope {self.scope.key}, user {self.user_id}{name}, source {self.source}",
            f"written by {self.rewritten_by}, {'absolute' if self.is_absolute else 'not absolute'}",
        ]
        if self.handed_over:
            lines.append(
                f"handed over as: {self.handed_over}"
                + (f" (said by {self.said_by})" if self.said_by else "")
            )
        if self.occurs_from is not None and self.occurs_until is not None:
            first, last = self.local_day(self.occurs_from), self.local_day(self.occurs_until)
            lines.append(f"about {first}" + (f" to {last}" if last != first else ""))
        if self.superseded_by:
            until = (
                f" on {self.local_day(self.superseded_at)}"
                if self.superseded_at is not None
                else ""
            )
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
    """Return the labels that the records of a job get from it."""
    return {"tags": job.tags, "metadata": job.metadata, "expires_at": job.expires_at}


def is_raw(event: Event) -> bool:
    """Return True if the event is the result of a tool."""
    return event.source == OBSERVATION or event.role == "tool"
