"""Chat models, embedders and rerankers, made from settings. Client libraries are imported on the first call."""

from __future__ import annotations

from .chat.model import OpenAIChatModel, make_chat_model
from .embeddings.factory import make_embedder
from .rerank import HttpReranker, make_reranker

__all__ = ["HttpReranker", "OpenAIChatModel", "make_chat_model", "make_embedder", "make_reranker"]
