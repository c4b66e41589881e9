"""Recall while only some of the records have their vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from historian.retrieval.event_recall import EventRecall
from historian.retrieval.fusion import completed, with_estimates
from historian.retrieval.other_scopes import search_everywhere
from historian.retrieval.request import RecallRequest
from historian.schema.event import EventFilter
from historian.schema.hit import Hit
from historian.schema.protocols import Vector
from historian.schema.settings import QuerySettings
from historian.stores.sqlite.events.store import SqliteEventStore
from support.events import make_event
from support.recall import NOW, WordEmbedder
from support.stores import open_events

TOPICS, MESSAGES, DIMENSION = 40, 400, 48
SHARES = (0, 25, 50, 75, 100)
TOP_K = 10
HONEST = 0.01
"""What a share may lie below keywords alone: a question of a hundred."""
SCOPE = EventFilter("g:7")


@dataclass(frozen=True)
class Question:
    text: str
    vector: Vector
    answers: frozenset[str]


class Talk:
    """Two people talk of topics, each of which has its own words and a direction of its own.

    A message has one or two of its topic's words, or none, beside small talk; what it is about
    shows in its vector, which lies in the narrow cone of all, with noise.
    """

    def __init__(self, store: SqliteEventStore) -> None:
        self.store = store
        self.random = np.random.default_rng(30)
        self.cone = self.random.normal(size=DIMENSION)
        self.directions = self.random.normal(size=(TOPICS, DIMENSION))
        self.topics = np.repeat(np.arange(TOPICS), MESSAGES // TOPICS)
        self.random.shuffle(self.topics)
        self.ids = [f"j{n}-0:0" for n in range(MESSAGES)]
        self.vectors = [self.vector(int(topic), 1.0) for topic in self.topics]
        for n, topic in enumerate(self.topics):
            name = ("Ann", "Ben")[n % 2]
            said = f"{name}: {self.small_talk(6)} {self.of_topic(int(topic), n % 3)}"
            at = NOW - 600.0 * (MESSAGES - n)
            event = make_event(f"j{n}-0", 0, text=said, user_name=name, user_id=name, timestamp=at)
            assert store.file_job(event.job_id, [event], [None])

    def questions(self) -> Iterator[Question]:
        for topic in range(TOPICS):
            whose = topic % 2
            places = [n for n in np.flatnonzero(self.topics == topic) if n % 2 == whose]
            words = f"{self.small_talk(2)} {self.of_topic(topic, 3)}"
            text = f"What did {('Ann', 'Ben')[whose]} say {words}?"
            yield Question(text, self.vector(topic, 0.7), frozenset(self.ids[n] for n in places))

    def embed(self, share: int) -> None:
        """Embed the oldest messages, as an idle worker does, up to a share in percent."""
        self.store.set_fingerprint("test:topics", DIMENSION)
        count = MESSAGES * share // 100
        self.store.set_vectors(self.ids[:count], self.vectors[:count])

    def vector(self, topic: int, noise: float) -> Vector:
        made = 3 * self.cone + self.directions[topic] + noise * self.random.normal(size=DIMENSION)
        return np.asarray(made / np.linalg.norm(made), dtype=np.float32)

    def of_topic(self, topic: int, count: int) -> str:
        return " ".join(
            made_up(1000 + 5 * topic + int(n)) for n in self.random.choice(5, count, replace=False)
        )

    def small_talk(self, count: int) -> str:
        return " ".join(made_up(int(n)) for n in self.random.zipf(1.3, count) % 300)


def made_up(number: int) -> str:
    """Return a word of four syllables that no other number has."""
    return "".join(
        "bdfgklmnprstvz"[number // 14**n % 14] + "aeiou"[(number + n) % 5] for n in range(4)
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteEventStore]:
    opened = open_events(tmp_path)
    yield opened
    opened.close()


def share_found(
    store: SqliteEventStore, questions: list[Question], settings: QuerySettings, *, vectors: bool
) -> float:
    """Return the mean share of the answers that stand among the best TOP_K."""
    found = []
    for one in questions:
        hits = hits_of(store, one.text, [one.vector] if vectors else [], settings)
        found.append(len({hit.event.event_id for hit in hits} & one.answers) / len(one.answers))
    return float(np.mean(found))


def hits_of(
    store: SqliteEventStore, text: str, vectors: list[Vector], settings: QuerySettings
) -> list[Hit]:
    recall = EventRecall(store, None, None, settings=lambda: settings, clock=lambda: NOW)
    request = RecallRequest(text, SCOPE, top_k=TOP_K, half_life_days=60.0, now=NOW, timezone="UTC")
    return recall.select(request, recall.fuse(request, recall.survey(request), vectors))


@pytest.mark.parametrize("fusion", ["weighted", pytest.param("rrf", marks=pytest.mark.slow)])
def test_recall_is_never_below_keywords_alone_whatever_share_is_embedded(
    store: SqliteEventStore, fusion: str
) -> None:
    talk, settings = Talk(store), QuerySettings.model_validate({"fusion": fusion})
    questions = list(talk.questions())
    alone = share_found(store, questions, settings, vectors=False)
    by_share = {}
    for share in SHARES:
        talk.embed(share)
        by_share[share] = share_found(store, questions, settings, vectors=True)
    assert 0.3 < alone < 0.9, "neither words nor vectors alone are enough"
    assert min(by_share.values()) >= alone - HONEST, by_share
    assert by_share[0] == alone and by_share[100] == max(by_share.values()) > alone + 0.1, by_share


def file(store: SqliteEventStore, *texts: str, embedded: int) -> None:
    """File one event a text; the first ones with their vectors."""
    embedder = WordEmbedder()
    store.set_fingerprint(embedder.model, embedder.dimension)
    for n, text in enumerate(texts):
        event = make_event(f"j{n}-0", 0, text=text, timestamp=NOW - 9000.0 * (len(texts) - n))
        vector = embedder.vector(text) if n < embedded else None
        assert store.file_job(event.job_id, [event], [vector])


def test_records_without_a_vector_keep_the_order_of_their_words_and_known_similarities_stay() -> (
    None
):
    similarities = np.array([0.9, 0.5, 0.7, 0.0, 0.0, 0.0], dtype=np.float32)
    known = np.array([True, True, True, False, False, False])
    words = np.array([4.0, 0.0, 0.0, 3.0, 5.0, 0.0], dtype=np.float32)
    estimated = with_estimates(similarities, known, words)
    assert estimated[:3].tolist() == similarities[:3].tolist()
    assert estimated[4] > estimated[3] > 0.7 > estimated[5], "0.7 is the mean of those known"
    alone = with_estimates(similarities, np.arange(6) == 2, words)
    assert np.argsort(-alone[3:]).tolist() == [1, 0, 2], "one value has no scale of its own"
    no_words = with_estimates(similarities, known, np.zeros(6, dtype=np.float32))
    assert no_words[3:].tolist() == pytest.approx([0.7, 0.7, 0.7])


def test_what_is_not_admitted_does_not_shift_the_estimates() -> None:
    similarities = np.array([0.9, 0.5, -1.0, 0.0], dtype=np.float32)
    known, words = np.array([True, True, True, False]), np.array([2, 0, 99, 2], dtype=np.float32)
    estimated = with_estimates(similarities, known, words, np.array([True, True, False, True]))
    assert 0.7 < estimated[3] < 0.9


def test_without_any_similarity_nothing_is_estimated() -> None:
    assert completed({}, {"a": 2.0}) == {}
    both = completed({"a": 0.8, "b": 0.4}, {"c": 3.0, "a": 3.0})
    assert both["c"] > both["b"] and (both["a"], both["b"]) == pytest.approx((0.8, 0.4))


def test_in_a_small_scope_one_vector_does_not_hide_what_has_none(store: SqliteEventStore) -> None:
    file(store, "he drinks tea", "he goes hiking", "she plays the piano", embedded=1)
    hits = hits_of(store, "piano", [WordEmbedder().vector("piano")], QuerySettings())
    assert hits[0].event.text == "she plays the piano" and len(hits) == 3
    assert "dense" not in hits[0].scores, "an estimate is not told as a similarity"


async def test_the_unscoped_search_finds_by_words_what_has_no_vector_yet(
    store: SqliteEventStore,
) -> None:
    chatter = [f"tea, {made_up(n)} and more of {made_up(n + 1)}" for n in range(9)]
    file(store, *chatter, "the tea of ticket 48213", embedded=9)
    hits = await search_everywhere(
        "tea of ticket 48213",
        EventFilter(None),
        events=store,
        embedder=WordEmbedder(),
        settings=QuerySettings(),
        top_k=3,
    )
    assert hits[0].event.text == "the tea of ticket 48213" and "dense" not in hits[0].scores
