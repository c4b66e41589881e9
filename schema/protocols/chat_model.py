"""The chat model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pydantic import BaseModel

Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Usage:
    """What one purpose has cost so far: calls answered, tokens in and out, seconds waited, calls without an answer.

    Tokens are as the server counts them; 0 where it does not.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    failed_calls: int = 0


class ChatModel(Protocol):
    """One configured chat model with structured output."""

    @property
    def model(self) -> str: ...

    async def structured(self, answer: type[Answer], *, purpose: str, system: str, user: str) -> Answer:
        """One answer in the form of `answer` (its name and docstring become the tool's).

        Raises ModelUnavailable (try later), ModelRefused (mend the settings), ModelAnswerUnusable (every method failed).
        """

    async def probe(self) -> None:
        """One small call that tells whether the endpoint answers; raises like `structured`."""

    def usage(self) -> Mapping[str, Usage]:
        """Usage by purpose since the start."""

    async def aclose(self) -> None: ...
