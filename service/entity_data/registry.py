"""The list of all kinds of stored data, for forgetting, export, import and the redaction of
archives."""

from __future__ import annotations

from typing import Any

from ...stores.files.markdown_memory import MarkdownMemory
from ..components import Parts
from .articles import article_kinds
from .events import EventRecords
from .jobs import JobRecords
from .kinds import Kind
from .plain import CorrectionRecords, ErasedWhole, LastSummaries, MemoryFile, NoteFiles
from .profiles import ProfileRecords


def stored_kinds(parts: Parts) -> list[Kind[Any]]:
    """Return all kinds in the order of erasure: data that is read with every reply comes first.
    Archives have the same order."""
    return [
        EventRecords(parts),
        ProfileRecords(parts, parts.profiles),
        CorrectionRecords(parts),
        *article_kinds(parts),
        JobRecords(parts),
        LastSummaries(parts, parts.backend.plain_summaries),
        MemoryFile(parts, MarkdownMemory(parts.directory / "MEMORY.md")),
        NoteFiles(parts),
        ErasedWhole(parts),
    ]
