"""The pages for a profile line with its evidence and its changes, and for pins and corrections."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request, Response

from ....schema.entity import Entity
from ....schema.profile import ProfileKey, ProfileLine
from ....schema.scope import EntityType
from ....service.components import Parts
from ...texts import NAMES
from ..dependencies import MemoryHere, PartsHere
from ..problems import Refused
from . import known
from .rendering import page
from .route import FormFlag, FormKind, FormText, PageRoute, see

router = APIRouter(route_class=PageRoute)

KINDS: Mapping[str, str] = NAMES["pages"]["line_kinds"]
"""The kinds of profile lines, with their display names."""


@router.get("/line")
async def show_line(
    request: Request,
    memory: MemoryHere,
    parts: PartsHere,
    kind: EntityType,
    id: str,
    line: str,
    layer: str = "",
) -> Response:
    """Show a line of a profile with its evidence."""
    key = ProfileKey(kind, id, layer)
    found = await asyncio.to_thread(_line, parts, key, line)
    goes = await memory.delete_line(line, scope=None, messages=True, dry_run=True)
    name = await asyncio.to_thread(known.name_of, parts, Entity(kind, id))
    said = request.query_params.get("said", "")
    return page(
        request, "line.html", key=key, line=found, goes=goes, name=name, kinds=KINDS, said=said
    )


@router.post("/line/edit")
async def edit(
    memory: MemoryHere,
    parts: PartsHere,
    kind: FormKind,
    id: FormText,
    line: FormText,
    layer: FormText = "",
    text: FormText = "",
    about: FormText = "",
    until: FormText = "",
    pinned: FormText = "",
) -> Response:
    """Edit a line: change the fields in which the form differs from the stored line.

    `until` is a day, or "" for no end.
    """
    old = await asyncio.to_thread(_line, parts, ProfileKey(kind, id, layer), line)
    changes: dict[str, Any] = {
        "text": text,
        "kind": about,
        "pinned": pinned == "true" if pinned else None,
    }
    now = {"text": old.text, "kind": old.kind, "pinned": old.pinned}
    changes = {name: value for name, value in changes.items() if value not in ("", None, now[name])}
    if text and until != old.until[:10]:
        changes["expires_at"] = until or None
    if changes:
        await memory.edit_line(line, **changes, scope=None)
    return see("/line", kind=kind, id=id, layer=layer, line=line, said="done")


@router.post("/line/delete")
async def delete(
    memory: MemoryHere,
    kind: FormKind,
    id: FormText,
    line: FormText,
    layer: FormText = "",
    messages: FormFlag = False,
) -> Response:
    """Delete a line and the events that are its evidence.

    With `messages`, the messages behind these events are deleted too.
    """
    await memory.delete_line(line, scope=None, messages=messages)
    return see(f"/{kind}", id=id, view="profile", layer=layer, said="deleted")


@router.post("/pin")
async def pin(
    memory: MemoryHere, kind: FormKind, id: FormText, text: FormText, until: FormText = ""
) -> Response:
    """Pin a text in the conversation of a group, or in the private chat of a person."""
    await memory.pin(text, Entity(kind, id).scope, expires_at=until or None)
    return see(f"/{kind}", id=id, view="profile", said="done")


@router.get("/corrections")
async def show_corrections(request: Request, memory: MemoryHere) -> Response:
    """Show the last corrections."""
    found = await memory.list_corrections(scope=None, limit=100)
    said = request.query_params.get("said", "")
    return page(
        request,
        "corrections.html",
        corrections=found,
        actions=NAMES["pages"]["corrections"],
        said=said,
    )


@router.post("/corrections/undo")
async def undo(memory: MemoryHere, id: FormText) -> Response:
    """Undo a correction: restore the records that it removed or replaced."""
    await memory.undo(id, scope=None)
    return see("/corrections", said="brought back")


def _line(parts: Parts, key: ProfileKey, line_id: str) -> ProfileLine:
    """Return a profile line. Raises Refused (404) if the profile has no line with this id."""
    stored = parts.profiles.read(key)
    for line in () if stored is None else stored.lines:
        if line.line_id == line_id:
            return line
    raise Refused(
        HTTPStatus.NOT_FOUND,
        f"there is no line {line_id!r:.80} in the profile {str(key)!r:.80}; it may have been deleted",
    )
