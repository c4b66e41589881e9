"""The rows of a memory, as they are moved from one backend to another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

Row = tuple[Any, ...]
"""The values of one row: text, numbers, booleans, None, lists of text, vectors as arrays."""


class Contents(Protocol):
    """The tables that every backend has alike, with the numbers of their rows. What is kept as documents is not among them."""

    def tables(self) -> Sequence[str]:
        """Return the names of the tables in the order in which they are moved."""

    def count(self, table: str) -> int: ...

    def read(self, table: str, after: Row | None, limit: int) -> list[Row]:
        """Return the next rows behind a key (`key_of`), in the order of their keys."""

    def key_of(self, table: str, row: Row) -> Row:
        """Return the key of a row: text and numbers."""

    def write(self, table: str, rows: Sequence[Row], mark: str) -> None:
        """Store rows, with the words of events, and the mark, in one transaction. Rows that are there stay as they are."""

    def mark(self) -> str:
        """Return what was noted last of a move to this memory; empty if there was none."""

    def finish(self, mark: str) -> None:
        """Note that all rows have arrived: new ones are numbered behind them, and derived indexes are made anew."""
