"""Calls, tokens and seconds of models, by purpose."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass

from ..schema.protocols import Usage

EMBEDDING, RERANK = "embedding", "rerank"
"""The purposes of calls that are not made by the chat model."""


@dataclass
class Reported:
    """The numbers of sent and answered tokens of a call as reported by the server; 0 if unknown."""

    tokens: int = 0
    answered: int = 0

    def note(self, *numbers: object) -> None:
        """Add the first valid number of tokens among `numbers` to the sent tokens of this call."""
        self.tokens += next((number for number in numbers if type(number) is int and number > 0), 0)


_CALL: ContextVar[Reported | None] = ContextVar("historian_call", default=None)


def note_tokens(*numbers: object) -> None:
    """Add the tokens of the current call, for clients that do not return them."""
    if (call := _CALL.get()) is not None:
        call.note(*numbers)


class UsageMeter:
    """Counts calls, tokens and seconds by purpose. Safe to use from several threads."""

    def __init__(self) -> None:
        self._by_purpose: dict[str, Usage] = {}
        self._lock = threading.Lock()

    def count(self, purpose: str, **more: float) -> None:
        """Add numbers to the fields of `Usage` for a purpose.

        A failed call is one without an answer. Tokens are as counted by the server.
        """
        with self._lock:
            so_far = asdict(self._by_purpose.get(purpose, Usage()))
            self._by_purpose[purpose] = Usage(
                **{name: value + more.get(name, 0) for name, value in so_far.items()}
            )

    @asynccontextmanager
    async def call(self, purpose: str, characters: int = 0) -> AsyncIterator[Reported]:
        """Count one call, answered or failed.

        The tokens in the yielded `Reported` are counted, or else the sent `characters`.
        """
        started, reported = time.monotonic(), Reported()
        token = _CALL.set(reported)
        try:
            yield reported
        except BaseException:
            self.count(purpose, failed_calls=1, seconds=time.monotonic() - started)
            raise
        finally:
            _CALL.reset(token)
        told = {"prompt_tokens": reported.tokens} if reported.tokens else {"characters": characters}
        self.count(
            purpose,
            calls=1,
            seconds=time.monotonic() - started,
            completion_tokens=reported.answered,
            **told,
        )

    def by_purpose(self) -> Mapping[str, Usage]:
        with self._lock:
            return dict(self._by_purpose)
