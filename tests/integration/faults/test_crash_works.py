"""kill -9 around every side effect, with a local embedder, of the worker and of what is done beside it."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from historian.schema.event import EventFilter, EventLink
from historian.service.backups.restoring import read_backup
from historian.service.intake import make_job
from support.crashes.matrix import Host, distinct
from support.crashes.works import OBSERVED, WORKS, opened
from support.events import make_event
from support.memory import group_fields, private_fields
from support.recall import WordEmbedder
from support.stores import not_in_index

pytestmark = pytest.mark.slow

JOBS = [
    group_fields(request_id="a", action_summary="我昨天给他讲了三体", new_info=["我喜欢吉他"]),
    group_fields(request_id="b", new_info=["我住在北京"]),
    private_fields(request_id="c", user_id="42", new_info=["She plays the piano"]),
]
LATE = group_fields(
    request_id="late",
    timestamp="2026-03-01T10:00:00+08:00",
    new_info=["我养了一只猫", "我搬到上海了"],
)


def accept(folder: Path, *jobs: dict[str, Any]) -> None:
    with opened(folder) as parts:
        for fields in jobs:
            parts.queue.put(make_job(fields, parts.settings, lambda: 0.0))


def memory_of(folder: Path) -> dict[str, Any]:
    """Everything that a memory knows, and whether something of it is left to do."""
    with opened(folder) as parts:
        events = parts.events.find(EventFilter(None), limit=1000)
        former = parts.backend.revisions.of(event.event_id for event in events)
        documents = [
            document
            for document in map(parts.profiles.read, parts.profiles.keys())
            if document is not None
        ]
        return {
            "events": sorted((event.event_id, event.text, event.source) for event in events),
            "links": sorted(
                (event.event_id, event.superseded_by, event.corrected_by)
                for event in events
                if not event.holds
            ),
            "former": {event_id: [one.text for one in some] for event_id, some in former.items()},
            "profiles": sorted((str(one.key), one.revision, one.summary) for one in documents),
            "jobs": sorted(
                job.job_id
                for state in ("pending", "processing", "failed")
                for job in parts.queue.jobs(state)
            ),
            "without vector": parts.events.without_vector(10),
            "not indexed": not_in_index(parts.events, folder / "data"),
        }


def written(folder: Path) -> dict[str, Any]:
    """What an export and a backup have written: whole, or not there."""
    found: dict[str, Any] = {}
    if (folder / "archive.zip").exists():
        with zipfile.ZipFile(folder / "archive.zip") as archive:
            assert archive.testzip() is None
            found["archive"] = sorted(
                (one.filename, one.CRC)
                for one in archive.infolist()
                if one.filename != "manifest.json"
            )
    if (folder / "backup").exists():
        assert read_backup(folder / "backup").events
        paths = [path for path in (folder / "backup").rglob("*") if path.is_file()]
        found["backup"] = sorted(str(path.relative_to(folder)) for path in paths)
    return found


def prepare_job(folder: Path) -> None:
    accept(folder, JOBS[0])


def prepare_memory(folder: Path) -> None:
    """A memory with three jobs filed, and one that waits."""
    accept(folder, *JOBS)
    WORKS["drain"](folder)
    accept(folder, LATE)


def prepare_earlier(folder: Path) -> None:
    """Three facts as an earlier version wrote them, one of which a later one has ended."""
    with opened(folder) as parts:
        embedder = WordEmbedder()
        parts.events.set_fingerprint(embedder.model, embedder.dimension)
        for n in range(3):
            event = make_event(
                f"old{n}-0",
                0,
                group="100",
                text=f"小史住在{n}号楼的钢琴边",
                handed_over=f"我住在{n}号楼的钢琴边",
                user_name="阿明",
                bot_name="小史",
                version="0.0.9",
                timestamp=1_770_000_000.0 + 60 * n,
            )
            assert parts.events.file_job(event.job_id, [event], [embedder.vector(event.text)])
        assert parts.events.supersede([EventLink("old0-0:0", "old2-0:0")])


def prepare_notes(folder: Path) -> None:
    """Notes that were indexed before, one of which has changed since, one is gone and one is new."""
    notes = folder / "notes"
    notes.mkdir()
    for n in range(3):
        (notes / f"{n}.md").write_text(
            f"The piano number {n} stands in the hall.\n\nIts sister {n} is in the loft.\n"
        )
    WORKS["index"](folder)
    (notes / "0.md").write_text(
        "The piano number 0 was sold to the school.\n\nIts sister 0 is in the loft.\n"
    )
    (notes / "1.md").unlink()
    (notes / "3.md").write_text("The tea is in the kitchen.\n")


def prepare_archive(folder: Path) -> None:
    """An archive of one memory beside another, which is empty."""
    prepare_memory(folder)
    WORKS["export"](folder)
    shutil.rmtree(folder / "data")


def prepare_backup(folder: Path) -> None:
    """A backup, and a memory that went on after it."""
    prepare_memory(folder)
    WORKS["backup"](folder)
    WORKS["drain"](folder)
    accept(folder, group_fields(request_id="later", new_info=["我在学钢琴"]))


@dataclass(frozen=True)
class Case:
    """A work, what it begins with, the events, texts and links (old, new) in the end, and at how many points it is killed."""

    work: str
    prepare: Callable[[Path], None]
    events: set[str]
    points: int
    texts: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = ()


FILED = {"a-0:0", "a-0:1", "b-0:0", "c-0:0"}
MOVED = [("b-0:0", "late-0:1")]
CASES = [
    Case("drain", prepare_job, {"a-0:0", "a-0:1"}, 15),
    Case("observe", prepare_memory, FILED | {"late-0:0"}, 3, OBSERVED),
    Case(
        "index",
        prepare_notes,
        set(),
        3,
        ["The piano number 0 was sold", "The piano number 2 stands", "The tea is in"],
    ),
    Case(
        "reprocess",
        prepare_earlier,
        set(),
        20,
        [f"阿明住在{n}号楼" for n in range(3)],
        [("old0-0:0", "old2-0:0")],
    ),
    Case("export", prepare_memory, FILED | {"late-0:0"}, 2, (), MOVED),
    Case("import", prepare_archive, FILED | {"late-0:0"}, 6, (), MOVED),
    Case("backup", prepare_memory, FILED | {"late-0:0"}, 5, (), MOVED),
    Case("restore", prepare_backup, FILED | {"late-0:0", "later-0:0"}, 10, (), MOVED),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.work)
def test_what_was_killed_at_any_point_and_done_again_is_as_if_never_killed(
    tmp_path: Path, host: Host, case: Case
) -> None:
    begin, whole, trace = tmp_path / "begin", tmp_path / "whole", tmp_path / "trace"
    begin.mkdir()
    case.prepare(begin)
    shutil.copytree(begin, whole)
    assert host.work(case.work, whole, trace=str(trace)) == {"signal": 0, "status": 0}
    assert host.work("drain", whole) == {"signal": 0, "status": 0}
    expected = memory_of(whole)
    assert (
        expected["jobs"] == []
        and expected["without vector"] == []
        and expected["not indexed"] == []
    )
    assert case.events <= {event_id for event_id, _, _ in expected["events"]}
    assert sum(text in told for text in case.texts for _, told, _ in expected["events"]) == len(
        case.texts
    )
    assert {(old, new) for old, new, _ in expected["links"]} >= set(case.links)
    points = trace.read_text().splitlines()
    numbers = distinct(points)
    assert len(numbers) >= case.points, f"the matrix has lost its points: {points}"
    killed = 0
    for number in numbers:
        folder = tmp_path / f"killed-{number}"
        shutil.copytree(begin, folder)
        killed += host.work(case.work, folder, kill_at=number)["signal"] == 9
        written(folder)
        for work in dict.fromkeys((case.work, "drain")):
            ended = host.work(work, folder)
            assert ended == {"signal": 0, "status": 0}, (
                f"{work} after a kill at {number} ({points[number]})"
            )
        assert (memory_of(folder), written(folder)) == (expected, written(whole)), (
            f"after a kill at {number} ({points[number]})"
        )
        shutil.rmtree(folder)
    assert killed == len(numbers)
