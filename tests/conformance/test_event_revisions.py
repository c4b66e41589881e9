"""What every `EventRevisionTables` promises: a change and the progress of its run are one, and nothing is done twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pytest
from historian.schema.errors import FingerprintMismatch
from historian.schema.event import EventFilter, Revision
from historian.stores.postgres.events.rows import PostgresEventRows
from historian.stores.postgres.events.store import PostgresEventStore
from historian.stores.sqlite.events.rows import SqliteEventRows
from historian.stores.tables.events.revisions import Change, EventRevisionTables, Progress
from historian.stores.tables.events.store import EventStore
from support.events import DIMENSION, file_texts, make_event, unit_vectors
from support.postgres import Schema
from support.stores import open_events

EVERYWHERE, GROUP = EventFilter(None), EventFilter("g:7")
NOW = "2026-02-02T00:00:00+00:00"


class Opened(NamedTuple):
    events: EventStore
    revisions: EventRevisionTables


@contextmanager
def _sqlite() -> Iterator[Opened]:
    with TemporaryDirectory() as place:
        events = open_events(Path(place))
        yield Opened(events, EventRevisionTables(SqliteEventRows(events.database)))
        events.close()


@contextmanager
def _postgres() -> Iterator[Opened]:
    schema = Schema()
    database = schema.open()
    yield Opened(PostgresEventStore(database), EventRevisionTables(PostgresEventRows(database)))
    schema.close()


OPENERS = {"sqlite": _sqlite, "postgres": _postgres}


@pytest.fixture(params=OPENERS.values(), ids=OPENERS)
def stores(request: pytest.FixtureRequest) -> Iterator[Opened]:
    with request.param() as opened:
        yield opened


def test_a_run_goes_through_all_events_page_by_page_and_begins_once(stores: Opened) -> None:
    events, revisions = stores
    file_texts(events, ["a", "b", "c"])
    file_texts(events, ["d"], "j2-0", group="8")
    assert revisions.progress("run") is None
    revisions.begin("run", 1.0)
    seen: list[str] = []
    row = -1
    while page := revisions.after(row, EVERYWHERE, 2):
        seen += [event.text for _, event in page]
        assert revisions.advance(
            "run", seen=len(page), rows=(row, page[-1][0]), changes=[], now=NOW
        )
        row = page[-1][0]
    assert seen == ["a", "b", "c", "d"]
    assert revisions.advance("run", seen=0, rows=(row, row), changes=[], now=NOW, done=True)
    revisions.begin("run", 2.0)
    assert revisions.progress("run") == Progress(row, 4, 0, 0, 0, True)
    assert not revisions.advance("run", seen=0, rows=(row, row), changes=[], now=NOW), "it is done"
    assert [event.text for _, event in revisions.after(-1, EventFilter("g:8"), 5)] == ["d"]


def test_what_is_written_anew_keeps_its_former_text_and_is_found_by_its_new_one(
    stores: Opened,
) -> None:
    events, revisions = stores
    vectors = unit_vectors(3)
    before = make_event(
        text="he likes tea", is_absolute=False, gate_reasons=("“he”?",), speakers=("1", "2")
    )
    events.file_job("j1-0", [before, make_event(n=1, text="stays")], vectors[:2])
    change = events.change_number("g:7")
    after = replace(
        before,
        text="Ben likes coffee",
        is_absolute=True,
        gate_reasons=(),
        speakers=(),
        occurs_from=5.0,
        version="9",
    )
    revisions.begin("run", 1.0)
    changes = [Change(before, after, vectors[2])]
    assert revisions.advance("run", seen=2, rows=(-1, 7), changes=changes, now=NOW)
    assert not revisions.advance("run", seen=2, rows=(-1, 7), changes=changes, now=NOW), (
        "the run stands elsewhere"
    )
    assert events.get(["j1-0:0"]) == [after]
    assert [one for one, _ in events.search_keywords("coffee", GROUP, 5)] == ["j1-0:0"]
    assert events.search_keywords("tea", GROUP, 5) == []
    by_id = dict(zip(*events.vectors(GROUP), strict=True))
    np.testing.assert_array_equal(by_id["j1-0:0"], vectors[2])
    assert events.change_number("g:7")[1] > change[1], "readers in any process see it"
    assert revisions.of(["j1-0:0", "j1-0:1"]) == {
        "j1-0:0": [Revision(1, "he likes tea", False, before.rewritten_by, NOW)]
    }
    assert revisions.progress("run") == Progress(7, 2, 1, 1, 0, False)
    assert list(revisions.examples("run", 5)) == [("j1-0:0", "he likes tea", "Ben likes coffee")]


def test_an_event_that_was_edited_or_is_gone_meanwhile_stays_so(stores: Opened) -> None:
    events, revisions = stores
    edited, gone = make_event(text="one"), make_event(n=1, text="two")
    events.file_job("j1-0", [edited, gone], [None, None])
    events.edit("j1-0:0", "by hand", None)
    events.delete(["j1-0:1"])
    revisions.begin("run", 1.0)
    changes = [Change(one, replace(one, text="anew")) for one in (edited, gone)]
    assert revisions.advance("run", seen=2, rows=(-1, 7), changes=changes, now=NOW)
    assert [event.text for event in events.find(GROUP)] == ["by hand"]
    assert revisions.progress("run") == Progress(7, 2, 0, 0, 0, False)
    assert revisions.of(["j1-0:0", "j1-0:1"]) == {}


def test_revisions_go_with_their_event(stores: Opened) -> None:
    events, revisions = stores
    before = make_event(text="secret")
    events.file_job("j1-0", [before], [None])
    revisions.begin("run", 1.0)
    revisions.advance(
        "run",
        seen=1,
        rows=(-1, 7),
        changes=[Change(before, replace(before, text="other"))],
        now=NOW,
    )
    assert events.forget([before.event_id]) == 1
    assert list(revisions.examples("run", 5)) == [] and revisions.of(["j1-0:0"]) == {}


def test_a_vector_of_another_dimension_lets_nothing_be_written(stores: Opened) -> None:
    events, revisions = stores
    before = make_event(text="one")
    events.file_job("j1-0", [before], unit_vectors(1))
    revisions.begin("run", 1.0)
    wrong = Change(before, replace(before, text="two"), unit_vectors(1, dimension=DIMENSION + 1)[0])
    with pytest.raises(FingerprintMismatch):
        revisions.advance("run", seen=1, rows=(-1, 7), changes=[wrong], now=NOW)
    assert events.get(["j1-0:0"]) == [before] and revisions.progress("run") == Progress(
        -1, 0, 0, 0, 0, False
    )
