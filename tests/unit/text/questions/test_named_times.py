"""The times that a text tells of."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from historian.text.questions import named_times, time_told

SAID = datetime(2026, 2, 20, 17, 30, tzinfo=ZoneInfo("Asia/Shanghai"))


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("小林前天搬家了", "2026-02-18", "2026-02-18"),
        ("小林2019年5月毕业", "2019-05-01", "2019-05-31"),
        ("Ann flies to Oslo next Friday", "2026-02-27", "2026-02-27"),
        ("Ann was born on May 3, 1990", "1990-05-03", "1990-05-03"),
        ("小林3月5号去北京，3月8号回来", "2026-03-05", "2026-03-08"),
    ],
)
def test_the_days_that_a_text_tells_of(text: str, first: str, last: str) -> None:
    told = time_told(text, SAID)
    assert told is not None
    assert [datetime.fromtimestamp(moment, SAID.tzinfo).date().isoformat() for moment in told] == [
        first,
        last,
    ]


@pytest.mark.parametrize("text", ["小林喜欢吃辣", "Ann has been busy lately", ""])
def test_a_text_without_a_day_tells_of_none(text: str) -> None:
    assert time_told(text, SAID) is None


def test_a_question_takes_a_day_ahead_for_last_years_too() -> None:
    assert len(named_times("3月5号有什么安排", SAID)) == 2
    assert len(named_times("3月5号有什么安排", SAID, asked=False)) == 1
