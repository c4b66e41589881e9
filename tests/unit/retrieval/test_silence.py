"""When a conversation holds nothing about what was said."""

from __future__ import annotations

import numpy as np
import pytest
from historian.retrieval.request import scope_request
from historian.retrieval.scope_index.words import WordMatch
from historian.retrieval.silence import SMALL_SCOPE, asks, tells_something
from historian.schema.scope import Scope
from historian.schema.settings import QuerySettings


def told(
    query: str, *, best: float, known: float, near: float | None, count: int = 400, words: int = 4
) -> bool:
    request = scope_request(
        query,
        Scope.group("1"),
        QuerySettings(),
        top_k=None,
        context=(),
        conditions={},
        now=0.0,
        timezone="UTC",
        automatic=True,
    )
    scores = np.zeros(count, dtype=np.float32)
    scores[:1] = best
    return tells_something(request, [WordMatch(scores, 10.0, known, words)], [near])


@pytest.mark.parametrize("near", [None, 0.9])
@pytest.mark.parametrize("line", ["早", "晚安", "哈哈哈哈", "good night!", "ok thanks", "👍"])
def test_a_line_without_content_gets_no_memories_whatever_is_there(
    line: str, near: float | None
) -> None:
    assert not told(line, best=20.0, known=1.0, near=near)
    assert not told(line, best=20.0, known=1.0, near=near, count=3)


def test_a_question_is_answered_from_less_evidence_than_a_remark() -> None:
    evidence = {"best": 5.0, "known": 0.6, "near": 0.27}
    assert told("Where does Ann keep her boat?", **evidence)
    assert not told("the boat looks nice today", **evidence)
    assert told("the boat looks nice today", best=9.0, known=1.0, near=0.5)


def test_of_what_nobody_said_nothing_is_told() -> None:
    assert not told("Which saxophone does Ben play?", best=2.5, known=0.33, near=0.15)
    assert not told("Which saxophone does Ben play?", best=2.5, known=0.33, near=None, words=3)


def test_who_names_a_time_gets_what_there_is() -> None:
    assert told("what did we talk about on 5 May 2023?", best=0.0, known=0.0, near=0.0)


def test_in_a_small_scope_what_has_content_gets_what_there_is() -> None:
    assert told("tea", best=0.0, known=0.0, near=0.0, count=SMALL_SCOPE - 1)


def test_a_question_needs_no_sign() -> None:
    assert asks("角阀五月底多重") and asks("remind me where we parked") and not asks("外面下雨了")
