"""Memory as a LangChain retriever.

Over a service that is open in this process:

>>> retriever = CognitiveRetriever(memory=memory, scope=Scope.group("100"), k=5)              # doctest: +SKIP
>>> await retriever.ainvoke("他喜欢什么？")                                                     # doctest: +SKIP

Over the data directory of a bot that runs in another process, read-only:

>>> retriever = CognitiveRetriever.over("config.toml", Scope.private("42"))                   # doctest: +SKIP
>>> retriever.invoke("what does he like?", k=3, kind="fact")                                  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from ...schema.hit import Hit
from ...schema.scope import Scope
from ...schema.settings import Settings
from ...service.blocking import run_blocking
from ...service.recall.reader import MemoryReader
from ...service.recall.reading import MOST_NEIGHBOURS, Reading
from ..texts import shown


class CognitiveRetriever(BaseRetriever):
    """Return passages of one conversation as documents, best first. No argument of a call can change the scope.

    A passage is an event, or a message with the `neighbours` messages before and after it, one line each in order of
    time: `speaker: words (days that they name)`. Passages that share a message are one document.

    `k` is the number of hits, and so the largest number of documents (None: `cognitive.query.tool_default_top_k`);
    `search_kwargs` are further conditions of `CognitiveService.search_events`. Arguments of a call override both.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Reading
    scope: Scope
    k: int | None = Field(default=None, ge=1, le=500)
    neighbours: int = Field(default=1, ge=0, le=MOST_NEIGHBOURS)
    search_kwargs: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def over(cls, config: str | Path | Settings | None, scope: Scope, **fields: Any) -> Self:
        """Return a retriever that opens a data directory read-only; `close()` it, or `await aclose()`, when done."""
        return cls(memory=MemoryReader.open(config), scope=scope, **fields)

    def close(self) -> None:
        """Close what `over` opened; a service that was handed in stays open. Works while an event loop is running too."""
        if isinstance(self.memory, MemoryReader):
            self.memory.close()

    async def aclose(self) -> None:
        """`close` without blocking the event loop."""
        if isinstance(self.memory, MemoryReader):
            await self.memory.aclose()

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return await self._search(query, kwargs)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return run_blocking(self._search(query, kwargs))

    async def _search(self, query: str, asked: dict[str, Any]) -> list[Document]:
        conditions = {"k": self.k, "neighbours": self.neighbours, **self.search_kwargs, **asked}
        wanted = conditions.pop("k", None)
        wanted = conditions.pop("top_k", wanted)
        hits = await self.memory.search_events(query, self.scope, top_k=wanted, **conditions)
        return sorted(map(as_document, joined(hits)), key=lambda one: -one.metadata["score"])


def joined(hits: Sequence[Hit]) -> list[list[Hit]]:
    """Return the hits, those that share a message in one list; the lists in the order of their first hits."""
    found: list[list[Hit]] = []
    for hit in hits:
        ids = _ids(hit)
        sharing = [one for one in found if any(ids & _ids(other) for other in one)]
        if not sharing:
            found.append([hit])
            continue
        first, *others = sharing
        first += [other for one in others for other in one] + [hit]
        found = [one for one in found if not any(one is other for other in others)]
    return found


def as_document(hits: Sequence[Hit]) -> Document:
    """Return hits that belong together as one document, with who said what and when as metadata.

    `times` are the first and the last moment as ISO 8601; `senders` the ids of those whose words they are; `score` is that of
    the best hit.
    """
    best, known = hits[0], {one.event_id: one for hit in hits for one in (*hit.neighbours, hit.event)}
    events = sorted(known.values(), key=lambda event: event.timestamp)
    return Document(
        id=best.event.event_id,
        page_content="\n".join(map(shown, events)),
        metadata={
            "ids": [event.event_id for event in events],
            "message_ids": _distinct(event.message_id for event in events),
            "senders": _distinct(event.said_by or (event.user_id if not event.is_message else "") for event in events),
            "speakers": _distinct(event.speaker for event in events),
            "times": [events[0].timestamp_local, events[-1].timestamp_local],
            "scope": best.event.scope.key,
            "kinds": _distinct(event.kind for event in events),
            "pending": any(hit.pending for hit in hits),
            "score": max(hit.score for hit in hits),
            "scores": dict(best.scores),
        },
    )


def _ids(hit: Hit) -> set[str]:
    return {hit.event.event_id, *(one.event_id for one in hit.neighbours)}


def _distinct(values: Iterable[str]) -> list[str]:
    """Return the values that are not "", each once, in order."""
    return [value for value in dict.fromkeys(values) if value]
