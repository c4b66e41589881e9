"""Single named values of a memory, as rows of the table `meta`."""

from __future__ import annotations

from .engine import Database, Transaction

REMAINS = "remains"
"""Counts the deletions since words were last overwritten; absent if nothing is to be overwritten.
"""


def noted(asked: Transaction | Database, name: str) -> str | None:
    """Return a value; None if it is not set."""
    found = asked.row("SELECT value FROM meta WHERE name = %s", (name,))
    return None if found is None else str(found[0])


def note(transaction: Transaction, name: str, value: str | None) -> None:
    """Set a value; None removes it."""
    if value is None:
        transaction.run("DELETE FROM meta WHERE name = %s", (name,))
        return
    statement = "INSERT INTO meta (name, value) VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    transaction.run(statement, (name, value))


def note_remains(transaction: Transaction, gone: int) -> None:
    """Record that the words of `gone` deleted records must be overwritten on the disk.

    Does nothing if `gone` is 0.
    """
    if gone:
        note(transaction, REMAINS, str(int(noted(transaction, REMAINS) or 0) + 1))
