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
