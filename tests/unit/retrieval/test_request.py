"""What a request takes for a question of time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from historian.retrieval.request import RecallRequest, is_talk
from historian.schema.event import EventFilter

NOW = datetime(2026, 2, 20, 12, tzinfo=UTC).timestamp()
TALK = "昨天我们去了动物园，看到了很多好玩的动物，孩子高兴坏了，回来的路上一直在说个不停。" * 2


def request(query: str, *, automatic: bool) -> RecallRequest:
    return RecallRequest(
        query,
        EventFilter("g:7"),
        top_k=10,
        half_life_days=60.0,
        now=NOW,
        timezone="UTC",
        at_least=3 if automatic else None,
    )


@pytest.mark.parametrize(
    ("query", "automatic", "count"),
    [
        ("昨天我去爬山了", True, 0),
        ("昨天我去爬山了", False, 1),
        ("昨天我去爬山了。上周去哪了？", True, 1),
        ("I was ill yesterday", True, 0),
        ("what did we say last week?", True, 1),
        ("2025年12月3日我搬家了", True, 1),
        (TALK, False, 0),
        (f"{TALK}那是2025年12月3日的事", False, 1),
    ],
)
def test_who_tells_of_a_time_does_not_ask_for_it(query: str, automatic: bool, count: int) -> None:
    assert len(request(query, automatic=automatic).named) == count


def test_a_piece_of_a_conversation_is_told_by_its_length() -> None:
    assert is_talk(TALK)
    assert not is_talk(
        "What did Ann's brother say about the trip to the lake with the children last summer?"
    )


@pytest.mark.parametrize(
    ("query", "past"),
    [
        ("周日还去爬山吗", False),
        ("What time is Sunday practice?", False),
        ("Where is Ann on Friday nights now?", False),
        ("昨天去哪了", True),
        ("安在2025年5月住哪", True),
        ("Where did Ann live before?", True),
    ],
)
def test_a_day_that_comes_within_a_week_is_not_one_of_last_year(query: str, past: bool) -> None:
    assert request(query, automatic=False).about_past is past
