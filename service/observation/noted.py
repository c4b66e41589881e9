"""The result of noting an observation."""

from __future__ import annotations

from collections.abc import Generator


class Noted:
    """What `CognitiveService.on_tool_executed` returns. Awaiting it does nothing; bots that await the call keep working."""

    def __await__(self) -> Generator[None]:
        yield from ()
