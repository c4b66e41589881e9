"""What leaves with time, and the overwriting of what was withdrawn: idle work of the owner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from historian.schema.errors import SettingsError
from historian.schema.event import Event, EventFilter
from historian.service.components import Parts
from historian.service.jobs.worker import HistorianWorker
from historian.service.upkeep import idle_work
from support.clock import Clock
from support.draining import open_worker, put
from support.events import DIMENSION, make_event, unit_vectors
from support.memory import group_fields, settings_for

DAY = 86_400.0


def said(n: int, at: float, **fields: Any) -> list[Event]:
    values = {
        "kind": "message",
        "source": "message",
        "role": "user",
        "said_by": "42",
        "user_name": "Ann",
        **fields,
    }
    return [make_event(f"m-{n}", text=f"message {n}", timestamp=at, **values)]


def fill(parts: Parts, now: float) -> None:
    """Messages, tool messages and observations of every tenth day, and an event of the first."""
    parts.events.file_messages([said(n, now - n * 10 * DAY) for n in range(6)])
    parts.events.file_messages(
        [said(n, now - (n - 10) * 10 * DAY, role="tool") for n in range(10, 16)]
    )
    for n in range(6):
        observed = make_event(
            f"o-{n}", source="observation", text=f"observed {n}", timestamp=now - n * 10 * DAY
        )
        parts.events.file_new([observed], [None])
    made = make_event("j-0", text="made of it", timestamp=now - 50 * DAY, sources=("m-5",))
    assert parts.events.file_job("j-0", [made], [None])


def left(parts: Parts) -> list[str]:
    return sorted(
        event.event_id.partition(":")[0]
        for event in parts.events.find(EventFilter(None), limit=100)
    )


YOUNG = ["m-10", "m-11", "m-12", "o-0", "o-1", "o-2"]
"""What tools returned in the last 25 days."""


@pytest.mark.parametrize(
    ("talk", "messages"),
    [
        ({}, range(6)),
        ({"keep_days": 35}, range(4)),
        ({"keep_messages": 5}, range(2)),
        ({"keep_messages": 0}, range(6)),
        ({"keep_days": 0.5, "keep_messages": 4}, range(1)),
    ],
)
async def test_messages_leave_as_the_settings_say_and_what_tools_returned_after_its_days(
    tmp_path: Path, talk: dict[str, Any], messages: range
) -> None:
    clock = Clock()
    settings = settings_for(tmp_path, talk=talk, observation={"max_age_days": 25})
    async with open_worker(settings, clock=clock) as (parts, worker):
        fill(parts, clock.now)
        await worker.maintenance.idle()
        young = ["m-10"] if talk.get("keep_days") == 0.5 else YOUNG[:3]
        assert left(parts) == sorted([*(f"m-{n}" for n in messages), *young, *YOUNG[3:], "j-0"])
        assert (parts.events.get(["j-0:0"])[0].sources, parts.events.count()) == (
            ("m-5",),
            len(left(parts)),
        )


async def test_expiry_goes_in_batches_lets_jobs_go_first_and_looks_again_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle_work, "EXPIRED_AT_ONCE", 2)
    clock = Clock()
    async with open_worker(settings_for(tmp_path, talk={"keep_messages": 3}), clock=clock) as (
        parts,
        worker,
    ):
        parts.events.file_messages([said(n, clock.now - n) for n in range(9)])
        put(parts, group_fields(new_info=["他喜欢吉他"]))
        await worker.maintenance.idle()
        assert left(parts) == [f"m-{n}" for n in range(7)], "one batch, the oldest"
        assert await worker.run(drain=True)
        await worker.maintenance.idle()
        assert [one for one in left(parts) if one.startswith("m")] == ["m-0", "m-1", "m-2"]
        parts.events.file_messages([said(20, clock.now)])
        await worker.maintenance.idle()
        assert "m-2" in left(parts)
        clock.now += idle_work.EXPIRY_SECONDS
        await worker.maintenance.idle()
        assert [one for one in left(parts) if one.startswith("m")] == ["m-0", "m-1", "m-20"]


async def test_another_worker_than_the_leading_one_lets_nothing_expire(tmp_path: Path) -> None:
    clock = Clock()
    async with open_worker(settings_for(tmp_path, talk={"keep_days": 1}), clock=clock) as (
        parts,
        worker,
    ):
        parts.events.file_messages([said(1, clock.now - 2 * DAY)])
        await worker.maintenance.idle(leads=False)
        assert left(parts) == ["m-1"]


@pytest.mark.parametrize(
    "talk",
    [{"keep_days": -1}, {"keep_days": float("nan")}, {"keep_messages": -1}, {"keep_messages": 1.5}],
)
def test_a_bound_that_is_none_is_refused_with_its_name(
    tmp_path: Path, talk: dict[str, Any]
) -> None:
    with pytest.raises(SettingsError, match=rf"cognitive\.talk\.{next(iter(talk))}"):
        settings_for(tmp_path, talk=talk)


# --- overwriting


def holds(directory: Path, word: str) -> bool:
    return any(word.encode() in path.read_bytes() for path in directory.glob("index.sqlite*"))


async def idle_rounds(worker: HistorianWorker, count: int) -> None:
    for _ in range(count):
        await worker.maintenance.idle()


async def test_withdrawn_and_edited_words_are_overwritten_when_idle(tmp_path: Path) -> None:
    clock = Clock()
    async with open_worker(settings_for(tmp_path), clock=clock) as (parts, worker):
        texts = {n: f"第{n}只紫色的鲸鱼 whale{n}" for n in range(60)}
        parts.events.file_messages(
            [[make_event(f"m-{n}", text=text, kind="message")] for n, text in texts.items()]
        )
        await worker.maintenance.idle()
        parts.events.withdraw([f"m-{n}" for n in range(0, 60, 3)])
        parts.events.file_messages(
            [[make_event(f"m-{n}", text="别的话", kind="message")] for n in range(1, 60, 3)]
        )
        await worker.maintenance.idle()
        assert [
            n for n in texts if holds(tmp_path, f"whale{n} ") or holds(tmp_path, texts[n])
        ] == list(range(2, 60, 3))
        parts.events.withdraw(["m-2"])
        await worker.maintenance.idle()
        assert parts.backend.erasure.has_remains(), "not again at once"
        clock.now += idle_work.OVERWRITING_SECONDS
        await worker.maintenance.idle()
        assert not parts.backend.erasure.has_remains() and not holds(tmp_path, texts[2])


async def test_what_is_withdrawn_leaves_the_collection_and_its_files(tmp_path: Path) -> None:
    def in_chroma(text: str) -> bool:
        return any(
            text.encode() in path.read_bytes()
            for path in (tmp_path / "chromadb").rglob("*")
            if path.is_file()
        )

    async with open_worker(settings_for(tmp_path), clock=Clock()) as (parts, worker):
        index = worker.maintenance.event_index
        assert index is not None
        texts = ["the narwhal sings", "the walrus dances"]
        events = [make_event(f"m-{n}", text=text, kind="message") for n, text in enumerate(texts)]
        parts.events.file_messages([[event] for event in events])
        parts.events.set_fingerprint("test", DIMENSION)
        parts.events.set_vectors([event.event_id for event in events], unit_vectors(2))
        await worker.maintenance.idle()
        assert index.count() == 2 and all(map(in_chroma, texts))
        parts.events.withdraw(["m-0"])
        await idle_rounds(worker, 2)
        assert index.count() == 1 and [in_chroma(text) for text in texts] == [False, True]


async def test_the_rewriting_gives_way_to_writers_some_times_and_then_they_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle_work, "OVERWRITING_TRIES", 3)
    async with open_worker(settings_for(tmp_path), clock=Clock()) as (parts, worker):
        erasure = type(parts.backend.erasure)
        monkeypatch.setattr(erasure, "writers_wait", lambda self: True)
        monkeypatch.setattr(erasure, "rewrite", lambda self, stop: not stop())
        parts.events.file_messages([said(1, 1.0)])
        parts.events.withdraw(["m-1"])
        await idle_rounds(worker, 3)
        assert parts.backend.erasure.has_remains()
        await worker.maintenance.idle()
        assert not parts.backend.erasure.has_remains()
