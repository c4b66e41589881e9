"""The one list of what is kept of people. Forgetting, export, import and redaction of archives walk it."""

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
    """Everything that is kept of people, in the order in which it is erased: what is read with every reply comes first."""
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
    """Everything that an archive carries, in the order in which it is brought back."""
    return [member for store in entity_stores(parts) for member in store.members]
