"""What callers give as a time zone is a name or is refused, in every call that takes one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from historian.schema.errors import InvalidInput
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from support.memory import settings_for
from support.recall import open_memory

ANN = Scope.private("1")
CALLS: dict[str, Callable[[CognitiveService, Any], Awaitable[object]]] = {
    "enqueue_job": lambda memory, zone: memory.enqueue_job("x", user_id="1", timezone=zone),
    "remember": lambda memory, zone: memory.remember("x", ANN, timezone=zone),
    "update_memory": lambda memory, zone: memory.update_memory("x", "1", timezone=zone),
    "search_events": lambda memory, zone: memory.search_events("x", ANN, timezone=zone),
    "search_events, from a day": lambda memory, zone: memory.search_events(
        "x", ANN, timezone=zone, time_from="2026-01-01"
    ),
    "search_everywhere": lambda memory, zone: memory.search_everywhere("x", timezone=zone),
}


@pytest.mark.parametrize(
    "zone", ["../../etc/passwd", "/etc/passwd", "Nowhere/City", "Europe", "\0", "é", "a" * 500, 5]
)
@pytest.mark.parametrize("name", CALLS)
async def test_what_names_no_time_zone_is_refused_as_invalid_input(
    tmp_path: Path, name: str, zone: object
) -> None:
    async with open_memory(settings_for(tmp_path)) as (memory, _):
        with pytest.raises(InvalidInput, match="timezone"):
            await CALLS[name](memory, zone)


@pytest.mark.parametrize("name", CALLS)
async def test_an_empty_time_zone_is_the_configured_one(tmp_path: Path, name: str) -> None:
    async with open_memory(settings_for(tmp_path)) as (memory, _):
        await CALLS[name](memory, "")
