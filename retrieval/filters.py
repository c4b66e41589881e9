"""Filters of a search. All conditions of callers are converted to filters here.

The scope comes from the conversation, never from the query. A condition of a caller can only narrow
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, tzinfo
from inspect import signature
from typing import Any, TypeVar, get_args

from ..schema.errors import InvalidInput
from ..schema.event import SOURCES, EventFilter, EventKind, WrittenKind
from ..schema.ids import told
from ..schema.labels import clean_tags, wanted_metadata
from ..schema.profile import ProfileFilter, ProfileKey
from ..schema.scope import PUBLIC_LAYER, LayerRule, PublicLayer, RequestType, Scope, layers_read
from ..schema.times import named_zone

MOST_HITS = 500

Moment = float | int | str | date | datetime
Value = TypeVar("Value", bound=str)

_ANYBODY = "\0anybody"
"""An id that no platform can assign (ids are printable). It represents any user."""


def event_filter(
    scope: Scope | None,
    *,
    user_id: str | None = None,
    sender_id: str | None = None,
    group_id: str | None = None,
    request_type: RequestType | None = None,
    kind: EventKind | None = None,
    source: str | None = None,
    user_ids: Sequence[str] = (),
    kinds: Sequence[EventKind] = (),
    sources: Sequence[str] = (),
    event_ids: Sequence[str] = (),
    time_from: Moment | None = None,
    time_to: Moment | None = None,
    occurs_from: Moment | None = None,
    occurs_to: Moment | None = None,
    is_absolute: bool | None = None,
    tags: Sequence[str] | str = (),
    metadata: Mapping[str, Any] | None = None,
    timezone: str = "UTC",
) -> EventFilter:
    """Return the filter of a search in `scope` (None: every conversation, for the operator only).

    `user_id` and `sender_id` are the same condition (in a group the sender is the user of a
    record). If they are given with `user_ids`, all of the conditions must be met.

    Times are seconds since the epoch, dates, datetimes or ISO 8601 text; a time without an offset
    is in `timezone`. A day as `time_to` includes its end. A reversed range is swapped. `time_from`
    and `time_to` limit when a record was said. `occurs_from` and `occurs_to` limit the time that a
    record is about (the time of saying if it names no other); a partial overlap is enough.

    `is_absolute` without a kind excludes messages, which are neither absolute nor relative. A
    record must have all of `tags`, and for every key of `metadata` an equal value (text, number,
    true, false or null). `group_id` and `request_type` narrow a search without scope; with a scope
    they must agree with it. Raises InvalidInput.
    """
    _one_of("kind", (kind, *kinds), get_args(EventKind))
    _one_of("source", (source, *sources), sorted(SOURCES))
    _one_of("request_type", (request_type,), get_args(RequestType))
    scope_key = None if scope is None else scope.key
    if scope is None:
        if group_id:
            scope_key = Scope.group(group_id).key
    elif (group_id and group_id != scope.group_id) or (
        request_type and request_type != scope.request_type
    ):
        raise InvalidInput(
            f"this search is bound to {scope.key}; leave group_id and request_type out"
        )
    first, last = time_range(time_from, time_to, timezone)
    told = time_range(occurs_from, occurs_to, timezone, of="occurs")
    users = _both(_both(tuple(user_ids), user_id), sender_id)
    kinds = _both(tuple(kinds), kind)
    if is_absolute is not None and not kinds:
        kinds = get_args(WrittenKind)
    return EventFilter(
        scope_key,
        user_ids=users,
        kinds=kinds,
        sources=_both(tuple(sources), source),
        time_from=first,
        time_to=last,
        occurs_from=told[0],
        occurs_to=told[1],
        is_absolute=is_absolute,
        event_ids=tuple(event_ids),
        request_types=(request_type,) if request_type and scope is None else (),
        tags=clean_tags(tags),
        metadata=wanted_metadata(metadata),
    )


def conditioned(
    scope: Scope | None, conditions: Mapping[str, Any], timezone: str, now: float
) -> EventFilter:
    """Return `event_filter` of a caller's conditions, which also excludes records that have expired
    at `now`.

    Raises InvalidInput for an unknown condition.
    """
    checked_conditions(conditions)
    zone = conditions.get("timezone") or timezone
    return replace(event_filter(scope, **{**conditions, "timezone": zone}), now=now)


def checked_conditions(conditions: Mapping[str, Any]) -> None:
    """Raise InvalidInput for an unknown condition."""
    unknown = sorted(set(conditions) - set(CONDITIONS))
    if unknown:
        raise InvalidInput(
            f"{unknown[0]:.60}: unknown condition; the known conditions are {', '.join(CONDITIONS)}"
        )


CONDITIONS = tuple(name for name in signature(event_filter).parameters if name != "scope")
"""The names of the conditions by which callers may narrow a search."""


def profile_filter(
    scope: Scope,
    rule: LayerRule,
    public_layer: PublicLayer = "where_spoken",
    speakers: Sequence[str] = (),
) -> ProfileFilter:
    """Return the filter of the profiles that may be searched in `scope`: its own, and those of
    users who have spoken there.

    `speakers` are users who have spoken there although none of their messages is filed yet. With
    `public_layer="everywhere"` the public layer of all users may be searched.
    """
    public = layers_read(scope, "user", _ANYBODY, rule, has_spoken=True)
    own = layers_read(scope, "user", scope.user_id, rule) if scope.user_id else ()
    keys = [ProfileKey("user", scope.user_id, layer) for layer in own]
    keys += [
        ProfileKey("group", scope.group_id, layer)
        for layer in layers_read(scope, "group", scope.group_id, rule)
    ]
    keys += [
        ProfileKey("user", user_id, layer)
        for user_id in speakers
        for layer in public
        if user_id != scope.user_id
    ]
    return ProfileFilter(
        public,
        tuple(keys),
        scope.key if PUBLIC_LAYER in public and public_layer != "everywhere" else None,
    )


def bounded_top_k(wanted: int | None, default: int) -> int:
    """Return `wanted`, or `default` if it is None, but at most MOST_HITS. Raises InvalidInput for
    any value that is not a number of at least 1.
    """
    if wanted is None:
        wanted = default
    if not isinstance(wanted, int | float) or isinstance(wanted, bool) or not wanted >= 1:
        raise InvalidInput(f"top_k: expected a number from 1 to {MOST_HITS}, got {told(wanted)}")
    return int(min(MOST_HITS, wanted))


def time_range(
    time_from: Moment | None, time_to: Moment | None, timezone: str, *, of: str = "time"
) -> tuple[float | None, float | None]:
    """Return both ends in seconds since the epoch, the earlier one first. Errors name `{of}_from` or `{of}_to`."""
    zone = named_zone(timezone)
    first, last = (
        _seconds(time_from, f"{of}_from", zone, end=False),
        _seconds(time_to, f"{of}_to", zone, end=True),
    )
    if first is not None and last is not None and first > last:
        return _seconds(time_to, f"{of}_to", zone, end=False), _seconds(
            time_from, f"{of}_from", zone, end=True
        )
    return first, last


def _one_of(name: str, given: Sequence[str | None], known: Sequence[str]) -> None:
    for value in given:
        if value not in (None, "", *known):
            raise InvalidInput(f"{name}: {told(value)} is not one of {', '.join(known)}")


def _both(values: tuple[Value, ...], value: Value | None) -> tuple[Value, ...]:
    """Return one condition that combines `values` and `value`. If they exclude each other, it
    matches nothing.
    """
    if value is None or value == "":
        return values
    if not values or value in values:
        return (value,)
    return ("\0",)  # type: ignore[return-value]


def _seconds(value: Moment | None, name: str, zone: tzinfo, *, end: bool) -> float | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        raise InvalidInput(
            f"{name}: {value!r} is not a time; write 2026-02-21, or 2026-02-21T17:30+08:00"
        )
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        text = value.strip()
        try:
            value = date.fromisoformat(text) if len(text) <= 10 else datetime.fromisoformat(text)
        except ValueError:
            raise InvalidInput(
                f"{name}: {text!r:.60} is not a time; write 2026-02-21, or 2026-02-21T17:30+08:00"
            ) from None
    if not isinstance(value, datetime):
        value = datetime.combine(value, time.max if end else time.min)
    try:
        return (value if value.tzinfo else value.replace(tzinfo=zone)).timestamp()
    except (OverflowError, ValueError, OSError):
        raise InvalidInput(f"{name}: {value!s:.60} is outside the range of dates") from None
