"""A model whose answers are mostly refused is rested for the rest of an hour."""

from __future__ import annotations

import logging

import pytest
from historian.models.chat.answer_quality import HOUR_SECONDS, AnswerQuality
from support.clock import Clock


@pytest.mark.parametrize(
    ("answers", "rests"),
    [
        ([(0, 19)], False),
        ([(0, 20)], True),
        ([(9, 11)], True),
        ([(10, 10)], False),
        ([(100, 99)], False),
        ([(5, 0), (4, 6), (0, 5)], True),
        ([(0, 0)], False),
    ],
)
def test_a_model_of_which_more_than_half_of_twenty_items_were_refused_rests(
    answers: list[tuple[int, int]], rests: bool
) -> None:
    quality = AnswerQuality("small", Clock())
    for taken, refused in answers:
        quality.judged("extract", taken=taken, refused=refused)
    assert bool(quality.resting()) is rests


def test_it_rests_for_that_purpose_until_the_hour_is_over_and_is_told_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = Clock()
    quality = AnswerQuality("small", clock)
    quality.judged("rewrite", taken=3, refused=0)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            quality.judged("extract", taken=2, refused=10)
            clock.now += 600
            quality.judged("extract", taken=0, refused=10)
            assert quality.resting() == {"extract": HOUR_SECONDS - 600}
            clock.now += HOUR_SECONDS - 600
            assert quality.resting() == {}
    (told,) = caplog.messages
    assert "of 22 items" in told and "refused 20" in told and "stronger model" in told
