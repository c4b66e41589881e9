"""What every `EventStore` promises of tags, metadata and expiry."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from historian.schema.event import Event, EventFilter
from historian.stores.tables.event_transfer import Carried
from historian.stores.tables.events.store import EventStore
from support.backends import OpenStores, Stores
from support.events import make_event, unit_vectors

NOW = 1_770_000_000.0


@pytest.fixture
def stores(open_stores: OpenStores) -> Stores:
    return open_stores()


@pytest.fixture
def store(stores: Stores) -> EventStore:
    return stores.events


def said(name: str, text: str, **fields: Any) -> list[Event]:
    values = {
        "kind": "message",
        "source": "message",
        "role": "user",
        "said_by": "42",
        "timestamp": NOW,
        **fields,
    }
    return [make_event(name, text=text, **values)]


def ids(store: EventStore, **conditions: Any) -> list[str]:
    where = EventFilter(**{"scope_key": "g:7", **conditions})
    found = [event.job_id for event in store.find(where, newest_first=False)]
    by_words = {one.partition(":")[0] for one, _ in store.search_keywords("tea", where, 10)}
    assert store.count(where) == len(found) and by_words == set(found)
    assert {one.partition(":")[0] for one in store.vectors(where)[0]} == set(found)
    nearest = store.nearest(unit_vectors(1)[0], where, 10)
    assert nearest is None or {one.partition(":")[0] for one, _ in nearest} == set(found)
    return found


def file(store: EventStore, *given: dict[str, Any]) -> list[Event]:
    events = [
        make_event(f"j{n}", text=f"tea {n}", timestamp=NOW + n, **fields)
        for n, fields in enumerate(given)
    ]
    for n, event in enumerate(events):
        assert store.file_job(event.job_id, [event], unit_vectors(1, seed=n))
    return events


def test_labels_come_back_as_they_were_filed_and_move_to_another_memory(
    stores: Stores, open_stores: OpenStores
) -> None:
    odd = {
        "thread": 7,
        "half": 0.5,
        "no": None,
        "yes": True,
        "list": [1, "二"],
        'a"b.c$': {"x": "\\"},
        "": "",
    }
    (event, plain) = file(
        stores.events,
        {"tags": ("旅行", "work", 'a"b'), "metadata": odd, "expires_at": NOW + 0.25},
        {},
    )
    events = open_stores().events
    assert (
        events.get(["j0:0", "j1:0"]) == [event, plain]
        and plain.metadata == {}
        and plain.expires_at is None
    )
    assert events.news("g:7", 0, 0).events == [event, plain]
    carried = list(stores.transfer.take(EventFilter(None)))
    events.delete(["j0:0", "j1:0"])
    again = [Carried(one.event, one.filed) for one in carried]
    assert stores.transfer.bring(again) == ["restored"] * 2
    assert events.get(["j0:0"]) == [event]


def test_tags_are_found_where_all_are_there(store: EventStore) -> None:
    file(
        store,
        {"tags": ("work", "旅行")},
        {"tags": ("work",)},
        {},
        {"tags": ("wor",), "group": "8"},
        {"tags": ('"]',)},
    )
    assert ids(store, tags=("work",)) == ["j0", "j1"] and ids(store, tags=("旅行", "work")) == [
        "j0"
    ]
    assert (
        ids(store, tags=("wor",)) == []
        and ids(store, tags=('"]',)) == ["j4"]
        and ids(store, tags=("%",)) == []
    )
    assert ids(store, scope_key=None, tags=("wor",)) == ["j3"] and ids(
        store, tags=("work",), time_from=NOW + 1
    ) == ["j1"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"thread": 7}, ["j0", "j1"]),
        ({"thread": "7"}, ["j2"]),
        ({"thread": 7, "where": "杭州"}, ["j1"]),
        ({"on": True}, ["j3"]),
        ({"on": 1}, ["j4"]),
        ({"on": None}, ["j5"]),
        ({"off": None}, []),
        ({"list": "a"}, []),
        ({'x" OR 1=1 --': "'"}, ["j6"]),
        ({"half": 0.5}, ["j5"]),
        ({"inner": 1}, []),
    ],
)
def test_metadata_is_found_by_equal_values_of_one_kind(
    store: EventStore, wanted: dict[str, Any], found: list[str]
) -> None:
    file(
        store,
        {"metadata": {"thread": 7}},
        {"metadata": {"where": "杭州", "thread": 7, "list": ["a"]}},
        {"metadata": {"thread": "7", "in": {"inner": 1}}},
        {"metadata": {"on": True}},
        {"metadata": {"on": 1}},
        {"metadata": {"on": None, "half": 0.5}},
        {"metadata": {'x" OR 1=1 --': "'"}},
        {},
    )
    assert ids(store, metadata=wanted) == found


def test_what_has_expired_is_found_by_nothing_before_it_is_deleted(store: EventStore) -> None:
    file(store, {"expires_at": NOW}, {"expires_at": NOW + 60.0}, {})
    assert ids(store, now=NOW - 1.0) == ids(store) == ["j0", "j1", "j2"]
    assert ids(store, now=NOW) == ["j1", "j2"] and ids(store, now=NOW + 60.0) == ["j2"]
    assert ids(store, now=NOW + 60.0, kinds=("fact",)) == ["j2"] and ids(
        store, scope_key=None, now=NOW
    ) == ["j1", "j2"]
    before = store.change_number("g:7")
    assert (
        store.expire(9, now=NOW - 1.0, returned_before=0.0) == 0
        and store.expire(9, now=NOW, returned_before=0.0) == 1
    )
    assert ids(store) == ["j1", "j2"] and store.change_number("g:7")[1] > before[1]
    assert store.expire(9, now=NOW + 1e6, returned_before=0.0) == 1 and ids(store) == ["j2"]


def test_an_expiry_is_one_bound_among_those_of_age_and_the_oldest_go_first(stores: Stores) -> None:
    store = stores.events
    store.file_messages(
        [said("m-1", "tea", expires_at=NOW + 5.0), said("m-2", "tea", timestamp=NOW + 1.0)]
    )
    store.file_new(
        [make_event("o-1", source="observation", text="tea", timestamp=NOW - 9.0)], [None]
    )
    bounds = {"now": NOW + 5.0, "returned_before": NOW, "said_before": NOW + 2.0}
    left = []
    while store.expire(1, **bounds):
        left.append([event.job_id for event in store.find(EventFilter(None), newest_first=False)])
    assert left == [["m-1", "m-2"], ["m-2"], []]
    assert stores.erasure.has_remains(), "what had expired is overwritten"
    assert store.file_messages([said("m-1", "tea")]) == ["m-1:0"], "it was not withdrawn"


def test_what_expires_for_its_age_alone_leaves_nothing_to_overwrite(stores: Stores) -> None:
    stores.events.file_messages([said("m-1", "tea"), said("m-2", "tea", expires_at=9e9)])
    assert (
        stores.events.expire(9, now=NOW, returned_before=0.0, said_before=9e9) == 2
        and not stores.erasure.has_remains()
    )


def test_an_edited_message_keeps_its_labels_unless_the_edit_brings_others(
    store: EventStore,
) -> None:
    labels = {"tags": ("work",), "metadata": {"thread": 7}, "expires_at": NOW + 60.0}
    store.file_messages([said("m-1", "tea", worded_at=1.0, **labels)])
    store.file_messages([said("m-1", "green tea", worded_at=2.0)])
    (event,) = store.get(["m-1:0"])
    assert (event.text, event.tags, event.metadata, event.expires_at) == (
        "green tea",
        *labels.values(),
    )
    store.file_messages(
        [said("m-1", "black tea", worded_at=3.0, tags=("home",), expires_at=NOW + 90.0)]
    )
    (event,) = store.get(["m-1:0"])
    assert (event.tags, event.metadata, event.expires_at) == (("home",), {"thread": 7}, NOW + 90.0)
    assert store.edit("m-1:0", "by hand", None) and store.get(["m-1:0"])[0].tags == ("home",)


def test_what_rests_on_messages_expires_with_the_first_of_them(store: EventStore) -> None:
    store.file_messages(
        [
            said("m-1", "a", expires_at=NOW + 1.0),
            said("m-2", "b", expires_at=NOW + 2.0),
            said("m-3", "c"),
        ]
    )
    cases: list[tuple[tuple[str, ...], float | None, float | None]] = [
        (("m-1", "m-2"), None, NOW + 1.0),
        (("m-1", "m-3"), None, NOW + 1.0),
        (("m-1", "gone"), None, NOW + 1.0),
        (("m-2",), NOW + 0.5, NOW + 0.5),
        ((), None, None),
    ]
    for n, (sources, own, expected) in enumerate(cases):
        event = make_event(f"j{n}", sources=sources, timestamp=NOW, expires_at=own)
        assert store.file_job(event.job_id, [event], [None])
        assert store.get([f"j{n}:0"]) == [replace(event, expires_at=expected)], sources


def test_what_ends_for_a_time_lets_the_former_fact_hold_again(store: EventStore) -> None:
    from historian.schema.event import EventLink

    file(store, {}, {"expires_at": NOW + 60.0})
    assert store.supersede([EventLink("j0:0", "j1:0")]) == ["j0:0"]
    store.expire(9, now=NOW + 60.0, returned_before=0.0)
    assert store.get(["j0:0"])[0].holds
