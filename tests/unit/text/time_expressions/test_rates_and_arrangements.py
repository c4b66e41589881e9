"""Rates, what was arranged, prohibitions with a length of time, and names that look like verbs."""

from __future__ import annotations

from datetime import datetime

import pytest
from historian.text.time_expressions import find_relative, resolve_times

NOW = datetime.fromisoformat("2026-11-18T12:00:00+08:00")  # a Wednesday


def resolved(text: str) -> str:
    return resolve_times(text, NOW, "Asia/Shanghai")[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I work 5 days a week from May", "I work 5 days a week from May"),
        ("5 days a week from may", "5 days a week from may"),
        ("I go twice a week from next month", "I go twice a week from December 2026"),
        ("I'll work 3 days a week from Monday", "I'll work 3 days a week from 2026-11-23"),
        ("He trains two hours a day from Friday", "He trains two hours a day from 2026-11-20"),
        ("I pay 10 euros a month from June", "I pay 10 euros a month from June"),
        ("The party is a week from Friday", "The party is on 2026-11-27"),
        ("See you a week from tomorrow", "See you on 2026-11-26"),
        ("He is away for 5 days from Monday", "He is away for 2026-11-23 to 2026-11-27"),
    ],
)
def test_a_rate_is_no_length_of_time(text: str, expected: str) -> None:
    assert resolved(text) == expected


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("registered for the triathlon in june", "june"),
        ("I signed up for a class on Monday", "Monday"),
        ("bought seats for a show on tuesday", "tuesday"),
        ("Got tickets to see Muse in April", "April"),
        ("I bought tickets for the concert in March", "March"),
        ("I enrolled in a course in September", "September"),
        ("ordered a cake for my birthday on Sunday", "Sunday"),
    ],
)
def test_a_time_that_may_be_that_of_an_arrangement_or_of_what_was_arranged_stays(text: str, word: str) -> None:
    assert resolved(text) == text
    assert [found for *_, found in find_relative(text)] == [word]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I registered on Monday", "I registered on 2026-11-16"),
        ("I bought a car on Tuesday", "I bought a car on 2026-11-17"),
        ("We booked a hotel for Friday", "We booked a hotel for 2026-11-20"),
        ("I registered for the triathlon yesterday", "I registered for the triathlon on 2026-11-17"),
        ("We got married in May", "We got married in May 2026"),
    ],
)
def test_an_arrangement_alone_and_one_for_a_day_have_their_dates(text: str, expected: str) -> None:
    assert resolved(text) == expected


@pytest.mark.parametrize(
    "text",
    ["两个月前不能告诉别人", "两个月前不能吃辣", "两周前别告诉他", "三天之前不要拆开", "三天前必须交"],
)
def test_what_must_not_be_before_a_time_is_over_has_no_date(text: str) -> None:
    assert resolved(text) == text
    assert len(find_relative(text)) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("两个月前告诉了别人", "2026年9月告诉了别人"),
        ("三天前不舒服", "2026-11-15不舒服"),
        ("三年前别人告诉我", "2023年别人告诉我"),
    ],
)
def test_what_was_so_some_time_ago_has_its_date(text: str, expected: str) -> None:
    assert resolved(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I met Will in April", "I met Will in April 2026"),
        ("I told Will on Monday", "I told Will on 2026-11-16"),
        ("I saw May on Friday", "I saw May on 2026-11-13"),
        ("We'll see Drew on Monday", "We'll see Drew on 2026-11-23"),
        ("Will came on Friday", "Will came on 2026-11-13"),
    ],
)
def test_a_name_in_mid_sentence_is_no_verb(text: str, expected: str) -> None:
    assert resolved(text) == expected
