"""The timeline: what an address asks for, and its pages."""

from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from historian.interfaces.web.pages.timeline import Wanted, months, page_of
from historian.schema.entity import Entity
from historian.schema.event import EventLink
from historian.stores.tables.events.store import EventStore
from support.events import file_texts
from support.stores import open_events

SHANGHAI = ZoneInfo("Asia/Shanghai")
GROUP = Entity("group", "7").where


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    opened = open_events(tmp_path)
    yield opened
    opened.close()


def test_choices_narrow_it(store: EventStore) -> None:
    facts = file_texts(store, ["likes tea", "lives in Hangzhou", "lives in Suzhou"], "a")
    file_texts(
        store,
        ["played chess"],
        "b",
        kind="action",
        is_absolute=False,
        source="observation",
        timestamp=1_770_000_100.0,
    )
    store.supersede([EventLink(facts[1], facts[2])])

    def found(**choices: str) -> list[str]:
        return [event.text for event in page_of(store, GROUP, Wanted.of(choices), SHANGHAI).events]

    assert (
        found(kind="action")
        == found(absolute="no")
        == found(source="observation")
        == ["played chess"]
    )
    assert found(holds="no") == ["lives in Hangzhou"]
    assert set(found(text="lives")) == {"lives in Hangzhou", "lives in Suzhou"}
    assert found(text="lives", holds="yes") == ["lives in Suzhou"]
    assert len(found(kind="nonsense", month="soon", holds="maybe")) == 4


def test_months_begin_in_the_time_zone_and_go_back_to_the_oldest_event(store: EventStore) -> None:
    for job, moment in (("a", 1_764_518_399.0), ("b", 1_764_518_400.0), ("c", 1_772_294_400.0)):
        file_texts(
            store, [f"event {job}"], job, timestamp=moment
        )  # the last second of November 2025 in Shanghai, the next one …
    assert months(store, GROUP, SHANGHAI) == ["2026-03", "2026-02", "2026-01", "2025-12", "2025-11"]
    shown = {
        month: [event.text for event in page_of(store, GROUP, Wanted(month=month), SHANGHAI).events]
        for month in ("2025-11", "2025-12", "2026-01", "2026-03")
    }
    assert shown == {
        "2025-11": ["event a"],
        "2025-12": ["event b"],
        "2026-01": [],
        "2026-03": ["event c"],
    }
    assert months(store, Entity("group", "8").where, SHANGHAI) == []
