"""Sentences that ask, and about which time."""

from __future__ import annotations

import pytest
from historian.text.questions import (
    asking_sentences,
    asks_about_now,
    asks_about_past,
    tells_of_question,
)
from support.tables import cases


@pytest.mark.parametrize("case", cases("questions/asking"))
def test_only_what_asks_is_kept(case: dict[str, str]) -> None:
    assert asking_sentences(case["text"]) == case["asking"]
    assert asking_sentences("") == ""


@pytest.mark.parametrize("case", cases("questions/told_questions"))
def test_a_request_is_no_question_nor_is_what_is_told_with_one(case: dict[str, str]) -> None:
    assert tells_of_question(case["text"]) is (case["told"] == "yes")


@pytest.mark.parametrize("case", cases("questions/past_or_now"))
def test_a_question_is_about_the_past_or_says_that_it_is_about_now(case: dict[str, str]) -> None:
    asked = case["text"]
    assert (asks_about_past(asked), asks_about_now(asked)) == (
        case["about"] == "past",
        case["about"] == "now",
    )
