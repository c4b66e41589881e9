"""The report of a service with its statistics, as JSON data."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..schema.errors import StorageError
from .data_directory import data_directory
from .running.lifecycle import Lifecycle

if TYPE_CHECKING:
    from ..schema.protocols.job_queue import QueueCounts
    from ..stores.tables.events.store import EventStore
    from .components import Parts


async def service_report(service: Lifecycle) -> dict[str, Any]:
    """Return the report of `CognitiveService.stats`."""
    queue, opened = service.queue, service.opened
    if queue is None:
        return {"enabled": service.settings.cognitive.enabled}
    counts = await asyncio.to_thread(queue.counts, service.clock())
    report: dict[str, Any] = {
        "enabled": True,
        "data_dir": str(data_directory(service.settings)),
        "queue": queue_report(counts),
    }
    if opened is None:
        if service.unobserved:
            report["observation"] = {"noted": service.unobserved, "lost": service.unobserved}
        return report
    try:
        report["events"] = await asyncio.to_thread(opened.parts.events.count)
        if opened.parts.embedder is not None:
            report["vectors"] = await asyncio.to_thread(
                vectors_report, opened.parts.events, service.clock()
            )
    except StorageError as error:
        report |= {"events": None, "error": str(error)}
    report |= {
        "models": model_names(opened.parts),
        "usage": usage_report(opened.parts),
        "resting": dict(opened.parts.chat.resting()) if opened.parts.chat is not None else {},
        "recall": opened.recall.as_dict(),
        "observation": opened.observation.statistics.as_dict(),
    }
    report["forgetting"] = await asyncio.to_thread(opened.parts.backend.forget_requests.stages)
    if (worker := service.worker) is not None:
        report |= {"worker": worker.statistics.as_dict(), "outage": worker.outage}
    return report


def queue_report(counts: QueueCounts) -> dict[str, Any]:
    """Return the jobs by state and the age of the oldest pending one in seconds."""
    return {**asdict(counts), "oldest_pending_seconds": round(counts.oldest_pending_seconds, 3)}


def vectors_report(events: EventStore, now: float) -> dict[str, Any]:
    """Return the number of events that wait for their vector, and the age of the oldest of them in
    seconds (0 if none waits)."""
    count, oldest = events.waiting_vectors()
    return {
        "waiting": count,
        "oldest_waiting_seconds": 0.0 if oldest is None else round(max(now - oldest, 0.0), 3),
    }


def model_names(parts: Parts) -> dict[str, str]:
    """Return the names of the models in use, by purpose; "" if there is none."""
    models = {"chat": parts.chat, "embedding": parts.embedder, "rerank": parts.reranker}
    return {purpose: model.model if model is not None else "" for purpose, model in models.items()}


def usage_report(parts: Parts) -> dict[str, dict[str, float]]:
    """Return the usage of models by purpose: the purposes of the chat model, and "embedding" and
    "rerank" if an endpoint is used for them."""
    used = {**(parts.chat.usage() if parts.chat is not None else {}), **parts.usage.by_purpose()}
    return {
        purpose: {**asdict(usage), "seconds": round(usage.seconds, 3)}
        for purpose, usage in used.items()
    }
