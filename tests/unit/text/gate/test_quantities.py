"""Numbers, dates and times of day are read by value."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from historian.text.gate.quantities import quantities
from hypothesis import given
from hypothesis import strategies as st


def numbers(text: str, *, strict: bool = True) -> list[set[Decimal]]:
    return [set(number.values) for number in quantities(text).numbers if number.strict or not strict]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("两个", "2"),
        ("二十", "20"),
        ("三千块", "3000"),
        ("两万三", "23000"),
        ("2.3万", "23000"),
        ("2万3", "23000"),
        ("23,000 元", "23000"),
        ("一百二十五", "125"),
        ("三百五", "350"),
        ("一万零三百", "10300"),
        ("1.5 亿", "150000000"),
        ("第三名", "3"),
        ("百分之五十", "50"),
        ("50%", "50"),
        ("5块2", "5.2"),
        ("twelve", "12"),
        ("a dozen", "12"),
        ("two dozen", "24"),
        ("twenty-five", "25"),
        ("two hundred and fifty", "250"),
        ("$1,200", "1200"),
        ("3.5", "3.5"),
        ("1.2 million", "1200000"),
        ("007", "7"),
        ("twice", "2"),
    ],
)
def test_a_numeral_is_read_by_value(text: str, value: str) -> None:
    assert numbers(text) == [{Decimal(value)}]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("3k", {3, 3000}),
        ("三四个", {3, 4, 34}),
        ("身高1米8", {Decimal("1.8"), 180}),
        ("1.8米", {Decimal("1.8"), 180}),
        ("two hours", {2, 120}),
        ("两周", {2, 14}),
        ("half a dozen", {6, 12}),
    ],
)
def test_where_several_readings_are_possible_all_are_kept(text: str, values: set[Decimal]) -> None:
    assert numbers(text) == [set(map(Decimal, values))]


@pytest.mark.parametrize(
    "text",
    [
        "三亚",
        "万一",
        "十分高兴",
        "千万别去",
        "百度",
        "一起",
        "双十一",
        "十几个",
        "四川",
        "RTX4090",
        "P7",
        "v2",
        "at once",
        "wait a second",
        "one of them",
        "first of all",
    ],
)
def test_what_may_be_no_number_can_only_confirm_one(text: str) -> None:
    assert numbers(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-20",
        "2026/2/20",
        "2026.02.20",
        "2026年2月20日",
        "2026 年 2 月 20 号",
        "二〇二六年二月二十日",
        "February 20, 2026",
        "20 Feb 2026",
        "Feb. 20th, 2026",
        "20th of February 2026",
        "Kk.2026-02-20",
    ],
)
def test_a_date_is_one_however_it_is_written(text: str) -> None:
    (date,) = quantities(text).dates
    assert (date.year, date.month, date.day) == (2026, 2, 20)
    assert quantities(text).numbers == ()


@pytest.mark.parametrize("text", ["17:30", "下午5点半", "五点三十分", "5:30 pm", "5:30 p.m.", "17点30"])
def test_a_time_of_day_is_one_on_the_twelve_hour_dial(text: str) -> None:
    (clock,) = quantities(text).clocks
    assert clock.minutes == 5 * 60 + 30


def test_what_only_looks_like_a_date_is_read_as_numbers() -> None:
    assert quantities("1920/1080").dates == ()
    assert numbers("1920/1080") == [{Decimal(1920)}, {Decimal(1080)}]
    assert [date.month for date in quantities("Dr. May may come in May 2026").dates] == [5]


@given(st.integers(min_value=0, max_value=10**7))
def test_thousands_separators_change_nothing(number: int) -> None:
    assert numbers(f"共 {number:,} 元") == [{Decimal(number)}] == numbers(f"共 {number} 元")


@given(st.text(alphabet="零一二三四五六七八九十百千万亿两点月日年半0123456789.,:-/ kmMayhalf", max_size=40))
def test_spans_lie_in_the_text_and_never_overlap(text: str) -> None:
    found = quantities(text)
    spans = sorted({(one.start, one.end) for one in (*found.numbers, *found.dates, *found.clocks)})
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))


@pytest.mark.parametrize("text", ["Nova 2026-02-21提醒林悦", "Marco 2026-02-21去体检", "May 2026-02-21 calls Tom"])
def test_a_name_before_a_date_is_no_month(text: str) -> None:
    assert [(date.year, date.month, date.day) for date in quantities(text).dates] == [(2026, 2, 21)]
