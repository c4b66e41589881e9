"""A client for `/rerank` as Cohere and Jina defined it and most servers implement it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from ..schema.errors import ModelAnswerUnusable, SettingsError
from .bounded_answers import ANSWER_BYTES, ENCODINGS, AnswerNotRead, bounded
from .endpoint import Endpoint, checked_endpoint, clean_text, retry_after_seconds
from .loop_clients import LoopClients
from .request_pace import RequestPace
from .usage import RERANK, UsageMeter

if TYPE_CHECKING:
    import httpx

    from ..schema.settings import RerankSettings

SECTION = "models.rerank"
REQUEST_SECONDS = 15.0
"""Time limit of one request. A recall's own budget is much shorter."""


def make_reranker(settings: RerankSettings, usage: UsageMeter | None = None) -> HttpReranker | None:
    """Return the reranker of `settings`, or None where `base_url` and `model` are empty (SettingsError: only one is).

    Its calls are counted in `usage`.
    """
    base_url, model = settings.base_url.strip(), settings.model.strip()
    if not (base_url or model):
        return None
    if not (base_url and model):
        missing = "model" if base_url else "base_url"
        raise SettingsError(f"{SECTION}.{missing} is empty: the reranker needs both base_url and model (or neither).")
    return HttpReranker(
        checked_endpoint(SECTION, base_url, model, settings.api_key),
        query_instruction=settings.query_instruction,
        interval_seconds=settings.queue_interval_seconds,
        usage=usage or UsageMeter(),
    )


@dataclass(eq=False, repr=False)
class HttpReranker:
    """A `Reranker` (see schema/protocols.py) on an endpoint. Safe to use from several event loops."""

    endpoint: Endpoint
    _: KW_ONLY
    query_instruction: str = ""
    interval_seconds: float = 0.0
    timeout_seconds: float = REQUEST_SECONDS
    usage: UsageMeter = field(default_factory=UsageMeter)

    def __post_init__(self) -> None:
        base = self.endpoint.base_url.rstrip("/")
        self._url = base if base.endswith("/rerank") else f"{base}/rerank"
        self._pace = RequestPace(self.interval_seconds)
        self._clients: LoopClients[httpx.AsyncClient] = LoopClients(self._open)

    @property
    def model(self) -> str:
        return self.endpoint.model

    async def rerank(
        self, query: str, documents: Sequence[str], top_n: int, until: float | None = None
    ) -> list[tuple[int, float]]:
        """Return at most `top_n` (index, score) pairs, best first. Invalid and repeated indexes are left out."""
        if not documents or top_n <= 0:
            return []
        body: dict[str, Any] = {
            "model": self.endpoint.model,
            "query": self.query_instruction + clean_text(query),
            "documents": [clean_text(document).strip() or "." for document in documents],
            "top_n": min(top_n, len(documents)),
        }
        await self._pace.wait()
        async with self.usage.call(RERANK, sum(map(len, (body["query"], *body["documents"])))) as reported:
            answer = await self._post(body)
            reported.note(*_told_tokens(answer))
        ranked = ranking(answer, len(documents))
        if not ranked:
            raise ModelAnswerUnusable(f"{self.endpoint.name} gave no usable ranking.")
        return ranked[:top_n]

    async def aclose(self) -> None:
        await self._clients.aclose()

    def _open(self) -> tuple[httpx.AsyncClient, httpx.AsyncClient]:
        import httpx

        key = self.endpoint.key
        headers = {**ENCODINGS, **({"Authorization": f"Bearer {key}"} if key else {})}
        client = httpx.AsyncClient(
            headers=headers, timeout=self.timeout_seconds, follow_redirects=True, event_hooks=bounded(ANSWER_BYTES)
        )
        return client, client

    async def _post(self, body: dict[str, Any]) -> Any:
        client = await self._clients.get()
        import httpx

        try:
            async with asyncio.timeout(self.timeout_seconds):
                response = await client.post(self._url, json=body)
        except (TimeoutError, httpx.TimeoutException):
            raise self.endpoint.timed_out(self.timeout_seconds) from None
        except AnswerNotRead as error:
            raise self.endpoint.not_read(str(error)) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = self.endpoint.hide(f"{type(error).__name__}: {error}")
            raise self.endpoint.unavailable(f"can not be reached ({why})") from None
        if response.status_code != 200:
            raise self.endpoint.error_of_status(
                response.status_code, response.text, retry_after=retry_after_seconds(response.headers)
            )
        try:
            return response.json()
        except ValueError:
            raise ModelAnswerUnusable(f"{self.endpoint.name} gave no JSON: {self.endpoint.hide(response.text)!r}.") from None


def _told_tokens(answer: Any) -> list[Any]:
    """Return what an answer says of its tokens: Jina in `usage`, Cohere in `meta.tokens`."""
    found = []
    for path in (("usage", "total_tokens"), ("usage", "prompt_tokens"), ("meta", "tokens", "input_tokens")):
        told = answer
        for key in path:
            told = told.get(key) if isinstance(told, dict) else None
        found.append(told)
    return found


def ranking(answer: Any, count: int) -> list[tuple[int, float]]:
    """Return (index, score) pairs of a rerank answer, best first: indexes below `count`, each once, with finite scores.

    Reads `{"results": […]}`, `{"data": […]}` and a bare list of `{"index", "relevance_score" | "score"}`, and
    `{"scores": […]}` in the order of the documents.
    """
    items: Any = answer
    if isinstance(answer, dict):
        listed = answer.get("scores")
        items = answer.get("results") or answer.get("data")
        if isinstance(listed, list):
            items = [{"index": index, "score": score} for index, score in enumerate(listed)]
    scores: dict[int, float] = {}
    for item in items if isinstance(items, list) else []:
        index, score = (
            (item.get("index"), item.get("relevance_score", item.get("score"))) if isinstance(item, dict) else (None, None)
        )
        if type(index) is int and 0 <= index < count and isinstance(score, int | float) and math.isfinite(score):
            scores.setdefault(index, float(score))
    return sorted(scores.items(), key=lambda pair: -pair[1])
