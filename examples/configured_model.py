"""The configured chat model for LangChain; if none is configured, the stand-in."""

from __future__ import annotations

from historian import Settings
from langchain_core.language_models import BaseChatModel
from stand_in_model import StandInModel


def make_model(settings: Settings) -> BaseChatModel:
    """Return `models.chat`: any OpenAI-compatible endpoint. A local server needs no key."""
    chat = settings.models.chat
    if not chat.model:
        return StandInModel()
    from langchain_openai import (
        ChatOpenAI,
    )  # imported here because the import takes a second and the stand-in does not need it

    return ChatOpenAI(
        model=chat.model,
        base_url=chat.base_url or None,
        api_key=chat.api_key or "none",
        temperature=chat.temperature,
        timeout=chat.timeout_seconds,
        max_tokens=chat.max_answer_tokens or None,
        extra_body=chat.extra_body or None,
    )
