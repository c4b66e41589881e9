"""The registry of all kinds of stored data, which forgetting, export, import and redaction of archives walk."""

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
    """Return all kinds in the order of erasure: data read with every reply comes first. Archives have it in this order too."""
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
