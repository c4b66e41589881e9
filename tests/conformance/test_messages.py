"""What every `EventStore` promises of messages: filing, editing, withdrawing, names, and what rests on messages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from historian.schema.entity import Entity
from historian.schema.errors import InvalidInput
from historian.schema.event import BorneName, Event, EventFilter, EventLink
from historian.stores.tables.events.store import EventStore
from support.backends import OpenStores, Stores
from support.events import make_event, unit_vectors

GROUP, EVERYWHERE = EventFilter("g:7"), EventFilter(None)
NOW = 1_770_000_000.0
DAY = 86_400.0


def said(name: str, *texts: str, at: float = NOW, **fields: Any) -> list[Event]:
    """A message of Ann (42) in group 7, in as many parts as there are texts."""
    values: dict[str, Any] = {
        "kind": "message",
        "source": "message",
        "role": "user",
        "said_by": fields.get("user_id", "42"),
        "user_name": "Ann",
        "is_absolute": False,
        "rewritten_by": "none",
        "timestamp": at,
        "timestamp_local": f"at {at:.0f}",
        **fields,
    }
    return [make_event(name, n, text=text, **values) for n, text in enumerate(texts)]


def made_of(*sources: str, job: str = "j1-0", n: int = 0, **fields: Any) -> Event:
    return make_event(job, n, sources=sources, **{"timestamp": NOW, **fields})


def file(store: EventStore, *events: Event) -> None:
    for event in events:
        assert store.file_job(event.job_id, [event], [None])


def texts(store: EventStore, where: EventFilter = EVERYWHERE) -> list[str]:
    return [event.text for event in store.find(where, limit=1_000, newest_first=False)]


def found(store: EventStore, query: str) -> list[str]:
    return [event_id for event_id, _ in store.search_keywords(query, GROUP, 10)]


@pytest.fixture
def stores(open_stores: OpenStores) -> Stores:
    return open_stores()


@pytest.fixture
def store(stores: Stores) -> EventStore:
    return stores.events


# --- filing


def test_a_message_is_stored_with_all_its_fields_and_found_by_its_words_and_its_speaker(
    store: EventStore, open_stores: OpenStores
) -> None:
    (message,) = said(
        "m-1",
        "we move in on Friday 🎉",
        message_id="991",
        reply_to="990",
        times=("20:2026-12-04",),
        people=("0:2:42",),
        bot_name="Clio",
        group_name="flat",
    )
    assert store.file_messages([[message]]) == ["m-1:0"]
    other = open_stores().events
    assert other.get(["m-1:0"]) == [message]
    assert other.news("g:7", 0, 0).events == [message]
    assert message.dated_text == "we move in on Friday (2026-12-04) 🎉"
    assert found(other, "friday") == found(other, "ann") == ["m-1:0"]
    assert [event.said for event in store.without_vector(5)] == ["Ann: we move in on Friday 🎉"]
    assert not other.is_filed("m-1") and other.known_messages(["m-1", "m-2"]) == {"m-1"}


def test_the_same_message_again_changes_nothing(store: EventStore) -> None:
    messages = [said("m-1", "one", "two"), said("m-2", "three")]
    assert store.file_messages(messages) == ["m-1:0", "m-1:1", "m-2:0"]
    store.set_vectors(["m-1:0"], unit_vectors(1))
    before = store.change_number("g:7")
    assert store.file_messages([said("m-1", "one", "two", at=NOW + 9), *messages]) == []
    assert store.change_number("g:7") == before and store.embedded_count() == 1
    assert store.file_messages([]) == store.file_messages([[]]) == []


def test_a_text_with_nul_is_the_same_message_the_second_time(store: EventStore) -> None:
    assert store.file_messages([said("m-1", "a\0b")]) == ["m-1:0"]
    assert store.file_messages([said("m-1", "a\0b")]) == [] and texts(store) == ["ab"]


def test_of_a_message_that_is_given_twice_at_once_the_later_words_stand_at_the_first_time(
    store: EventStore,
) -> None:
    twice = [
        said("m-1", "frist", reply_to="8"),
        said("m-2", "second"),
        said("m-1", "first", at=NOW + 60),
    ]
    assert store.file_messages(twice) == ["m-1:0", "m-2:0"]
    (event,) = store.get(["m-1:0"])
    assert (event.text, event.timestamp, event.reply_to) == ("first", NOW, "8")
    assert texts(store) == ["first", "second"]


def test_a_job_of_one_message_is_filed_beside_it(store: EventStore) -> None:
    store.file_messages([said("m-1", "I moved to Leeds")])
    assert store.file_job("m-1-0", [made_of("m-1", job="m-1-0", text="Ann moved to Leeds")], [None])
    assert texts(store) == ["I moved to Leeds", "Ann moved to Leeds"]


# --- editing


def test_other_words_replace_a_message_at_its_former_time_with_words_and_vector(
    store: EventStore,
) -> None:
    store.file_messages([said("m-1", "the kettle", reply_to="5"), said("m-2", "later", at=NOW + 1)])
    store.set_vectors(["m-1:0", "m-2:0"], unit_vectors(2))
    before = store.change_number("g:7")
    assert store.file_messages([said("m-1", "the teapot", at=NOW + 500, timezone="UTC")]) == [
        "m-1:0"
    ]
    (event,) = store.get(["m-1:0"])
    assert (event.text, event.timestamp, event.timestamp_local) == (
        "the teapot",
        NOW,
        f"at {NOW:.0f}",
    )
    assert (event.timezone, event.reply_to) == ("Asia/Shanghai", "5")
    assert found(store, "kettle") == [] and found(store, "teapot") == ["m-1:0"]
    assert store.vectors(GROUP)[0] == ["m-2:0"] and store.without_vector(5) == [event]
    assert store.change_number("g:7")[1] > before[1] and store.count() == 2 == store.count(GROUP)


@pytest.mark.parametrize(
    ("before", "after"), [(("a", "b", "c"), ("d",)), (("a",), ("b", "c")), (("a", "b"), ("a",))]
)
def test_a_message_may_become_shorter_or_longer(
    store: EventStore, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    store.file_messages([said("m-1", *before)])
    assert store.file_messages([said("m-1", *after)]) == [f"m-1:{n}" for n in range(len(after))]
    assert texts(store) == list(after) and store.scopes() == [("g:7", len(after))]


def test_what_rests_on_the_former_words_goes(store: EventStore) -> None:
    store.file_messages([said("m-1", "one"), said("m-2", "two"), said("m-3", "three")])
    file(
        store,
        made_of("m-1", text="of one"),
        made_of("m-1", "m-2", job="j2-0", text="of two"),
        made_of("m-2", "m-3", job="j3-0", text="of the others"),
        made_of(job="j4-0", text="of none"),
    )
    store.file_messages([said("m-1", "uno")])
    assert set(texts(store)) == {"uno", "two", "three", "of the others", "of none"}
    store.file_messages([said("m-2", "dos"), said("m-3", "tres")])
    assert set(texts(store)) == {"uno", "dos", "tres", "of none"}


def test_a_message_of_another_scope_is_not_replaced(store: EventStore) -> None:
    store.file_messages([said("m-1", "here")])
    with pytest.raises(InvalidInput, match=r"m-1.*message of g:7, not of g:8"):
        store.file_messages([said("m-1", "there", group="8")])
    assert texts(store) == ["here"]


def test_an_edit_of_what_was_said_before_its_sender_was_forgotten_is_not_filed(
    stores: Stores,
) -> None:
    store = stores.events
    store.file_messages([said("m-1", "before"), said("m-2", "of Ben", user_id="43")])
    stores.erasure.bury("user:42", NOW + 50)
    # The erasure has not come to the message yet, or it has.
    assert store.file_messages([said("m-1", "after all", at=NOW + 100)]) == []
    assert stores.erasure.erase_events(Entity("user", "42").where) == 1
    assert store.file_messages([said("m-1", "after all", at=NOW + 100)]) == []
    assert store.file_messages([said("m-3", "new", at=NOW + 100)]) == ["m-3:0"]
    assert texts(store) == ["of Ben", "new"]


# --- withdrawing


def test_a_withdrawn_message_goes_with_all_of_it_and_never_comes_back(
    store: EventStore, open_stores: OpenStores
) -> None:
    store.file_messages([said("m-1", "the kettle", "boils"), said("m-2", "stays")])
    store.set_vectors(["m-1:0", "m-2:0"], unit_vectors(2))
    before = store.change_number("g:7")
    assert sorted(store.withdraw(["m-1"])) == ["m-1:0", "m-1:1"]
    assert store.withdraw(["m-1"]) == []
    other = open_stores().events
    assert (
        texts(other) == ["stays"]
        and found(other, "kettle") == []
        and other.vectors(GROUP)[0] == ["m-2:0"]
    )
    assert other.change_number("g:7")[1] > before[1] and other.known_messages(["m-1"]) == set()
    assert other.file_messages([said("m-1", "the kettle"), said("m-1", "edited", at=NOW + 9)]) == []
    assert texts(store) == ["stays"]


def test_what_is_withdrawn_before_it_was_filed_is_not_filed(store: EventStore) -> None:
    assert store.withdraw(["m-1", "m-9"]) == [] and store.withdraw([]) == []
    assert store.file_messages([said("m-1", "never"), said("m-2", "once")]) == ["m-2:0"]
    assert store.is_forgotten("m-1") and not store.is_forgotten("m-2")


def test_an_event_goes_with_the_first_message_that_it_rests_on(store: EventStore) -> None:
    store.file_messages([said("m-1", "one"), said("m-2", "two"), said("m-3", "three")])
    file(
        store,
        made_of("m-1", "m-2", "m-3", text="of three"),
        made_of("m-3", job="j2-0", text="of one"),
    )
    assert sorted(store.withdraw(["m-1"])) == ["j1-0:0", "m-1:0"]
    assert sorted(store.withdraw(["m-2", "m-3"])) == ["j2-0:0", "m-2:0", "m-3:0"]
    assert texts(store) == []


def test_an_event_of_another_conversation_goes_with_its_message(store: EventStore) -> None:
    store.file_messages([said("m-1", "one")])
    file(
        store,
        made_of("m-1", group=None, text="elsewhere"),
        made_of(job="j2-0", group="8", text="another"),
    )
    before = store.change_number("p:42")
    assert sorted(store.withdraw(["m-1"])) == ["j1-0:0", "m-1:0"]
    assert texts(store) == ["another"]
    assert store.change_number("p:42")[1] > before[1] and dict(store.scopes()) == {"g:8": 1}


@pytest.mark.parametrize("file_as", ["job", "new"])
def test_an_event_that_comes_after_its_messages_were_withdrawn_is_left_out(
    store: EventStore, file_as: str
) -> None:
    store.file_messages([said("m-2", "two")])
    store.withdraw(["m-1"])
    events = [
        made_of("m-1", n=0, text="of nothing left"),
        made_of("m-1", "m-2", n=1, text="of one left"),
        made_of("m-8", "m-2", n=2, text="of an unknown one"),
    ]
    if file_as == "job":
        assert store.file_job("j1-0", events, [*unit_vectors(2), None]) and store.is_filed("j1-0")
    else:
        assert store.file_new(events, [*unit_vectors(2), None]) == ["j1-0:2"]
    assert [
        (one.text, one.sources)
        for one in store.find(EventFilter(None, kinds=("fact",)), newest_first=False)
    ] == [
        ("of an unknown one", ("m-8", "m-2")),
    ]
    assert store.vectors(GROUP)[0] == []


def test_what_an_event_had_ended_holds_again_when_its_message_is_withdrawn(
    store: EventStore,
) -> None:
    store.file_messages([said("m-1", "I moved"), said("m-2", "I had misread it")])
    file(
        store,
        made_of(job="j0-0", text="Ann lives in York"),
        made_of(job="j1-0", text="Ann has a cat"),
        made_of("m-1", job="j2-0", text="Ann lives in Leeds", timestamp=NOW + 1),
        made_of("m-2", job="j3-0", text="Ann has a dog", timestamp=NOW + 1),
    )
    store.supersede([EventLink("j0-0:0", "j2-0:0"), EventLink("j1-0:0", "j3-0:0", corrects=True)])
    assert [one.holds for one in store.get(["j0-0:0", "j1-0:0"])] == [False, False]
    store.withdraw(["m-1", "m-2"])
    former = store.get(["j0-0:0", "j1-0:0"])
    assert [(one.superseded_by, one.superseded_at, one.corrected_by) for one in former] == [
        ("", None, "")
    ] * 2


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_of_a_chain_of_events_the_ends_are_joined_when_the_middle_goes_at_once(
    store: EventStore, order: tuple[int, int]
) -> None:
    """Whatever the order in which they were filed, changed and are deleted."""
    chain = [made_of(job=f"j{n}-0", text=f"home {n}", timestamp=NOW + n) for n in range(4)]
    chain[1:3] = [
        made_of("m-1", job=f"j{n}-0", text=f"home {n}", timestamp=NOW + n) for n in (1, 2)
    ]
    file(store, chain[0], chain[order[0]], chain[order[1]], chain[3])
    links = [EventLink(f"j{n}-0:0", f"j{n + 1}-0:0") for n in range(3)]
    assert len(store.supersede(links)) == 3
    assert store.edit("j1-0:0", "home one", None), "it may stand elsewhere in the table now"
    store.withdraw(["m-1"])
    assert store.get(["j0-0:0"])[0].superseded_by == "j3-0:0"
    store.delete(["j3-0:0"])
    assert store.get(["j0-0:0"])[0].holds


def test_the_whole_of_a_chain_but_its_first_goes_at_once(store: EventStore) -> None:
    file(
        store,
        *(made_of(*(["m-1"] if n else []), job=f"j{n}-0", timestamp=NOW + n) for n in range(4)),
    )
    store.supersede([EventLink(f"j{n}-0:0", f"j{n + 1}-0:0") for n in (2, 1, 0)])
    assert len(store.withdraw(["m-1"])) == 3
    (first,) = store.get(["j0-0:0"])
    assert (first.superseded_by, first.superseded_at) == ("", None)


def test_a_message_that_is_deleted_by_the_id_of_a_part_is_withdrawn(stores: Stores) -> None:
    store = stores.events
    store.file_messages([said("m-1", "one", "two"), said("m-2", "three")])
    file(
        store,
        made_of("m-1", text="of it"),
        made_of(job="j2-0", text="by itself"),
        made_of(job="j3-0", text="stays"),
    )
    assert not stores.erasure.has_remains()
    assert store.forget(["m-1:1", "j2-0:0", "nobody"]) == 4
    assert sorted(texts(store)) == ["stays", "three"] and store.is_forgotten("m-1")
    assert (
        stores.erasure.has_remains()
        and stores.erasure.overwrite()
        and not stores.erasure.has_remains()
    )


# --- forgetting


def test_what_rests_on_the_messages_of_somebody_is_erased_with_them(stores: Stores) -> None:
    store = stores.events
    store.file_messages(
        [said("m-1", "I sold my car"), said("m-2", "so did I", user_id="43", user_name="Ben")]
    )
    file(
        store,
        made_of("m-1", user_id="43", text="Ann sold her car"),
        made_of("m-1", "m-2", job="j2-0", user_id="43", text="both sold their cars"),
    )
    noted: list[tuple[list[str], list[str]]] = []
    erased = stores.erasure.erase_some(
        Entity("user", "42").where,
        before=lambda some, jobs: noted.append((sorted(filter(None, some)), list(jobs))),
    )
    gone = ["Ann sold her car", "I sold my car", "both sold their cars"]
    assert erased == 3 and noted == [(gone, ["j1-0", "j2-0", "m-1"])]
    assert texts(store) == ["so did I"]
    assert store.is_forgotten("m-1") and store.is_forgotten("j1-0")


# --- leaving with time


def test_messages_leave_by_age_and_number_and_what_tools_returned_by_age(store: EventStore) -> None:
    def expire(limit: int = 100, **how: Any) -> int:
        return store.expire(limit, **{"now": 0.0, "returned_before": 0.0, **how})

    store.file_messages([said(f"m-{n}", f"message {n}", at=NOW + n * DAY) for n in (3, 1, 0, 2)])
    store.file_messages(
        [said("m-9", "a", "b", "c", at=NOW - DAY), said("n-1", "elsewhere", at=NOW, group="8")]
    )
    store.file_messages([said("t-1", "returned", role="tool", at=NOW)])
    store.file_new(
        [make_event("o-1", source="observation", text="observed", timestamp=NOW + DAY)], [None]
    )
    file(store, made_of("m-0", text="made of it", timestamp=NOW - 9 * DAY))
    assert expire() == 0 and expire(said_before=NOW - 2 * DAY) == 0 and expire(most_messages=6) == 0
    assert expire(said_before=NOW) == 3 and expire(said_before=NOW) == 0, "a long one whole"
    assert expire(returned_before=NOW + 0.5) == 1 and expire(returned_before=NOW + 2 * DAY) == 1
    assert texts(store) == [
        "made of it",
        "message 0",
        "elsewhere",
        "message 1",
        "message 2",
        "message 3",
    ]
    before = store.change_number("g:7")
    assert (
        expire(1, most_messages=2) == 1
        and expire(1, most_messages=2) == 1
        and expire(most_messages=2) == 0
    )
    assert texts(store) == ["made of it", "elsewhere", "message 2", "message 3"]
    assert (
        sorted(found(store, "message")) == ["m-2:0", "m-3:0"]
        and store.change_number("g:7")[1] > before[1]
    )
    assert store.file_messages([said("m-0", "message 0")]) == ["m-0:0"], "it was not withdrawn"
    assert expire(said_before=NOW + 10 * DAY, most_messages=1) == 4 and texts(store) == [
        "made of it"
    ]


# --- names


def test_every_name_that_somebody_bore_in_a_scope_is_known_with_its_time(store: EventStore) -> None:
    assert store.names("g:7") == []
    store.file_messages(
        [
            said("m-1", "hi", user_name="Sam", at=NOW),
            said("m-2", "hello", user_name="Sammy", at=NOW + 5),
            said("m-3", "hey", user_name="Sam", at=NOW + 2),
            said("m-4", "yes", user_name="Sam", user_id="43", at=NOW + 3),
            said("m-5", "no name", user_name="", user_id="44"),
            said("m-6", "elsewhere", user_name="Samuel", group="8"),
        ]
    )
    names = [
        BorneName("42", "Sam", NOW, NOW + 2),
        BorneName("43", "Sam", NOW + 3, NOW + 3),
        BorneName("42", "Sammy", NOW + 5, NOW + 5),
    ]
    assert store.names("g:7") == names
    store.withdraw(["m-2"])
    assert store.names("g:7") == names[:2]


# --- several at once


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Run the calls side by side, begun at the same moment."""
    begin = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        begin.wait(10)
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


@pytest.fixture
def several(open_stores: OpenStores) -> Iterator[list[Stores]]:
    yield [open_stores() for _ in range(3)]


def test_the_same_messages_filed_by_several_at_once_are_filed_once(several: list[Stores]) -> None:
    batch = [said(f"m-{n}", f"message {n}", group=str(n % 3)) for n in range(9)]
    filed = at_once(
        *(partial(one.events.file_messages, batch[n:] + batch[:n]) for n, one in enumerate(several))
    )
    assert sorted(event_id for ids in filed for event_id in ids) == [f"m-{n}:0" for n in range(9)]
    assert several[0].events.count() == 9


def test_what_is_withdrawn_while_it_is_filed_edited_and_made_use_of_is_gone_in_the_end(
    several: list[Stores],
) -> None:
    filing, making, withdrawing = (one.events for one in several)
    for n in range(12):
        name, other = f"m-{n}", f"k-{n}"
        if n % 2:
            filing.file_messages([said(name, "former words")])
        at_once(
            partial(
                filing.file_messages,
                [said(other, "of group 8", group="8"), said(name, "words", at=NOW + 9)],
            ),
            partial(making.file_job, f"j{n}-0", [made_of(name, job=f"j{n}-0", group="8")], [None]),
            partial(withdrawing.withdraw, [name]),
        )
        assert making.known_messages([name, other]) == {other}
        assert making.get([f"j{n}-0:0"]) == [] and filing.is_filed(f"j{n}-0")
    assert dict(filing.scopes()) == {"g:8": 12}


def test_edits_and_erasure_side_by_side_leave_one_text_or_none_and_the_right_number(
    several: list[Stores],
) -> None:
    editing, other, erasing = several
    for n in range(8):
        name = f"m-{n}"
        editing.events.file_messages(
            [said(name, "a", "b", "c"), said(f"k-{n}", "of Ben", user_id="43")]
        )
        editing.events.file_job(
            f"j{n}-0", [made_of(name, f"k-{n}", job=f"j{n}-0", user_id="43")], [None]
        )
        if n == 7:
            erasing.erasure.bury("user:42", NOW + 1)
        at_once(
            partial(editing.events.file_messages, [said(name, "d", at=NOW + 5)]),
            partial(other.events.file_messages, [said(name, "e", "f", at=NOW + 7)]),
            partial(erasing.erasure.erase_events, Entity("user", "42").where),
        )
        left = [
            event.text
            for event in editing.events.find(
                EventFilter(None, user_ids=("42",)), newest_first=False
            )
        ]
        assert left in ([], ["d"], ["e", "f"]) and (n < 7 or left == [])
        assert dict(editing.events.scopes())["g:7"] == editing.events.count(GROUP)
        editing.events.withdraw([name])
    assert editing.events.count() == 8
