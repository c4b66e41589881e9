"""What profiles and articles share: revisions, what changed between two of them, and bringing one back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import Response
from pydantic import BaseModel, Field

from ....service.cognitive import CognitiveService
from ....service.operating import CommandKind
from ...revisions import One, compared
from ..problems import Refused


class Diff(BaseModel):
    old: int
    new: int
    lines: list[str] = Field(description="A unified diff; empty if both say the same.")


class Commanded(BaseModel):
    """A change that the process which owns the data directory carries out."""

    done: bool = Field(description="False: it is in the queue, and will be done.")
    job_id: str


def numbered(found: Sequence[One], revision: int) -> One:
    """Return the revision of that number. Raises Refused (404) that names those that are kept."""
    for one in found:
        if one.revision == revision:
            return one
    kept = ", ".join(str(one.revision) for one in reversed(found)) or "none"
    raise Refused(HTTPStatus.NOT_FOUND, f"revision {revision} is not kept; kept are: {kept}")


def difference(found: Sequence[One], old: int | None, new: int | None, lines: Callable[[One], list[str]]) -> Diff:
    """Return what changed between two revisions of `found` (newest first): by default between the last two."""
    older, newer, told = compared(found, old, new, lines, numbered)
    return Diff(old=older.revision, new=newer.revision, lines=told)


async def rolled_back(memory: CognitiveService, kind: CommandKind, payload: Mapping[str, Any], response: Response) -> Commanded:
    """Carry out a command, and set the status of the answer: 202 where it is not done yet."""
    job_id, done = await memory.command(kind, payload)
    if not done:
        response.status_code = HTTPStatus.ACCEPTED
    return Commanded(done=done, job_id=job_id)
