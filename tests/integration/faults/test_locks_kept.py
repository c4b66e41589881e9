"""No operation of a process takes away the locks of its own open databases.

POSIX drops all locks of a process on a file when the process closes any descriptor of that file.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from historian.service.cognitive import CognitiveService
from historian.stores.files.access import protect
from historian.stores.files.bytes_below import bytes_below
from historian.stores.sqlite.items import ItemTable
from support.command import Called, historian
from support.memory import group_fields, settings_for

DATABASE = re.compile(
    r"(?:index|queue|items|checkpoints)\.sqlite(?:-wal|-shm|-journal)?|chroma\.sqlite3.*"
)
needs_proc = pytest.mark.skipif(
    not Path("/proc/locks").exists(), reason="only Linux lists the locks of a process"
)

_opened: list[str] | None = None


def _note_open(event: str, arguments: tuple[Any, ...]) -> None:
    if _opened is not None and event == "open" and isinstance(arguments[0], str | bytes):
        name = Path(os.fsdecode(arguments[0])).name
        is_new = bool(arguments[2] & os.O_EXCL)  # nobody has locks on a file that did not exist
        if DATABASE.fullmatch(name) and not is_new:
            _opened.append(name)


sys.addaudithook(_note_open)


@contextmanager
def plainly_opened() -> Iterator[list[str]]:
    """Collect the names of the databases that Python opens as files. What SQLite opens itself is not seen here."""
    global _opened
    _opened = found = []
    try:
        yield found
    finally:
        _opened = None


def locks(directory: Path) -> set[tuple[str, str]]:
    """Return the locks that SQLite holds for as long as a database is open: on the file itself, and on the index of its log."""
    names = {path.stat().st_ino: path.name for path in directory.glob("*.sqlite*")}
    found = set()
    for line in Path("/proc/locks").read_text().splitlines():
        fields = line.split()
        inode = int(fields[5].rpartition(":")[2]) if fields[1] == "POSIX" else 0
        if (
            fields[4] == str(os.getpid())
            and inode in names
            and fields[6] in ("128", str(0x40000002))
        ):
            found.add((names[inode], fields[6]))
    return found


OPERATIONS: dict[str, tuple[str, ...]] = {
    "export": ("export", "group", "100", "BESIDE/100.zip"),
    "forget": ("forget", "user", "99", "--yes"),
    "forget what is there": ("forget", "user", "42", "--mentions", "--yes"),
    "stats": ("stats",),
    "doctor": ("doctor",),
    "backup": ("backup", "BESIDE/backup"),
    "import": ("import", "BESIDE/7.zip", "--even-forgotten"),
    "search": ("search", "茶", "--group", "100"),
    "events": ("events", "list"),
    "profiles": ("profile", "list"),
    "jobs": ("jobs", "list"),
    "import of a database": ("import", "DATA/index.sqlite"),
    "import of a log": ("import", "DATA/index.sqlite-wal"),
    "import of a link": ("import", "BESIDE/link.zip"),
    "ingest of a database": ("ingest", "DATA/queue.sqlite"),
    "migration of a database": ("migrate", "DATA/items.sqlite"),
    "restoration": ("restore", "BESIDE/earlier", "--yes"),
}
REFUSED = (
    "import of a database",
    "import of a log",
    "import of a link",
    "ingest of a database",
    "migration of a database",
)
CALLS: dict[str, Callable[[Path], object]] = {
    "permissions": lambda data: protect(data, shared=False),
    "search of all bytes": lambda data: list(bytes_below(data, [])),
    "second connection": lambda data: ItemTable(data / "items.sqlite").close(),
}


async def work(memory: CognitiveService, user: str) -> None:
    fields = group_fields(
        request_id=f"r{user}",
        user_id=user,
        action_summary="小史给阿明讲了一章",
        new_info=["我喜欢茶"],
    )
    await memory.enqueue_job(**fields)
    assert await memory.settled(30)


@needs_proc
async def test_no_operation_takes_the_locks_of_the_databases_that_are_open_in_its_process(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    (tmp_path / "link.zip").symlink_to(data / "index.sqlite")
    async with CognitiveService.open(
        settings_for(data, historian={"rewrite_mode": "rules"})
    ) as memory:
        await work(memory, "7")
        for command in ("export user 7 BESIDE/7.zip", "backup BESIDE/earlier"):
            assert (await called(command.split(), tmp_path)).status == 0
        items = ItemTable(data / "items.sqlite")
        await work(memory, "42")
        before = locks(data)
        for name in ("index.sqlite", "queue.sqlite", "items.sqlite"):
            assert {(name, str(0x40000002)), (f"{name}-shm", "128")} <= before
        with plainly_opened() as opened:
            for what, arguments in OPERATIONS.items():
                ended = await called(arguments, tmp_path)
                assert (what, locks(data) >= before, opened) == (what, True, []), ended.err
                assert (ended.status != 0) == (what in REFUSED or what == "restoration"), ended.err
            for what, call in CALLS.items():
                await asyncio.to_thread(call, data)
                assert (what, locks(data) >= before, opened) == (what, True, [])
        items.close()


async def called(arguments: Sequence[str], beside: Path) -> Called:
    placed = (
        one.replace("BESIDE", str(beside)).replace("DATA", str(beside / "data"))
        for one in arguments
    )
    return await asyncio.to_thread(historian, *placed, "--data-dir", beside / "data")
