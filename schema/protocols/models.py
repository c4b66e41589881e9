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

    Tokens are as reported by the server; 0 if it reports none. For embeddings and reranking the characters sent are counted then.
    `taken` and `refused` are items of the answers that the checks took and refused, `refused_by_provider` questions whose
    content the model or its provider declined.
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
    """Told by whoever verifies a model's answer how many of its items were taken and refused."""

    def __call__(self, purpose: str, *, taken: int, refused: int) -> None:
        """Count the items of one answer to a call of `purpose`."""


def not_judged(purpose: str, *, taken: int, refused: int) -> None:
    """Count nothing: there is no model, or none that is rested."""


class StructuredChat(Protocol):
    """What a node asks: a chat model, or one that stands before it."""

    async def structured(self, answer: type[Answer], *, purpose: str, system: str, user: str) -> Answer:
        """Return one answer of type `answer`, whose name and docstring describe the tool.

        Raises ModelUnavailable (retry later), ModelRefused (check the settings), ModelAnswerUnusable (every method
        failed), ModelRested (most items of its answers were refused).
        """


class ChatModel(StructuredChat, Protocol):
    """One configured chat model with structured output."""

    @property
    def model(self) -> str: ...

    async def probe(self) -> None:
        """Test the endpoint by one small call. Raises as `structured`."""

    def usage(self) -> Mapping[str, Usage]:
        """Return the usage by purpose since the start."""

    def judged(self, purpose: str, *, taken: int, refused: int) -> None:
        """Count the items of one answer that its checks took and refused. A model of which most are refused is rested."""

    def resting(self) -> Mapping[str, float]:
        """Return the seconds that the model is rested, by purpose."""

    async def aclose(self) -> None: ...


Fingerprint = tuple[str, int]
"""(model, dimension)."""


class Fingerprints(Protocol):
    """The model that has made the stored vectors."""

    def fingerprint(self) -> Fingerprint | None:
        """Return the model of the stored vectors; None if there are none."""

    def set_fingerprint(self, model: str, dimension: int) -> None:
        """Store the model. Raises FingerprintMismatch if another one is stored."""


class Embedder(Protocol):
    """Converts texts to unit vectors. `dimension` is None at most until the first call returned."""

    @property
    def model(self) -> str: ...

    @property
    def dimension(self) -> int | None: ...

    @property
    def is_remote(self) -> bool: ...

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text, in order. Raises ModelUnavailable, ModelRefused or ModelAnswerUnusable."""

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of one text, with priority over waiting documents. Raises as `embed_documents`."""

    async def aclose(self) -> None: ...


class Reranker(Protocol):
    """Orders texts by relevance to a query."""

    @property
    def model(self) -> str: ...

    async def rerank(
        self, query: str, documents: Sequence[str], top_n: int, until: float | None = None
    ) -> list[tuple[int, float]]:
        """Return at most `top_n` pairs of (index in `documents`, score), best first; each index once.

        Documents that the endpoint omits are omitted. The caller gives up, and cancels the call, at `until`, a time of the
        running loop; one that is cancelled before was not late. Raises ModelUnavailable, ModelRefused or ModelAnswerUnusable.
        """

    async def aclose(self) -> None: ...
