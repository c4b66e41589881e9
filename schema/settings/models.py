"""The settings of models: the tables `[models.chat]`, `[models.historian]`, `[models.embedding]` and
`[models.rerank]`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from .section import Seconds, Section


class ChatSettings(Section):
    base_url: str = ""
    """OpenAI 兼容端点，如 http://127.0.0.1:11434/v1
    an OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1"""
    api_key: str = ""
    """密钥；本地服务可留空
    the key; may stay empty for a local server"""
    model: str = ""
    """模型名；留空则不用模型
    the model's name; empty: no model is used"""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """采样温度；"server" 表示不发送
    sampling temperature; "server": not sent"""
    timeout_seconds: Seconds = 120.0
    """一次调用的时限（秒）
    time limit of one call in seconds"""
    max_answer_tokens: Annotated[int, Field(ge=0, le=1_000_000)] = 4096
    """一次回答最多多少 token，防止模型没完没了；0 不限
    maximum tokens of one answer, so that a model that does not stop is cut off; 0: no limit"""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """附加到请求体的字段
    fields added to the request body"""

    @field_validator("temperature", mode="before")
    @classmethod
    def _temperature(cls, value: Any) -> Any:
        return None if value == "server" else value


class EmbeddingSettings(Section):
    provider: Literal["auto", "openai", "local", "fastembed", "none"] = "auto"
    """向量来源：auto 有端点用端点，否则用本地模型，再否则不用
    source of vectors: auto uses a configured endpoint, else the local model, else none"""
    base_url: str = ""
    """OpenAI 兼容的向量端点；只写了 model 时用聊天模型的端点和密钥
    an OpenAI-compatible embeddings endpoint; with `model` alone, that of the chat model with its key"""
    api_key: str = ""
    """密钥
    the key"""
    model: str = ""
    """向量模型名
    the embedding model's name"""
    dimensions: Annotated[int, Field(ge=0, le=16_384)] = 0
    """要求的维数；0 用模型默认
    requested number of dimensions; 0: the default of the model"""
    query_instruction: str = ""
    """查询前缀
    text put before a query"""
    document_instruction: str = ""
    """文档前缀
    text put before a document"""
    batch_size: Annotated[int, Field(ge=1, le=2048)] = 16
    """一次请求多少条
    number of texts in one request"""
    threads: Annotated[int, Field(ge=0, le=256)] = 0
    """本地模型算文档用的线程数；0 由 OpenMP 定（fastembed 为 2）。一次查询至多用两个
    threads of a local model for documents; 0: decided by OpenMP (fastembed: 2). A query uses two at most"""
    queue_interval_seconds: Annotated[float, Field(ge=0, le=3600)] = 0.0
    """两次批量请求的间隔（秒）
    seconds between batch requests"""


class RerankSettings(Section):
    base_url: str = ""
    """Cohere/Jina 兼容的 /rerank 端点
    an endpoint with a Cohere- or Jina-compatible /rerank"""
    api_key: str = ""
    """密钥
    the key"""
    model: str = ""
    """重排模型名
    the reranking model's name"""
    query_instruction: str = ""
    """查询前缀
    text put before a query"""
    queue_interval_seconds: Annotated[float, Field(ge=0, le=3600)] = 0.0
    """两次请求的间隔（秒）
    seconds between requests"""


class PartialChatSettings(ChatSettings):
    """`models.historian`: each key given here overrides that of `models.chat`."""


class ModelSettings(Section):
    chat: ChatSettings = Field(default_factory=ChatSettings)
    historian: PartialChatSettings = Field(default_factory=PartialChatSettings)
    embedding: EmbeddingSettings = Field(default_factory=EmbeddingSettings)
    rerank: RerankSettings = Field(default_factory=RerankSettings)

    @property
    def background(self) -> ChatSettings:
        """The chat model of background work: `models.chat`, overridden by `models.historian`."""
        given = {name: getattr(self.historian, name) for name in self.historian.model_fields_set}
        return ChatSettings(**{**self.chat.model_dump(), **given})

    @property
    def embedder(self) -> EmbeddingSettings:
        """`models.embedding`. A model that is named without address and key is asked for at the address of the chat model."""
        own, chat = self.embedding, self.background
        is_placed = (
            own.base_url.strip() or own.api_key.strip() or own.provider not in ("auto", "openai")
        )
        if is_placed or not own.model.strip():
            return own
        return own.model_copy(update={"base_url": chat.base_url, "api_key": chat.api_key})
