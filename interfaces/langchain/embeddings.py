"""The configured embedder as LangChain embeddings, with the same vectors as the memory search.

>>> embeddings = HistorianEmbeddings()                                                        # doctest: +SKIP
>>> Chroma(embedding_function=embeddings)                                                     # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

from langchain_core.embeddings import Embeddings

from ...models.embeddings.factory import make_embedder
from ...schema.errors import SettingsError
from ...schema.protocols import Embedder
from ...schema.settings import EmbeddingSettings
from ...service.blocking import run_blocking


class HistorianEmbeddings(Embeddings):
    """An `Embedder` with the interface of LangChain's embeddings.

    Keyword arguments are the keys of `models.embedding`. Without arguments the default of
    `models.embedding` is used: the local model, if it is installed. Raises SettingsError if there
    is no embedder.
    """

    def __init__(self, embedder: Embedder | None = None, **settings: Any) -> None:
        made = embedder or make_embedder(EmbeddingSettings(**settings))
        if made is None:
            raise SettingsError(
                'models.embedding: there is no embedder; pip install "langgraph-historian[local]", or name an endpoint'
            )
        self.embedder: Embedder = made

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return run_blocking(self.aembed_documents(texts))

    def embed_query(self, text: str) -> list[float]:
        return run_blocking(self.aembed_query(text))

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = (await self.embedder.embed_documents(texts)).tolist()
        return vectors

    async def aembed_query(self, text: str) -> list[float]:
        vector: list[float] = (await self.embedder.embed_query(text)).tolist()
        return vector
