"""The list of all stores with data of entities, used by forgetting, export, import and redaction of archives."""

from __future__ import annotations

from typing import Any

from ...stores.files.markdown_memory import MarkdownMemory
from ..components import Parts
from .articles import ArticleData
from .corrections import CorrectionData
from .events import EventData
from .jobs import JobData
from .members import EntityData, Member
from .plain_files import ErasedData, MemoryFileData, PlainSummaryData
from .profiles import ProfileData


def entity_stores(parts: Parts) -> list[EntityData]:
    """Return all stores in the order of erasure: data read with every reply comes first."""
    return [
        EventData(parts),
        ProfileData(parts),
        CorrectionData(parts),
        ArticleData(parts),
        JobData(parts),
        PlainSummaryData(parts, parts.backend.plain_summaries),
        MemoryFileData(parts, MarkdownMemory(parts.directory / "MEMORY.md")),
        # The manifest of notes: their texts are events; the files themselves are not changed.
        ErasedData("note files", lambda traces: parts.backend.erasure.erase_notes(traces.entity.scope.key)),
        # A lost checkpoint costs a model call; what damaged files hold is not known.
        ErasedData("checkpoint and damaged files", lambda _: parts.backend.erasure.erase_whole()),
    ]


def archive_members(parts: Parts) -> list[Member[Any]]:
    """Return all archive members in the order of import."""
    return [member for store in entity_stores(parts) for member in store.members]
