"""Filing the messages of waiting jobs in batches; removing withdrawn messages from profiles."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from ...schema.errors import RevisionConflict, StorageError
from ...schema.event import MESSAGE, Event, EventFilter
from ...schema.job import Job
from ...schema.payloads import SAID_BY_PEOPLE
from ...schema.profile import Profile, ProfileKey, ProfileLine
from ...schema.scope import is_asserted, layer_written
from ...stores.historian_context import HistorianContext
from ...text.messages.records import (
    MOST_PARTS,
    every_name,
    message_events,
    message_name,
    record_ids,
)
from ...text.profiles.declared import correction_in, said_words
from ...text.profiles.lines import (
    BETWEEN_QUOTES,
    corrected_lines,
    said_lines,
    with_lines,
    without_evidence,
)
from ...text.profiles.made_of import made_of
from ..timezones import iso_of

log = logging.getLogger(__name__)

MOST_CONFLICTS = 3
"""Maximum number of attempts to write a profile that others change at the same time."""

CORRECTED_WITHIN = 600.0
"""Seconds within which a sender can correct their last message without replying to it."""


class FiledMessages:
    """Files messages. Writes declarations of senders about themselves, and texts that they ask to
    have remembered, into profiles.

    `context` returns the stores and the current settings. Blocking; raises StorageError.
    """

    def __init__(self, context: Callable[[], HistorianContext]) -> None:
        self._context = context
        self._alone = threading.Lock()

    def file(self, jobs: Sequence[Job]) -> None:
        """File the messages of jobs, in order. If several jobs have the same message, its latest
        text is filed.

        Calls do not overlap: a second call with the same messages finds their lines in the profiles
        and changes no profile. Raises the errors of the stores.
        """
        with self._alone:
            self._file(jobs)

    def _file(self, jobs: Sequence[Job]) -> None:
        context = self._context()
        limit = context.settings.cognitive.observation.chunk_max_tokens
        first, last = _first_and_last(jobs)
        named = [f"{name}:0" for name, job in last.items() if job.payload.get("message_id")]
        known = {one.job_id: one for one in context.events.get(named)} if named else {}
        made: dict[str, list[Event]] = {}
        # Relative days in a message refer to the time of sending, not to the time of its last edit.
        for name, job in last.items():
            moment, timezone = first[name].timestamp, first[name].timezone
            if before := known.get(name):
                moment, timezone = before.timestamp_local, before.timezone
            if parts := message_events(
                job.model_copy(update={"timestamp": moment, "timezone": timezone}), limit
            ):
                made[name] = parts
        changed = self._changed(made, known, limit)
        resting = [(former, context.events.resting_on([name])) for name, former in changed.items()]
        bringing = self._bringing(made, last)
        filed_before = (
            {one.job_id for one in context.events.get([f"{name}:0" for name in bringing])}
            if bringing
            else set()
        )
        context.events.file_messages(list(made.values()))
        for former, rests in resting:
            self.take_out(former, rests)
        rule = context.settings.cognitive.profile.profile_layers
        by_profile: dict[ProfileKey, list[str]] = {}
        for name in bringing:
            key = ProfileKey(
                "user", last[name].user_id, layer_written(last[name].scope, "user", rule)
            )
            by_profile.setdefault(key, []).append(name)
        for key, names in by_profile.items():
            said = {name: made[name] for name in names}
            self._keep(key, said, last, known=filed_before - changed.keys(), again=changed.keys())

    def _changed(
        self, made: Mapping[str, Sequence[Event]], known: Mapping[str, Event], limit: int
    ) -> dict[str, list[Event]]:
        """Return the stored parts of the messages whose text changes, by name. In a message of
        several parts the change may be in a later part only."""
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
        """Return the stored parts of a message (by `job_id`); [] for an unknown message."""
        return self._context().events.get(record_ids(name))

    def _bringing(self, made: Mapping[str, Sequence[Event]], jobs: Mapping[str, Job]) -> list[str]:
        """Return the names of the messages that contain lines for the profiles of their senders, or
        correct such a line."""
        certain = self._context().asks_a_model
        theirs = (
            (name, parts)
            for name, parts in made.items()
            if jobs[name].payload.get("role") == SAID_BY_PEOPLE
        )
        return [
            name
            for name, parts in theirs
            if any(said_lines(one, certain=certain) or correction_in(one.text) for one in parts)
        ]

    def _keep(
        self,
        key: ProfileKey,
        made: Mapping[str, Sequence[Event]],
        jobs: Mapping[str, Job],
        *,
        known: Collection[str],
        again: Collection[str],
    ) -> None:
        """Write the lines of messages into the profile of their sender, in one revision.

        The lines of a message are written only once, so that a line that was removed later does not
        return. `made` are the parts of the messages by name. `known` are messages that were filed
        before; their lines may be missing if a process was killed. `again` are messages whose text
        has changed.
        """
        context = self._context()
        ids = [one.event_id for parts in made.values() for one in parts]
        stored = {one.event_id: one for one in context.events.get(ids)}
        said = {
            name: [stored[one.event_id] for one in parts if one.event_id in stored]
            for name, parts in made.items()
        }
        lines = {
            name: [
                line
                for one in parts
                for line in said_lines(one, certain=context.asks_a_model)
                if one.holds
                and context.events.are_corrected([replace(one, text=line.text)]) == [False]
            ]
            for name, parts in said.items()
        }
        for _ in range(MOST_CONFLICTS):
            done = {
                n
                for n in known
                if n in said
                and any(context.profiles.is_applied(key, i) for i in (n, jobs[n].job_id))
            }
            new = [
                name
                for name in said
                if said[name] and name not in done and not self._is_withdrawn(name, jobs[name])
            ]
            old = context.profiles.read(key) or Profile(key)
            held = old.lines
            for name in new:
                first = said[name][0]
                if correction_in(first.text):
                    held = corrected_lines(held, self._before(first, held), first, lines[name])
                held = with_lines(held, lines[name])
            if held == old.lines:
                return
            profile = replace(
                old,
                name=old.name or jobs[new[-1]].user_name,
                lines=held,
                source_event_id=f"{new[-1]}:0",
            )
            # `write` does nothing if all causes were applied before. Changed messages were applied
            # before, but have new lines to write.
            causes = new if not set(new) <= set(again) else []
            try:
                written = context.profiles.write(
                    profile, expected_revision=old.revision, also=causes, now=self._now()
                )
            except RevisionConflict:
                continue
            self._index(written)
            for name in new:
                if self._is_withdrawn(name, jobs[name]):  # withdrawn during the write
                    self.take_out(said[name], [])
            return
        log.warning(
            "profile %s kept changing; the facts of %d messages were not added to it",
            key,
            len(made),
        )

    def _is_withdrawn(self, name: str, job: Job) -> bool:
        return self._context().events.is_forgotten(name, job.entities, job.moment.timestamp())

    def _before(self, message: Event, lines: Sequence[ProfileLine]) -> list[str]:
        """Return the event ids of the message that `message` may correct.

        This is the message to which `message` replies, if both have the same sender. If `message`
        is no reply, it is the last message of its sender, at most CORRECTED_WITHIN seconds old.
        Return [] if none of `lines` has evidence.
        """
        if not any(line.evidence for line in lines):
            return []
        events = self._context().events
        if message.reply_to:
            names = every_name(message.scope, message.reply_to)
            replied = [one for name in names for one in self.stored(name)]
            return [one.event_id for one in replied if one.said_by == message.said_by]
        where = EventFilter(
            message.scope.key,
            sources=(MESSAGE,),
            people=(message.said_by,),
            time_from=message.timestamp - CORRECTED_WITHIN,
            time_to=message.timestamp,
        )
        before = [
            one for one in events.find(where, limit=2 * MOST_PARTS) if one.job_id != message.job_id
        ]
        theirs = [one for one in before if one.said_by == message.said_by]
        return [one.event_id for one in theirs if one.job_id == theirs[0].job_id]

    def take_out(self, message: Sequence[Event], resting: Sequence[Event]) -> None:
        """Remove a message from the profiles of its sender and group, in all revisions.

        `resting` are the events taken from the message. Lines are removed if their only evidence is
        the message and these events, or if they have no evidence and repeat, or are made of, their
        texts. A line with other evidence loses this part of its evidence; if its text is from the
        message, it gets a text of the other evidence.
        """
        if not message:
            return
        context, scope, user_id = self._context(), message[0].scope, message[0].said_by
        rule = context.settings.cognitive.profile.profile_layers
        asserted = replace(scope, asserted=is_asserted(message[0].job_id))
        keys = (
            [ProfileKey("user", user_id, layer_written(asserted, "user", rule))] if user_id else []
        )
        if scope.request_type == "group":
            keys.append(ProfileKey("group", scope.group_id, layer_written(scope, "group", rule)))
        gone = {one.event_id for one in (*message, *resting)}
        said = {line.text for one in message for line in said_lines(one)} | {
            one.text for one in resting
        }
        for key in keys:
            self._without(key, gone, said, [one.text for one in resting])

    def _without(self, key: ProfileKey, gone: set[str], said: set[str], texts: list[str]) -> None:
        """Remove the evidence `gone` from a profile and its history. Also remove lines without
        evidence that are in `said` or made of one of `texts`."""
        profiles = self._context().profiles
        unproven = {
            line.text for one in profiles.kept(key) for line in one.lines if not line.evidence
        }
        unwanted = (unproven & said) | made_of(unproven, texts)

        def left(line: ProfileLine) -> ProfileLine | None:
            if not gone.isdisjoint(line.evidence):
                return self._reworded(line, gone, said)
            return None if line.text in unwanted and not line.evidence else line

        def change(profile: Profile) -> Profile:
            return replace(profile, lines=tuple(filter(None, map(left, profile.lines))))

        if revised := profiles.revise(key, change, now=self._now(), cause="forget"):
            self._index(revised)

    def _reworded(self, line: ProfileLine, gone: set[str], said: set[str]) -> ProfileLine | None:
        """Return a line without the evidence `gone`; None if no evidence is left.

        If its text is one of `said`, or was corrected, the line gets the latest text with the same
        words from its other evidence; without such a text return None.
        """
        left = without_evidence(line, gone)
        if left is None or (left.text not in said and BETWEEN_QUOTES not in left.text):
            return left
        told = self._context().events.get(list(left.evidence))
        texts = [
            other
            for one in told
            for other in (
                said_lines(one) if one.kind == MESSAGE else [replace(line, text=one.text)]
            )
        ]
        same = said_words(line.text, "")
        return next(
            (
                replace(left, text=one.text)
                for one in reversed(texts)
                if said_words(one.text, "") == same
            ),
            None,
        )

    def _index(self, profile: Profile) -> None:
        """Index the words of a profile at once. The idle worker adds its vector later."""
        index = self._context().profile_index
        if index is None:
            return
        try:
            index.put(profile, None)
        except StorageError as error:
            log.warning(
                "profile %s is not searchable until the next repair: %s", profile.key, error
            )

    def _now(self) -> str:
        return iso_of(self._context().clock())


def _first_and_last(jobs: Sequence[Job]) -> tuple[dict[str, Job], dict[str, Job]]:
    """Return, by the names of messages, the earliest job of each message and the job with its
    latest text."""
    first: dict[str, Job] = {}
    last: dict[str, Job] = {}
    for job in jobs:
        name = message_name(job)
        if name not in first or job.moment < first[name].moment:
            first[name] = job
        if name not in last or job.payload.get("worded_at", 0.0) >= last[name].payload.get(
            "worded_at", 0.0
        ):
            last[name] = job
    return first, last
