"""Messages of waiting jobs on their way to their records: filed in batches, without a graph, and withdrawn."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from ...schema.errors import RevisionConflict, StorageError
from ...schema.event import Event
from ...schema.graph_states.historian import HistorianContext
from ...schema.job import Job
from ...schema.profile import Profile, ProfileKey, ProfileLine, line_id_of
from ...schema.scope import is_asserted, layer_written
from ...schema.talk import SAID_BY_PEOPLE
from ...text.asked_to_keep import asked_to_keep, quoted_line
from ...text.messages import message_events, message_name
from ...text.profiles.lines import with_lines
from ..entity_data.profiles import made_of

log = logging.getLogger(__name__)

MOST_PARTS = 512
"""Parts of one message that are looked at: the largest job has fewer."""

MOST_CONFLICTS = 3
"""Tries to write a line into a profile that others change meanwhile."""


class FiledMessages:
    """Files messages, and writes what they ask to have remembered into profiles. Blocking; raises StorageError.

    `context` returns the stores and the settings in force.
    """

    def __init__(self, context: Callable[[], HistorianContext]) -> None:
        self._context = context

    def file(self, jobs: Sequence[Job]) -> None:
        """File the messages of jobs, in their order; of one message the last words count. Raises what the stores raise."""
        context = self._context()
        limit = context.settings.cognitive.observation.chunk_max_tokens
        first, last = _first_and_last(jobs)
        named = [f"{name}:0" for name, job in last.items() if job.payload.get("message_id")]
        known = {one.job_id: one for one in context.events.get(named)} if named else {}
        made: dict[str, list[Event]] = {}
        for name, job in last.items():  # its days count from when the message was said, not from when it was edited
            moment, timezone = first[name].timestamp, first[name].timezone
            if before := known.get(name):
                moment, timezone = before.timestamp_local, before.timezone
            if parts := message_events(job.model_copy(update={"timestamp": moment, "timezone": timezone}), limit):
                made[name] = parts
        changed = self._changed(made, known, limit)
        resting = [(former, context.events.resting_on([name])) for name, former in changed.items()]
        context.events.file_messages(list(made.values()))
        for former, rests in resting:
            self.take_out(former, rests)
        if context.asks_a_model:
            return
        for name in made:  # filed before as well: a process may have been killed before it had written the line
            self._keep(last[name], again=name in changed)

    def _changed(self, made: Mapping[str, Sequence[Event]], known: Mapping[str, Event], limit: int) -> dict[str, list[Event]]:
        """Return the messages that get other words now, each as its stored parts. One of more parts than one may change
        in a later part."""
        changed: dict[str, list[Event]] = {}
        for name, beginning in known.items():
            parts = made.get(name, ())
            if not parts or parts[0].worded_at < beginning.worded_at:
                continue
            if beginning.text == parts[0].text and len(beginning.text) < limit // 2:
                continue
            stored = self.stored(name)
            if [one.text for one in stored] != [one.text for one in parts]:
                changed[name] = stored
        return changed

    def stored(self, name: str) -> list[Event]:
        """Return the parts of a message (by `job_id`) as it is stored; none of an unknown one."""
        return self._context().events.get([f"{name}:{n}" for n in range(MOST_PARTS)])

    def _keep(self, job: Job, *, again: bool) -> None:
        """Write what a message asks to have remembered into the profile of who said it: once, or `again` since it has just
        got these words back."""
        if job.payload.get("role") != SAID_BY_PEOPLE:
            return
        context = self._context()
        if not asked_to_keep(str(job.payload.get("text", "")), job.bot_name):
            return
        said = self.stored(message_name(job))
        lines = [line for one in said for line in asked_lines(one)]
        if not lines:
            return
        rule = context.settings.cognitive.profile.profile_layers
        key = ProfileKey("user", job.user_id, layer_written(job.scope, "user", rule))
        for _ in range(MOST_CONFLICTS):
            if not again and context.profiles.is_applied(key, job.job_id):
                return
            if context.events.is_forgotten(message_name(job), job.entities, job.moment.timestamp()):
                return
            old = context.profiles.read(key) or Profile(key)
            new = replace(
                old,
                name=old.name or job.user_name,
                lines=with_lines(old.lines, lines),
                source_event_id=f"{message_name(job)}:0",
            )
            try:
                stored = context.profiles.write(new, expected_revision=old.revision, job_id=job.job_id, now=self._now())
            except RevisionConflict:
                continue
            self._index(stored)
            if context.events.is_forgotten(message_name(job), job.entities, job.moment.timestamp()):
                self.take_out(said, [])  # withdrawn at this moment
            return
        log.warning("job %s: a profile kept changing; what it asks to have remembered stands in its message alone", job.job_id)

    def take_out(self, message: Sequence[Event], resting: Sequence[Event]) -> int:
        """Take what a message has brought out of the profiles of its sender and group. Return how many lines.

        These are the quoted lines that it asked for, and the lines made of the events `resting` on it.
        """
        if not message:
            return 0
        context, scope, user_id = self._context(), message[0].scope, message[0].said_by
        rule = context.settings.cognitive.profile.profile_layers
        asserted = replace(scope, asserted=is_asserted(message[0].job_id))
        keys = [ProfileKey("user", user_id, layer_written(asserted, "user", rule))] if user_id else []
        if scope.request_type == "group":
            keys.append(ProfileKey("group", scope.group_id, layer_written(scope, "group", rule)))
        asked = {line.text for one in message for line in asked_lines(one)}
        gone = 0
        for key in keys:
            lines = _lines(context.profiles.kept(key))
            theirs = lines & asked
            theirs |= made_of(lines, [one.text for one in resting])
            if not theirs:
                continue
            gone += context.profiles.without_lines(key, theirs.__contains__, now=self._now())
            stored = context.profiles.read(key)
            if stored is not None:
                self._index(stored)
        return gone

    def _index(self, profile: Profile) -> None:
        """Let a profile be found by its words at once; the idle worker adds its vector."""
        index = self._context().profile_index
        if index is None:
            return
        try:
            index.put(profile, None)
        except StorageError as error:
            log.warning("profile %s is not searchable until the next repair: %s", profile.key, error)

    def _now(self) -> str:
        return datetime.fromtimestamp(self._context().clock(), UTC).isoformat(timespec="seconds")


def _first_and_last(jobs: Sequence[Job]) -> tuple[dict[str, Job], dict[str, Job]]:
    """Return, by the names of messages, the job that tells when each was said, and the one with its latest words."""
    first: dict[str, Job] = {}
    last: dict[str, Job] = {}
    for job in jobs:
        name = message_name(job)
        if name not in first or job.moment < first[name].moment:
            first[name] = job
        if name not in last or job.payload.get("worded_at", 0.0) >= last[name].payload.get("worded_at", 0.0):
            last[name] = job
    return first, last


def asked_lines(message: Event) -> list[ProfileLine]:
    """Return the lines of a profile that a message asks for, in the words as said."""
    day, until = message.timestamp_local[:10], ProfileLine.until_moment(message.expires_at)
    found = [quoted_line(words) for words in asked_to_keep(message.text, message.bot_name)]
    return [
        ProfileLine(
            line_id_of(text, message.event_id),
            text,
            first_day=day,
            last_day=day,
            until=until,
            evidence=(message.event_id,),
        )
        for text in found
    ]


def _lines(kept: Iterable[Profile]) -> set[str]:
    return {line.text for one in kept for line in one.lines}
