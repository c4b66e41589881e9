"""Profiles, with their revisions and their index, as a kind of stored data.

For a group this includes the layers of user profiles that belong to the group. For a user it
includes lines of other profiles whose evidence comes from this user alone. Lines without evidence,
in group profiles of former versions, are compared with the texts of the user.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...schema.entity import Entity
from ...schema.event import EventFilter
from ...schema.job import without_list_mark
from ...schema.profile import Profile, ProfileKey, ProfileLine
from ...schema.scope import Scope
from ...stores.files.naming import PROFILES
from ...stores.files.profiles import PROFILE_FORMAT
from ...stores.tables.profiles import ProfileStorage
from ...text.search_words import search_tokens
from ..timezones import iso_of
from .kinds import Documents, Record, Traces, redact_time, redacted_in, tally

_MOST = 0.6
"""A line counts as made from a text that contains at least this share of the line's words."""


class ProfileRecords(Documents[ProfileKey, Profile]):
    """Profiles with their revisions, and their index."""

    kind = name = path = "profiles"
    former_name = "portraits"
    naming, form = PROFILES, PROFILE_FORMAT
    store: ProfileStorage

    def records(self, traces: Traces | None) -> Iterator[Record]:
        for key in self.store.keys():  # noqa: SIM118 - a store, not a dictionary
            if traces is None:
                current = self.store.read(key)
                borne = ((key.entity, current.name),) if current is not None else ()
                scope = Scope.group(key.entity_id).key if key.entity_type == "group" else ""
                yield Record(key.index_id, tuple(self.store.lines(key)), scope=scope, borne=borne)
            elif PROFILES.is_of(PROFILES.place(key), traces.entity):
                kept = self.store.kept(key)
                names = tuple(one.name for one in kept) if key.entity == traces.entity.key else ()
                yield Record(
                    key.index_id, tuple(line.text for one in kept for line in one.lines), names
                )
        if traces is None:
            return
        for key in self._other_keys(traces):
            kept = self.store.kept(key)
            theirs = {
                line.text
                for one in kept
                for line in one.lines
                if line.evidence and line_without(line, traces) is None
            }
            theirs |= self._told_without_evidence(key, kept, traces)
            if theirs:
                yield Record(key.index_id, tuple(sorted(theirs)))

    def erase(self, traces: Traces) -> int:
        self.backend.erasure.erase_profiles(traces.entity)
        removed = self.store.erase(traces.entity)
        now = iso_of(self.parts.clock())
        for key in self._other_keys(traces):
            plain = self._told_without_evidence(key, self.store.kept(key), traces)
            if revised := self.store.revise(
                key, partial(_without, traces, plain), now=now, cause="forget"
            ):
                self.backend.profile_index.put(revised, None)
                removed += 1
        return removed

    def drop(self, unwanted: Mapping[str, Collection[str]]) -> None:
        now = iso_of(self.parts.clock())
        for key, lines in ((ProfileKey.of_index_id(one), lines) for one, lines in unwanted.items()):
            self.store.without_lines(key, lines.__contains__, now=now)
            profile = self.store.read(key)
            if profile is not None:
                self.backend.profile_index.put(profile, None)

    def _told_by_others(self, key: ProfileKey, lines: Collection[str], entity: Entity) -> set[str]:
        """Return the lines of a group's profile that repeat an event of another person in that
        group."""
        wanted: dict[str, set[str]] = {}
        for line in lines:
            wanted.setdefault(without_list_mark(line).strip(), set()).add(line)
        found: set[str] = set()
        for event, *_ in (
            self.backend.transfer.take(EventFilter(Scope.group(key.entity_id).key)) if lines else ()
        ):
            if entity.id not in (event.user_id, *event.speakers):
                found |= wanted.get(event.text.strip(), set())
        return found

    def _told_without_evidence(
        self, key: ProfileKey, kept: Sequence[Profile], traces: Traces
    ) -> set[str]:
        """Return the lines without evidence, and the tags, of a group's profile that come from
        statements of the user."""
        if key.entity_type != "group":
            return set()
        plain = [
            replace(one, lines=tuple(line for line in one.lines if not line.evidence))
            for one in kept
        ]
        theirs = lines_told_by(plain, traces.job_ids, traces.texts)
        theirs |= {line for one in plain for line in _lines(one) if _is_line_of(line, traces)}
        return theirs - self._told_by_others(key, theirs, traces.entity)

    def _other_keys(self, traces: Traces) -> list[ProfileKey]:
        """Return the keys of the profiles of all others, which may hold statements of the user.

        Return an empty list for a group, or for a user without texts.
        """
        is_user = traces.entity.type == "user" and bool(traces.texts)
        return (
            [key for key in self.store.keys() if key.entity != traces.entity.key] if is_user else []  # noqa: SIM118 - no dict
        )

    def redact(self, value: list[Profile]) -> list[Profile]:
        clean = (redacted_in(one, self.level, "name", "tags", "source_event_id") for one in value)
        redacted = {
            one.revision: tuple(redacted_in(line, self.level, "text", "tags") for line in one.lines)
            for one in value
        }
        return [
            replace(one, lines=redacted[one.revision], updated_at=redact_time(one.updated_at))
            for one in clean
        ]

    def restore(self, values: Sequence[list[Profile]]) -> Mapping[str, int | list[str]]:
        results = []
        for revisions in values:
            results.append(self.store.restore(revisions))
            if results[-1] == "restored":
                self.backend.profile_index.put(revisions[-1], None)
        different = [
            str(value[-1].key)
            for value, result in zip(values, results, strict=True)
            if result == "different"
        ]
        return {**tally(self.name, results), "different_profiles": different}


def line_without(line: ProfileLine, traces: Traces) -> ProfileLine | None:
    """Return a line of another profile without the evidence from the person's jobs.

    Return None if this is all the evidence of the line. A line that the person said (`said_by`) is
    returned without its speaker if a part of the evidence is left; otherwise return None.
    """
    left = tuple(one for one in line.evidence if one.rpartition(":")[0] not in traces.job_ids)
    if not left and (line.evidence or line.said_by == traces.entity.id):
        return None
    if line.said_by == traces.entity.id:
        return None if left == line.evidence else replace(line, evidence=left, said_by="")
    return line if left == line.evidence else replace(line, evidence=left)


def _without(traces: Traces, plain: Collection[str], profile: Profile) -> Profile:
    lines = [
        one
        for line in profile.lines
        if (one := line_without(line, traces)) and (line.evidence or line.text not in plain)
    ]
    return replace(
        profile, lines=tuple(lines), tags=tuple(tag for tag in profile.tags if tag not in plain)
    )


def lines_told_by(
    kept: Sequence[Profile], job_ids: Collection[str], texts: Collection[str]
) -> set[str]:
    """Return the lines and tags of a group's profile that come from the person with these jobs and
    texts.

    `kept` are the stored revisions, newest first, with their lines without evidence. A line comes
    from the person if it repeats a text, or if one of the jobs caused the revision that added the
    line. If the revision that added the line is no longer stored, most words of the line must occur
    in one of the texts.
    """
    theirs: set[str] = set()
    unknown: set[str] = set()
    before: Profile = Profile(ProfileKey("group", ""))
    for one in reversed(kept):
        new = _lines(one) - _lines(before)
        theirs |= {line for line in new if without_list_mark(line).strip() in texts}
        if one.revision != before.revision + 1:
            unknown |= new
        elif not set(PROFILE_FORMAT.causes(one)).isdisjoint(job_ids):
            theirs |= new
        before = one
    return theirs | made_of(unknown - theirs, texts)


def _lines(profile: Profile) -> set[str]:
    """Return the texts of the lines of a profile, and its tags."""
    return {*(line.text for line in profile.lines), *profile.tags}


def _is_line_of(line: str, traces: Traces) -> bool:
    """Return True if a line repeats a text, with or without its list mark. Lines that begin with
    `#` do not count."""
    return not line.startswith("#") and (
        line in traces.texts or without_list_mark(line).strip() in traces.texts
    )


def made_of(lines: Collection[str], texts: Collection[str]) -> set[str]:
    """Return the lines whose words mostly occur in one of `texts` (see `_MOST`)."""
    words = {line: set(search_tokens(line)) for line in lines}
    wanted = frozenset[str]().union(*words.values())
    found: set[str] = set()
    for text in texts if wanted else ():
        folded = text.casefold()
        held = {word for word in wanted if word in folded}  # ten times faster than search_tokens
        found |= {
            line for line, its in words.items() if its and len(its & held) >= _MOST * len(its)
        }
    return found
