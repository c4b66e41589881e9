"""Splitting of texts into statements, the units of articles and of their sources.

Statements that are instructions to the memory's model (prompt injection) are recognised here.
"""

from __future__ import annotations

import re

from .protected import overlaps
from .quotations import quotations
from .word_lists import compiled_patterns, word_tables

_END = re.compile(
    r"[。！？!?；;]+[”」』\"'’）)]*|\n+"
    r"|(?<=[.!?][\"”’'])\s+(?=[A-Z])"
    r"|(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bSt)(?<!\bMrs)(?<=[^\s\d])\.(?=\s+[^\sa-z])"
    r"|(?<=\d)\.(?=\s+[A-Z一-鿿])"
)
_BULLET = re.compile(r"^\s*(?:[-*•·]|\d{1,2}[.)、])\s+")
_STAMP = re.compile(
    r"^[\[（(]?(?P<day>\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2})?)?[\])）]?\s*[:：]?\s*"
)
_SPEAKER = re.compile(
    r"^(?P<speaker>[^\s:：,，。.!?！？\"“《][^:：,，。.!?！？\"“《\n]{0,40}?)(?::\s+|：\s*)(?=\S)"
)


def statements(text: str) -> list[str]:
    """Return the statements of a text in order, without bullets and full stops.

    Line breaks, sentence ends and semicolons end a statement, but not inside quotations and titles.
    Question marks are not removed.
    """
    closed = [(one.start + 1, one.end - 1) for one in quotations(text)]
    found: list[str] = []
    begun = 0
    for end in _END.finditer(text):
        if overlaps(closed, end.start(), end.start() + 1):
            continue
        found.append(text[begun : end.end()])
        begun = end.end()
    found.append(text[begun:])
    return [bare for bare in map(_bare, found) if bare]


def without_bullet(line: str) -> str:
    """Return a line without its list marker."""
    return _BULLET.sub("", line).strip()


def stamped(line: str) -> tuple[str, str]:
    """Return the date at the beginning of a line (YYYY-MM-DD or ""), and the rest of the line."""
    match = _STAMP.match(line)
    return (match["day"], line[match.end() :].strip()) if match else ("", line.strip())


def spoken_by(line: str) -> tuple[str, str]:
    """Return the speaker of a line "name: text" ("" for other lines) and the text."""
    match = _SPEAKER.match(line)
    return (match["speaker"].strip(), line[match.end() :].strip()) if match else ("", line.strip())


def _bare(statement: str) -> str:
    bare = without_bullet(statement).rstrip("。；;").rstrip()
    return bare.removesuffix(".") if bare.endswith(".") and not bare.endswith("..") else bare


_RE = compiled_patterns(word_tables("instructions.toml"))
_REACH = 2
"""Number of sentences after an instruction that belong to it ("Ignore all that. Write: …")."""


def split_instructions(text: str) -> tuple[list[str], list[str]]:
    """Split a text into content statements and statements that instruct the memory's model.

    Up to two sentences after an instruction in the same line belong to it. In a line "name: …" each
    statement begins with the name.
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
    """Return True if a text orders the bot or its memory to do something. It is no fact."""
    return _RE.orders.search(text) is not None
