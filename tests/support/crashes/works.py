"""Works that a crash matrix kills, each on one folder: `data` is the memory, beside it stands what the work reads and writes.

All of them embed with a local model (`WordEmbedder`) and write by rules.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from historian.schema.entity import Entity
from historian.schema.scope import Scope
from historian.service.backups.making import back_up
from historian.service.backups.restoring import restore
from historian.service.components import Parts, open_parts
from historian.service.entity_data.transfer import export, import_archive
from historian.service.intake import make_job
from historian.service.running.ownership import owned_worker
from historian.service.upkeep import reprocessing
from historian.service.upkeep.notes_index import NotesIndex
from support.memory import settings_for
from support.recall import WordEmbedder, open_memory, replaced_models

GROUP = Scope.group("100", "42")
OBSERVED = [f"the piano {n} was tuned" for n in range(2)]
NOW = 1_800_000_000.0


@contextmanager
def opened(folder: Path) -> Iterator[Parts]:
    """The parts of the memory, with the local model."""
    # What `observe` notes bears the time of another clock.
    settings = settings_for(
        folder / "data", historian={"concurrency": 1}, observation={"max_age_days": 36_500}
    )
    with replaced_models(WordEmbedder(), None):
        parts = open_parts(settings, clock=time.time)
    try:
        yield parts
    finally:
        asyncio.run(parts.aclose())


def drain(folder: Path) -> None:
    """File every job, and bring the derived index up to date."""

    async def run(parts: Parts) -> None:
        with owned_worker(parts) as worker:
            assert await worker.run(drain=True)

    with opened(folder) as parts:
        asyncio.run(run(parts))


def observe(folder: Path) -> None:
    """Note what tools returned."""

    async def run() -> None:
        async with open_memory(settings_for(folder / "data"), embedder=WordEmbedder()) as (
            memory,
            _,
        ):
            assert memory.observation is not None
            for n, text in enumerate(OBSERVED):
                memory.on_tool_executed("look", {"n": n}, text, scope=GROUP)
                assert await memory.observation.settled(20)

    asyncio.run(run())


def index(folder: Path) -> None:
    """Bring the notes up to date."""
    with opened(folder) as parts:
        notes = NotesIndex(parts.backend.manifest, parts.settings, parts.clock)
        asyncio.run(notes.run(folder / "notes", GROUP))


def write_anew(folder: Path) -> None:
    """Write every event anew by today's rules, two at a time. Done again, it is the same run."""
    reprocessing.BATCH = 2
    with opened(folder) as parts:
        parts.queue.put(make_job(reprocessing.command_of("run", "", ""), parts.settings, time.time))
    drain(folder)


def write_archive(folder: Path) -> None:
    """Export the user, in place of an archive that is there."""
    with opened(folder) as parts:
        export(parts, Entity("user", "42"), folder / "archive.zip", version="test", replace=True)


def read_archive(folder: Path) -> None:
    """Import the archive."""
    with opened(folder) as parts:
        import_archive(parts, folder / "archive.zip")


def make_backup(folder: Path) -> None:
    """Back up, unless a killed process has finished it."""
    if not (folder / "backup").exists():
        back_up(folder / "data", folder / "backup", version="test", now=NOW)


def put_back(folder: Path) -> None:
    """Restore the backup."""
    restore(folder / "data", folder / "backup", now=NOW)


WORKS: dict[str, Callable[[Path], None]] = {
    "drain": drain,
    "observe": observe,
    "index": index,
    "reprocess": write_anew,
    "export": write_archive,
    "import": read_archive,
    "backup": make_backup,
    "restore": put_back,
}
