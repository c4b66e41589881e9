"""Which year and month a day without them is of, in chats, where spaces separate clauses."""

from __future__ import annotations

from datetime import datetime

import pytest
from historian.text.time_expressions import find_relative, resolve_times


@pytest.mark.parametrize(
    ("text", "said", "resolved"),
    [
        ("首座万豪10月2号没厅了 只剩5号", "2025-04-14", "首座万豪2025-10-02没厅了"),
        ("我跟李主任说好了 22号下午门诊", "2025-05-13", "2025-05-22 下午门诊"),
        ("我3月5号去了北京", "2025-11-13", "我2025-03-05去了北京"),
        ("3号考过了科三", "2025-04-18", "2025-04-03考过了科三"),
    ],
)
def test_the_nearest_is_meant_unless_its_own_clause_tells_what_was_done(text: str, said: str, resolved: str) -> None:
    assert resolved in resolve_times(text, datetime.fromisoformat(f"{said}T12:00:00+08:00"), "Asia/Shanghai")[0]


@pytest.mark.parametrize(
    ("text", "said", "resolved"),
    [
        ("三月五号去的北京", "2026-11-23T10:00", "2026-03-05去的北京"),
        ("七月一号 惠姐挑的", "2026-11-23T10:00", "2026-07-01 惠姐挑的"),
        ("三月五号去的人", "2026-11-23T10:00", "2027-03-05去的人"),
        ("我十二点半吃的饭", "2026-11-23T23:58", "我2026-11-23 12:30吃的饭"),
        ("I got home 12:30", "2026-11-23T23:58", "I got home at 12:30 on 2026-11-23"),
        ("I'll be there at 12:30", "2026-11-23T23:58", "at 12:30 on 2026-11-24"),
        ("I'll be there at 12:30", "2026-11-23T12:40", "at 12:30 on 2026-11-23"),
        ("8点见", "2026-11-23T23:58", "2026-11-24 8点见"),
        ("I went to sleep at 23:30", "2026-11-23T09:00", "at 23:30 on 2026-11-22"),
        ("晚上十点到的家", "2026-11-23T09:00", "2026-11-22 22:00到的家"),
        ("I'll wash the car in the morning", "2026-11-23T21:14", "on the morning of 2026-11-24"),
        ("I'll wash the car in the morning", "2026-11-23T07:00", "on the morning of 2026-11-23"),
        ("I washed the car in the morning", "2026-11-23T21:14", "on the morning of 2026-11-23"),
        ("早上要去医院", "2026-11-23T21:14", "2026-11-24 早上要去医院"),
        ("中午再说吧", "2026-11-23T10:00", "2026-11-23 中午再说吧"),
        ("晚上吃了火锅", "2026-11-23T09:00", "2026-11-22 晚上吃了火锅"),
        ("晚上吃了火锅", "2026-11-23T21:14", "2026-11-23 晚上吃了火锅"),
        ("中午跟老张吃的饭", "2026-11-23T21:14", "2026-11-23 中午跟老张吃的饭"),
        ("我五月份考的驾照，七月份买的车", "2026-11-23T21:14", "我2026年5月考的驾照，2026年7月买的车"),
    ],
)
def test_a_day_or_hour_that_is_told_as_over_or_ahead_is_sought_on_that_side(text: str, said: str, resolved: str) -> None:
    assert resolved in resolve_times(text, datetime.fromisoformat(f"{said}:00+08:00"), "Asia/Shanghai")[0]


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("I'm seeing Tom on Friday and saw Kate on Sunday", "on 2026-03-13 and saw Kate on 2026-03-08"),
        ("He dropped by on Saturday and is staying until Friday", "on 2026-03-07 and is staying until 2026-03-13"),
        ("I was going to call you on Sunday but I fell asleep", "on 2026-03-08"),
        ("I left work on Friday and have not been back", "on 2026-03-06"),
        ("It's the one I bought on Friday", "on 2026-03-06"),
        ("I hope he comes on the 9th", "on 2026-04-09"),
    ],
)
def test_the_verb_that_governs_a_day_decides_and_not_that_of_another_clause(text: str, resolved: str) -> None:
    at = datetime.fromisoformat("2026-03-10T21:14:00+08:00")
    assert resolved in resolve_times(text, at, "Asia/Shanghai")[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I signed on the 2nd and move on the 9th", "the 9th"),
        ("The lease started last March and ends in June", "June"),
        ("I bought bread and milk on Friday", "Friday"),
        ("I took a day off and I'm back on Wednesday", "Wednesday"),
    ],
)
def test_a_day_whose_own_clause_has_no_tense_stays_beside_what_was_done(text: str, words: str) -> None:
    resolved, _ = resolve_times(text, datetime.fromisoformat("2026-03-10T21:14:00+08:00"), "Asia/Shanghai")
    assert [found for *_, found in find_relative(resolved)] == [words]


@pytest.mark.parametrize("text", ["The course hasn't started on Monday", "I have not yet paid them on Monday"])
def test_what_has_not_been_done_is_no_past(text: str) -> None:
    resolved, _ = resolve_times(text, datetime.fromisoformat("2026-03-10T21:14:00+08:00"), "Asia/Shanghai")
    assert resolved.endswith("2026-03-16")


@pytest.mark.parametrize("text", ["我早上去跑步", "上午开会，下午去看牙", "我三月份考的驾照，五月份买的车"])
def test_a_part_of_the_day_that_is_over_and_a_month_that_is_to_come_stay_and_are_reported(text: str) -> None:
    at = datetime.fromisoformat("2026-03-10T21:14:00+08:00")
    assert find_relative(resolve_times(text, at, "Asia/Shanghai")[0])


@pytest.mark.parametrize("text", ["I get paid on the 25th", "We paid the deposit and the rent comes out on the 20th"])
def test_a_day_of_each_month_stays_and_is_reported(text: str) -> None:
    at = datetime.fromisoformat("2026-03-10T21:14:00+08:00")
    assert resolve_times(text, at, "Asia/Shanghai")[0] == text
    assert [words for _, _, words in find_relative(text)] == [text[text.index("the 2") :]]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Clio reminded Mike to be at home on Wednesday", "2026-12-02"),
        ("I told her to call the landlord on Monday", "2026-11-30"),
        ("I asked him to bring the drill on Thursday", "2026-12-03"),
        ("I told him about it on Wednesday", "2026-11-25"),
        ("I asked Ben on Monday", "2026-11-23"),
    ],
)
def test_what_somebody_was_asked_to_do_lies_ahead(text: str, day: str) -> None:
    assert resolve_times(text, datetime.fromisoformat("2026-11-27T12:00:00+08:00"), "Asia/Shanghai")[0].endswith(day)
