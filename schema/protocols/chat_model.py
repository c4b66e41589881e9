"""The chat model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pydantic import BaseModel

Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of one purpose: answered calls, tokens in and out, seconds waited, failed calls.

    Tokens are as reported by the server; 0 if it reports none. For embeddings and reranking the characters sent are counted then.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    failed_calls: int = 0
    characters: int = 0


class StructuredChat(Protocol):
    """What a node asks: a chat model, or one that stands before it."""

    async def structured(self, answer: type[Answer], *, purpose: str, system: str, user: str) -> Answer:
        """Return one answer of type `answer`, whose name and docstring describe the tool.

        Raises ModelUnavailable (retry later), ModelRefused (check the settings), ModelAnswerUnusable (every method failed).
        """


class ChatModel(StructuredChat, Protocol):
    """One configured chat model with structured output."""

    @property
    def model(self) -> str: ...

    async def probe(self) -> None:
        """Test the endpoint by one small call. Raises as `structured`."""

    def usage(self) -> Mapping[str, Usage]:
        """Return the usage by purpose since the start."""

    async def aclose(self) -> None: ...
