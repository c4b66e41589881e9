"""Preparation of the first recall: what it needs is loaded before."""

from __future__ import annotations

import asyncio
import importlib
import logging
from datetime import UTC, datetime

from ...schema.errors import ModelError, StorageError
from ...schema.event import EventFilter
from ...schema.scope import Scope
from ...text.questions import named_times
from .timed import Recall

log = logging.getLogger(__name__)

SCOPES_WARMED = 8


async def warm(recall: Recall) -> None:
    """Prepare for the first recall: call `load`, and have the embedder embed one text."""
    await load(recall)
    await _ask_embedder(recall)


async def load(recall: Recall, scope: Scope | None = None) -> None:
    """Load what the first recall would otherwise load in this process: a local embedder, client
    modules, the rules for dates, the most recent scopes, and `scope`. Does not wait for a server.
    """
    embedder = recall.parts.embedder
    if embedder is not None and embedder.is_remote:
        await asyncio.to_thread(importlib.import_module, "...models.openai_client", __package__)
    elif embedder is not None:
        await _ask_embedder(recall)
    if recall.events.reranker is not None:
        await asyncio.to_thread(importlib.import_module, "httpx")
    try:
        await asyncio.to_thread(_load_scopes, recall, scope)
    except StorageError as error:
        log.warning("the caches of recall could not be warmed: %s", error)


async def _ask_embedder(recall: Recall) -> None:
    if recall.events.vectors is not None:
        try:
            await recall.events.vectors.get("warm-up")
        except ModelError as error:
            log.warning("the embedder is not ready: %s", error)


def _load_scopes(recall: Recall, scope: Scope | None) -> None:
    named_times("yesterday 昨天 20 May 2023", datetime.fromtimestamp(recall.parts.clock(), UTC))
    newest = recall.parts.events.find(EventFilter(None), limit=50)
    scopes = list(dict.fromkeys(event.scope for event in newest))[:SCOPES_WARMED]
    for one in dict.fromkeys([*scopes, *([scope] if scope is not None else [])]):
        recall.events.tables.snapshot(one.key, rests=True).words.match("warm 预热")
