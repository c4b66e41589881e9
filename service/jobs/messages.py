"""Messages of waiting jobs on their way to their records: filed in batches, without a graph, and withdrawn."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from ...schema.errors import RevisionConflict, StorageError
from ...schema.event import Event
from ...schema.graph_states.historian import HistorianContext
from ...schema.job import Job, without_list_mark
from ...schema.profile import Profile, ProfileKey
from ...schema.scope import is_asserted, layer_written
from ...schema.talk import SAID_BY_PEOPLE
from ...text.asked_to_keep import asked_to_keep, quoted_line
from ...text.messages import message_events, message_name
from ...text.profiles.rules import merge_facts
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
        events = context.events
        limit = context.settings.cognitive.observation.chunk_max_tokens
        made = {message_name(job): (job, message_events(job, limit)) for job in jobs}
        made = {name: (job, parts) for name, (job, parts) in made.items() if parts}
        changed = self._changed([parts for _, parts in made.values()])
        resting = [(former, events.resting_on([former[0].job_id])) for former in changed]
        events.file_messages([parts for _, parts in made.values()])
        for former, rests in resting:
            self.take_out(former, rests)
        if context.asks_a_model:
            return
        for job, _ in made.values():  # filed before as well: a process may have been killed before it had written the line
            self._keep(job)

    def _changed(self, messages: Sequence[Sequence[Event]]) -> list[list[Event]]:
        """Return the messages that get other words now, each as its parts."""
        given = {parts[0].event_id: parts[0] for parts in messages if parts[0].message_id}
        known = self._context().events.get(list(given)) if given else []
        return [self.stored(one.job_id) for one in known if one.text != given[one.event_id].text]

    def stored(self, name: str) -> list[Event]:
        """Return the parts of a message (by `job_id`) as it is stored; none of an unknown one."""
        return self._context().events.get([f"{name}:{n}" for n in range(MOST_PARTS)])

    def _keep(self, job: Job) -> None:
        """Write what a message asks to have remembered into the profile of who said it."""
        if job.payload.get("role") != SAID_BY_PEOPLE:
            return
        context = self._context()
        if not asked_to_keep(str(job.payload.get("text", "")), job.bot_name):
            return
        said = self.stored(message_name(job))
        lines = [line for one in said for line in _asked_lines(one.text, _moment(one), one.bot_name)]
        if not lines:
            return
        rule = context.settings.cognitive.profile.profile_layers
        key = ProfileKey("user", job.user_id, layer_written(job.scope, "user", rule))
        for _ in range(MOST_CONFLICTS):
            if context.profiles.is_applied(key, job.job_id):
                return
            if context.events.is_forgotten(message_name(job), job.entities, job.moment.timestamp()):
                return
            old = context.profiles.read(key) or Profile(key)
            new = replace(
                old,
                name=old.name or job.user_name,
                summary=merge_facts(old.summary, lines),
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
        asked = {line for one in message for line in _asked_lines(one.text, _moment(one), one.bot_name)}
        gone = 0
        for key in keys:
            lines = _lines(context.profiles.kept(key))
            theirs = {line for line in lines if without_list_mark(line).strip() in asked}
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


def _asked_lines(text: str, moment: datetime, bot_name: str) -> list[str]:
    """Return the lines of a profile that a message said at `moment` asks for."""
    return [quoted_line(words, moment.date().isoformat()) for words in asked_to_keep(text, bot_name)]


def _moment(event: Event) -> datetime:
    return datetime.fromisoformat(event.timestamp_local)


def _lines(kept: Iterable[Profile]) -> set[str]:
    lines = (line for one in kept for line in one.summary.splitlines())
    return {line for line in lines if line.strip() and not line.startswith("#")}
