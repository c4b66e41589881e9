"""BM25 in a scope, against the formula written out; the index made anew when its words take another form."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from historian.schema.event import EventFilter
from historian.stores.sqlite.events.rows import SqliteEventRows
from historian.text import search_words
from historian.text.search_words import K1, WORDS_VERSION, B, query_tokens, search_tokens
from hypothesis import given
from hypothesis import strategies as st
from support.events import file_texts
from support.stores import open_events

GROUP = EventFilter("g:7")


def bm25(texts: list[str], query: str) -> list[float]:
    """The scores of `texts`, counting a word at most twice."""
    documents = [Counter(search_tokens(text)) for text in texts]
    mean = max(float(np.mean([document.total() for document in documents])), 1.0)
    scores = []
    for document in documents:
        score = 0.0
        for word in query_tokens(query):
            holding = sum(word in other for other in documents)
            times = min(document[word], 2)
            norm = K1 * (1 - B + B * document.total() / mean)
            weight = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
            score += weight * times * (K1 + 1) / (times + norm)
        scores.append(score)
    return scores


# None of these is changed by a stemmer.
WORDS = st.sampled_from(["cat", "dog", "fish", "tea", "猫咪", "喜欢", "rust", "42", "c++"])
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)


@given(
    texts=st.lists(TEXTS, min_size=1, max_size=12), other=st.lists(TEXTS, max_size=5), query=TEXTS
)
def test_scores_in_a_scope_are_bm25_over_that_scope_alone(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], other: list[str], query: str
) -> None:
    store = open_events(tmp_path_factory.mktemp("words"))
    file_texts(store, other, "other-0", group="8")
    names = file_texts(store, texts)
    file_texts(store, other, "more-0", group="9")
    scores = dict(store.search_keywords(query, GROUP, 100))
    expected = {
        name: score for name, score in zip(names, bm25(texts, query), strict=True) if score > 0
    }
    assert scores.keys() == expected.keys()
    for name, score in scores.items():
        assert score == pytest.approx(expected[name])
    store.close()


def test_english_words_are_found_by_their_other_forms(tmp_path: Path) -> None:
    store = open_events(tmp_path)
    file_texts(store, ["she went climbing, climbing and climbing again", "he climbs", "a tree"])
    assert store.search_keywords("climbed", GROUP, 5)[0][0] == "j1-0:0"
    assert len(store.search_keywords("climbed", GROUP, 5)) == 2
    store.close()


def test_the_index_is_made_anew_when_words_take_another_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_events(tmp_path)
    file_texts(store, [f"sentence {n}" for n in range(1500)])
    store.close()
    with monkeypatch.context() as patch:
        patch.setattr(SqliteEventRows, "words_form", f"{WORDS_VERSION + 1}")

        def changed(text: str) -> list[str]:
            is_stored = text.startswith(("sentence ", "other"))
            return ["sentences", *search_tokens(text)[1:]] if is_stored else search_tokens(text)

        patch.setattr(search_words, "search_tokens", changed)
        store = open_events(tmp_path)
        assert [name for name, _ in store.search_keywords("1234", GROUP, 5)] == ["j1-0:1234"]
        store.delete(["j1-0:1234"])
        store.edit("j1-0:7", "other", None)
        assert len(store.search_keywords("sentences", GROUP, 5000)) == 1499
        store.close()
    store = open_events(tmp_path)
    assert len(store.search_keywords("sentence", GROUP, 5000)) == 1498
    store.close()


def test_a_narrower_filter_keeps_the_scores_of_the_scope(tmp_path: Path) -> None:
    store = open_events(tmp_path)
    names = file_texts(store, ["cat dog", "cat", "dog fish", "cat fish bird"])
    all_scores = dict(store.search_keywords("cat dog", GROUP, 10))
    some = dict(
        store.search_keywords("cat dog", EventFilter("g:7", event_ids=(names[0], names[2])), 10)
    )
    assert some == {name: all_scores[name] for name in (names[0], names[2])}
    store.close()


@pytest.mark.parametrize("where", [GROUP, EventFilter(None)])
def test_one_chinese_character_is_found_wherever_it_stands(
    tmp_path: Path, where: EventFilter
) -> None:
    store = open_events(tmp_path)
    texts = ["猫", "她养了一只小猫，叫阿橘", "猫咪怕打雷", "他家的猫不怕人", "他养狗", "a cat"]
    names = file_texts(store, texts)
    assert {name for name, _ in store.search_keywords("猫", where, 10)} == set(names[:4])
    assert {name for name, _ in store.search_keywords("橘", where, 10)} == {names[1]}
    assert not store.search_keywords("树", where, 10)
    assert {name for name, _ in store.search_keywords("小猫", where, 10)} == {names[1]}
    assert not store.search_keywords("2家", where, 10), "a unit beside figures is none"
    store.delete([names[1]])
    assert {name for name, _ in store.search_keywords("猫", where, 10)} == {
        names[0],
        names[2],
        names[3],
    }
    store.close()
