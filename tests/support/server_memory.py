"""A memory in a schema of the server of this process, as test and workers of other processes open it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from historian.schema.settings import Settings
from historian.service.components import open_parts
from historian.stores.backend import Backend
from support.memory import settings_for
from support.postgres import on_server, server_url


def stores_in(schema: str, **more: Any) -> dict[str, Any]:
    """The section `stores` for the order of a `Host`."""
    return {"url": server_url(), "schema_name": schema, "pool_max": 4, **more}


def settings_on(directory: Path, schema: str, **sections: Any) -> Settings:
    """Settings of a machine whose data directory is `directory`."""
    return on_server(settings_for(directory, **sections), schema)


@contextmanager
def opened(directory: Path, schema: str, **sections: Any) -> Iterator[Backend]:
    settings = settings_on(directory, schema, **sections)
    parts = open_parts(settings, clock=time.time)
    try:
        yield parts.backend
    finally:
        asyncio.run(parts.aclose())
