"""Memory as a LangChain retriever.

Over a service that is open in this process:

>>> retriever = CognitiveRetriever(memory=memory, scope=Scope.group("100"), k=5)              # doctest: +SKIP
>>> await retriever.ainvoke("他喜欢什么？")                                                     # doctest: +SKIP

Over the data directory of a bot that runs in another process, read-only:

>>> retriever = CognitiveRetriever.over("config.toml", Scope.private("42"))                   # doctest: +SKIP
>>> retriever.invoke("what does he like?", k=3, kind="fact")                                  # doctest: +SKIP
"""

from __future__ import annotations

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
from ...service.recall.reading import Reading

EVENT_FIELDS = (
    *("event_id", "job_id", "kind", "user_id", "user_name", "group_id", "request_type"),
    *("timestamp", "timestamp_local", "timezone", "is_absolute", "source"),
)
"""The fields of an event that are metadata of its document."""


class CognitiveRetriever(BaseRetriever):
    """Return events of one conversation as documents, best first. No argument of a call can change the scope.

    `k` is the number of documents (None: `cognitive.query.tool_default_top_k`); `search_kwargs` are further conditions of
    `CognitiveService.search_events`. Arguments of a call override both.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Reading
    scope: Scope
    k: int | None = Field(default=None, ge=1, le=500)
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
        conditions = {"k": self.k, **self.search_kwargs, **asked}
        wanted = conditions.pop("k", None)
        wanted = conditions.pop("top_k", wanted)
        return [as_document(hit) for hit in await self.memory.search_events(query, self.scope, top_k=wanted, **conditions)]


def as_document(hit: Hit) -> Document:
    """Return a hit as a document with the event's fields as metadata; `score` is the last of `scores`."""
    event, found = hit.event, {"pending": hit.pending, "score": hit.score, "scores": dict(hit.scores)}
    return Document(
        id=event.event_id,
        page_content=event.text,
        metadata={name: getattr(event, name) for name in EVENT_FIELDS} | found,
    )
