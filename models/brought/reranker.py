"""A LangChain document compressor as a `Reranker`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...schema.errors import ModelAnswerUnusable
from ..endpoint import clean_text
from ..rerank import REQUEST_SECONDS
from ..usage import RERANK, UsageMeter
from .calls import endpoint_of, translated

if TYPE_CHECKING:
    from langchain_core.documents import BaseDocumentCompressor, Document

_PLACE = "historian_place"


@dataclass(eq=False, repr=False)
class LangChainReranker:
    """A `Reranker` (see schema/protocols) over any `BaseDocumentCompressor`. Who made that one closes it.

    It gives the documents in its order; its own `relevance_score` counts where all have one, else their places do.
    """

    given: BaseDocumentCompressor
    usage: UsageMeter = field(default_factory=UsageMeter)

    def __post_init__(self) -> None:
        self._endpoint = endpoint_of(self.given, "reranker")

    @property
    def model(self) -> str:
        return self._endpoint.model

    async def rerank(
        self, query: str, documents: Sequence[str], top_n: int, until: float | None = None
    ) -> list[tuple[int, float]]:
        """Return at most `top_n` (index, score) pairs, best first. What the compressor drops or made up is left out."""
        from langchain_core.documents import Document

        if not documents or top_n <= 0:
            return []
        given = [Document(clean_text(text).strip() or ".", metadata={_PLACE: n}) for n, text in enumerate(documents)]
        async with (
            self.usage.call(RERANK, len(query) + sum(map(len, documents))),
            translated(self._endpoint, REQUEST_SECONDS),
        ):
            found = await self.given.acompress_documents(given, clean_text(query))
        places = [place for one in found if type(place := one.metadata.get(_PLACE)) is int and 0 <= place < len(documents)]
        if not places:
            raise ModelAnswerUnusable(f"{self._endpoint.name} gave none of the documents back.")
        scores = [_score_of(one) for one in found if type(one.metadata.get(_PLACE)) is int]
        if len(scores) != len(places) or None in scores:
            scores = [1.0 / (1 + n) for n in range(len(places))]
        ranked: dict[int, float] = {}
        for place, score in zip(places, scores, strict=True):
            ranked.setdefault(place, score or 0.0)
        return sorted(ranked.items(), key=lambda pair: -pair[1])[:top_n]

    async def aclose(self) -> None:
        return None


def _score_of(document: Document) -> float | None:
    score = document.metadata.get("relevance_score")
    try:
        number = float(score)  # type: ignore[arg-type]  # checked by the conversion: numbers of NumPy and torch too
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
