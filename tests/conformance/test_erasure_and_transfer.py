"""What every `ErasureTables` and every `EventTransferTables` promises."""

from __future__ import annotations

from historian.schema.entity import Entity
from historian.schema.event import EventFilter, Revision
from historian.schema.profile import ProfileKey
from historian.stores.tables.event_transfer import Carried
from profiles import profile_of
from support.backends import OpenStores, Stores
from support.events import file_texts, make_event, unit_vectors

GROUP, EVERYWHERE = EventFilter("g:7"), EventFilter(None)
ANN = Entity("user", "42")


def left(stores: Stores) -> list[str]:
    return [one.event.text for one in stores.transfer.take(EVERYWHERE)]


def test_what_is_buried_is_not_filed_up_to_that_moment(open_stores: OpenStores) -> None:
    stores = open_stores()
    stores.erasure.bury("user:42", 1_770_000_000.0)
    stores.erasure.bury("user:42", 5.0)
    events = open_stores().events
    assert not events.file_job("j1-0", [make_event("j1-0")], [None]), "the later moment stands"
    assert events.file_job("j2-0", [make_event("j2-0", timestamp=1_770_000_000.5)], [None])
    stores.ledger.add("user:42", "j3-0")
    stores.ledger.add("job", "j3-0")
    stores.erasure.bury_jobs(["j3-0"])
    assert not events.file_job("j3-0", [make_event("j3-0", timestamp=2e9)], [None])
    assert not stores.ledger.has("user:42", "j3-0") and not stores.ledger.has("job", "j3-0")


def test_all_events_come_by_scope_in_the_order_of_filing(open_stores: OpenStores) -> None:
    stores = open_stores()
    file_texts(stores.events, ["a", "b"], "j1-0", group="8")
    file_texts(stores.events, ["c"], "j2-0", group="7", user_id="43")
    file_texts(stores.events, ["d"], "j3-0", group="8", user_id="", speakers=("42", "43"))
    file_texts(stores.events, [f"{n}" for n in range(1_203)], "j4-0", group="9", user_id="9")
    assert left(stores)[:4] == ["a", "b", "d", "c"] and len(left(stores)) == 1_207
    assert [one.event.text for one in stores.transfer.take(ANN.where)] == ["a", "b", "d"]
    assert [one.event.text for one in stores.transfer.take(EventFilter("g:9"))] == [
        f"{n}" for n in range(1_203)
    ]


def test_erased_events_leave_no_words_vectors_or_ledger_and_their_job_is_not_filed_again(
    open_stores: OpenStores,
) -> None:
    stores = open_stores()
    events = [
        make_event("j1-0", 0, text="tea ceremony"),
        make_event("j1-0", 1, text="tea house", handed_over="her house"),
    ]
    stores.events.file_job("j1-0", events, unit_vectors(2))
    file_texts(stores.events, ["tea of another"], "j2-0", user_id="43")
    stores.ledger.add("user:42", "j1-0")
    before = stores.events.change_number("g:7")
    noted: list[tuple[list[str], set[str]]] = []
    assert (
        stores.erasure.erase_some(
            ANN.where, before=lambda texts, jobs: noted.append((sorted(texts), set(jobs)))
        )
        == 2
    )
    assert noted == [(["", "her house", "tea ceremony", "tea house"], {"j1-0"})]
    assert stores.erasure.erase_some(ANN.where) == stores.erasure.erase_events(ANN.where) == 0
    assert left(stores) == ["tea of another"] and stores.events.count() == 1
    assert [event_id for event_id, _ in stores.events.search_keywords("tea", GROUP, 9)] == [
        "j2-0:0"
    ]
    assert stores.events.vectors(GROUP)[0] == [] and not stores.ledger.has("user:42", "j1-0")
    assert stores.events.change_number("g:7")[1] > before[1]
    assert not stores.events.is_filed("j1-0")
    assert not stores.events.file_job("j1-0", [make_event("j1-0", timestamp=2e9)], [None])


def test_what_is_filed_after_the_request_stays(open_stores: OpenStores) -> None:
    stores = open_stores()
    file_texts(stores.events, ["old"], "j1-0")
    rows = stores.erasure.last_rows(ANN.where)
    file_texts(stores.events, ["new"], "j2-0")
    file_texts(stores.events, ["new elsewhere"], "j3-0", group="8")
    assert (
        stores.erasure.erase_some(ANN.where, last_rows=rows) == 1
        and stores.erasure.erase_some(ANN.where, last_rows=rows) == 0
    )
    assert left(stores) == ["new", "new elsewhere"]
    assert stores.erasure.last_rows(EventFilter("g:99")) == []


def test_profiles_leave_the_index_with_the_layers_that_belong_to_a_group(
    open_stores: OpenStores,
) -> None:
    stores = open_stores()
    keys = [
        ("user", "42", ""),
        ("user", "42", "g:7"),
        ("user", "43", "g:7"),
        ("group", "7", ""),
        ("group", "42", ""),
    ]
    for entity_type, entity_id, layer in keys:
        stores.profile_index.put(
            profile_of(ProfileKey(entity_type, entity_id, layer), markdown="tea", revision=1), None
        )
    assert stores.erasure.erase_profiles(Entity("group", "7")) == 3
    assert stores.erasure.erase_profiles(ANN) == 1 and stores.erasure.erase_profiles(ANN) == 0
    assert [key for key, _ in stores.profile_index.search_keywords("tea", 9)] == [
        ProfileKey("group", "42")
    ]


def test_mentions_are_noted_until_they_are_replaced(open_stores: OpenStores) -> None:
    stores = open_stores()
    assert stores.erasure.kept_mentions("user:42") == set()
    stores.erasure.keep_mentions(
        "user:42", [("events", "j1-0:0", "d1"), ("profiles", '["user"]', "d2")]
    )
    assert open_stores().erasure.kept_mentions("user:42") == {
        ("events", "j1-0:0", "d1"),
        ("profiles", '["user"]', "d2"),
    }
    stores.erasure.keep_mentions("user:42", [])
    assert stores.erasure.kept_mentions("user:42") == set()


def test_events_go_from_one_memory_to_another_with_their_ids_once(open_stores: OpenStores) -> None:
    stores = open_stores()
    kept = Carried(
        make_event("j1-0", 0, text="one"),
        True,
        (Revision(1, "was one", False, "rules", "2026-02-21T00:00:00+00:00"),),
    )
    loose = Carried(make_event("note-1", 0, text="two", group="8"), False)
    assert stores.transfer.bring([kept, loose]) == ["restored"] * 2
    other = Carried(make_event("j1-0", 0, text="another"), True)
    assert open_stores().transfer.bring([other, loose]) == ["different", "same"]
    assert list(stores.transfer.take(EVERYWHERE)) == [kept, loose]
    assert list(stores.transfer.take(EventFilter("g:8"))) == [loose]
    assert stores.transfer.known_jobs(["j1-0", "note-1", "j9-0"]) == {"j1-0"}
    assert {event.event_id for event in stores.events.without_vector(9)} == {"j1-0:0", "note-1:0"}
    assert not stores.events.file_job("j1-0", [make_event("j1-0")], [None])


def test_several_jobs_are_filed_at_once_but_for_those_of_who_was_forgotten(
    open_stores: OpenStores,
) -> None:
    stores = open_stores()
    stores.erasure.bury("user:43", 2e9)
    jobs = {
        "j1-0": [make_event("j1-0", 0), make_event("j1-0", 1)],
        "j2-0": [make_event("j2-0", user_id="43")],
        "j3-0": [],
    }
    assert stores.transfer.file_jobs(jobs) == 2 and stores.transfer.file_jobs(jobs) == 0
    assert (
        stores.events.count() == 2
        and stores.events.is_filed("j3-0")
        and not stores.events.is_filed("j2-0")
    )
