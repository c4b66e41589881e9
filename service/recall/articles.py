"""The two layers as a bot uses them: states handed over as a job, and the article with the newest summaries read back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, Literal

from ...retrieval.prompt_block.articles import format_relevant
from ...retrieval.relevant import ReadLayers, deepened, read_layers
from ...schema.errors import HistorianError, InvalidInput
from ...schema.job import Job
from ...schema.protocols import Vector
from ...schema.scope import Scope
from ...schema.settings import Settings
from ...schema.states_payload import StatesPayload
from ...schema.summary import ArticleKey
from ...text.language import detect_language
from ..components import Parts
from ..intake import make_job, with_redacted_names
from ..jobs.given_states import spoken_payloads
from .arguments import is_conversation
from .timed import Recall

log = logging.getLogger(__name__)

EMBEDDING_SHARE = 0.7
"""How much of the time limit a deep search waits for the query's vector; without it, it goes by keywords alone."""

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
    """The job of kind `states` that hands over what was said; None where nothing was. Raises InvalidInput."""
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


class TwoLayers:
    """Reads the two layers within the time limit of a recall. Never raises."""

    def __init__(self, parts: Parts, recall: Recall, settings: Callable[[], Settings]) -> None:
        self._parts = parts
        self._recall = recall
        self._settings = settings

    async def relevant(
        self,
        user_input: str,
        user_id: str,
        scope: Scope | None,
        *,
        deep: bool = False,
        max_tokens: int | None = None,
        language: Literal["zh", "en"] | None = None,
    ) -> str:
        """As `CognitiveService.get_relevant_memories`."""
        settings = self._settings()
        configured = settings.cognitive.language
        spoken = language or (detect_language(user_input) if configured == "auto" else configured)
        budget = max_tokens or settings.query.relevant_max_tokens
        limit = self._recall.time_limit()
        end = asyncio.get_running_loop().time() + limit
        if scope is not None and not is_conversation(scope):
            log.warning("memories of %s give nothing: scope must be a Scope, got %s", user_id, type(scope).__name__)
            return ""
        try:
            key = ArticleKey.of(user_id, scope)
            embedding = asyncio.create_task(self._vector(user_input)) if deep and user_input.strip() else None
            async with asyncio.timeout_at(end):
                read = await asyncio.to_thread(read_layers, self._parts.layers, key)
            found = () if embedding is None else await self._search(user_input, embedding, read, end, limit)
            return format_relevant(read, found, language=spoken, max_tokens=budget)
        except TimeoutError:
            log.warning("memories of %s: out of time", user_id)
        except (HistorianError, OSError) as error:
            log.warning("memories of %s cannot be read: %s", user_id, error)
        except Exception:
            # The reply must go out whatever this is.
            log.exception("memories of %s give nothing", user_id)
        return ""

    async def _search(
        self, user_input: str, embedding: asyncio.Task[Vector | None], read: ReadLayers, end: float, limit: float
    ) -> tuple[str, ...]:
        """What fits best; nothing where that takes too long or fails: what was read without a search is there all the same."""
        try:
            await asyncio.wait((embedding,), timeout=EMBEDDING_SHARE * limit)
            vector = embedding.result() if embedding.done() else None
            async with asyncio.timeout_at(end):
                return await asyncio.to_thread(
                    deepened, user_input, vector, read, self._parts.layers, self._parts.events, self._model()
                )
        except TimeoutError:
            log.warning("the deep search for %s is out of time", read.key)
        except HistorianError as error:
            log.warning("the deep search for %s gives nothing: %s", read.key, error)
        return ()

    def _model(self) -> str:
        return self._parts.embedder.model if self._parts.embedder is not None else ""

    async def _vector(self, user_input: str) -> Vector | None:
        vectors = self._recall.events.vectors
        if vectors is None:
            return None
        try:
            return await vectors.get(user_input)
        except HistorianError as error:
            log.warning("the deep search goes by keywords alone: %s", error)
            return None
