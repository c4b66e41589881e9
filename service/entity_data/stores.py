"""The list of all stores with data of entities, used by forgetting, export, import and redaction of archives."""

from __future__ import annotations

from typing import Any

from ...schema.protocols.entity_data import EntityData, Member
from ..components import Parts
from .articles import ArticleData
from .events import EventData, NoteData
from .jobs import JobData
from .plain_files import MemoryFileData, PlainSummaryData, WholeFileData
from .profiles import ProfileData


def entity_stores(parts: Parts) -> list[EntityData]:
    """Return all stores in the order of erasure: data read with every reply comes first."""
    return [
        EventData(parts),
        ProfileData(parts),
        ArticleData(parts),
        JobData(parts),
        PlainSummaryData(parts),
        MemoryFileData(parts),
        NoteData(parts),
        WholeFileData(parts),
    ]


def archive_members(parts: Parts) -> list[Member[Any]]:
    """Return all archive members in the order of import."""
    return [member for store in entity_stores(parts) for member in store.members]
