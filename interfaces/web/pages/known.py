"""The people, groups and conversations of a memory, with names and counts of their data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from ....schema.entity import Entity
from ....schema.event import EventFilter
from ....schema.profile import ProfileKey
from ....schema.scope import RESERVED_USER, scope_of_key
from ....service.components import Parts
from ....service.entity_data.kinds import Traces
from ....service.entity_data.registry import stored_kinds
from ...lookups import profile_layers

PAGE = 50


@dataclass(frozen=True, slots=True)
class Known:
    """A person or a group in a list: newest name, number of events, and profile in one line."""

    entity: Entity
    name: str
    events: int
    says: str


class People(NamedTuple):
    """A page of people or groups. `next` is the id for `after` of the next page; "" on the last."""

    found: list[Known]
    next: str


def people(parts: Parts, text: str, after: str) -> People:
    """Return a page of the people after the id `after`, in the order of ids. Blocking.

    These are people with events, and people with only a profile. `text` must be part of the id or a
    name; "" matches all.
    """
    with_events = parts.events.people(after=after, text=text, limit=PAGE + 1)
    found = {one.user_id: (one.name, one.events) for one in with_events}
    last = with_events[-1].user_id if len(with_events) > PAGE else None
    # Only likely profiles are read for their names, because reading all would take seconds. People
    # with events are found by the names in their events.
    likely = (
        [key for key, _ in parts.backend.profile_index.search_keywords(text, PAGE)] if text else []
    )
    named = {key.entity_id for key in likely if _matches(_profile_name(parts, key), text)}
    for key in parts.profiles.keys():  # noqa: SIM118 - no dict
        is_here = (
            key.entity_type == "user"
            and key.entity_id > after
            and (last is None or key.entity_id < last)
        )
        if is_here and (key.entity_id in named or _matches(key.entity_id, text)):
            found.setdefault(key.entity_id, ("", 0))
    ids = sorted(found)
    shown = ids[:PAGE]
    return People(
        [_known(parts, Entity("user", one), *found[one]) for one in shown],
        shown[-1] if len(ids) > PAGE else "",
    )


def groups(parts: Parts, text: str, after: str) -> People:
    """Return a page of the groups after the id `after`, in the order of ids. Blocking.

    These are groups with events or a profile. `text` must be part of the id or the name.
    """
    counts = {
        scope.group_id: count
        for key, count in parts.events.scopes()
        if (scope := scope_of_key(key)) and scope.group_id
    }
    ids = {*counts, *(key.entity_id for key in parts.profiles.keys() if key.entity_type == "group")}  # noqa: SIM118 - no dict
    known = (
        _known(parts, Entity("group", one), "", counts.get(one, 0))
        for one in sorted(ids)
        if one > after
    )
    found = list(
        islice(
            (one for one in known if _matches(one.entity.id, text) or _matches(one.name, text)),
            PAGE + 1,
        )
    )
    return People(found[:PAGE], found[PAGE - 1].entity.id if len(found) > PAGE else "")


def name_of(parts: Parts, entity: Entity) -> str:
    """Return the newest name of a person or a group; "" if none is known. Blocking."""
    return next(
        (one.name for one in profile_layers(parts, entity) if one.name), ""
    ) or _name_in_events(parts, entity)


def records_to_remove(parts: Parts, entity: Entity) -> dict[str, int]:
    """Return the number of records that forgetting would remove, by kind. Blocking.

    The kinds are those of `ForgetReport.removed`.
    """
    events, *others = stored_kinds(parts)
    traces = Traces(entity)
    found = {(store.kind, record.id) for store in others for record in store.records(traces)}
    counts = {events.kind: parts.events.count(entity.where), **Counter(kind for kind, _ in found)}
    kinds = dict.fromkeys(store.kind for store in (events, *others))
    return {kind: counts[kind] for kind in kinds if counts.get(kind)}


def conversations(parts: Parts, limit: int = 100) -> list[tuple[str, str]]:
    """Return the keys of conversations and the names of their group or person. Blocking.

    The conversations with most events come first.
    """
    found: list[tuple[str, str]] = []
    for key, _ in sorted(parts.events.scopes(), key=lambda one: -one[1])[:limit]:
        scope = scope_of_key(key)
        if scope is not None:
            public = ProfileKey(
                "group" if scope.group_id else "user", scope.group_id or scope.user_id
            )
            found.append((key, _profile_name(parts, public)))
    return found


def _known(parts: Parts, entity: Entity, name: str, events: int) -> Known:
    profiles = profile_layers(parts, entity)
    named = (
        name
        or next((one.name for one in profiles if one.name), "")
        or _name_in_events(parts, entity)
    )
    says = next(("; ".join(line.text for line in one.lines) for one in profiles if one.lines), "")
    return Known(entity, named, events, says)


def _name_in_events(parts: Parts, entity: Entity) -> str:
    """Return the name in the newest event of the entity's own conversation; "" if there is none."""
    if entity.id == RESERVED_USER:
        return ""
    newest = parts.events.find(EventFilter(entity.scope.key, now=parts.clock()), limit=1)
    return (
        ""
        if not newest
        else newest[0].group_name
        if entity.type == "group"
        else newest[0].user_name
    )


def _profile_name(parts: Parts, key: ProfileKey) -> str:
    profile = parts.profiles.read(key)
    return "" if profile is None else profile.name


def _matches(value: str, text: str) -> bool:
    return text.lower() in value.lower()
