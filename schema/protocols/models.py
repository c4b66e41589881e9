"""The chat model, the embedding model with its vectors, and the reranker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pydantic import BaseModel

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]
    """One embedding, shape (dimension,), length 1."""
    Matrix = npt.NDArray[np.float32]
    """Several embeddings, shape (n, dimension), rows of length 1."""
else:
    # numpy is imported only where it is used: disabled memory does not need it.
    Vector = Matrix = Any

Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of one purpose: answered calls, tokens in and out, seconds waited, failed calls.

    Tokens are as reported by the server, 0 if it reports none; for embeddings and reranking the
    characters sent are then counted. `taken` and `refused` are items of the answers that the checks
    accepted and refused. `refused_by_provider` counts requests whose content the model or its
    provider declined.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    failed_calls: int = 0
    characters: int = 0
    taken: int = 0
    refused: int = 0
    refused_by_provider: int = 0


class Judged(Protocol):
    """A callback that counts how many items of a model's answer were accepted and refused by the
    checks.
    """

    def __call__(self, purpose: str, *, taken: int, refused: int) -> None:
        """Count the items of one answer to a call of `purpose`."""


def not_judged(purpose: str, *, taken: int, refused: int) -> None:
    """Count nothing. Used if there is no model, or if the model is never rested."""


class StructuredChat(Protocol):
    """The model interface that nodes call: a chat model, or a wrapper of one."""

    async def structured(
        self, answer: type[Answer], *, purpose: str, system: str, user: str
    ) -> Answer:
        """Return one answer of type `answer`, whose name and docstring describe the tool.

        Raises ModelUnavailable (retry later), ModelRefused (check the settings),
        ModelAnswerUnusable (every method failed), ModelRested (most items of its answers were
        refused).
        """


class ChatModel(StructuredChat, Protocol):
    """One configured chat model with structured output."""

    @property
    def model(self) -> str: ...

    async def probe(self) -> None:
        """Test the endpoint with one small call. Raises the errors of `structured`."""

    def usage(self) -> Mapping[str, Usage]:
        """Return the usage by purpose since the start."""

    def judged(self, purpose: str, *, taken: int, refused: int) -> None:
        """Count the items of one answer that the checks accepted and refused. If most items are
        refused, the model is rested.
        """

    def resting(self) -> Mapping[str, float]:
        """Return the number of seconds for which the model is rested, by purpose."""

    async def aclose(self) -> None: ...


Fingerprint = tuple[str, int]
"""(model, dimension)."""


class Fingerprints(Protocol):
    """The model from which the stored vectors come."""

    def fingerprint(self) -> Fingerprint | None:
        """Return the model of the stored vectors; None if there are none."""

    def set_fingerprint(self, model: str, dimension: int) -> None:
        """Store the model. Raises FingerprintMismatch if another one is stored."""


class Embedder(Protocol):
    """Converts texts to unit vectors. `dimension` may be None until the first call has returned."""

    @property
    def model(self) -> str: ...

    @property
    def dimension(self) -> int | None: ...

    @property
    def is_remote(self) -> bool: ...

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text, in order. Raises ModelUnavailable, ModelRefused or ModelAnswerUnusable."""

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of one text, with priority over waiting documents. Raises the errors of
        `embed_documents`.
        """

    async def aclose(self) -> None: ...


class Reranker(Protocol):
    """Orders texts by relevance to a query."""

    @property
    def model(self) -> str: ...

    async def rerank(
        self, query: str, documents: Sequence[str], top_n: int, until: float | None = None
    ) -> list[tuple[int, float]]:
        """Return at most `top_n` pairs of (index in `documents`, score), best first; each index
        once.

        Documents that the endpoint omits are omitted. `until` is a time of the running loop at
        which the caller stops waiting and cancels the call; a call that is cancelled earlier does
        not count as late. Raises ModelUnavailable, ModelRefused or ModelAnswerUnusable.
        """

    async def aclose(self) -> None: ...
