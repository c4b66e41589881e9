"""What every `NoteTables` promises."""

from __future__ import annotations

from dataclasses import replace

import pytest
from historian.schema.event import Event, EventFilter
from historian.stores.tables.notes import FileChange, IndexedFile, note_job_id
from support.backends import OpenStores, Stores
from support.events import DIMENSION, make_event, unit_vectors

SCOPE, ROOT = "g:7", "/notes"


@pytest.fixture
def stores(open_stores: OpenStores) -> Stores:
    return open_stores()


def chunk(name: str, scope: str = SCOPE) -> Event:
    return make_event(
        note_job_id(scope, name),
        text=f"text of {name}",
        user_id="historian:shared-notes",
        source="note",
    )


def change(path: str, *names: str, new: tuple[str, ...] | None = None) -> FileChange:
    events = tuple(map(chunk, names if new is None else new))
    file = IndexedFile(path, 2**60 + 1, 10, f"hash of {names}", "1")
    return FileChange(file, names, events)


def texts(stores: Stores) -> list[str]:
    return sorted(event.text for event in stores.events.find(EventFilter(SCOPE)))


def test_a_file_is_on_record_with_the_events_of_its_chunks(
    stores: Stores, open_stores: OpenStores
) -> None:
    stores.manifest.write(SCOPE, ROOT, [change("a.md", "one", "two")])
    again = open_stores()
    assert again.manifest.files(SCOPE, ROOT) == {"a.md": change("a.md", "one", "two").file}
    assert again.manifest.files(SCOPE, "/other") == again.manifest.files("g:8", ROOT) == {}
    assert again.manifest.roots() == [(SCOPE, ROOT, 1)]
    assert again.manifest.known_chunks(SCOPE, ["one", "three"]) == {
        "one"
    } and not again.manifest.known_chunks("g:8", ["one"])
    assert texts(again) == ["text of one", "text of two"]


def test_a_chunk_lives_as_long_as_one_file_holds_it(stores: Stores) -> None:
    stores.manifest.write(
        SCOPE, ROOT, [change("a.md", "one", "two"), change("b.md", "two", new=())]
    )
    stores.manifest.write(SCOPE, ROOT, [change("a.md", "three")])
    assert texts(stores) == ["text of three", "text of two"], "two is in the other file still"
    assert stores.manifest.remove(SCOPE, ROOT, ["b.md", "nothing.md"]) == 1
    assert texts(stores) == ["text of three"] and list(stores.manifest.files(SCOPE, ROOT)) == [
        "a.md"
    ]
    assert stores.manifest.remove(SCOPE, ROOT, []) == 0


def test_a_chunk_moves_from_one_file_to_another_with_its_event(stores: Stores) -> None:
    stores.manifest.write(SCOPE, ROOT, [change("a.md", "one")])
    (before,) = stores.events.find(EventFilter(SCOPE))
    stores.events.set_fingerprint("test", DIMENSION)
    stores.events.set_vectors([before.event_id], unit_vectors(1))
    stores.manifest.write(SCOPE, ROOT, [change("a.md", new=()), change("b.md", "one", new=())])
    assert (
        stores.events.find(EventFilter(SCOPE)) == [before] and stores.events.embedded_count() == 1
    )


def test_an_event_deleted_by_hand_stays_away_while_its_chunk_is_known(stores: Stores) -> None:
    stores.manifest.write(SCOPE, ROOT, [change("a.md", "one")])
    stores.events.delete([chunk("one").event_id])
    stores.manifest.write(SCOPE, ROOT, [change("a.md", "one", "two")])
    assert texts(stores) == ["text of two"]


def test_nothing_is_stored_of_who_was_forgotten(stores: Stores) -> None:
    stores.erasure.bury("group:7", 2.0**40)
    stores.manifest.write(SCOPE, ROOT, [change("a.md", "one")])
    assert texts(stores) == [] and list(stores.manifest.files(SCOPE, ROOT)) == ["a.md"]


def test_a_file_that_was_only_renamed_or_touched_is_noted(stores: Stores) -> None:
    stores.manifest.write(SCOPE, ROOT, [change("a.md", "one")])
    moved = replace(change("b.md", "one").file, mtime_ns=5, size=6)
    stores.manifest.touch(SCOPE, ROOT, [("a.md", moved)])
    stores.manifest.touch(SCOPE, ROOT, [])
    assert stores.manifest.files(SCOPE, ROOT) == {"b.md": moved} and texts(stores) == [
        "text of one"
    ]


def test_the_manifest_of_a_scope_is_erased_alone(stores: Stores) -> None:
    stores.manifest.write(SCOPE, ROOT, [change("a.md", "one")])
    stores.manifest.write("g:8", ROOT, [change("a.md", new=())])
    assert stores.erasure.erase_notes(SCOPE) == 1
    assert stores.manifest.roots() == [("g:8", ROOT, 1)] and texts(stores) == ["text of one"]
