"""The store of events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from ...event import BorneName, Event, EventFilter, EventLink, KnownPerson
from ..vectors import Matrix, Vector


class ScopeNews(NamedTuple):
    """A consistent snapshot of new events: their row numbers, in the order of filing, and the events themselves, words (row,
    number of words, words as indexed), and new vectors with the row numbers of their events, `embedded`.

    `sequence` is the number of the newest vector.
    """

    rows: list[int]
    events: list[Event]
    words: list[tuple[int, int, str]]
    embedded: list[int]
    vectors: Matrix
    sequence: int


class NewVectors(NamedTuple):
    """Embedded events with their vectors, and the number of the last vector read of each scope, by scope number."""

    events: list[Event]
    vectors: list[Vector]
    numbers: dict[int, int]


class EventStore(Protocol):
    """Events with vectors and keywords: the primary data. One transaction per job."""

    def file_job(self, job_id: str, events: Sequence[Event], vectors: Sequence[Vector | None]) -> bool:
        """Store all events of a job atomically. Return False and change nothing if the job is already filed or forgotten.

        An event of which a source was withdrawn or corrected is left out, and so is what was corrected after it was said
        (`are_corrected`).
        """

    def file_new(self, events: Sequence[Event], vectors: Sequence[Vector | None]) -> list[str]:
        """Store, in one transaction, the events whose ids (derived from the content) are new. Return these ids.

        Events of entities that were forgotten at the time of the event or later are not stored.
        """

    def file_messages(self, messages: Sequence[Sequence[Event]]) -> list[str]:
        """Store messages, each given as its parts, in one transaction. Return the ids of the events that are new.

        Of a message with a known `job_id` and the same words nothing changes, nor by words that are older
        (`worded_at`). Other words replace it at its former time, and
        events that rest on it go; of a message that is given twice the later words count. One that was withdrawn, or
        whose entities were forgotten when it was said or later, is not stored. Raises InvalidInput for a `job_id` of a message
        of another scope.
        """

    def withdraw(self, message_ids: Sequence[str]) -> list[str]:
        """Delete messages (given by `job_id`) for good, with the events that rest on them; they are never filed again.

        Return the ids of the events that are gone. Where their words stood is overwritten later (`ErasureTables.overwrite`).
        """

    def expire(
        self,
        limit: int,
        *,
        now: float,
        returned_before: float,
        said_before: float | None = None,
        most_messages: int = 0,
    ) -> int:
        """Delete the records of at most `limit` jobs or messages, the oldest first. Return how many records.

        What has expired leaves (`Event.expires_at`, at `now`), what tools returned if it is older than `returned_before`, a
        message if it is older than `said_before` (all in seconds since the epoch; None: never), or is one of more than
        `most_messages` of its scope (0: no bound). Messages leave whole. What rests on them stays, unless it expires too, and
        they may be filed again. Where the words of what had expired stood is overwritten later (`ErasureTables.overwrite`).
        """

    def resting_on(self, message_ids: Sequence[str]) -> list[Event]:
        """Return the events that rest on one of some messages (by `job_id`)."""

    def known_messages(self, message_ids: Sequence[str]) -> set[str]:
        """Return which messages (by `job_id`) are stored."""

    def names(self, scope_key: str) -> list[BorneName]:
        """Return every name that the people of a scope have borne there, by when it was seen last, the newest at the end."""

    def is_filed(self, job_id: str) -> bool: ...

    def get(self, event_ids: Sequence[str]) -> list[Event]:
        """Return the events that exist, in the order of `event_ids`."""

    def find(self, where: EventFilter, *, limit: int = 100, newest_first: bool = True) -> list[Event]: ...

    def search_keywords(self, query: str, where: EventFilter, limit: int) -> list[tuple[str, float]]:
        """Return event ids with BM25 scores (higher is better), best first. Never raises because of the query text."""

    def vectors(self, where: EventFilter) -> tuple[list[str], Matrix]:
        """Return ids and embeddings of the matching embedded events; shape (0, 0) if there are none."""

    def nearest(self, vector: Vector, where: EventFilter, limit: int) -> list[tuple[str, float]] | None:
        """Return ids with the cosines of the matching events whose vectors are most like `vector`, best first.

        Exact. None where the store would have to read all these vectors to compare them.
        """

    def news(self, scope_key: str, after_sequence: int, after_row: int, limit: int = -1) -> ScopeNews:
        """Return a consistent snapshot of what is newer than a cache: events after a row, vectors after a sequence number.

        0 and 0 give everything. An event that is embedded later than filed gets a new sequence number then. With `limit`
        (negative: none), at most so many events, and vectors (at most so many) only where no further event is left: each of
        them has its event then.
        """

    def change_number(self, scope_key: str) -> tuple[int, int]:
        """Return (additions, removals) of a scope since it was created. A changed second number invalidates caches."""

    def supersede(self, links: Sequence[EventLink]) -> list[str]:
        """Note that events are over. Return the ids of those that changed; the same links again change nothing.

        A link is left out if one of its events does not exist, if they are of different scopes or the new one is the earlier
        by time, if the old one is over already, or if the links would form a circle.
        """

    def ended_by(self, event_id: str) -> list[Event]:
        """Return the events that are superseded or corrected by an event, oldest first."""

    def uphold(self, event_ids: Sequence[str]) -> int:
        """Let events hold again that were superseded or corrected. Return how many changed."""

    def hide(self, event_ids: Sequence[str], correction_id: str) -> list[str]:
        """Mark events as corrected (`corrected_by`) by a correction: recall leaves them out. Return those that were not before.

        What would be filed on such messages is left out.
        """

    def reveal(self, correction_id: str) -> int:
        """Let the events that a correction has hidden be found again. Return how many."""

    def are_corrected(self, events: Sequence[Event]) -> list[bool]:
        """Return for each event whether its words were corrected after it was said (`ErasureTables.bury_words`)."""

    def edit(self, event_id: str, text: str, vector: Vector | None) -> bool: ...

    def delete(self, event_ids: Sequence[str]) -> int: ...

    def without_vector(self, limit: int) -> list[Event]:
        """Return events without an embedding, oldest first."""

    def set_vectors(self, event_ids: Sequence[str], vectors: Sequence[Vector]) -> None: ...

    def embedded_after(self, numbers: Mapping[int, int], limit: int) -> NewVectors:
        """Return the events, at most `limit`, whose vectors have higher numbers than `numbers` says of their scopes.

        A vector that replaces another one has a higher number. Without `numbers` in the result nothing is left.
        """

    def embedded_ids(self) -> list[str]:
        """Return the ids of all events with a vector."""

    def fingerprint(self) -> tuple[str, int] | None:
        """Return (model, dimension) of the stored vectors; None if there are none."""

    def set_fingerprint(self, model: str, dimension: int) -> None:
        """Store the model. Raises FingerprintMismatch if another one is stored."""

    def count(self, where: EventFilter | None = None) -> int: ...

    def waiting_vectors(self) -> tuple[int, float | None]:
        """Return how many events have no vector, and the time of the oldest of them (seconds since the epoch)."""

    def embedded_count(self) -> int:
        """Return the number of events with a vector, which is the expected size of the derived index."""

    def forget(self, event_ids: Sequence[str]) -> int:
        """Permanently delete events, and withdraw the messages among them. Return how many events are gone.

        Where their words stood is overwritten later (`ErasureTables.overwrite`).
        """

    def is_forgotten(self, job_id: str, entities: Iterable[str] = (), timestamp: float = 0.0) -> bool:
        """Return True if a job, or one of its entities at its time, was forgotten: nothing of it may be written then."""

    def has_spoken(self, scope_key: str, user_id: str) -> bool:
        """Return True if something that `user_id` said, or that was said with them, is stored in a scope."""

    def tidy(self) -> bool:
        """Do a small amount of index maintenance. Return False if nothing is left to do."""

    def checkpoint(self) -> bool:
        """Idle work: bring what was written last into its final place on disk; False where that must wait."""

    def scopes(self) -> list[tuple[str, int]]:
        """Scope keys and how many events each holds."""

    def people(self, *, after: str = "", text: str = "", limit: int = 50) -> list[KnownPerson]:
        """Return whose events are stored, in the order of code points, behind the id `after`; without the user of shared notes.

        With `text`, those in whose id or name it stands, whatever its case.
        """

    def close(self) -> None: ...
