"""The checkpoints' file: what is broken is set aside, what only cannot be used now is left alone and waited for."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from historian.schema.errors import StorageError
from historian.schema.event import EventFilter
from historian.service.outages import availability as outage
from historian.stores.sqlite import checkpoints
from historian.stores.sqlite.checkpoints import open_checkpoints
from historian.stores.sqlite.errors import is_damage
from langgraph.checkpoint.sqlite import SqliteSaver
from support.draining import open_worker, put
from support.memory import group_fields, settings_for
from support.waiting import eventually


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "OPENING_SECONDS", 0.02)
    monkeypatch.setattr(checkpoints, "WRITING_SECONDS", 0.02)
    monkeypatch.setattr(outage, "FIRST_PAUSE_SECONDS", 0.05)


async def made(path: Path) -> None:
    async with open_checkpoints(path):
        pass
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE mark (text)")
        connection.execute("INSERT INTO mark VALUES (?)", ("kept",))


async def marked(path: Path) -> bool:
    async with open_checkpoints(path):
        pass
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(
            "SELECT count(*) FROM sqlite_master WHERE name = 'mark'"
        ).fetchone()
    return found == (1,)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    other = sqlite3.connect(path, isolation_level=None)
    try:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("CREATE TABLE somebody (x)")
        yield
        other.execute("ROLLBACK")
    finally:
        other.close()


@pytest.mark.parametrize("kind", ["garbage", "malformed"])
async def test_a_damaged_file_is_set_aside_and_begun_anew(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "checkpoints.sqlite"
    await made(path)
    content = path.read_bytes()
    broken = (
        b"no database at all" * 500
        if kind == "garbage"
        else content[:4096] + b"\xff" * (len(content) - 4096)
    )
    path.write_bytes(broken)
    assert not await marked(path)
    assert path.with_name("checkpoints.sqlite.damaged").read_bytes() == broken


async def test_what_somebody_else_has_locked_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints.sqlite"
    await made(path)
    with locked(path):
        with pytest.raises(StorageError, match="locked"):
            async with open_checkpoints(path):
                raise AssertionError("it is locked")
        assert path.with_name("checkpoints.sqlite-wal").exists()
    assert [file.name for file in tmp_path.glob("*damaged*")] == [] and await marked(path)


@pytest.mark.parametrize(
    "code", ["SQLITE_FULL", "SQLITE_IOERR", "SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_READONLY"]
)
async def test_only_a_broken_file_counts_as_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    path = tmp_path / "checkpoints.sqlite"
    await made(path)

    def refusing(saver: object) -> None:
        error = sqlite3.OperationalError("refused")
        error.sqlite_errorcode = getattr(sqlite3, code)
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(checkpoints.SqliteSaver, "setup", refusing)
        with pytest.raises(StorageError, match="refused"):
            async with open_checkpoints(path):
                raise AssertionError("it is refused")
    assert await marked(path) and not is_damage(sqlite3.OperationalError("no code"))


async def test_while_the_checkpoints_are_locked_jobs_wait_and_then_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "checkpoints.sqlite"
    await made(path)
    async with open_worker(settings_for(tmp_path)) as (parts, worker):
        put(parts, group_fields(request_id="r1", action_summary="我给他推荐了《三体》"))
        with locked(path):
            run = asyncio.create_task(worker.run(drain=False))
            assert (
                "locked" in await eventually(lambda: worker.outage)
                and parts.queue.counts(0.0).pending == 1
            )
        await eventually(lambda: parts.events.find(EventFilter("g:100"), limit=1))
        assert worker.outage == ""
        await worker.stop()
        assert await run
    assert [file.name for file in tmp_path.glob("*damaged*")] == []
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_draining_is_given_up_where_the_checkpoints_stay_locked(tmp_path: Path) -> None:
    await made(tmp_path / "checkpoints.sqlite")
    async with open_worker(settings_for(tmp_path)) as (parts, worker):
        put(parts, group_fields(request_id="r1", action_summary="我给他推荐了《三体》"))
        with locked(tmp_path / "checkpoints.sqlite"):
            assert not await worker.run(drain=True)
        assert await worker.run(drain=True) and parts.events.count() > 0


async def test_a_stop_ends_the_wait_for_the_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "FIRST_PAUSE_SECONDS", 60.0)
    await made(tmp_path / "checkpoints.sqlite")
    async with open_worker(settings_for(tmp_path)) as (_, worker):
        with locked(tmp_path / "checkpoints.sqlite"):
            run = asyncio.create_task(worker.run())
            await eventually(lambda: worker.outage)
            async with asyncio.timeout(5):
                await worker.stop()
                assert await run


@pytest.mark.parametrize("kind", ["locked", "malformed"])
async def test_checkpoints_that_fail_while_a_job_runs_are_no_fault_of_the_job(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "checkpoints.sqlite"
    put_writes = checkpoints.SqliteSaver.put_writes

    def fail_once(saver: SqliteSaver, *given: Any) -> None:
        if not failed:
            failed.append(kind)
            error = (
                sqlite3.OperationalError("database is locked")
                if kind == "locked"
                else sqlite3.DatabaseError("malformed")
            )
            raise error
        put_writes(saver, *given)

    failed: list[str] = []
    monkeypatch.setattr(checkpoints.SqliteSaver, "put_writes", fail_once)
    async with open_worker(settings_for(tmp_path)) as (parts, worker):
        put(parts, group_fields(request_id="r1", action_summary="我给他推荐了《三体》"))
        assert await worker.run(drain=True)
        assert failed and parts.events.count() > 0 and parts.queue.failed() == []
        assert worker.statistics.outcomes["retried"] == 0 and worker.statistics.outages == 1
    assert path.exists()
