"""Routes for the whole memory.

They give statistics, settings, notes and a diagnosis, and forget or export a person or a group.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import asdict
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask

from .... import __version__
from ....schema.errors import StorageError
from ....service.data_directory import data_directory
from ....service.diagnosis import diagnose
from ....service.entity_data.transfer import export
from ....service.inspection.settings_report import settings_report
from ...lookups import named_entity
from ..dependencies import OPERATOR_ALONE, MemoryHere, PartsHere
from .profiles import EntityParameter
from .revisions import Commanded, commanded
from .talk import Body

router = APIRouter(tags=["system"], dependencies=OPERATOR_ALONE)


class ForgetRequest(Body):
    entity: str = Field(description="`user:ID` or `group:ID`.")
    mentions: bool = Field(
        False,
        description="Also remove other people's events and records that mention this person or group.",
    )
    wait_seconds: Annotated[float, Field(ge=0, le=600)] = 60.0


class Scopes(BaseModel):
    scopes: list[dict[str, Any]] = Field(
        description="`scope` (`g:ID`, `p:ID`) and how many `events` it holds."
    )


class Folders(BaseModel):
    folders: list[dict[str, Any]] = Field(
        description="`scope`, `folder` and how many `files` of it are indexed."
    )


class SettingsReport(BaseModel):
    settings: list[dict[str, Any]] = Field(
        description="`key`, `value` (secrets: ***), `default`, `hot` (a change needs no restart), `meaning` by language."
    )


class Diagnosis(BaseModel):
    findings: list[dict[str, Any]] = Field(
        description="`part`, `state` (ok, warning, failed, off), `detail`, `remedy`, `seconds`"
    )
    works: bool = Field(description="False if something that is configured does not work.")


@router.get("/stats")
async def stats(memory: MemoryHere) -> dict[str, Any]:
    """Queue, events, worker, recall and the usage of models in numbers."""
    return await memory.stats()


@router.get("/scopes")
def scopes(parts: PartsHere) -> Scopes:
    """The conversations with events."""
    return Scopes(scopes=[{"scope": key, "events": count} for key, count in parts.events.scopes()])


@router.get("/notes")
def notes(parts: PartsHere) -> Folders:
    """The folders of notes that are indexed."""
    found = [
        {"scope": scope, "folder": folder, "files": files}
        for scope, folder, files in parts.backend.manifest.roots()
    ]
    return Folders(folders=found)


@router.post("/notes/index")
async def index_notes(memory: MemoryHere, response: Response) -> Commanded:
    """Index the notes of the configured folder (`cognitive.notes_dir`) now. Other folders are indexed on the command line."""
    cognitive = memory.settings.cognitive
    if not cognitive.notes_dir or not await asyncio.to_thread(Path(cognitive.notes_dir).is_dir):
        raise StorageError(
            "cognitive.notes_dir is not an existing folder; set it to the folder of the notes"
        )
    return await commanded(
        memory,
        "index",
        {"folder": cognitive.notes_dir, "notes_scope": cognitive.notes_scope},
        response,
    )


@router.get("/settings")
def settings(memory: MemoryHere) -> SettingsReport:
    """All settings in force, without secrets. Change them in the configuration file."""
    return SettingsReport(settings=[asdict(one) for one in settings_report(memory.settings)])


@router.get("/doctor")
async def doctor(memory: MemoryHere) -> Diagnosis:
    """Test every configured part, with a remedy for each failure. Every model is called, which takes seconds."""
    checked = diagnose(memory.settings, data_directory(memory.settings))
    findings = [result.as_dict(str.format) async for result in checked]
    return Diagnosis(findings=findings, works=all(one["state"] != "failed" for one in findings))


@router.post("/forget")
async def forget(asked: ForgetRequest, memory: MemoryHere, response: Response) -> dict[str, Any]:
    """Forget a person or a group for good.

    Status 202 if this takes longer than `wait_seconds`: repeat the request for the report.
    """
    entity = named_entity(asked.entity)
    report = await memory.forget(entity, asked.mentions, asked.wait_seconds)
    if not report.done:
        response.status_code = HTTPStatus.ACCEPTED
    return report.as_dict()


@router.get("/export", response_class=FileResponse)
def export_entity(entity: EntityParameter, parts: PartsHere) -> FileResponse:
    """All data of a person or a group as one zip archive, for `historian import`."""
    whose = named_entity(entity)
    folder = tempfile.TemporaryDirectory(prefix="historian-export-", ignore_cleanup_errors=True)
    try:
        path = Path(folder.name) / "memory.zip"
        export(parts, whose, path, version=__version__)
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(
        path,
        media_type="application/zip",
        filename=f"{whose.type}.zip",
        background=BackgroundTask(folder.cleanup),
    )
