"""Sentences that ask."""

from __future__ import annotations

import pytest
from historian.text.questions import asking_sentences, tells_of_question


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


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("Tim asks John about challenges he has faced", True),
        ("Ann and Ben asked what time it was", True),
        ("Ann asked whether Bob wants to come", True),
        ("Ann asked about tickets to Rome", True),
        ("Maria asked John for help in spreading the word about the fundraiser", False),
        ("Ann asked Ben to come when he can", False),
        ("Maria admires John's trophy and asks about its backstory", False),
    ],
)
def test_a_request_is_no_question_nor_is_what_is_told_with_one(text: str, tells: bool) -> None:
    assert tells_of_question(text) is tells
