"""Stores opened for one command."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .invocation import Shell

if TYPE_CHECKING:
    from ...schema.protocols import JobQueue
    from ...schema.settings import Settings
    from ...service.components import Parts


@contextmanager
def opened_stores(shell: Shell) -> Iterator[Parts]:
    """The stores alone, no model: what listing and showing needs. Raises StorageError."""
    with opened_parts(without_models(shell.settings)) as parts:
        yield parts


@contextmanager
def opened_parts(settings: Settings) -> Iterator[Parts]:
    """Stores and models as configured, for code that runs no event loop of its own while they are open."""
    from ...service.components import open_parts, open_queue

    parts = open_parts(settings, queue=open_queue(settings, time.time), clock=time.time)
    try:
        yield parts
    finally:
        asyncio.run(parts.aclose())


def opened_queue(shell: Shell) -> JobQueue:
    """The job queue alone."""
    from ...service.components import open_queue

    return open_queue(shell.settings, time.time)


def without_models(settings: Settings) -> Settings:
    """The same settings with no model configured."""
    from ...schema.settings import EmbeddingSettings, ModelSettings

    return settings.model_copy(update={"models": ModelSettings(embedding=EmbeddingSettings(provider="none"))})
