"""No accepted job is lost by forgetting, by processes that come and go, or by a deleted log."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from historian.schema.event import EventFilter
from historian.stores.files.owner_lock import owner_of
from support.command import NO_MODELS
from support.queue_rows import rows
from support.stores import open_events
from support.waiting import eventually_now

pytestmark = pytest.mark.slow

BOT = """
import asyncio, sys
from pathlib import Path
from historian.service.cognitive import CognitiveService
from support.memory import group_fields, settings_for

async def main():
    settings = settings_for(Path(sys.argv[1]), historian={"rewrite_mode": "rules"})
    async with CognitiveService.open(settings, worker=sys.argv[2] == "worker") as memory:
        print("open", flush=True)
        while line := (await asyncio.to_thread(sys.stdin.readline)).split():
            if line[0] == "forget":
                report = await memory.forget_user(line[1])
                print("clean" if report.clean else report, flush=True)
            elif line[0] == "outage":
                print((await memory.stats()).get("error", ""), flush=True)
            elif line[0] == "settle":
                print(await memory.settled(30), flush=True)
            else:
                try:
                    fields = group_fields(request_id=line[1], action_summary=f"小史给阿明讲了{line[1]}")
                    print("accepted", await memory.enqueue_job(**fields), flush=True)
                except Exception as error:
                    print("refused", type(error).__name__, error, flush=True)

asyncio.run(main())
"""
ENVIRONMENT = {**os.environ, **NO_MODELS, "PYTHONPATH": str(Path(__file__).parents[2])}


class Bot:
    """A bot in a process of its own, which does what it is told by lines."""

    def __init__(self, data: Path, kind: str) -> None:
        command = [sys.executable, "-c", BOT, str(data), kind]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env=ENVIRONMENT,
        )
        self.accepted: set[str] = set()
        self.refused: list[str] = []
        assert self.read() == "open"

    def read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def do(self, line: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.read()

    def take(self, *names: str) -> None:
        for name in names:
            answer = self.do(f"take {name}")
            if answer.startswith("accepted "):
                self.accepted.add(answer.removeprefix("accepted "))
            else:
                self.refused.append(answer)

    def end(self, *, kill: bool) -> None:
        if kill:
            self.process.kill()
        else:
            assert self.process.stdin is not None
            self.process.stdin.close()
        self.process.wait(60)


@contextmanager
def bot(data: Path, kind: str = "worker") -> Iterator[Bot]:
    one = Bot(data, kind)
    try:
        yield one
    finally:
        one.process.kill()
        one.process.wait(60)


def look_in(data: Path) -> None:
    """Run a command that opens the databases, and closes them as the last one where it believes to be alone."""
    command = [sys.executable, "-m", "historian.interfaces.cli", "stats", "--data-dir", str(data)]
    subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True)


def kept(data: Path) -> set[str]:
    """Return the ids of the jobs that wait or are filed."""
    eventually_now(lambda: owner_of(data) is None, seconds=30)
    events = open_events(data)
    with closing(events):
        filed = {event.job_id for event in events.find(EventFilter(None), limit=10_000)}
    return filed | {row["job_id"] for row in rows(data)}


@pytest.mark.parametrize("filed", ["filed", "waiting"])
@pytest.mark.parametrize("kill", [True, False], ids=["killed", "closed"])
def test_what_a_bot_accepts_after_it_forgot_somebody_is_there_after_its_end(
    tmp_path: Path, kill: bool, filed: str
) -> None:
    data = tmp_path / "data"
    with bot(data) as one:
        one.take("before")
        assert one.do("settle") == "True"
        assert one.do("forget 99") == "clean"
        look_in(data)
        one.take(*(f"after{n}" for n in range(20)))
        if filed == "filed":
            assert one.do("settle") == "True"
        one.end(kill=kill)
    lost = one.accepted - kept(data)
    assert (len(one.accepted), sorted(lost), one.refused) == (21, [], [])


def test_a_second_bot_that_comes_and_goes_costs_no_accepted_job(tmp_path: Path) -> None:
    data = tmp_path / "data"
    accepted: set[str] = set()
    with bot(data) as long:
        for turn in range(6):
            assert long.do("forget 99") == "clean"
            with bot(data, "no worker") as short:
                short.take(*(f"short{turn}-{n}" for n in range(20)))
                short.end(kill=False)
            long.take(*(f"long{turn}-{n}" for n in range(20)))
            accepted |= short.accepted
        long.end(kill=False)
        accepted |= long.accepted
    assert (len(accepted), sorted(accepted - kept(data)), long.refused) == (240, [], [])


@pytest.mark.parametrize("name", ["queue", "index"])
@pytest.mark.parametrize("gone", [("-wal",), ("-wal", "-shm")], ids=["log", "both"])
def test_where_the_log_of_a_running_bot_is_deleted_every_job_is_refused_with_what_to_do_or_kept(
    tmp_path: Path, name: str, gone: tuple[str, ...]
) -> None:
    data = tmp_path / "data"
    with bot(data) as one:
        one.take(*(f"before{n}" for n in range(5)))
        assert one.do("settle") == "True"
        for suffix in gone:
            (data / f"{name}.sqlite{suffix}").unlink()
        one.take(*(f"after{n}" for n in range(20)))
        assert len(one.refused) == (20 if name == "queue" else 0)
        assert all("Restart this process" in told for told in one.refused)
        if name == "index":
            eventually_now(
                lambda: "Restart this process" in one.do("outage"), seconds=30, every=0.5
            )
        one.end(kill=True)
    with bot(data) as again:
        again.take("again")
        assert again.do("settle") == "True"
        again.end(kill=False)
    assert sorted((one.accepted | again.accepted) - kept(data)) == []


def test_where_the_queue_of_a_running_bot_is_deleted_what_comes_in_is_filed_from_a_new_one(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    with bot(data) as one:
        one.take("before")
        assert one.do("settle") == "True"
        (data / "queue.sqlite").unlink()
        one.take(*(f"after{n}" for n in range(20)))
        assert one.do("settle") == "True"
        one.end(kill=True)
    assert (len(one.accepted), one.accepted - kept(data), one.refused) == (21, set(), [])
