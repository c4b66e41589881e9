"""Which year and month a day without them is of, in chats, where spaces separate clauses."""

from __future__ import annotations

from datetime import datetime

import pytest
from historian.text.time_expressions import resolve_times


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
    ],
)
def test_a_day_or_hour_that_is_told_as_over_or_ahead_is_sought_on_that_side(text: str, said: str, resolved: str) -> None:
    assert resolved in resolve_times(text, datetime.fromisoformat(f"{said}:00+08:00"), "Asia/Shanghai")[0]
