"""Messages of a conversation wait for one another: bounds of number, tokens and time, counted from the first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from historian.schema.job import Job
from historian.schema.scope import Scope
from historian.service.talk import Gathering, talk_jobs
from support.memory import settings_for

ANN = Scope.private("7")


def messages(
    directory: Path, count: int, text: str = "hello there", **limits: Any
) -> tuple[list[Job], Any]:
    settings = settings_for(directory, talk=limits)
    return talk_jobs(
        [{"content": text, "id": str(n)} for n in range(count)], ANN, settings, lambda: 0.0, {}
    ), settings


def test_the_bound_of_time_counts_from_the_first_message_and_begins_anew_after_it(
    tmp_path: Path,
) -> None:
    jobs, settings = messages(tmp_path, 3, gather_seconds=100.0)
    gathering = Gathering()
    due = [
        gathering.due(job, now, settings).not_before
        for job, now in zip(jobs, (1000.0, 1090.0, 1100.0), strict=True)
    ]
    assert due == [1100.0, 1100.0, 1200.0]


def test_a_bound_that_is_reached_lets_all_be_looked_through_at_once(tmp_path: Path) -> None:
    jobs, settings = messages(tmp_path, 3, gather_messages=3)
    gathering = Gathering()
    assert [gathering.due(job, 0.0, settings).not_before > 0 for job in jobs] == [True, True, False]
    assert not gathering.waits(ANN.key) and gathering.flushed() == []
    jobs, settings = messages(
        tmp_path, 2, "a rather long message about boats " * 20, gather_tokens=200
    )
    assert [gathering.due(job, 0.0, settings).not_before > 0 for job in jobs] == [True, False]


def test_a_flush_names_one_conversation_or_all(tmp_path: Path) -> None:
    jobs, settings = messages(tmp_path, 1)
    gathering = Gathering()
    gathering.due(jobs[0], 0.0, settings)
    assert gathering.flushed("p:8") == [] and gathering.waits(ANN.key)
    assert gathering.flushed(ANN.key) == [ANN.key] and not gathering.waits(ANN.key)
    assert gathering.flushed() == []
