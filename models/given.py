"""The models that a caller gives to `CognitiveService.open` in place of those in the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..schema.errors import InvalidInput
from ..schema.protocols import ChatModel, Embedder, Reranker
from ..schema.settings import ModelSettings
from .chat.model import LangChainChatModel, make_chat_model
from .embeddings.factory import make_embedder
from .embeddings.remote import RemoteEmbedder
from .embeddings.wrapped import KeptEmbedder
from .endpoint import endpoint_of
from .loop_clients import given_client
from .rerank import make_reranker, reranker_of
from .usage import UsageMeter

if TYPE_CHECKING:
    from langchain_core.documents import BaseDocumentCompressor
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel


@dataclass(frozen=True, slots=True)
class GivenModels:
    """Models given as objects. None means the model of the settings."""

    chat: BaseChatModel | None = None
    embeddings: Embeddings | None = None
    reranker: BaseDocumentCompressor | None = None

    def checked(self) -> GivenModels:
        """Return this object. Raises InvalidInput if a model has the wrong type."""
        from langchain_core.documents import BaseDocumentCompressor
        from langchain_core.embeddings import Embeddings
        from langchain_core.language_models import BaseChatModel

        _check("chat_model", self.chat, BaseChatModel, "ChatAnthropic(…)")
        _check("embeddings", self.embeddings, Embeddings, "OllamaEmbeddings(…)")
        _check("reranker", self.reranker, BaseDocumentCompressor, "CohereRerank(…)")
        return self

    def chat_model(self, settings: ModelSettings) -> ChatModel | None:
        """Return the chat model for background work, or None. Raises SettingsError."""
        if self.chat is None:
            return make_chat_model(settings.background)
        return LangChainChatModel(
            endpoint_of(self.chat, "chat_model"),
            given_client(self.chat),
            settings.background.timeout_seconds,
        )

    def embedder(self, settings: ModelSettings, usage: UsageMeter) -> Embedder | None:
        """Return the embedder, or None. Raises SettingsError."""
        if self.embeddings is None:
            return make_embedder(settings.embedder, usage)
        wrapped: Any = getattr(self.embeddings, "embedder", None)
        if hasattr(wrapped, "is_remote"):  # HistorianEmbeddings
            return KeptEmbedder(wrapped)
        return embedder_of(self.embeddings, usage)

    def make_reranker(self, settings: ModelSettings, usage: UsageMeter) -> Reranker | None:
        """Return the reranker, or None. Raises SettingsError."""
        if self.reranker is None:
            return make_reranker(settings.rerank, usage)
        return reranker_of(self.reranker, usage)


def embedder_of(given: Embeddings, usage: UsageMeter) -> RemoteEmbedder:
    """Return an embedder over LangChain embeddings.

    Its vectors are compared only with vectors of the same class and model.
    """
    endpoint, kind = endpoint_of(given, "embeddings"), type(given).__name__
    model = kind if endpoint.model == kind else f"{kind}:{endpoint.model}"
    return RemoteEmbedder(endpoint, given_client(given), model, usage=usage)


def _check(argument: str, given: object, kind: type, example: str) -> None:
    if given is not None and not isinstance(given, kind):
        expected = f"an object of the LangChain class {kind.__name__}, such as {example}"
        raise InvalidInput(f"{argument}: expected {expected}, got {type(given).__name__}")
