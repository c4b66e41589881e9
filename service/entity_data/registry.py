"""The registry of all kinds of stored data, which forgetting, export, import and redaction of archives walk."""

from __future__ import annotations

from typing import Any

from ..components import Parts
from .articles import article_kinds
from .events import Events
from .jobs import Jobs
from .kinds import Kind
from .plain import Corrections, ErasedWhole, LastSummaries, MemoryFile, NoteFiles
from .profiles import Profiles


def stored_kinds(parts: Parts) -> list[Kind[Any]]:
    """Return all kinds in the order of erasure: data read with every reply comes first. Archives have it in this order too."""
    return [
        Events(parts),
        Profiles(parts),
        Corrections(parts),
        *article_kinds(parts),
        Jobs(parts),
        LastSummaries(parts),
        MemoryFile(parts),
        NoteFiles(parts),
        ErasedWhole(parts),
    ]
