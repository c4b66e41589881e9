"""The interface of an engine for the tables.

Statements have `%s` in place of values, and `= ANY(%s)` for a list of any length.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from ...schema.errors import InvalidInput, StorageError
from ...schema.protocols import Matrix, Vector

Kind = TypeVar("Kind", bound="Database")


class Transaction(Protocol):
    """A connection in a transaction."""

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[Any]: ...

    def row(self, statement: str, parameters: Sequence[Any] = ()) -> Any:
        """Return the first row of a statement, or None."""

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> int:
        """Execute one statement. Return the number of rows changed."""

    def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute one statement for each of `rows`."""

    def lock_entities(self, entities: Iterable[str], *, exclusive: bool = False) -> None:
        """Lock entities (`user:42`) until the end of the transaction: shared by writers, exclusive
        for erasure.

        A writer therefore commits before an erasure begins, or finds the tombstone.
        """

    def lock_name(self, *parts: str, shared: bool = False) -> None:
        """Take the lock of a name until the end of the transaction."""


class Database(Protocol):
    """The connections to one memory, used by the process that has opened them."""

    name: str
    """The path of the file, or the address of the server without password, for messages."""
    _closed: bool = False
    _process: int
    when_in_trouble: Callable[[], None]
    """Called in any thread on errors that suggest that the database cannot be used now.

    Must not block.
    """

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[Any]: ...

    def row(self, statement: str, parameters: Sequence[Any] = ()) -> Any:
        """Return the first row of one SELECT, or None."""
        return next(iter(self.rows(statement, parameters)), None)

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> int:
        """Execute one statement in a durable transaction. Return the number of rows changed."""
        with self.writing() as transaction:
            return transaction.run(statement, parameters)

    def reading(self) -> AbstractContextManager[Transaction]: ...

    def writing(self, *, durable: bool = True) -> AbstractContextManager[Transaction]: ...

    def truncate_log(self) -> bool:
        """Empty the log of changes, so that it holds no deleted text.

        Only if the log is a file of Historian.
        """
        return True

    def stored(self, vector: Vector) -> Any:
        """Return a vector as a parameter.

        Raises InvalidInput if it is not one-dimensional or not finite.
        """

    def vector(self, value: Any) -> Vector:
        """Return a vector from its stored form."""

    def matrix(self, values: Sequence[Any]) -> Matrix:
        """Return vectors as rows of one matrix; shape (0, 0) if there are none."""

    def close(self) -> None: ...

    def _check_usable(self) -> None:
        if self._closed:
            raise StorageError(f"{self.name}: already closed; open the service again")
        if os.getpid() != self._process:
            raise StorageError(
                f"{self.name}: opened before a fork; open it again in the new process"
            )


class OfDatabase(Generic[Kind]):
    """Base class of tables in one database."""

    def __init__(self, database: Kind) -> None:
        self._database = database


class OfOpened:
    """Base class of tables in a database that is looked up at each use.

    A lost file is then opened again.
    """

    def __init__(self, database: Callable[[], Database]) -> None:
        self._opened = database

    @property
    def _database(self) -> Database:
        return self._opened()


def lone_surrogate(error: UnicodeEncodeError) -> InvalidInput:
    """Return the error to raise in place of one that a driver raises for text that is no UTF-8."""
    character = error.object[error.start : error.end]
    return InvalidInput(f"text with a lone surrogate ({character!r}) cannot be stored")


def checked_vector(vector: Vector) -> Vector:
    """Return `vector` as float32.

    Raises InvalidInput if it is not one-dimensional or not finite.
    """
    values = np.ascontiguousarray(vector, dtype=np.float32)
    if values.ndim != 1 or not values.size:
        raise InvalidInput(f"vector: expected one dimension, got shape {values.shape}")
    if not np.isfinite(values).all():
        raise InvalidInput(
            "vector: contains NaN or infinity; check the embedding model and its settings"
        )
    return values
