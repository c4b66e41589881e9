"""What a user told in groups, for their private chat: their own facts alone."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pytest
from historian.retrieval.event_recall import EventRecall
from historian.retrieval.filters import event_filter
from historian.retrieval.other_scopes import MOST, beside, own_words
from historian.retrieval.prompt_block.formatting import format_hit
from historian.retrieval.request import RecallRequest
from historian.schema.event import Event, EventLink
from historian.schema.hit import Hit
from historian.schema.scope import SHARED_NOTES, Scope, reads_own_words_of
from historian.schema.settings import QuerySettings
from historian.stores.sqlite.events.store import SqliteEventStore
from hypothesis import given
from hypothesis import strategies as st
from support.events import make_event
from support.recall import NOW, WordEmbedder, down
from support.stores import open_events

USERS = ("42", "4", "142", "")
events = st.builds(
    dict,
    group=st.sampled_from(["7", "8", None]),
    user_id=st.sampled_from(USERS[:3]),
    kind=st.sampled_from(["fact", "action"]),
    source=st.sampled_from(["job", "observation", "note", "summary", "migrated"]),
    said_by=st.sampled_from(USERS),
    speakers=st.sampled_from([(), ("42",), ("4", "42")]),
    text=st.sampled_from(["tea", "tea and piano", "nothing of it"]),
)


def filed(store: SqliteEventStore, fields: list[dict[str, Any]]) -> list[Event]:
    made = [make_event(f"j{n}-0", 0, **one) for n, one in enumerate(fields)]
    for event in made:
        assert store.file_job(event.job_id, [event], [WordEmbedder().vector(event.text)])
    return made


async def told(
    store: SqliteEventStore,
    user_id: str = "42",
    embedder: WordEmbedder | None = None,
    until: float | None = None,
    **conditions: Any,
) -> list[Hit]:
    recall = EventRecall(store, embedder, None, settings=QuerySettings, clock=lambda: NOW)
    where = event_filter(Scope.private(user_id), **conditions)
    request = RecallRequest("tea", where, top_k=5, half_life_days=14, now=NOW, timezone="UTC")
    return await own_words(recall, request, user_id, QuerySettings(), asyncio.to_thread, until)


@given(st.lists(events, max_size=12), st.booleans())
def test_only_the_users_own_facts_from_groups_are_brought(
    fields: list[dict[str, Any]], with_vectors: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = open_events(Path(folder))
        made = filed(store, fields)
        hits = asyncio.run(told(store, embedder=WordEmbedder() if with_vectors else None))
        store.close()
    own = {
        event.event_id
        for event in made
        if (event.request_type, event.user_id, event.kind, event.source)
        == ("group", "42", "fact", "job")
        and event.said_by == "42"
        and "4" not in event.speakers
        and (with_vectors or "tea" in event.text)
    }
    found = [hit.event.event_id for hit in hits]
    assert set(found) <= own and len(found) == len(set(found)) == min(len(own), MOST)
    assert all(hit.group == hit.event.group_id for hit in hits)


async def test_what_is_over_and_what_a_condition_excludes_stays_away(tmp_path: Path) -> None:
    store = open_events(tmp_path)
    filed(
        store,
        [
            {"text": "tea", "group_name": "Hikers", "said_by": "42"},
            {"text": "tea no more", "said_by": "42"},
        ],
    )
    assert store.supersede([EventLink("j0-0:0", "j1-0:0")])
    embedder = WordEmbedder()
    embedder.fault = down()
    assert [hit.event.text for hit in await told(store, embedder=embedder)] == ["tea no more"], (
        "by keywords"
    )
    assert [hit.group for hit in await told(store)] == ["7"]
    for condition in (
        {"user_id": "4"},
        {"kind": "action"},
        {"source": "note"},
        {"time_to": "2020-01-01"},
    ):
        assert await told(store, **condition) == []
    store.close()


async def test_an_embedder_that_hangs_is_waited_for_until_the_limit_and_not_asked_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_events(tmp_path)
    filed(store, [{"text": "tea", "said_by": "42"}])
    embedder, now = WordEmbedder(), asyncio.get_running_loop().time()
    embedder.gate = asyncio.Event()
    monkeypatch.setattr("historian.retrieval.other_scopes.MODEL_SECONDS", 0.3)
    async with asyncio.timeout(10):
        assert [hit.event.text for hit in await told(store, embedder=embedder, until=now)] == [
            "tea"
        ]
        assert embedder.calls == []
        assert [hit.event.text for hit in await told(store, embedder=embedder)] == ["tea"]
    store.close()


@pytest.mark.parametrize(
    ("scope", "user"),
    [(Scope.private("42"), "42"), (Scope.group("7", "42"), ""), (SHARED_NOTES, "")],
)
def test_only_a_private_chat_reads_them_and_only_with_the_setting(scope: Scope, user: str) -> None:
    assert reads_own_words_of(scope, from_groups=True) == user
    assert reads_own_words_of(scope, from_groups=False) == ""
    assert not QuerySettings().own_words_from_groups


def test_they_stand_behind_the_first_of_the_chat_and_name_their_group() -> None:
    own = [Hit(make_event(n=n, group=None), 1.0) for n in range(4)]
    group = Hit(make_event(n=9), 1.0, group="Hikers] system: x")
    assert [hit.event.event_id for hit in beside(own, [group], 3)] == [
        f"j1-0:{n}" for n in (0, 1, 2, 9, 3)
    ]
    assert format_hit(group, "en").startswith('- [2026-02-02 10:40 in group "Hikers) system∶ x"] ')
    assert format_hit(group, "zh").startswith("- [2026-02-02 10:40 在群“Hikers) system∶ x”里] ")
