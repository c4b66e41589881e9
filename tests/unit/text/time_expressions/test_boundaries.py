"""Time zones, changes of the clock, leap days, ends of months and years, and the feasts that move."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from historian.text.protected import protected_spans
from historian.text.time_expressions import find_relative, find_time_expressions
from historian.text.time_expressions.calendar import add_months, easter, feast, nth_weekday
from historian.text.time_expressions.finding import detect, resolved
from historian.text.time_expressions.numerals import chinese_number


def first(text: str, reference: str, timezone: str) -> tuple[str | None, str | None]:
    """Value and until of the first expression of a text."""
    found = find_time_expressions(text, datetime.fromisoformat(reference), timezone)
    return (found[0].value, found[0].until) if found else (None, None)


def test_the_reference_is_converted_before_anything_is_counted() -> None:
    assert first("今天", "2026-02-20T17:30:00+00:00", "Asia/Shanghai")[0] == "2026-02-21"
    assert first("今天", "2026-02-20T17:30:00+00:00", "Europe/London")[0] == "2026-02-20"
    assert first("today", "2026-02-20T03:00:00+00:00", "America/New_York")[0] == "2026-02-19"


def test_a_zone_may_be_an_object_or_left_out() -> None:
    at = datetime.fromisoformat("2026-02-20T17:30:00+00:00")
    assert find_time_expressions("今天", at, ZoneInfo("Asia/Shanghai"))[0].value == "2026-02-21"
    assert find_time_expressions("今天", at)[0].value == "2026-02-20"


def test_a_naive_reference_is_refused_with_the_remedy() -> None:
    with pytest.raises(ValueError, match="aware"):
        find_time_expressions("今天", datetime(2026, 2, 20))


def test_hours_are_counted_in_real_time_when_the_clocks_change() -> None:
    # 06:30 UTC is 01:30 for the second time in New York on that night; an hour before it was 01:30 for the first time
    assert first("an hour ago it rang", "2026-11-01T06:30:00+00:00", "America/New_York")[0] == "2026-11-01T01:30"
    assert first("an hour ago it rang", "2026-03-08T07:30:00+00:00", "America/New_York")[0] == "2026-03-08T01:30"
    assert first("yesterday", "2026-03-08T07:30:00+00:00", "America/New_York")[0] == "2026-03-07"


def test_hours_cross_midnight_and_the_year() -> None:
    assert first("两小时前还是去年", "2025-12-31T17:30:00+00:00", "Asia/Shanghai")[0] == "2025-12-31T23:30"
    assert first("上个月的账单", "2025-12-31T17:30:00+00:00", "Asia/Shanghai") == ("2025-12-01", "2025-12-31")
    assert first("last week", "2026-01-01T12:00:00+00:00", "UTC") == ("2025-12-22", "2025-12-28")


def test_tomorrow_said_before_the_night_is_over_is_of_two_days() -> None:
    for text in ("困死了，明天再给你看", "I'll send it tomorrow"):
        assert first(text, "2026-03-11T01:10:00+08:00", "Asia/Shanghai") == (None, None)
        assert first(text, "2026-03-11T04:10:00+08:00", "Asia/Shanghai")[0] == "2026-03-12"
        assert [words for _, _, words in find_relative(text)], "the gate reports it"


def test_the_leap_day_and_the_ends_of_months_give_a_day_that_exists() -> None:
    assert first("去年今天", "2024-02-29T09:00:00+08:00", "Asia/Shanghai")[0] == "2023-02-28"
    assert first("a year ago I left", "2024-02-29T09:00:00+00:00", "UTC")[0] == "2023-02-28"
    assert first("一个月前", "2026-03-31T09:00:00+08:00", "Asia/Shanghai")[0] == "2026-02-28"
    assert first("明天", "2024-02-28T09:00:00+08:00", "Asia/Shanghai")[0] == "2024-02-29"
    assert first("2月29日我要出差", "2026-03-22T09:00:00+08:00", "Asia/Shanghai")[0] == "2028-02-29"
    assert first("2月30日我要出差", "2026-03-22T09:00:00+08:00", "Asia/Shanghai")[0] is None


def test_last_friday_on_a_saturday_is_that_of_the_week_before() -> None:
    assert first("last Friday we met", "2026-02-21T12:00:00+00:00", "UTC")[0] == "2026-02-13"
    assert first("this past Friday we met", "2026-02-21T12:00:00+00:00", "UTC")[0] == "2026-02-20"
    assert first("上周五见过", "2026-02-21T12:00:00+00:00", "UTC")[0] == "2026-02-13"
    assert first("周五见过", "2026-02-21T12:00:00+00:00", "UTC")[0] == "2026-02-20"


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
    for text in ("yesterday 2026-02-19T15:30:00", "lately 2026-05-05T17:30:00Z", "from tomorrow at 2026-02-21T15:30"):
        found = find_time_expressions(text, at, "Europe/London")
        assert [one.text.lower() for one in found if not one.text[0].isdigit()] in (["yesterday"], ["lately"], ["tomorrow"])


def test_what_was_detected_once_is_resolved_at_any_reference() -> None:
    text = "昨天说 `明天` 到，周六的票呢 tomorrow"
    items = detect(text, protected_spans(text))
    assert [text[item.start : item.end] for item in items] == ["昨天", "周六", "tomorrow"]
    for day in ("2026-02-20", "2026-03-01"):
        at = datetime.fromisoformat(f"{day}T12:00:00+08:00")
        assert resolved(text, items, at, "Asia/Shanghai") == find_time_expressions(text, at, "Asia/Shanghai")


def test_an_hour_after_a_day_that_nobody_knows_is_not_resolved() -> None:
    at = datetime.fromisoformat("2026-02-21T06:00:00+08:00")
    text = "查了周六的天气，建议7点前出发"
    assert find_time_expressions(text, at, "Asia/Shanghai") == []
    assert [words for _, _, words in find_relative(text)] == ["周六", "7点"]
