"""A recall in a scope that is not in memory: by keywords, and where the store compares vectors itself, by these too."""

from __future__ import annotations

import numpy as np
import pytest
from historian.retrieval.event_recall import EventRecall
from historian.retrieval.request import RecallRequest
from historian.schema.event import EventFilter
from historian.schema.settings import QuerySettings
from historian.stores.postgres.events.store import PostgresEventStore
from historian.stores.tables.events.store import EventStore
from support.events import make_event, unit_vectors
from support.postgres import Schema
from support.stores import open_events

NOW = 1_780_000_000.0


def filled(store: EventStore) -> EventStore:
    texts = [
        f"Ann told of her garden {n}" if n % 2 else f"Ben repaired bicycle {n}" for n in range(150)
    ]
    events = [
        make_event("j-0", n, text=text, timestamp=NOW - 1000 + n) for n, text in enumerate(texts)
    ]
    store.file_job("j-0", events, unit_vectors(150))
    return store


def recall_cold(store: EventStore, query: str) -> tuple[list[str], bool]:
    settings = QuerySettings()
    steps = EventRecall(store, None, None, settings=lambda: settings, clock=lambda: NOW)
    request = RecallRequest(
        query, EventFilter("g:7"), top_k=3, half_life_days=60.0, now=NOW, timezone="UTC"
    )
    survey = steps.survey(request, 0.0)
    assert survey.is_excerpt
    candidates = steps.fuse(request, survey, [unit_vectors(150)[48]])
    return [hit.event.event_id for hit in steps.select(request, candidates)], candidates.has_vectors


def test_a_store_that_compares_vectors_finds_in_a_cold_scope_what_shares_no_word_with_the_query(
    schema: Schema,
) -> None:
    store = filled(PostgresEventStore(schema.open()))
    found, has_vectors = recall_cold(store, "nothing of it")
    assert has_vectors and found[0] == "j-0:48"


@pytest.mark.parametrize("group", ["8", "77"])
def test_a_cold_scope_gives_nothing_of_another_one(schema: Schema, group: str) -> None:
    store = filled(PostgresEventStore(schema.open()))
    store.file_job(
        "near-0", [make_event("near-0", group=group, text="garden")], [unit_vectors(150)[48]]
    )
    found, _ = recall_cold(store, "garden")
    assert "near-0:0" not in found and len(found) == 3
    assert "near-0:0" not in dict(
        store.nearest(unit_vectors(150)[48], EventFilter("g:7"), 1000) or []
    )


def test_other_stores_find_by_keywords_until_the_scope_is_in_memory(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    store = filled(open_events(tmp_path_factory.mktemp("events")))
    found, has_vectors = recall_cold(store, "garden 49")
    assert not has_vectors and found[0] == "j-0:49"
    assert store.nearest(np.ones(8, dtype=np.float32), EventFilter("g:7"), 3) is None
    store.close()
