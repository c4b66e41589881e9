"""Opening of stores, models and the job queue for one command."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from typing import TYPE_CHECKING

from .shell import Shell

if TYPE_CHECKING:
    from ...schema.protocols import JobQueue
    from ...schema.settings import Settings
    from ...service.components import Parts


@contextmanager
def opened_stores(shell: Shell, *, create: bool = False) -> Iterator[Parts]:
    """Open the stores without models, for code outside an event loop.

    Raises StorageError. Raises CommandFailed if nothing is stored yet and `create` is False.
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
    """Return the job queue, opened without the other stores; it is closed when the command ends.

    Raises the same errors as `opened_stores`.
    """
    if not create:
        shell.check_data()
    from ...service.components import open_queue

    return shell.to_close.enter_context(closing(open_queue(shell.settings, time.time)))


def without_models(settings: Settings) -> Settings:
    """Return the settings with no model configured."""
    from ...schema.settings import EmbeddingSettings, ModelSettings

    return settings.model_copy(
        update={"models": ModelSettings(embedding=EmbeddingSettings(provider="none"))}
    )


def _parts(settings: Settings) -> Parts:
    from ...service.components import open_parts

    return open_parts(settings, clock=time.time)
