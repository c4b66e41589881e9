"""Memory as a LangChain retriever.

With a service that is open in this process:

>>> retriever = CognitiveRetriever(memory=memory, scope=Scope.group("100"), k=5)              # doctest: +SKIP
>>> await retriever.ainvoke("他喜欢什么？")                                                     # doctest: +SKIP

With the data directory of a bot that runs in another process, read-only:

>>> retriever = CognitiveRetriever.over("config.toml", Scope.private("42"))                   # doctest: +SKIP
>>> retriever.invoke("what does he like?", k=3, kind="fact")                                  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from ...retrieval.passages import Passage, passages
from ...schema.scope import Scope
from ...schema.settings import Settings
from ...service.blocking import run_blocking
from ...service.recall.reader import MemoryReader
from ...service.recall.reading import MOST_NEIGHBOURS, Reading


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
        """Return a retriever that opens a data directory read-only.

        Call `close()` or `await aclose()` when done.
        """
        return cls(memory=MemoryReader.open(config), scope=scope, **fields)

    def close(self) -> None:
        """Close the reader that `over` opened. A service passed to the constructor stays open.

        May be called while an event loop is running.
        """
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
        names = await self.memory.shown_names(
            self.scope, query, self.memory.language_of(self.scope, query)
        )
        found = passages(hits, names=names)
        return sorted(map(as_document, found), key=lambda one: -one.metadata["score"])


def as_document(passage: Passage) -> Document:
    """Return a passage as a document. Its metadata hold ids, speakers, times, scope and scores.

    `times` are the times of the first and the last message in ISO 8601, `senders` the ids of the
    speakers, and `score` is the score of the best hit.
    """
    best, events = passage.hits[0], passage.events
    return Document(
        id=best.event.event_id,
        page_content=passage.text,
        metadata={
            "ids": list(passage.ids),
            "message_ids": _distinct(event.message_id for event in events),
            "senders": list(passage.senders),
            "speakers": list(passage.speakers),
            "times": [passage.times[0], passage.times[-1]],
            "scope": best.event.scope.key,
            "tags": _distinct(tag for event in events for tag in event.tags),
            "metadata": dict(best.event.metadata),
            "kinds": _distinct(event.kind for event in events),
            "pending": any(hit.pending for hit in passage.hits),
            "score": passage.score,
            "scores": dict(best.scores),
        },
    )


def _distinct(values: Iterable[str]) -> list[str]:
    """Return the non-empty values without duplicates, in order."""
    return [value for value in dict.fromkeys(values) if value]
