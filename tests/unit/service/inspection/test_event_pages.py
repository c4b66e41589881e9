"""Pages of events."""

import itertools
from collections.abc import Iterator

import pytest
from historian.schema.errors import InvalidInput
from historian.schema.event import EventFilter
from historian.service.inspection.event_pages import events_page
from historian.stores.tables.events.store import EventStore
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.events import make_event
from support.stores import open_events

GROUPS = itertools.count(1)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> EventStore:
    return open_events(tmp_path_factory.mktemp("events"))


def pages(store: EventStore, where: EventFilter, limit: int) -> Iterator[list[str]]:
    cursor = ""
    while True:
        page = events_page(store, where, limit=limit, cursor=cursor)
        yield [event.event_id for event in page.events]
        cursor = page.next
        if not cursor:
            return


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from([0.0, 1.5, 1e9 / 3, 2e9]), max_size=30), st.integers(1, 12))
def test_pages_hold_every_event_once_in_the_order_of_the_whole_list(
    store: EventStore, moments: list[float], limit: int
) -> None:
    group = str(next(GROUPS))
    events = [
        make_event(f"j{group}-0", n, group=group, timestamp=moment)
        for n, moment in enumerate(moments)
    ]
    store.file_job(f"j{group}-0", events, [None] * len(events))
    where = EventFilter(f"g:{group}")
    found = list(pages(store, where, limit))
    assert [one for page in found for one in page] == [
        one.event_id for one in store.find(where, limit=100)
    ]
    assert all(len(page) == limit for page in found[:-1])


@pytest.mark.parametrize(
    "cursor", ["x", "1", "1~", "~1", "nan~0", "inf~0", "1~-1", "1~1e3", "1e13~0", "1~99999999999"]
)
def test_what_is_no_cursor_is_refused(store: EventStore, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        events_page(store, EventFilter("g:7"), cursor=cursor)
