"""What stores and models promise. Nodes, retrieval and service know these and never an implementation.

Stores are synchronous and safe to call from several threads: callers on an event loop go through
`asyncio.to_thread`. Models are asynchronous.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel

from .event import Event, EventFilter, EventOutline
from .job import Job
from .profile import Profile, ProfileFilter, ProfileKey
from .scope import EntityType

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]
    """One embedding, shape (dimension,), length 1."""
    Matrix = npt.NDArray[np.float32]
    """Several embeddings, shape (n, dimension), rows of length 1."""
else:
    # numpy is imported by those who compute with it: memory that is switched off needs none.
    Vector = Matrix = Any


class ScopeNews(NamedTuple):
    """Events with their words by row (row, number of words, words as indexed), and vectors by event id, as of one moment.

    `sequence` is the number of the newest vector.
    """

    outlines: list[EventOutline]
    words: list[tuple[int, int, str]]
    ids: list[str]
    vectors: Matrix
    sequence: int


JobState = Literal["pending", "processing", "failed"]
Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """Jobs by state, and the age of the oldest pending one in seconds (0.0 when there is none)."""

    pending: int
    processing: int
    failed: int
    oldest_pending_seconds: float


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A job that was given up. `job` is None where the file was never readable; `filed` tells whether its events are stored."""

    name: str
    job: Job | None
    error: str
    failed_at: float
    filed: bool


class JobQueue(Protocol):
    """Jobs on disk: accepted means durable. Oldest first by a name that is monotonic even when the clock is not.

    A claimed job holds its entities (`Job.entities`) until `complete`, `postpone`, `release` or `fail`; jobs that share
    an entity are handed out in order, one at a time, and one that waits (`not_before`) holds back those behind it.
    """

    def put(self, job: Job) -> str:
        """Store `job` durably and return its id; the same id again changes nothing. Raises StorageError on a full disk."""

    def claim(self, now: float) -> Job | None:
        """Take the oldest job that may run at `now` (seconds since the epoch), or None."""

    def complete(self, job_id: str) -> None:
        """Forget a claimed job: all of it is filed."""

    def postpone(self, job_id: str, *, error: str, not_before: float) -> None:
        """Give a claimed job back with one more attempt counted, not to be claimed before `not_before`."""

    def release(self, job_id: str) -> None:
        """Give a claimed job back as it was (shutdown, or an outage that is not its fault)."""

    def fail(self, job_id: str, *, error: str, filed: bool) -> None:
        """Give a claimed job up; it is kept in `failed` with the error."""

    def recover(self, now: float, *, older_than: float = 0.0) -> int:
        """Give back every job found in `processing` that this queue did not claim; returns how many.

        To be called before the first claim. `older_than`: only what was claimed at least so many seconds ago.
        """

    def counts(self, now: float) -> QueueCounts: ...

    def jobs(self, state: JobState, limit: int = 1000) -> list[Job]:
        """The readable jobs of a state, oldest first."""

    def known_ids(self) -> set[str]:
        """The ids of all jobs in any state."""

    def waiting(self, scope_key: str, limit: int = 20) -> list[Job]:
        """Accepted jobs of one scope that are not filed yet (pending and processing), newest first."""

    def failed(self) -> list[FailedJob]: ...

    def retry_failed(self, job_id: str | None = None) -> int:
        """Bring one failed job back (None: all that are readable), with attempts reset; returns how many."""

    def discard(self, matches: Callable[[Job], bool]) -> int:
        """Remove pending and failed jobs for which `matches` holds; returns how many."""

    def amend(self, change: Callable[[Job], Job | None]) -> int:
        """Rewrite pending and failed jobs as `change` says (None: remove); returns how many were changed or removed."""

    def discard_unreadable(self, matches: Callable[[bytes], bool]) -> int:
        """Remove files among the failed ones that are no jobs, if their content matches; returns how many."""

    def cleanup(self, now: float, *, max_age_days: float, max_files: int) -> int:
        """Remove old failed jobs, but only those that are filed or were never readable; returns how many."""


class EventStore(Protocol):
    """Events with their vectors and keywords: the truth. One transaction a job."""

    def file_job(self, job_id: str, events: Sequence[Event], vectors: Sequence[Vector | None]) -> bool:
        """Store all events of a job at once. False, and nothing changed, where that job was filed before or is forgotten."""

    def file_new(self, events: Sequence[Event], vectors: Sequence[Vector | None]) -> list[str]:
        """Store, in one transaction, those events whose ids are not there yet (ids made from the content); gives their ids.

        Nothing of people who were forgotten at the events' time or later is stored.
        """

    def is_filed(self, job_id: str) -> bool: ...

    def get(self, event_ids: Sequence[str]) -> list[Event]:
        """The events that exist, in the order asked for."""

    def at_rows(self, rows: Sequence[int]) -> list[Event]:
        """The events that stand at these rows (`EventOutline.row`), in no order: a sixth of the time that `get` takes."""

    def find(self, where: EventFilter, *, limit: int = 100, newest_first: bool = True) -> list[Event]: ...

    def search_keywords(self, query: str, where: EventFilter, limit: int) -> list[tuple[str, float]]:
        """Event ids with their BM25 scores (higher is better), best first. Never raises on what a user typed."""

    def vectors(self, where: EventFilter) -> tuple[list[str], Matrix]:
        """Ids and embeddings of the matching events that are embedded; shape (0, 0) when there are none."""

    def news(self, scope_key: str, after_sequence: int, after_row: int) -> ScopeNews:
        """What a scope's copy in memory lacks, all of one moment: events after a row, vectors after a sequence number.

        An event that is embedded long after it was filed gets a new sequence number then; 0 and 0 give all.
        """

    def change_number(self, scope_key: str) -> tuple[int, int]:
        """(additions, removals) of a scope since its beginning: a moved second number makes caches of it stale."""

    def edit(self, event_id: str, text: str, vector: Vector | None) -> bool: ...

    def delete(self, event_ids: Sequence[str]) -> int: ...

    def without_vector(self, limit: int) -> list[Event]:
        """Events that still want an embedding, oldest first."""

    def set_vectors(self, event_ids: Sequence[str], vectors: Sequence[Vector]) -> None: ...

    def unindexed(self, limit: int) -> tuple[list[tuple[Event, Vector]], list[str]]:
        """What the derived vector index lacks (events with vectors) and what it must drop (event ids)."""

    def mark_indexed(self, added: Sequence[str], dropped: Sequence[str]) -> None: ...

    def reindex_all(self) -> None:
        """Say that the derived index holds nothing (it was lost or rebuilt)."""

    def fingerprint(self) -> tuple[str, int] | None:
        """(model, dimension) of the stored vectors; None while there are none."""

    def set_fingerprint(self, model: str, dimension: int) -> None:
        """Remember the model; raises FingerprintMismatch where another one is on record."""

    def count(self, where: EventFilter | None = None) -> int: ...

    def embedded_count(self) -> int:
        """How many events have a vector: what the derived index should hold."""

    def clear_vectors(self) -> None:
        """Drop all vectors, of profiles too, and the fingerprint: the first step of embedding with another model."""

    def forget(
        self,
        where: EventFilter,
        *,
        job_ids: Sequence[str] = (),
        entities: Sequence[str] = (),
        until: float = ...,
    ) -> int:
        """Delete the matching events for good; returns how many.

        Jobs among `job_ids`, and jobs of `entities` (keys as in `Job.entities`) at `until` or before (seconds since the
        epoch), are not filed any more, however late they come.
        """

    def is_forgotten(self, job_id: str, entities: Iterable[str] = (), timestamp: float = 0.0) -> bool:
        """Whether a job, or one of its entities at its time, was forgotten: then nothing of it may be written."""

    def tidy(self) -> bool:
        """A bit of idle work that makes searches faster; False when nothing is left to do."""

    def checkpoint(self) -> bool:
        """Idle work: bring what was written last into its final place on disk; False where that must wait."""

    def scopes(self) -> list[tuple[str, int]]:
        """Scope keys and how many events each holds."""

    def close(self) -> None: ...


class VectorIndex(Protocol):
    """A derived nearest-neighbour index. It can be rebuilt from the truth at any time."""

    def upsert(self, ids: Sequence[str], vectors: Sequence[Vector], metadatas: Sequence[Mapping[str, Any]]) -> None: ...

    def delete(self, ids: Sequence[str]) -> None: ...

    def query(self, vector: Vector, limit: int, where: Mapping[str, Any] | None = None) -> list[tuple[str, float]]:
        """Ids with cosine similarities (1.0 is the same direction), best first."""

    def count(self) -> int: ...

    def reset(self) -> None: ...

    def close(self) -> None: ...


class Ledger(Protocol):
    """Which jobs were applied to which profile. A pair, once added, is there when `add` returns."""

    def has(self, entity_key: str, job_id: str) -> bool: ...

    def add(self, entity_key: str, job_id: str) -> None:
        """Note that a job was applied; a second time changes nothing."""


class ProfileStorage(Protocol):
    """Profiles, with revisions. Writers compare and swap."""

    def read(self, key: ProfileKey) -> Profile | None: ...

    def write(self, profile: Profile, *, expected_revision: int, job_id: str = "", now: str) -> Profile:
        """Write `profile` as revision `expected_revision + 1` and return it.

        Raises RevisionConflict where the stored revision is another one. With a `job_id` that was applied to this key
        before, nothing is written and the stored profile is returned.
        """

    def is_applied(self, key: ProfileKey, job_id: str) -> bool: ...

    def layers(self, entity_type: EntityType, entity_id: str) -> list[str]: ...

    def keys(self) -> list[ProfileKey]: ...

    def history(self, key: ProfileKey) -> list[Profile]:
        """The kept earlier revisions, newest first."""

    def rollback(self, key: ProfileKey, revision: int, *, now: str, job_id: str = "") -> Profile:
        """Write the content of an earlier revision as a new one; a `job_id` as in `write`.

        Raises InvalidInput, naming the revisions that are kept, where that one is not.
        """

    def sweep(self) -> int:
        """Remove what writers that were killed left half-written; returns how many files. For the owner, at start."""

    def delete(self, key: ProfileKey) -> bool:
        """Remove a profile with its history."""

    def erase(self, entity_type: EntityType, entity_id: str, layers_of_users: str = "") -> int:
        """Remove all profiles of an entity with their history, and one layer of all users; returns how many files.

        For good: what cannot be read goes too.
        """

    def restore(self, revisions: Sequence[Profile]) -> Literal["restored", "same", "different"]:
        """Put back the revisions of one profile, oldest first, where there is none; one that is there stays as it is."""

    def kept(self, key: ProfileKey) -> list[Profile]:
        """The current profile and its kept revisions."""

    def without_lines(self, key: ProfileKey, unwanted: Callable[[str], bool], *, now: str) -> int:
        """Take lines out of a profile and of its history for good; returns how many."""


class ProfileIndex(Protocol):
    """Search over profiles: texts, keywords and vectors by (key, revision). Derived from the profiles."""

    def put(self, profile: Profile, vector: Vector | None) -> None: ...

    def delete(self, key: ProfileKey) -> None: ...

    def stale(self, profiles: Sequence[Profile]) -> list[Profile]:
        """Those whose revision is not indexed yet, or was indexed without a vector."""

    def search_keywords(self, query: str, limit: int, where: ProfileFilter | None = None) -> list[tuple[ProfileKey, float]]:
        """Keys of the profiles that `where` admits with BM25 scores (higher is better), best first. Never raises on a query."""

    def vectors(self, where: ProfileFilter | None = None) -> tuple[list[ProfileKey], Matrix]:
        """Keys and embeddings of the profiles that `where` admits and that are embedded; shape (0, 0) when there are none."""

    def unindexed(self, limit: int) -> tuple[list[tuple[ProfileKey, Vector]], list[str]]:
        """What the derived vector index lacks (profiles with vectors) and what it must drop (`ProfileKey.index_id`)."""

    def mark_indexed(self, ids: Sequence[str]) -> None: ...

    def reindex_all(self) -> None: ...

    def embedded_count(self) -> int: ...


class Embedder(Protocol):
    """Texts to unit vectors. `model` names what made them; `dimension` is known after the first call at the latest."""

    @property
    def model(self) -> str: ...

    @property
    def dimension(self) -> int | None: ...

    @property
    def is_remote(self) -> bool: ...

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """One row a text, in order. Raises ModelUnavailable, ModelRefused or ModelAnswerUnusable (no usable vectors)."""

    async def embed_query(self, text: str) -> Vector:
        """As `embed_documents`; goes ahead of documents that wait."""

    async def aclose(self) -> None: ...


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
    """One configured chat model with its structured-output ladder."""

    @property
    def model(self) -> str: ...

    async def structured(self, answer: type[Answer], *, purpose: str, system: str, user: str) -> Answer:
        """One answer in the form of `answer` (its name and docstring become the tool's).

        Raises ModelUnavailable (try later), ModelRefused (mend the settings), ModelAnswerUnusable (every rung failed).
        """

    async def probe(self) -> None:
        """One small call that tells whether the endpoint answers; raises like `structured`."""

    def usage(self) -> Mapping[str, Usage]:
        """Usage by purpose since the start."""

    async def aclose(self) -> None: ...


class Reranker(Protocol):
    """Orders texts by how well they answer a query."""

    @property
    def model(self) -> str: ...

    async def rerank(self, query: str, documents: Sequence[str], top_n: int) -> list[tuple[int, float]]:
        """At most `top_n` pairs of (index in `documents`, score), best first; each index once.

        Documents that the endpoint does not mention are left out. Raises ModelUnavailable, ModelRefused or
        ModelAnswerUnusable.
        """

    async def aclose(self) -> None: ...
