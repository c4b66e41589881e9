"""The events of a person or a group, newest first, with the visitor's filters, and their months."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast, get_args
from zoneinfo import ZoneInfo

from ....schema.event import EventFilter, EventKind, WrittenKind
from ....schema.times import FIRST_YEAR, LAST_YEAR
from ....service.inspection.event_pages import EventPage, events_page, events_with_words
from ....stores.tables.events.store import EventStore
from ...texts import NAMES

PAGE = 50
MATCHES = 200
"""Maximum number of events that a search by words shows, on one page."""

CHOICES: Mapping[str, Mapping[str, str]] = NAMES["pages"]["choices"]
"""The filters of a timeline: the values of each filter, with their display names."""


_TRUTHS = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class Wanted:
    """The filters that a visitor chose.

    These are one value of each filter in CHOICES ("" for any), words in `text`, a month
    (`2026-02`), and in `before` the cursor of a page.
    """

    kind: str = ""
    absolute: str = ""
    holds: str = ""
    source: str = ""
    text: str = ""
    month: str = ""
    before: str = ""

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> Wanted:
        """Return the filters in the parameters of an address. Invalid values are ignored."""
        chosen = {
            name: value
            for name, known in CHOICES.items()
            if (value := parameters.get(name, "")) in known
        }
        month = parameters.get("month", "")
        return cls(
            **chosen,
            text=parameters.get("text", "").strip(),
            month=month if _first_of(month) else "",
            before=parameters.get("before", ""),
        )

    @property
    def narrows(self) -> bool:
        """True if a filter is set."""
        return replace(self, before="") != Wanted()

    def within(self, where: EventFilter, zone: ZoneInfo) -> EventFilter:
        """Return `where` with these filters added. The month is that of the time zone `zone`."""
        kinds: tuple[EventKind, ...] = (
            (cast("EventKind", self.kind),) if self.kind in get_args(EventKind) else ()
        )
        if self.absolute and not kinds:
            kinds = get_args(WrittenKind)  # messages are neither absolute nor relative
        where = replace(where, kinds=kinds, sources=(self.source,) if self.source else ())
        where = replace(
            where, is_absolute=_TRUTHS.get(self.absolute), holds=_TRUTHS.get(self.holds)
        )
        if first := _first_of(self.month):
            start, end = first.replace(tzinfo=zone), _following(first).replace(tzinfo=zone)
            where = replace(where, time_from=start.timestamp(), time_to=end.timestamp() - 0.001)
        return where


def page_of(store: EventStore, where: EventFilter, wanted: Wanted, zone: ZoneInfo) -> EventPage:
    """Return a page of the events that match the filters. Blocking.

    Raises StorageError, or InvalidInput if the cursor is malformed.
    """
    where = wanted.within(where, zone)
    if wanted.text:
        return events_with_words(store, where, wanted.text, limit=MATCHES)
    return events_page(store, where, limit=PAGE, cursor=wanted.before)


def months(store: EventStore, where: EventFilter, zone: ZoneInfo) -> list[str]:
    """Return all months from that of the newest event back to that of the oldest, as `2026-02`.

    Blocking. Raises StorageError.
    """
    ends = [
        event for first in (True, False) for event in store.find(where, limit=1, newest_first=first)
    ]
    if not ends:
        return []
    last, first = (datetime.fromtimestamp(event.timestamp, zone) for event in (ends[0], ends[-1]))
    count = 12 * (last.year - first.year) + last.month - first.month
    numbers = (12 * last.year + last.month - 1 - n for n in range(count + 1))
    return [f"{number // 12:04d}-{number % 12 + 1:02d}" for number in numbers]


def _first_of(month: str) -> datetime | None:
    try:
        first = datetime.strptime(month, "%Y-%m")
    except ValueError:
        return None
    return first if FIRST_YEAR <= first.year <= LAST_YEAR else None


def _following(first: datetime) -> datetime:
    return first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
