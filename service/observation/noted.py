"""The awaitable result of an observation."""

from __future__ import annotations

from collections.abc import Generator


class Noted:
    """The result of `CognitiveService.on_tool_executed`. Awaiting it does nothing; it is for bots that await the call."""

    def __await__(self) -> Generator[None]:
        yield from ()
