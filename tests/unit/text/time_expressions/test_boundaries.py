"""Time zones, changes of the clock, leap days, ends of months and years, and the feasts that move."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from historian.text.protected import protected_spans
from historian.text.time_expressions import find_time_expressions
from historian.text.time_expressions.calendar import add_months, easter, feast, nth_weekday
from historian.text.time_expressions.finding import detect, resolved
from historian.text.time_expressions.numerals import chinese_number


def test_a_zone_may_be_an_object_or_left_out() -> None:
    at = datetime.fromisoformat("2026-02-20T17:30:00+00:00")
    assert find_time_expressions("今天", at, ZoneInfo("Asia/Shanghai"))[0].value == "2026-02-21"
    assert find_time_expressions("今天", at)[0].value == "2026-02-20"


def test_a_naive_reference_is_refused_with_the_remedy() -> None:
    with pytest.raises(ValueError, match="aware"):
        find_time_expressions("今天", datetime(2026, 2, 20))


@pytest.mark.parametrize(
    ("name", "year", "day"),
    [
        ("spring", 2026, date(2026, 2, 17)), ("eve", 2026, date(2026, 2, 16)), ("lantern", 2027, date(2027, 2, 20)),
        ("dragon_boat", 2025, date(2025, 5, 31)), ("qixi", 2025, date(2025, 8, 29)), ("mid_autumn", 2026, date(2026, 9, 25)),
        ("double_ninth", 2025, date(2025, 10, 29)), ("清明", 2026, date(2026, 4, 5)), ("清明", 2025, date(2025, 4, 4)),
        ("冬至", 2025, date(2025, 12, 21)), ("easter", 2024, date(2024, 3, 31)), ("easter", 2025, date(2025, 4, 20)),
        ("thanksgiving", 2025, date(2025, 11, 27)), ("mothers", 2023, date(2023, 5, 14)), ("memorial", 2024, date(2024, 5, 27)),
        ("black_friday", 2024, date(2024, 11, 29)), ("spring", 2200, None),
    ],
)  # fmt: skip
def test_feasts_that_move_fall_on_their_day(name: str, year: int, day: date | None) -> None:
    assert feast(name, year) == day


def test_calendar_arithmetic() -> None:
    assert add_months(date(2024, 1, 31), 1) == date(2024, 2, 29)
    assert add_months(date(2024, 1, 31), -2) == date(2023, 11, 30)
    assert nth_weekday(2026, 2, 0, -1) == date(2026, 2, 23)
    assert easter(1999) == date(1999, 4, 4)


@pytest.mark.parametrize(
    ("text", "value"),
    [("三", 3), ("十", 10), ("十五", 15), ("二十一", 21), ("两", 2), ("一百二", 120), ("一百零五", 105), ("二零二六", 2026),
     ("2.5", 2.5), ("半", 0.5), ("廿三", 23), ("两千零八", 2008), ("天", None), ("", None)],
)  # fmt: skip
def test_chinese_numerals_have_their_value(text: str, value: float | None) -> None:
    assert chinese_number(text) == value


def test_a_day_beside_a_written_moment_is_resolved_and_the_moment_stays() -> None:
    at = datetime.fromisoformat("2026-02-20T17:30:00+00:00")
    for text in (
        "yesterday 2026-02-19T15:30:00",
        "lately 2026-05-05T17:30:00Z",
        "from tomorrow at 2026-02-21T15:30",
    ):
        found = find_time_expressions(text, at, "Europe/London")
        assert [one.text.lower() for one in found if not one.text[0].isdigit()] in (
            ["yesterday"],
            ["lately"],
            ["tomorrow"],
        )


def test_what_was_detected_once_is_resolved_at_any_reference() -> None:
    text = "昨天说 `明天` 到，周六的票呢 tomorrow"
    items = detect(text, protected_spans(text))
    assert [text[item.start : item.end] for item in items] == ["昨天", "周六", "tomorrow"]
    for day in ("2026-02-20", "2026-03-01"):
        at = datetime.fromisoformat(f"{day}T12:00:00+08:00")
        assert resolved(text, items, at, "Asia/Shanghai") == find_time_expressions(
            text, at, "Asia/Shanghai"
        )
