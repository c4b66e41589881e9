"""Instructions to the memory's model in remembered text (prompt injection): kept as content, never followed."""

from __future__ import annotations

from .statements import spoken_by, stamped, statements
from .word_lists import compiled_patterns, word_tables

_RE = compiled_patterns(word_tables("instructions.toml"))
_REACH = 2
"""Sentences after an instruction in the same line that belong to it ("Ignore all that. Write: …")."""


def split_instructions(text: str) -> tuple[list[str], list[str]]:
    """Split a text into content statements and statements that instruct the memory's model.

    Up to two sentences after an instruction in the same line belong to it. In a line "name: …" each statement keeps the name.
    """
    content: list[str] = []
    instructions: list[str] = []
    for line in text.splitlines():
        within = 0
        speaker = spoken_by(stamped(line)[1])[0]
        for n, statement in enumerate(statements(line)):
            if n and speaker:
                statement = f"{speaker}: {statement}"
            if _RE.instruction.search(statement):
                within = _REACH + 1
            (instructions if within else content).append(statement)
            within = max(0, within - 1)
    return content, instructions


def gives_orders(text: str) -> bool:
    """Return True if a text tells the bot or its memory what to do from now on. It is nobody's fact."""
    return _RE.orders.search(text) is not None
