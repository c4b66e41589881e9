"""A backup made while a bot works, and a memory put back from it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from historian.schema.entity import Entity
from historian.schema.errors import StorageError
from historian.schema.event import EventFilter
from historian.schema.profile import ProfileKey
from historian.service.backups.making import back_up
from historian.service.backups.restoring import restore
from historian.service.cognitive import CognitiveService
from historian.service.components import Parts, open_parts
from historian.service.entity_data.forgetting import forget
from historian.stores.files.owner_lock import OwnerLock
from support.command import historian
from support.crashes.child import Killer, is_killed
from support.draining import open_worker, put
from support.memory import group_fields, settings_for
from support.queue_rows import rows
from support.waiting import eventually

NOW = 1_800_000_000.0


def turn(n: int, user: str = "42") -> dict[str, Any]:
    return group_fields(
        action_summary=f"小史给阿明讲了第{n}章",
        new_info=[f"他喜欢第{n}本书"],
        request_id=f"r{n}",
        user_id=user,
        group_id="100",
    )


def job_ids(numbers: range) -> set[str]:
    return {f"r{n}-0" for n in numbers}


def opened(directory: Path) -> Parts:
    settings = settings_for(directory)
    return open_parts(settings, clock=lambda: NOW)


def looked_at(directory: Path, look: Callable[[Parts], Any]) -> Any:
    parts = opened(directory)
    try:
        return look(parts)
    finally:
        asyncio.run(parts.aclose())


def filed(directory: Path) -> set[str]:
    return looked_at(
        directory,
        lambda parts: {
            event.job_id for event in parts.events.find(EventFilter(None), limit=10_000)
        },
    )


async def drain(directory: Path, *fields: dict[str, Any]) -> None:
    async with open_worker(settings_for(directory)) as (parts, worker):
        for one in fields:
            put(parts, one)
        assert await worker.run(drain=True)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    asyncio.run(drain(tmp_path / "data", turn(0), turn(1, "7")))
    return tmp_path / "data"


def call(command: str, *arguments: object, data: Path) -> Any:
    return historian(command, *arguments, "--data-dir", data)


async def test_a_backup_made_while_the_owner_writes_has_every_job_accepted_before_once(
    tmp_path: Path,
) -> None:
    data, target, more = tmp_path / "data", tmp_path / "backup", 20
    async with CognitiveService.open(settings_for(data)) as memory:
        for n in range(10):
            await memory.enqueue_job(**turn(n))
        await eventually(lambda: (data / "profiles").exists())

        async def go_on() -> None:
            for n in range(10, more):
                await memory.enqueue_job(**turn(n))

        writing = asyncio.create_task(go_on())
        made = await asyncio.to_thread(historian, "backup", target, "--data-dir", data, "--json")
        assert made.status == 0 and made.lines[0]["events"] < 2 * more, made.err
        await writing
        assert await memory.settled(30)
    other = tmp_path / "other"
    restored = await asyncio.to_thread(call, "restore", target, "--yes", data=other)
    assert restored.status == 0, restored.err
    await drain(other)
    found = await asyncio.to_thread(filed, other)
    assert job_ids(range(10)) <= found <= job_ids(range(more)), "accepted before the backup began"
    events, profile = await asyncio.to_thread(
        looked_at,
        other,
        lambda parts: (parts.events.count(), parts.profiles.read(ProfileKey("user", "42"))),
    )
    assert events == 2 * len(found) and profile.revision == len(found), (
        "each job once, in the profile too"
    )


def test_a_restored_memory_is_as_it_was_and_keeps_the_jobs_that_wait(
    data: Path, tmp_path: Path
) -> None:
    assert call("backup", tmp_path / "backup", data=data).status == 0
    before = looked_at(data, lambda parts: parts.profiles.read(ProfileKey("user", "42")))
    asyncio.run(drain(data, turn(2), turn(3, "9")))
    looked_at(data, lambda parts: put(parts, turn(4)))
    (data / "index.sqlite").write_bytes(b"garbage " * 2000)
    (data / "index.sqlite-wal").write_bytes(b"garbage " * 2000)
    called = call("restore", tmp_path / "backup", "--yes", "--json", data=data)
    assert called.status == 0, called.err
    assert called.lines[0] | {"made_at": ""} == {
        "folder": str(tmp_path / "backup"),
        "made_at": "",
        "events": 4,
        "jobs_kept": 1,
        "jobs_added": 0,
        "forgotten_again": None,
        "left": [],
    }
    assert filed(data) == {"r0-0", "r1-0"}
    assert looked_at(data, lambda parts: parts.profiles.read(ProfileKey("user", "42"))) == before
    assert looked_at(data, lambda parts: parts.profiles.read(ProfileKey("user", "9"))) is None
    assert not (data / "chromadb").exists() and not list(data.glob("checkpoints*"))
    asyncio.run(drain(data))
    assert filed(data) == {"r0-0", "r1-0", "r4-0"}
    assert call("doctor", data=data).status == 0


def test_jobs_of_a_backup_by_a_former_version_come_back_as_files_did(
    data: Path, tmp_path: Path
) -> None:
    looked_at(data, lambda parts: put(parts, turn(4)))
    backup = tmp_path / "backup"
    assert call("backup", backup, data=data).status == 0
    (row,) = rows(backup)
    (backup / "queue.sqlite").unlink()
    (backup / "queues" / "pending").mkdir(parents=True)
    (backup / "queues" / "pending" / "1700000000000-r4-0.json").write_text(
        row["body"], encoding="utf-8"
    )
    (data / "queue.sqlite").unlink()
    called = call("restore", backup, "--yes", "--json", data=data)
    assert (called.status, called.lines[0]["jobs_added"]) == (0, 1)
    asyncio.run(drain(data))
    assert "r4-0" in filed(data) and not (data / "queues").exists()


def test_documents_of_a_backup_by_a_former_version_take_the_place_of_the_present_ones(
    data: Path, tmp_path: Path
) -> None:
    backup, key = tmp_path / "backup", ProfileKey("user", "42")
    assert call("backup", backup, data=data).status == 0
    (backup / "queue.sqlite").unlink()
    shutil.rmtree(backup / "profiles")
    places = (
        backup / "profiles" / "history" / "users" / "42" / "1-20260221T093000Z.md",
        backup / "profiles" / "users" / "42.md",
    )
    for revision, place in enumerate(places, 1):
        place.parent.mkdir(parents=True)
        place.write_text(
            f"---\nname: Ann\nrevision: {revision}\nsource_event_id: f{revision}-0:0\n---\n\n- text {revision}\n"
        )
    assert call("restore", backup, "--yes", data=data).status == 0
    kept, others, applied = looked_at(
        data,
        lambda parts: (
            parts.profiles.kept(key),
            parts.profiles.read(ProfileKey("user", "7")),
            [parts.profiles.is_applied(key, job_id) for job_id in ("f1-0", "f2-0", "r0-0")],
        ),
    )
    assert [(one.revision, one.name, [line.text for line in one.lines]) for one in kept] == [
        (2, "Ann", ["text 2"]),
        (1, "Ann", ["text 1"]),
    ]
    assert others is None and applied == [True, True, False]
    assert not (data / "profiles" / "history").exists()


def test_a_damaged_queue_is_named_and_gives_way_to_that_of_a_backup(
    data: Path, tmp_path: Path
) -> None:
    looked_at(data, lambda parts: put(parts, turn(4)))
    assert call("backup", tmp_path / "backup", data=data).status == 0
    for name in ("queue.sqlite", "queue.sqlite-wal"):
        (data / name).write_bytes(b"garbage " * 2000)
    doctor = call("doctor", data=data)
    assert (
        doctor.status == 1
        and "the file is damaged" in doctor.out
        and "historian restore BACKUP" in doctor.out
    )
    called = call("restore", tmp_path / "backup", "--yes", "--json", data=data)
    assert (called.status, called.lines[0]["jobs_added"]) == (0, 1), called.err
    assert (data / "queue.sqlite.damaged").read_bytes().startswith(b"garbage")
    asyncio.run(drain(data))
    assert "r4-0" in filed(data)


def test_who_was_forgotten_after_the_backup_stays_forgotten(data: Path, tmp_path: Path) -> None:
    call("backup", tmp_path / "backup", data=data)
    looked_at(data, lambda parts: asyncio.run(forget(parts, Entity("user", "7"))))
    called = call("restore", tmp_path / "backup", "--yes", "--json", data=data)
    assert (called.status, called.lines[0]["forgotten_again"], called.lines[0]["left"]) == (
        0,
        ["user:7"],
        [],
    )
    assert filed(data) == {"r0-0"}
    assert not any(
        "第1本书".encode() in path.read_bytes() for path in data.rglob("*") if path.is_file()
    )


def test_beside_a_bot_nothing_is_restored(data: Path, tmp_path: Path) -> None:
    call("backup", tmp_path / "backup", data=data)
    lock = OwnerLock(data)
    lock.acquire(NOW, worker=True)
    with lock:
        called = call("restore", tmp_path / "backup", "--yes", data=data)
    assert (
        called.status == 1 and "stop the bot first" in called.err and str(os.getpid()) in called.err
    )
    assert filed(data) == {"r0-0", "r1-0"} and not (data / "restoring.json").exists()


@pytest.mark.slow
def test_a_restoration_that_is_killed_anywhere_is_finished_by_the_same_command_and_opens_nothing_before(
    data: Path, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    back_up(data, backup, version="1", now=NOW)
    looked_at(data, lambda parts: asyncio.run(forget(parts, Entity("user", "7"))))
    looked_at(data, lambda parts: put(parts, turn(4)))
    steps: list[str] = []
    restore(shutil.copytree(data, tmp_path / "whole"), backup, now=NOW, on_step=steps.append)
    assert len(steps) == 6
    for n in range(1, len(steps) + 1):
        place = shutil.copytree(data, tmp_path / f"killed-{n}")
        killer = Killer(n)
        assert is_killed(
            lambda place=place, killer=killer: restore(
                place, backup, now=NOW, on_step=lambda _: killer.point()
            )
        )
        with pytest.raises(StorageError, match="historian restore BACKUP"):
            opened(place)
        done = restore(place, backup, now=NOW)
        assert done.forgotten == (Entity("user", "7"),)
        assert looked_at(
            place, lambda parts: {job.job_id for job in parts.queue.jobs("pending")}
        ) == {"r4-0"}
        assert filed(place) == {"r0-0", "r1-0"}, "the owner forgets before its first job"
        asyncio.run(drain(place))
        assert filed(place) == {"r0-0", "r4-0"}


def test_a_backup_is_whole_or_not_there_and_for_this_user_alone(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "backup"

    def killed(*_: object) -> str:
        os.kill(os.getpid(), 9)
        return ""

    def work() -> None:
        monkeypatch.setattr(json, "dumps", killed)
        back_up(data, target, version="1", now=NOW)

    assert is_killed(work)
    assert not target.exists()
    back_up(data, target, version="1", now=NOW)
    assert {
        path.stat().st_mode & 0o077
        for path in (target, *target.rglob("*"))
        if path.is_file() or path == target
    } == {0}
    assert not list(tmp_path.glob(".tmp-*")), "what the killed one left is gone"


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("data/backup", "is inside the data directory"),
        ("full", "not empty"),
        ("full/file", "not empty"),
    ],
)
def test_where_a_backup_may_not_be_is_said(
    data: Path, tmp_path: Path, where: str, told: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("x")
    called = call("backup", tmp_path / where, data=data)
    assert called.status == 2 and told in called.err


def test_nothing_to_back_up_is_said(tmp_path: Path) -> None:
    called = call("backup", tmp_path / "backup", data=tmp_path / "data")
    assert (
        called.status == 1
        and "nothing to back up" in called.err
        and not (tmp_path / "backup").exists()
    )


@pytest.mark.parametrize("harm", ["no manifest", "garbage", "another", "newer", "index", "schema"])
def test_what_is_no_backup_changes_nothing(data: Path, tmp_path: Path, harm: str) -> None:
    backup = tmp_path / "backup"
    back_up(data, backup, version="1", now=NOW)
    manifest = backup / "backup.json"
    if harm == "no manifest":
        manifest.unlink()
    elif harm == "garbage":
        manifest.write_bytes(b"[1")
    elif harm in ("another", "newer"):
        change = {"format": "x"} if harm == "another" else {"version": 99}
        manifest.write_text(json.dumps(json.loads(manifest.read_text()) | change))
    elif harm == "index":
        (backup / "index.sqlite").write_bytes(b"garbage " * 2000)
    else:
        with closing(sqlite3.connect(backup / "index.sqlite")) as index:
            index.execute("PRAGMA user_version = 99")
    called = call("restore", backup, "--yes", data=data)
    assert called.status == 2 and str(backup) in called.err
    assert filed(data) == {"r0-0", "r1-0"}
