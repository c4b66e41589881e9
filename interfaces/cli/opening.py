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
def opened_stores(shell: Shell, *, create: bool = False) -> Iterator[Parts]:
    """Open the stores alone, no model, for code that runs no event loop meanwhile.

    Raises StorageError; CommandFailed if nothing is stored yet, unless it may be created.
    """
    if not create:
        shell.check_data()
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


def opened_queue(shell: Shell, *, create: bool = True) -> JobQueue:
    """Open the job queue alone, until the command ends. Raises errors as `opened_stores`."""
    if not create:
        shell.check_data()
    from ...service.components import open_queue

    return shell.to_close.enter_context(closing(open_queue(shell.settings, time.time)))


def without_models(settings: Settings) -> Settings:
    """Return the same settings with no model configured."""
    from ...schema.settings import EmbeddingSettings, ModelSettings

    return settings.model_copy(update={"models": ModelSettings(embedding=EmbeddingSettings(provider="none"))})


def _parts(settings: Settings) -> Parts:
    from ...service.components import open_parts

    return open_parts(settings, clock=time.time)
