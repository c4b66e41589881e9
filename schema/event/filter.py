"""Filters of events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..labels import labels_of
from ..scope import RequestType
from .fields import EventKind


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Filter of events. All given conditions must be met; None or empty means "any".

    `scope_key` is `Scope.key`; None means all scopes (only for tools of the owner). Times are
    seconds since the epoch, both ends included. `people` are user ids: they match events of these
    users, and events made from the words of several people including one of them. `occurs_from` and
    `occurs_to` match events that are about a time within them, in whole or in part; for an event
    that names no time, the time of saying counts. `holds` is False for events that are superseded
    or corrected. An event must have all of `tags`, and the top-level keys of `metadata` with equal
    values. Events that have expired at `now` are left out; with None no event is left out (used for
    upkeep).
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
        """True if there is any condition other than the scope and `now`."""
        return self != EventFilter(self.scope_key, now=self.now)

    @property
    def labels(self) -> frozenset[str]:
        """The labels (`Event.labels`) that an event must have."""
        return labels_of(self.tags, self.metadata)
