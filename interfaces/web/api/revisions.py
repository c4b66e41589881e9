"""Responses for revisions of profiles and articles: their differences, and rollbacks."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import Response
from pydantic import BaseModel, Field

from ....service.cognitive import CognitiveService
from ....service.operating import CommandKind
from ...revisions import KeptRevisions


class Diff(BaseModel):
    old: int
    new: int
    lines: list[str] = Field(
        description="A unified diff; empty if the revisions have the same content."
    )


class Commanded(BaseModel):
    """A change that the process which owns the data directory carries out."""

    done: bool = Field(description="False: the change is in the queue, and will be made.")
    job_id: str


def difference(found: KeptRevisions[Any], old: int | None, new: int | None) -> Diff:
    """Return the difference between two revisions, by default the last two."""
    older, newer, lines = found.compared(old, new)
    return Diff(old=older.revision, new=newer.revision, lines=lines)


async def commanded(
    memory: CognitiveService, kind: CommandKind, payload: Mapping[str, Any], response: Response
) -> Commanded:
    """Carry out a command. If it is not done yet, set the status of the response to 202."""
    job_id, done = await memory.command(kind, payload)
    if not done:
        response.status_code = HTTPStatus.ACCEPTED
    return Commanded(done=done, job_id=job_id)
