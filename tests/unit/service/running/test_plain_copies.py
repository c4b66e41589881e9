"""Accepted jobs are copied into the plain summaries, in batches, and what is forgotten is not."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from historian.schema.errors import StorageError
from historian.schema.job import Job
from historian.service.running import plain_copies
from historian.service.running.plain_copies import PlainCopies
from historian.stores.files.end_summaries import EndSummaries
from support.jobs import make_job


def test_what_is_accepted_is_copied_and_what_is_forgotten_meanwhile_is_not(tmp_path: Path) -> None:
    summaries = EndSummaries(tmp_path / "end_summaries.json")
    forgotten: set[str] = set()
    copies = PlainCopies(summaries, lambda job: job.job_id in forgotten)
    jobs = [make_job(name) for name in "abc"]
    for job in jobs:
        copies.add(job)
    forgotten.add(jobs[1].job_id)
    copies.settle()
    assert [entry["job_id"] for _, entry in summaries.entries()] == [jobs[0].job_id, jobs[2].job_id]
    copies.add(jobs[1])
    forgotten.clear()
    copies.settle()
    copies.settle()
    assert len(summaries.entries()) == 3


def test_a_disk_that_refuses_is_logged_and_holds_up_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Refusing(EndSummaries):
        def add(self, jobs: object) -> None:
            raise StorageError("disk full")

    def never(job: Job) -> bool:
        return False

    copies = PlainCopies(Refusing(tmp_path / "end_summaries.json"), never)
    copies.add(make_job("a"))
    copies.settle()
    assert "not in end_summaries.json: disk full" in caplog.text


def test_what_nobody_settles_is_copied_after_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_copies, "PAUSE_SECONDS", 0.01)
    written = threading.Event()

    class Telling(EndSummaries):
        def add(self, jobs: Sequence[Job]) -> None:
            super().add(jobs)
            written.set()

    summaries = Telling(tmp_path / "end_summaries.json")
    PlainCopies(summaries, lambda job: False).add(make_job("a"))
    assert written.wait(20) and len(summaries.entries()) == 1
