"""Sentences that ask."""

from __future__ import annotations

import pytest
from historian.text.questions.asking import asking_sentences


@pytest.mark.parametrize(
    ("text", "asking"),
    [
        ("我昨天去爬山了。上周我们聊了什么？", "上周我们聊了什么？"),
        ("上周末去哪了", "上周末去哪了"),
        ("说说上个月的聚会", "说说上个月的聚会"),
        ("昨天累死了", ""),
        ("11号行不", "11号行不"),
        ("我也不", ""),
        ("I saw Ann yesterday. Did she move last week?", "Did she move last week?"),
        ("remind me what I said on Monday", "remind me what I said on Monday"),
        ("Yesterday I was ill!", ""),
        ("医生告诉我不能再吃花生了", ""),
        ("我昨天什么都没吃", ""),
        ("I saw Ann yesterday when it rained.", ""),
        ("帮我查一下昨天的会议", "帮我查一下昨天的会议"),
        ("", ""),
    ],
)
def test_only_what_asks_is_kept(text: str, asking: str) -> None:
    assert asking_sentences(text) == asking
