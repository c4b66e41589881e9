"""Timers that detect silence: one call per conversation, some seconds after its last message."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

log = logging.getLogger(__name__)


class SilenceTimers:
    """Calls `on_silence(scope key)` when a conversation has had no message for some time. Not
    thread-safe: to be used only from the event loop."""

    def __init__(self, on_silence: Callable[[str], Awaitable[None]]) -> None:
        self._on_silence = on_silence
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._calls: set[asyncio.Task[None]] = set()

    def heard(self, key: str, seconds: float) -> None:
        """Restart the timer of a conversation after a message. It fires after `seconds`."""
        self.end(key)
        self._timers[key] = asyncio.get_running_loop().call_later(seconds, self._silent, key)

    def end(self, key: str) -> None:
        """Stop the timer of a conversation."""
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    async def aclose(self) -> None:
        """Stop all timers, and wait for calls that have begun in the running event loop."""
        for key in list(self._timers):
            self.end(key)
        here = asyncio.get_running_loop()
        await asyncio.gather(*(call for call in self._calls if call.get_loop() is here))

    def _silent(self, key: str) -> None:
        del self._timers[key]
        call = asyncio.create_task(self._call(key), name="historian silence")
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)

    async def _call(self, key: str) -> None:
        try:
            await self._on_silence(key)
        except Exception:
            # The waiting messages are read when they become due.
            log.exception("could not report that a conversation fell silent")
