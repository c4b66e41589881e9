"""How long the foreground waits until a job is accepted, beside the least that a durable file costs.

    python benchmarks/accept.py [--jobs 2000] [--folder DIR] [--pending 0] [--remember]

With `--remember` one message a call is handed over as it was said, instead of a job.

Each round writes the same bytes twice: bare (write, fsync, rename, fsync of the folder) and by `enqueue_job`, in
turns, so that a disk that slows down slows both. `--pending` puts that many jobs there first, unflushed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from historian.schema.job import Job, parse_job
from historian.schema.scope import Scope
from historian.schema.settings.source import parse_settings
from historian.service.cognitive import CognitiveService
from historian.stores.sqlite.former_queue import open_local_queue
from historian.stores.sqlite.queue import row_of

Accept = Callable[[Job], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Timings:
    """The times of one way of writing, in milliseconds."""

    name: str
    milliseconds: list[float]

    def percentile(self, percent: int) -> float:
        return statistics.quantiles(self.milliseconds, n=100)[percent - 1]

    def __str__(self) -> str:
        figures = "  ".join(f"p{p} {self.percentile(p):7.3f}" for p in (50, 95, 99))
        return f"{self.name:<8} {figures}  max {max(self.milliseconds):8.3f} ms"


def make_job(n: int) -> Job:
    """Return a job of typical size: one action, two facts, four recent messages."""
    return parse_job(
        {
            "request_id": f"message-{n:07d}",
            "end_seq": n % 5,
            "action_summary": "告诉小林明天杭州有小雨,提醒他带伞,并把周报的链接发到了群里",
            "new_info": ["小林下周要去北京出差三天", "小林养了一只叫阿橘的猫"],
            "timestamp": "2026-02-21T17:30:00+08:00",
            "timezone": "Asia/Shanghai",
            "request_type": "group",
            "group_id": str(n % 20),
            "user_id": str(n % 200),
            "user_name": "小林",
            "bot_name": "Undefined",
            "recent_messages": [
                {
                    "sender_id": str(m),
                    "sender_name": "小林",
                    "text": "明天要不要带伞?" * 3,
                    "at": "2026-02-21T17:29:00+08:00",
                }
                for m in range(4)
            ],
        }
    )


def write_bare(folder: Path, name: str, data: bytes) -> None:
    """Write a file as the floor of the comparison: the cost of every durable new file."""
    temporary = folder / (name + ".tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    os.write(descriptor, data)
    os.fsync(descriptor)
    os.close(descriptor)
    temporary.replace(folder / name)
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


async def compare(accept: Accept, floor_folder: Path, jobs: int) -> tuple[Timings, Timings]:
    """Time the floor and `accept` in turns; either one comes first every second time."""
    floor, accepted = Timings("floor", []), Timings("accept", [])
    floor_folder.mkdir(parents=True, exist_ok=True)
    for n in range(jobs):
        job = make_job(n)
        data = job.to_json().encode()
        for bare in (n % 2 == 0, n % 2 == 1):
            began = time.perf_counter()
            if bare:
                write_bare(floor_folder, f"{n:013d}-{job.job_id}.json", data)
            else:
                await accept(job)
            (floor if bare else accepted).milliseconds.append((time.perf_counter() - began) * 1000)
    return floor, accepted


def describe_machine(folder: Path) -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("langgraph-historian", "pydantic"))
    return f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}, {packages}, in {folder}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument(
        "--folder",
        type=Path,
        help="on the disk to be measured (default: the system's temporary folder)",
    )
    parser.add_argument("--pending", type=int, default=0)
    parser.add_argument("--remember", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        asyncio.run(measure(Path(temporary), options.jobs, options.pending, options.remember))


async def measure(folder: Path, jobs: int, pending: int, remember: bool) -> None:
    """Print the times of `CognitiveService.enqueue_job` (validation, redaction, thread, row) and of
    the floor.
    """
    cognitive = {"data_dir": str(folder / "data"), "timezone": "Asia/Shanghai"}
    settings = parse_settings(
        {"cognitive": cognitive, "models": {"embedding": {"provider": "none"}}},
        environ={},
        base=folder,
    )
    with closing(open_local_queue(folder / "data", time.time)) as queue:
        waiting = (make_job(10_000_000 + n) for n in range(pending))
        queue.merge_rows(row_of(job, job.to_json(), 1_700_000_000.0) for job in waiting)
    async with CognitiveService.open(settings, worker=False) as memory:

        async def accept(job: Job) -> object:
            if remember:
                message = {
                    "content": "".join(job.new_info),
                    "id": job.request_id,
                    "at": job.timestamp,
                }
                return await memory.remember(
                    message, Scope.private(job.user_id), user_name=job.user_name
                )
            return await memory.enqueue_job(**handed_over(job))

        print(describe_machine(folder))
        print(
            f"n = {jobs} jobs of {len(make_job(0).to_json().encode())} bytes, {pending} pending before"
        )
        floor, accepted = await compare(accept, folder / "floor", jobs)
    print(floor, accepted, sep="\n")
    ratios = "  ".join(
        f"p{p} {accepted.percentile(p) / floor.percentile(p):.2f}" for p in (50, 95, 99)
    )
    print(f"accept / floor: {ratios}")


def handed_over(job: Job) -> dict[str, Any]:
    """Return the arguments that a bot passes to `enqueue_job` for this job."""
    fields = (
        "request_id",
        "end_seq",
        "action_summary",
        "new_info",
        "timestamp",
        "timezone",
        "request_type",
        "recent_messages",
    )
    names = ("user_id", "group_id", "user_name", "bot_name")
    return job.model_dump(include={*fields, *names})


if __name__ == "__main__":
    main()
