"""The assistant's own memory of a person: what was said is handed over as a job, article and summaries are read back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...retrieval.driver import result
from ...retrieval.prompt_block.articles import format_relevant
from ...retrieval.relevant import ReadMemory, deepened, read_memory
from ...schema.errors import HistorianError, InvalidInput
from ...schema.job import Job
from ...schema.language import Language
from ...schema.protocols import Vector
from ...schema.scope import Scope
from ...schema.settings import Settings
from ...schema.states_payload import StatesPayload
from ...schema.summary import ArticleKey
from ..intake import make_job, with_redacted_names
from ..jobs.given_states import spoken_payloads
from .arguments import is_conversation, language_for
from .timed import Recall

log = logging.getLogger(__name__)

EMBEDDING_SHARE = 0.7
"""The share of the time limit that a deep search waits for the query's vector; without it, keywords alone are searched."""

_FIELDS = ("request_id", "user_name", "bot_name", "group_name", "timestamp", "timezone")


def states_job(
    states: object,
    user_id: str,
    scope: Scope | None,
    settings: Settings,
    clock: Callable[[], float],
    *,
    threshold: int | None,
    reflect: bool,
    fields: Mapping[str, Any],
) -> Job | None:
    """Return the job of kind `states` for what was said; None if nothing was. Raises InvalidInput."""
    unknown = sorted(set(fields) - set(_FIELDS))
    if unknown:
        raise InvalidInput(f"{unknown[0]}: unknown field; known are {', '.join(_FIELDS)}")
    if threshold is not None and threshold < 1:
        raise InvalidInput(f"threshold: {threshold} tokens; give at least 1, or leave it out")
    key = ArticleKey.of(user_id, scope)
    given = spoken_payloads(states)
    if not given:
        return None
    payload = StatesPayload(states=given, threshold=threshold, reflect=reflect)
    data = {
        **fields,
        "kind": "states",
        "user_id": key.user_id,
        "group_id": key.group_id or None,
        "payload": payload.model_dump(),
    }
    return with_redacted_names(make_job(data, settings, clock), settings.historian.redact_jobs)


async def relevant_memories(
    recall: Recall,
    user_input: str,
    user_id: str,
    scope: Scope | None,
    *,
    deep: bool = False,
    max_tokens: int | None = None,
    language: Language | None = None,
) -> str:
    """Carry out `Reading.get_relevant_memories` within the time limit of a recall. Never raises."""
    settings, limit = recall.settings(), recall.time_limit()
    end = asyncio.get_running_loop().time() + limit
    if scope is not None and not is_conversation(scope):
        log.warning("memories of %s give nothing: scope must be a Scope, got %s", user_id, type(scope).__name__)
        return ""
    try:
        key = ArticleKey.of(user_id, scope)
        searching = deep and user_input.strip() and recall.events.vectors
        embedding = recall.events.tasks.spawn(searching.get(user_input), "embedding of a deep search") if searching else None
        async with asyncio.timeout_at(end):
            read = await asyncio.to_thread(read_memory, recall.parts.article_stores, key)
        found = await _searched(recall, user_input, embedding, read, end, limit) if deep and user_input.strip() else ()
        language = language_for(language, settings.cognitive.language, [user_input])
        budget = max_tokens or settings.query.relevant_max_tokens
        return await asyncio.to_thread(format_relevant, read, found, language=language, max_tokens=budget)
    except TimeoutError:
        log.warning("memories of %s: out of time", user_id)
    except (HistorianError, OSError) as error:
        log.warning("memories of %s cannot be read: %s", user_id, error)
    except Exception:
        # The reply must go out whatever fails.
        log.exception("reading the memories of %s failed; nothing is returned", user_id)
    return ""


async def _searched(
    recall: Recall, user_input: str, embedding: asyncio.Task[Vector] | None, read: ReadMemory, end: float, limit: float
) -> Sequence[str]:
    """Return what fits best; nothing if that fails or is late. What was read without a search is returned all the same."""
    reasons: list[str] = []
    vector = None
    if embedding is not None:
        await asyncio.wait((embedding,), timeout=EMBEDDING_SHARE * limit)
        vector = result(embedding, "embedder", reasons)
    parts, model = recall.parts, recall.parts.embedder.model if recall.parts.embedder is not None else ""
    work = asyncio.to_thread(deepened, user_input, vector, read, parts.article_stores, parts.events, model)
    searching = recall.events.tasks.spawn(work, "deep search")
    await asyncio.wait((searching,), timeout=end - asyncio.get_running_loop().time())
    found = result(searching, "search", reasons)
    if reasons:
        log.warning("deep search for %s: %s", read.key, "; ".join(reasons))
    return found or ()
