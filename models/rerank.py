"""Rerankers: endpoints with `/rerank` as Cohere and Jina define it, and LangChain's compressors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from ..schema.errors import ModelAnswerUnusable, SettingsError
from .bounded_answers import ANSWER_BYTES, ENCODINGS, bounded
from .calls import pace_of, translated
from .endpoint import Endpoint, checked_endpoint, clean_text, endpoint_of, retry_after_seconds
from .loop_clients import LoopClients
from .usage import RERANK, UsageMeter, note_tokens

if TYPE_CHECKING:
    import httpx
    from langchain_core.documents import BaseDocumentCompressor, Document

    from ..schema.settings import RerankSettings

SECTION = "models.rerank"
REQUEST_SECONDS = 15.0
"""Time limit of one request. The time limit of a recall is much shorter."""
_PLACE = "historian_place"


def make_reranker(
    settings: RerankSettings, usage: UsageMeter | None = None
) -> RemoteReranker | None:
    """Return the reranker of `settings`, or None if `base_url` and `model` are empty.

    Its calls are counted in `usage`. Raises SettingsError if only one of the two is empty.
    """
    base_url, model = settings.base_url.strip(), settings.model.strip()
    if not (base_url or model):
        return None
    if not (base_url and model):
        missing = "model" if base_url else "base_url"
        raise SettingsError(
            f"{SECTION}.{missing} is empty: the reranker needs both base_url and model (or neither)."
        )
    endpoint = checked_endpoint(SECTION, base_url, model, settings.api_key)
    return RemoteReranker(
        endpoint,
        RankEndpoint(endpoint),
        query_instruction=settings.query_instruction,
        interval_seconds=settings.queue_interval_seconds,
        usage=usage or UsageMeter(),
    )


def reranker_of(given: BaseDocumentCompressor, usage: UsageMeter) -> RemoteReranker:
    """Return a reranker over a LangChain document compressor, which the caller closes."""
    return RemoteReranker(endpoint_of(given, "reranker"), RankCompressor(given), usage=usage)


@dataclass(eq=False, repr=False)
class RemoteReranker:
    """A `Reranker` (see schema/protocols) with a time limit, an interval and a count of its calls.

    Safe to use from several event loops.
    """

    endpoint: Endpoint
    ranks: RankEndpoint | RankCompressor
    _: KW_ONLY
    query_instruction: str = ""
    interval_seconds: float = 0.0
    timeout_seconds: float = REQUEST_SECONDS
    usage: UsageMeter = field(default_factory=UsageMeter)

    def __post_init__(self) -> None:
        self._pace = pace_of(self.interval_seconds)

    @property
    def model(self) -> str:
        return self.endpoint.model

    async def rerank(
        self, query: str, documents: Sequence[str], top_n: int, until: float | None = None
    ) -> list[tuple[int, float]]:
        """Return at most `top_n` (index, score) pairs, best first.

        Documents that the model dropped and indexes that do not exist are left out. `until` is
        ignored: the time limit is `timeout_seconds`.
        """
        if not documents or top_n <= 0:
            return []
        query = self.query_instruction + clean_text(query)
        texts = [clean_text(document).strip() or "." for document in documents]
        if self._pace is not None:
            await self._pace.aacquire()
        async with (
            self.usage.call(RERANK, sum(map(len, (query, *texts)))),
            translated(self.endpoint, self.timeout_seconds),
        ):
            ranked = await self.ranks.rank(query, texts, min(top_n, len(texts)))
        if not ranked:
            raise ModelAnswerUnusable(f"{self.endpoint.name} gave no usable ranking.")
        return ranked[:top_n]

    async def aclose(self) -> None:
        await self.ranks.aclose()


class RankEndpoint:
    """Rankings by an endpoint, with one request each."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        base = endpoint.base_url.rstrip("/")
        self._url = base if base.endswith("/rerank") else f"{base}/rerank"
        self._clients: LoopClients[httpx.AsyncClient] = LoopClients(self._open)

    async def rank(
        self, query: str, documents: Sequence[str], top_n: int
    ) -> list[tuple[int, float]]:
        """Return (index in `documents`, score) pairs, best first, each index once."""
        body = {
            "model": self._endpoint.model,
            "query": query,
            "documents": documents,
            "top_n": top_n,
        }
        client = await self._clients.get()
        response = await client.post(self._url, json=body)
        if response.status_code != 200:
            after = retry_after_seconds(response.headers)
            raise self._endpoint.error_of_status(
                response.status_code, response.text, retry_after=after
            )
        try:
            answer = response.json()
        except ValueError:
            preview = self._endpoint.hide(response.text)
            raise ModelAnswerUnusable(
                f"{self._endpoint.name} did not return JSON: {preview!r}."
            ) from None
        note_tokens(*_told_tokens(answer))
        return ranking(answer, len(documents))

    async def aclose(self) -> None:
        await self._clients.aclose()

    def _open(self) -> tuple[httpx.AsyncClient, httpx.AsyncClient]:
        import httpx

        key = self._endpoint.key
        headers = {**ENCODINGS, **({"Authorization": f"Bearer {key}"} if key else {})}
        client = httpx.AsyncClient(
            headers=headers,
            timeout=REQUEST_SECONDS,
            follow_redirects=True,
            event_hooks=bounded(ANSWER_BYTES),
        )
        return client, client


class RankCompressor:
    """Rankings by a document compressor.

    The score is `relevance_score` if all documents have one, else it follows from their order.
    """

    def __init__(self, given: BaseDocumentCompressor) -> None:
        self._given = given

    async def rank(
        self, query: str, documents: Sequence[str], top_n: int
    ) -> list[tuple[int, float]]:
        from langchain_core.documents import Document

        given = [Document(text, metadata={_PLACE: place}) for place, text in enumerate(documents)]
        found = [
            one
            for one in await self._given.acompress_documents(given, query)
            if _PLACE in one.metadata
        ]
        scores = [_score_of(one) for one in found]
        if None in scores:
            scores = [1.0 / (1 + n) for n in range(len(found))]
        items = [
            {"index": one.metadata[_PLACE], "score": score}
            for one, score in zip(found, scores, strict=True)
        ]
        return ranking(items, len(documents))

    async def aclose(self) -> None:
        """Nothing to close: the compressor is the caller's."""


def _score_of(document: Document) -> float | None:
    """Return the score of a document (also a number of NumPy or torch), or None if it has none."""
    try:
        return float(document.metadata["relevance_score"])
    except (KeyError, TypeError, ValueError):
        return None


def _told_tokens(answer: Any) -> list[Any]:
    """Return the token counts in an answer: Jina has them in `usage`, Cohere in `meta.tokens`."""
    found = []
    for path in (
        ("usage", "total_tokens"),
        ("usage", "prompt_tokens"),
        ("meta", "tokens", "input_tokens"),
    ):
        told = answer
        for key in path:
            told = told.get(key) if isinstance(told, dict) else None
        found.append(told)
    return found


def ranking(answer: Any, count: int) -> list[tuple[int, float]]:
    """Return the (index, score) pairs of a rerank answer, best first.

    Each index is below `count` and appears once; scores are finite. Reads `{"results": […]}`,
    `{"data": […]}` and a bare list of `{"index", "relevance_score" | "score"}`, and also
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
            (item.get("index"), item.get("relevance_score", item.get("score")))
            if isinstance(item, dict)
            else (None, None)
        )
        if (
            type(index) is int
            and 0 <= index < count
            and isinstance(score, int | float)
            and math.isfinite(score)
        ):
            scores.setdefault(index, float(score))
    return sorted(scores.items(), key=lambda pair: -pair[1])
