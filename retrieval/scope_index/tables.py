"""The scopes that are held in memory: read from the store, updated by its change numbers, limited
in bytes.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from weakref import WeakValueDictionary

from ...models.embeddings.general_means import general_means
from ...stores.tables.events.store import EventStore
from ...text.speakers.borne_names import BorneNames
from .snapshot import Snapshot
from .table import BYTES_A_DIMENSION, BYTES_AN_EVENT, ScopeTable

SLICE_EVENTS = 500
"""The number of events that are read at a time (about ten milliseconds), so that recalls in other
threads get the interpreter."""
WAITED_FOR = 2_000
"""A recall does not wait for a scope with more new events than this, because it would not be read
in time."""
_FILLERS = 2
"""The number of scopes that are read at the same time, so that a small scope need not wait for a
large one."""


class ScopeTables:
    """The tables of the scopes. If `limit_bytes()` is exceeded, the least recently used are
    dropped. Safe to use from several threads.

    Every call compares the change number of the scope in the store with that of the table, so that
    changes by other processes are seen. New events are appended. After a deletion, an edit or a new
    embedding of existing events the table is read again.
    """

    def __init__(self, events: EventStore, limit_bytes: Callable[[], int]) -> None:
        self._events = events
        self._limit_bytes = limit_bytes
        self._tables: OrderedDict[str, ScopeTable] = OrderedDict()
        self._lock = threading.Lock()
        # One lock per scope, which exists while the scope is being read. No scope waits for another
        # one.
        self._filling: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
        self._fillers = ThreadPoolExecutor(_FILLERS, thread_name_prefix="historian-scopes")
        self._under_way: dict[str, Future[Snapshot]] = {}
        self.fills = 0
        self.appends = 0
        self.evictions = 0

    def snapshot(self, scope_key: str, *, rests: bool = False) -> Snapshot:
        """Return the current events of a scope. Blocking; raises StorageError. With `rests` the
        reading pauses after each slice, so that other threads can run.
        """
        change = self._events.change_number(scope_key)
        table = self._known(scope_key)
        if table is not None and table.change == change:
            return table.snapshot
        with self._filling_of(scope_key):
            table = self._known(scope_key)
            # The change number is read before the rows: events that are added in between are read
            # twice rather than never.
            change = self._events.change_number(scope_key)
            if (
                table is None
                or table.change[1] != change[1]
                or (
                    table.change != change
                    and not self._append(table, scope_key, change, rests=rests)
                )
            ):
                table = self._filled(scope_key, change, rests=rests)
            self._keep(scope_key, table)
            return table.snapshot

    def ready(self, scope_key: str, seconds: float) -> Snapshot | None:
        """Return the current events of a scope; None if they must be read from the store and
        reading takes longer than `seconds`.

        If fewer than SLICE_EVENTS events are missing from a table, they are read at once. Otherwise
        the scope is read to its end in the background, unless it is too large to be held. Blocking;
        raises StorageError.
        """
        change, table = self._events.change_number(scope_key), self._known(scope_key)
        lacking = change[0]
        if table is not None and table.change[1] == change[1]:
            lacking -= table.change[0]
            if lacking < SLICE_EVENTS:
                return self.snapshot(scope_key)
        if lacking > WAITED_FOR and self._is_too_large(lacking):
            return None
        filling = self.fill(scope_key)
        try:
            return filling.result(seconds if lacking <= WAITED_FOR else 0.0)
        except (TimeoutError, CancelledError):  # cancelled: the tables were closed
            return None

    def _is_too_large(self, events: int) -> bool:
        """Return True if this many events take more memory than the limit for all scopes."""
        model = self._events.fingerprint()
        return (
            events * (BYTES_AN_EVENT + BYTES_A_DIMENSION * (model[1] if model else 0))
            > self._limit_bytes()
        )

    def fill(self, scope_key: str) -> Future[Snapshot]:
        """Read a scope in the background and return the future. A scope that is already being read
        is not started again. After each slice the reading pauses for as long as the slice took.
        """
        with self._lock:
            filling = self._under_way.get(scope_key)
            if filling is None:
                filling = self._under_way[scope_key] = self._fillers.submit(self._fill, scope_key)
            return filling

    def close(self) -> None:
        """Start no further reading of a scope."""
        self._fillers.shutdown(wait=False, cancel_futures=True)

    def under_way(self, scope_key: str) -> Future[Snapshot] | None:
        """Return the future of a scope that is being read in the background; None if it is not
        being read.
        """
        with self._lock:
            return self._under_way.get(scope_key)

    def held(self, scope_key: str) -> Snapshot | None:
        """Return the last known snapshot of a scope without access to the store; None if the scope
        is not in memory.
        """
        table = self._known(scope_key)
        return None if table is None else table.snapshot

    def names(self, scope_key: str) -> BorneNames:
        """Return the names of the people of a scope; no names if it is not in memory."""
        table = self._known(scope_key)
        return BorneNames() if table is None else table.snapshot.borne

    @property
    def nbytes(self) -> int:
        with self._lock:
            return sum(table.nbytes for table in self._tables.values())

    def __len__(self) -> int:
        return len(self._tables)

    def clear(self) -> None:
        with self._lock:
            self._tables.clear()

    def _filling_of(self, scope_key: str) -> threading.Lock:
        with self._lock:
            return self._filling.setdefault(scope_key, threading.Lock())

    def _known(self, scope_key: str) -> ScopeTable | None:
        with self._lock:
            table = self._tables.get(scope_key)
            if table is not None:
                self._tables.move_to_end(scope_key)
            return table

    def _fill(self, scope_key: str) -> Snapshot:
        try:
            return self.snapshot(scope_key, rests=True)
        finally:
            with self._lock:
                del self._under_way[scope_key]

    def _filled(self, scope_key: str, change: tuple[int, int], *, rests: bool) -> ScopeTable:
        self.fills += 1
        for _ in range(3):  # a change of the embedding model may come in between
            model = self._events.fingerprint()
            table = ScopeTable(change, general_means(model[0]) if model else None)
            if self._append(table, scope_key, change, rests=rests):
                table.seal()
                return table
        return table

    def _append(
        self, table: ScopeTable, scope_key: str, change: tuple[int, int], *, rests: bool = False
    ) -> bool:
        """Update a table, slice by slice. Return False if the new vectors are from another
        model.
        """
        while True:
            started = time.monotonic()
            news = self._events.news(scope_key, table.sequence, table.last_row, SLICE_EVENTS)
            if not table.grow(news.rows, news.events, news.words, news.embedded, news.vectors):
                return False
            table.sequence = news.sequence
            if SLICE_EVENTS not in (len(news.rows), len(news.embedded)):
                break
            if rests:
                time.sleep(time.monotonic() - started)
        table.change = change
        self.appends += 1
        return True

    def _keep(self, scope_key: str, table: ScopeTable) -> None:
        limit = self._limit_bytes()
        with self._lock:
            self._tables[scope_key] = table
            self._tables.move_to_end(scope_key)
            total = sum(one.nbytes for one in self._tables.values())
            while total > limit and self._tables:
                _, dropped = self._tables.popitem(last=False)
                total -= dropped.nbytes
                self.evictions += 1
