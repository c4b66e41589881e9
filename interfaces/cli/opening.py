"""Stores, models and the queue, opened for one command."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from typing import TYPE_CHECKING

from .invocation import Shell

if TYPE_CHECKING:
    from ...schema.protocols import JobQueue
    from ...schema.settings import Settings
    from ...service.components import Parts


@contextmanager
def opened_stores(shell: Shell) -> Iterator[Parts]:
    """Open the stores alone, no model, for code that runs no event loop meanwhile. Raises StorageError."""
    parts = _parts(without_models(shell.settings))
    try:
        yield parts
    finally:
        asyncio.run(parts.aclose())


@asynccontextmanager
async def opened_parts(settings: Settings) -> AsyncIterator[Parts]:
    """Open stores and models as configured. Raises StorageError."""
    parts = await asyncio.to_thread(_parts, settings)
    try:
        yield parts
    finally:
        await parts.aclose()


def opened_queue(shell: Shell) -> JobQueue:
    """Open the job queue alone, until the command ends."""
    from ...service.components import open_queue

    return shell.to_close.enter_context(closing(open_queue(shell.settings, time.time)))


def without_models(settings: Settings) -> Settings:
    """Return the same settings with no model configured."""
    from ...schema.settings import EmbeddingSettings, ModelSettings

    return settings.model_copy(update={"models": ModelSettings(embedding=EmbeddingSettings(provider="none"))})


def _parts(settings: Settings) -> Parts:
    from ...service.components import open_parts

    return open_parts(settings, clock=time.time)
