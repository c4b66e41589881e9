"""Words of time are known with a slip of the fingers, and words that are none stay."""

from datetime import datetime

import pytest
from historian.text.time_expressions import resolve_times
from historian.text.time_expressions.english.lexicon import CORRECTED, DAYS, MONTHS, PARTS, UNITS, WEEKDAYS

THURSDAY = datetime.fromisoformat("2025-11-20T21:00:00+00:00")
WEDNESDAY = datetime.fromisoformat("2026-03-18T10:30:00+08:00")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see you tommorow", "see you on 2025-11-21"),
        ("on Wendesday we fly", "on 2025-11-26 we fly"),
        ("this wekend was wild", "the weekend of 2025-11-15 to 2025-11-16 was wild"),
        ("she left in Janaury", "she left in January 2025"),
        ("see you tomorow evning", "see you on the evening of 2025-11-21"),
        ("the mourning and the moaning never stop", "the mourning and the moaning never stop"),
        ("The Weeknd made a sundae", "The Weeknd made a sundae"),
        ("I saw him yersterday", "I saw him on 2025-11-19"),
        ("see you tomorriw", "see you on 2025-11-21"),
        ("back on mondat", "back on 2025-11-24"),
        ("明夭见", "2026-03-19见"),
        ("下周而开会", "2026-03-24开会"),
        ("这周莫去哪", "2026-03-21至2026-03-22去哪"),
        ("今天完上吃啥", "2026-03-18 晚上吃啥"),
        (
            "下周似乎很忙，下周午餐我请，下周陆续到",
            "2026-03-23至2026-03-29似乎很忙，2026-03-23至2026-03-29午餐我请，2026-03-23至2026-03-29陆续到",
        ),
        ("作晚没睡", "2026-03-17 晚上没睡"),
        ("星其三考试", "2026-03-18考试"),
        ("周未去爬山", "2026-03-21至2026-03-22去爬山"),
        ("他当作天才，工作天数不够，下属周未必来", "他当作天才，工作天数不够，下属周未必来"),
    ],
)
def test_a_slip_of_the_fingers_is_read_as_the_word_that_is_meant(text: str, expected: str) -> None:
    at, zone = (THURSDAY, "Europe/London") if text.isascii() else (WEDNESDAY, "Asia/Shanghai")
    assert resolve_times(text, at, zone)[0] == expected


def test_no_slip_is_another_word_of_time() -> None:
    known = {word for table in (DAYS, MONTHS, PARTS, UNITS, WEEKDAYS) for word in table}
    assert {slip: word for slip, word in CORRECTED.items() if slip in known and slip != word} == {}
