"""A conversation is silent some seconds after its last message, not after its first one."""

from __future__ import annotations

import asyncio

import pytest
from historian.service.silence import SilenceTimers


class Heard:
    """Counts the calls; `fault` is raised."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.came = asyncio.Event()
        self.fault: Exception | None = None

    async def __call__(self, key: str) -> None:
        self.keys.append(key)
        self.came.set()
        if self.fault is not None:
            raise self.fault


async def test_each_message_begins_the_silence_anew_and_conversations_do_not_share_it() -> None:
    heard = Heard()
    silence = SilenceTimers(heard)
    silence.heard("g:1", 0.0)
    silence.heard("g:1", 3600.0)
    silence.heard("g:2", 0.0)
    await asyncio.wait_for(heard.came.wait(), 5)
    assert heard.keys == ["g:2"], "the second message of g:1 ended the first one's silence"
    silence.heard("g:1", 0.0)
    heard.came.clear()
    await asyncio.wait_for(heard.came.wait(), 5)
    await silence.aclose()
    assert heard.keys == ["g:2", "g:1"]


async def test_what_is_ended_calls_nobody_and_a_failing_call_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    heard = Heard()
    heard.fault = OSError("disk full")
    silence = SilenceTimers(heard)
    silence.heard("g:1", 0.0)
    silence.end("g:1")
    silence.heard("g:2", 0.0)
    await asyncio.wait_for(heard.came.wait(), 5)
    silence.heard("g:3", 3600.0)
    await silence.aclose()
    assert heard.keys == ["g:2"] and "disk full" in caplog.text
