"""What is stored is written anew by today's rules: former texts are kept, nothing is done twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from historian import CognitiveService, InvalidInput, Scope
from historian.schema.event import Event, EventFilter
from historian.service.components import Parts
from support.canaries import opened, settings_of
from support.command import historian
from support.events import make_event

PRIVATE = Scope.private("42")


def old(n: int, handed_over: str, text: str, **fields: object) -> Event:
    """An event of Ann's private chat, said on Monday 2 February 2026, as an earlier version wrote it."""
    values = {
        "text": text,
        "handed_over": handed_over,
        "user_name": "Ann",
        "bot_name": "Clio",
        "version": "0.0.9",
        **fields,
    }
    return make_event(f"j{n}-0", 0, group=None, **values)


def filed(directory: Path, events: Sequence[Event]) -> None:
    parts = opened(directory)
    for event in events:
        assert parts.events.file_job(event.job_id, [event], [None])
    parts.events.close()


def read(directory: Path) -> tuple[dict[str, Event], dict[str, list[str]]]:
    """The events by id, and their former texts."""
    parts: Parts = opened(directory)
    events = {one.event_id: one for one in parts.events.find(EventFilter(None), limit=100_000)}
    former = {
        event_id: [one.text for one in some]
        for event_id, some in parts.backend.revisions.of(events).items()
    }
    parts.events.close()
    return events, former


OLD = [
    old(1, "I live in Shanghai", "Clio lives in Shanghai"),
    old(
        2,
        "Ann flew to Rome yesterday",
        "Ann flew to Rome yesterday",
        is_absolute=False,
        gate_reasons=("relative",),
    ),
    old(3, "Ann flew to Rome yesterday", "Ann never flew to Rome", rewritten_by="hand"),
    old(4, "Ann flew to Rome yesterday", "Ann flew to Rome yesterday", source="summary"),
    old(5, "", "Ann has a cat", version=""),
]


async def test_todays_rules_mend_what_was_filed_and_keep_the_former_text(tmp_path: Path) -> None:
    filed(tmp_path, OLD)
    async with CognitiveService.open(settings_of(tmp_path)) as memory:
        foreseen = await memory.reprocess(dry_run=True)
        assert read(tmp_path)[1] == {}
        report = await memory.reprocess(wait_seconds=20)
        assert report.done and (report.seen, report.changed, report.gained, report.lost) == (
            4,
            2,
            1,
            0,
        )
        assert ("j1-0:0", "Clio lives in Shanghai", "Ann lives in Shanghai") in report.examples
        assert (foreseen.seen, foreseen.changed, foreseen.examples) == (
            report.seen,
            report.changed,
            report.examples,
        )
        (hit, *_) = await memory.search_events(
            "Rome 2026-02-01", PRIVATE, occurs_from="2026-02-01", occurs_to="2026-02-01"
        )
        assert hit.event.event_id == "j2-0:0"
        again = await memory.reprocess(wait_seconds=20)
        assert again.done and (again.seen, again.changed) == (4, 0)
    events, former = read(tmp_path)
    assert former == {
        "j1-0:0": ["Clio lives in Shanghai"],
        "j2-0:0": ["Ann flew to Rome yesterday"],
    }
    assert (
        events["j2-0:0"].is_absolute
        and "2026-02-01" in events["j2-0:0"].text
        and not events["j2-0:0"].gate_reasons
    )
    assert events["j1-0:0"].handed_over == "I live in Shanghai"
    assert [events[f"j{n}-0:0"] for n in (3, 4, 5)] == OLD[2:]


async def test_only_one_conversation_or_what_earlier_versions_wrote(tmp_path: Path) -> None:
    other, newer = (
        old(6, "I live in Bonn", "Clio lives in Bonn", user_id="43"),
        old(7, "I ski", "I ski", version="9.9"),
    )
    filed(tmp_path, [*OLD[:2], other, newer])
    async with CognitiveService.open(settings_of(tmp_path)) as memory:
        assert (await memory.reprocess(Scope.private("43"), wait_seconds=20)).changed == 1
        assert (await memory.reprocess(before_version="0.0.9", wait_seconds=20)).seen == 0
        assert (await memory.reprocess(before_version="0.0.10", wait_seconds=20)).seen == 2
        with pytest.raises(InvalidInput, match="before_version"):
            await memory.reprocess(before_version="yesterday")
    assert read(tmp_path)[0]["j7-0:0"].text == "I ski"


def test_what_the_last_messages_decided_stays_where_the_gate_does_not_object(
    tmp_path: Path,
) -> None:
    filed(tmp_path, [old(1, "She adopted a dog", "Ann adopted a dog")])
    called = historian("--data-dir", tmp_path, "reprocess", "--json")
    assert called.status == 0 and called.lines[0]["changed"] == 0, called.err
    events, _ = read(tmp_path)
    assert (events["j1-0:0"].text, events["j1-0:0"].is_absolute) == ("Ann adopted a dog", True)


def test_the_command_tells_what_it_did_and_would_do(tmp_path: Path) -> None:
    filed(tmp_path, OLD)
    would = historian("--data-dir", tmp_path, "reprocess", "--dry-run")
    assert would.status == 0 and "would be rewritten" in would.out and read(tmp_path)[1] == {}
    done = historian("--data-dir", tmp_path, "reprocess", "--user", "42")
    assert done.status == 0 and "Ann lives in Shanghai" in done.out and len(read(tmp_path)[1]) == 2
    shown = historian("--data-dir", tmp_path, "events", "show", "j1-0:0", "--json").lines[0]
    assert [one["text"] for one in shown["revisions"]] == ["Clio lives in Shanghai"]
    assert (
        "Clio lives in Shanghai"
        in historian("--data-dir", tmp_path, "events", "show", "j1-0:0").out
    )


RUN = """
import asyncio, sys
from pathlib import Path
from historian import CognitiveService
from support.canaries import settings_of

async def main():
    async with CognitiveService.open(settings_of(Path(sys.argv[1]))) as memory:
        await memory.reprocess(on_progress=lambda seen: print(seen, flush=True), wait_seconds=600)

asyncio.run(main())
"""
KILLED = int(os.environ.get("HISTORIAN_REPROCESSED", "600"))


@pytest.mark.slow
def test_killed_in_the_middle_it_goes_on_and_nothing_is_done_twice(tmp_path: Path) -> None:
    filed(
        tmp_path,
        [old(n, f"I live in house {n}", f"Clio lives in house {n}") for n in range(KILLED)],
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", RUN, str(tmp_path)], stdout=subprocess.PIPE, text=True, env=environ
    ) as running:
        assert running.stdout is not None
        seen = next(int(line) for line in running.stdout if int(line) > 0)
        running.send_signal(signal.SIGKILL)
    assert 0 < len(read(tmp_path)[1]) < KILLED and seen < KILLED
    called = historian("--data-dir", tmp_path, "worker", "--drain")
    assert called.status == 0, called.err
    events, former = read(tmp_path)
    assert all(
        one.text.startswith("Ann lives in house") and one.is_absolute for one in events.values()
    )
    assert len(former) == len(events) == KILLED and all(
        len(texts) == 1 for texts in former.values()
    )


def test_forgetting_finds_the_words_that_only_a_revision_holds(tmp_path: Path) -> None:
    filed(tmp_path, [old(1, "I live in canaryville", "Clio lives in oldcanaryville")])
    historian("--data-dir", tmp_path, "reprocess")
    historian("--data-dir", tmp_path, "export", "user", "42", tmp_path / "a.zip")
    assert historian("--data-dir", tmp_path / "b", "import", tmp_path / "a.zip").status == 0
    events, former = read(tmp_path / "b")
    assert (
        former == {"j1-0:0": ["Clio lives in oldcanaryville"]}
        and events["j1-0:0"].handed_over == "I live in canaryville"
    )
    called = historian("--data-dir", tmp_path / "b", "forget", "user", "42", "--yes", "--json")
    assert called.status == 0, called.err
    left = [
        path
        for path in (tmp_path / "b").rglob("*")
        if path.is_file() and b"oldcanaryville" in path.read_bytes()
    ]
    assert left == [] and read(tmp_path / "b")[1] == {}


def test_runs_do_not_meet(tmp_path: Path) -> None:
    """A run that stands elsewhere than a batch began writes nothing of it."""
    parts = opened(tmp_path)
    parts.backend.revisions.begin("r", 1.0)
    assert parts.backend.revisions.advance("r", seen=1, rows=(-1, 5), changes=[], now="")
    assert not parts.backend.revisions.advance("r", seen=1, rows=(-1, 5), changes=[], now="")
    stands = parts.backend.revisions.progress("r")
    assert stands is not None and (stands.seen, stands.last_row, stands.done) == (1, 5, False)
    parts.events.close()
