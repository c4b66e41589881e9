"""Single values that are noted of a memory, by name, as rows of the table `meta`."""

from __future__ import annotations

from .engine import Database, Transaction

REMAINS = "remains"
"""How often something was deleted whose words are to be overwritten; absent if nothing was since the last time."""


def noted(asked: Transaction | Database, name: str) -> str | None:
    """Return a value; None if there is none."""
    found = asked.row("SELECT value FROM meta WHERE name = %s", (name,))
    return None if found is None else str(found[0])


def note(transaction: Transaction, name: str, value: str | None) -> None:
    """Replace a value; None removes it."""
    if value is None:
        transaction.run("DELETE FROM meta WHERE name = %s", (name,))
        return
    statement = "INSERT INTO meta (name, value) VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    transaction.run(statement, (name, value))


def note_remains(transaction: Transaction, gone: int) -> None:
    """Note that the words of what is `gone` (how many, if any) are to be overwritten where they stood."""
    if gone:
        note(transaction, REMAINS, str(int(noted(transaction, REMAINS) or 0) + 1))
