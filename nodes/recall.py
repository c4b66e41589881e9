"""The nodes of the recall graph, one per step of `retrieval/`."""

from __future__ import annotations

import asyncio
from typing import cast

from langgraph.runtime import Runtime

from ..retrieval import driver
from ..retrieval.recall_states import RecallContext, RecalledEvent, RecallState, RecallUpdate
from ..retrieval.request import scope_request
from ..schema.scope import RequestType, Scope


async def prepare(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Bind a request to its conversation. Raises InvalidInput for an invalid scope or condition."""
    group_id, context = state.get("group_id", ""), runtime.context
    request_type = state.get("request_type") or ("group" if group_id else "private")
    request = scope_request(
        state.get("query", ""),
        Scope(cast(RequestType, request_type), state.get("user_id", ""), group_id),
        context.settings.query,
        top_k=state.get("top_k"),
        context=state.get("context", ()),
        conditions=state.get("conditions", {}),
        now=context.clock(),
        timezone=context.timezone,
    )
    return {"request": request}


async def survey(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Survey the events of the scope and search them by keywords. Raises StorageError."""
    return {"survey": await asyncio.to_thread(runtime.context.steps.survey, state["request"])}


async def embed(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Embed the query. Without an embedder, or if it fails, the search uses keywords alone."""
    return {"vectors": await driver.embed(runtime.context.steps, state["request"])}


async def fuse(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Combine the scores of vectors, keywords, neighbours, names and dates into one."""
    steps = runtime.context.steps
    return {
        "candidates": await asyncio.to_thread(
            steps.fuse, state["request"], state["survey"], state["vectors"]
        )
    }


async def rerank(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Reorder the best candidates by the reranker, if one is configured.

    If it fails or takes too long, the order is unchanged.
    """
    reasons: list[str] = []
    candidates = await driver.rerank(
        runtime.context.steps, state["request"], state["candidates"], reasons
    )
    driver.warn(runtime.context.steps, state["request"], reasons)
    return {"candidates": candidates}


async def select(state: RecallState, runtime: Runtime[RecallContext]) -> RecallUpdate:
    """Select hits by recency, diversity and `top_k`, and read their texts. Raises StorageError."""
    hits = await asyncio.to_thread(
        runtime.context.steps.select, state["request"], state["candidates"]
    )
    return {
        "hits": [
            RecalledEvent(
                event_id=hit.event.event_id,
                text=hit.event.text,
                timestamp=hit.event.timestamp_local,
                user_id=hit.event.user_id,
                group_id=hit.event.group_id,
                kind=hit.event.kind,
                score=hit.score,
                scores=dict(hit.scores),
            )
            for hit in hits
        ]
    }
