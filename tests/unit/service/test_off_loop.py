"""Which texts are worked on in a thread."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

import pytest
from historian.schema.job import RecentMessage
from historian.service.off_loop import is_long, kept, off_loop
from langchain_core.messages import HumanMessage


@pytest.mark.parametrize(
    ("said", "long"),
    [
        ("x" * 400, False),
        ("x" * 500, True),
        (["x" * 100] * 3, False),
        (["x" * 100] * 20, True),
        ([""] * 100, True),
        ({"role": "user", "content": "x" * 2_000}, True),
        ([HumanMessage("x" * 2_000)], True),
        ([HumanMessage([{"type": "text", "text": "x" * 2_000}])], True),
        ([RecentMessage(text="x" * 2_000)], True),
        (RecentMessage(text="x"), False),
        ((one for one in ["x"]), True),
        (None, False),
        (12, False),
    ],
)
def test_long_is_what_holds_about_half_a_kilobyte(said: Any, long: bool) -> None:
    assert is_long(said) is long


@pytest.mark.parametrize(("said", "inline"), [("x", True), ("x" * 2_000, False)])
async def test_short_texts_stay_in_the_loop(said: str, inline: bool) -> None:
    assert (await off_loop(threading.get_ident, said) == threading.get_ident()) is inline


async def test_what_the_work_raises_reaches_the_caller() -> None:
    def work() -> None:
        raise ValueError("user_id: missing")

    for said in ("x", "x" * 2_000):
        with pytest.raises(ValueError, match="user_id: missing"):
            await off_loop(work, said)


@pytest.mark.parametrize("buffer", [["one"], deque(["one"], maxlen=20)])
def test_a_bots_buffer_may_go_on_being_filled_while_a_thread_reads_it(buffer: Any) -> None:
    handed_over = kept(buffer)
    buffer.append("two")
    assert handed_over == ["one"]
