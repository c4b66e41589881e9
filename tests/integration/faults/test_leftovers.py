"""What killed writers leave behind goes at the next start, and when somebody is forgotten."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from historian.service.cognitive import CognitiveService
from historian.stores.files.archive import ArchiveWriter
from historian.stores.files.durable import write_atomically
from support.crashes.child import exit_code, in_child
from support.memory import group_fields, settings_for
from support.waiting import eventually

WORDS = "阿明在银杏树下说过的话"
FOLDERS = (
    "",
    "forgetting",
    "profiles/users",
    "profiles/history/users/42",
    "chapters/x",
    "summaries",
    "summaries/new",
)


def killed_while(write: Callable[[], object]) -> None:
    """Write in a process that is killed as it is about to give the file its name."""

    def work() -> None:
        os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment] # in the child alone
        Path.replace = os.replace  # type: ignore[method-assign,assignment]
        write()

    assert exit_code(in_child(work)) == -signal.SIGKILL


def archive(path: Path) -> None:
    with ArchiveWriter(path, replace=True) as writer:
        writer.text("words.txt", WORDS)


def leave_everywhere(data: Path) -> None:
    for folder in FOLDERS:
        killed_while(
            lambda place=data / folder: write_atomically(
                place / "end_summaries.json", WORDS.encode()
            )
        )
    killed_while(lambda: archive(data / "42.zip"))
    assert len(leftovers(data)) == len(FOLDERS) + 1


def leftovers(data: Path) -> list[Path]:
    return [path for path in data.rglob(".tmp-*") if path.is_file()]


async def test_what_killed_writers_left_goes_at_the_next_start(tmp_path: Path) -> None:
    leave_everywhere(tmp_path)
    async with CognitiveService.open(settings_for(tmp_path)):
        assert await eventually(lambda: not leftovers(tmp_path))


async def test_what_killed_writers_left_goes_when_somebody_is_forgotten(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        await memory.enqueue_job(**group_fields(action_summary=f"小史听到了{WORDS}"))
        assert await memory.settled(30)
        leave_everywhere(tmp_path)
        report = await memory.forget_user("42")
        assert (report.clean, report.left, leftovers(tmp_path)) == (True, (), [])


async def test_a_start_leaves_the_temporary_file_of_a_living_process_alone(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path / "42.zip") as writer:
        (mine,) = leftovers(tmp_path)
        killed_while(lambda: write_atomically(tmp_path / "owner.json", b"{}"))
        async with CognitiveService.open(settings_for(tmp_path)):
            assert await eventually(lambda: leftovers(tmp_path) == [mine])
        writer.text("words.txt", WORDS)
    assert (tmp_path / "42.zip").exists() and not leftovers(tmp_path)


def test_an_export_removes_what_a_killed_one_left_beside_the_same_file_and_nothing_else(
    tmp_path: Path,
) -> None:
    killed_while(lambda: archive(tmp_path / "42.zip"))
    killed_while(lambda: archive(tmp_path / "7.zip"))
    (tmp_path / ".tmp-of-another-program").write_text("x")
    assert len(leftovers(tmp_path)) == 3
    archive(tmp_path / "42.zip")
    assert sorted(path.name.rpartition("-")[2] for path in leftovers(tmp_path)) == [
        "7.zip",
        "program",
    ]
