"""What is accepted while memory is being closed, and what is not even redacted."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from historian.schema.errors import HistorianError
from historian.schema.job import Job
from historian.schema.settings import Settings
from historian.service.intake import LONG, Unredacted, make_job, read_job
from historian.service.recall.fallback_levels import PlainMemory
from historian.service.running.acceptance import Acceptance
from historian.stores.files.end_summaries import EndSummaries
from support.memory import settings_for


def acceptance_of(settings: Settings, directory: Path, is_open: list[bool]) -> Acceptance:
    summaries = EndSummaries(directory / "end_summaries.json")
    plain = PlainMemory(directory, summaries)
    return Acceptance(lambda: settings, time.time, plain, summaries, lambda: is_open[0])


def given(settings: Settings, redacted: list[str]) -> Unredacted:
    """Return a long hand-over; `redacted` gets an entry when it is redacted."""

    def jobs() -> list[Job]:
        redacted.append("redacted")
        return [make_job({"user_id": "42", "new_info": ["喜欢吉他"]}, settings, time.time)]

    return Unredacted(LONG + 1, jobs)


async def test_a_long_hand_over_is_stored_while_memory_is_being_closed(tmp_path: Path) -> None:
    settings, is_open = settings_for(tmp_path), [True]
    acceptance = acceptance_of(settings, tmp_path, is_open)
    acceptance.opened_queue()
    is_open[0] = False
    (job,) = await acceptance.hand_over(lambda: given(settings, []))
    assert acceptance.opened_queue().known_ids() == {job.job_id}
    acceptance.close_queue()


async def test_a_closed_memory_redacts_nothing(tmp_path: Path) -> None:
    settings, redacted = settings_for(tmp_path), list[str]()
    acceptance = acceptance_of(settings, tmp_path, [False])
    with pytest.raises(HistorianError, match="not open"):
        await acceptance.hand_over(lambda: given(settings, redacted))
    assert not redacted


def test_a_turn_that_tells_nothing_is_not_redacted(tmp_path: Path) -> None:
    messages = [{"text": "聊天" * LONG, "sender_id": "7"}]
    read = read_job(
        {"user_id": "42", "recent_messages": messages}, settings_for(tmp_path), time.time
    )
    assert read.characters == 0 and read.redacted_jobs() == []
