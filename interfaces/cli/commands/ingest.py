"""`historian ingest`: puts jobs from a file of JSON lines into the queue.

A line is a JSON object with the fields of a job (`action_summary`, `new_info`, `user_id`,
`group_id`, …). If it has no `request_id`, the id is made from the content of the line. A file can
therefore be read again, also after lines were appended, without a second job for the same line. Two
equal lines in one file make two jobs.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer
from rich.text import Text
from typer import Argument, Option

from ....schema.errors import InvalidInput
from ...texts import NAMES
from ..console import plain
from ..filter_lines import json_object
from ..invocation import command
from ..language import listed, say
from ..opening import opened_queue
from ..shell import FAILED, Shell, WrongUse

if TYPE_CHECKING:
    from ....schema.job import Job
    from ....schema.protocols import JobQueue


OUTCOMES: Mapping[str, str] = NAMES["command_line"]["ingested"]
"""The outcomes of lines, with the messages that report their numbers."""


@dataclass(frozen=True)
class Line:
    """One line of the file, with its job or its error; it has neither if the job is empty."""

    number: int
    job: Job | None
    error: str = ""


@command("ingest")
def ingest(
    shell: Shell,
    file: Annotated[
        str, Argument(metavar="FILE.jsonl", help="A file with one job per line; - for stdin.")
    ],
    strict: Annotated[
        bool, Option("--strict", help="Accept no line if any line is invalid.")
    ] = False,
) -> None:
    """Put the jobs of a file into the queue.

    Invalid lines are reported with their number and field, the valid ones are accepted, and the
    exit status is 1; with --strict no line is accepted then. Ingesting the same file again makes
    no second job.
    """
    shell.needs_memory()
    with ExitStack() as stack:
        lines: Iterable[Line] = read_lines(_opened(file, stack), shell)
        if strict:
            lines = list(lines)
            wrong = [line for line in lines if line.error]
            if wrong:
                for line in wrong:
                    _report(shell, file, line)
                _sum_up(
                    shell, file, Counter(wrong=len(wrong)), say("nothing was written (--strict)")
                )
                raise typer.Exit(FAILED)
        counts: Counter[str] = Counter()
        queue = opened_queue(shell)
        known = _known_jobs(shell, queue)
        update = stack.enter_context(shell.progress("jobs accepted"))
        for line in lines:
            outcome = (
                "wrong"
                if line.error
                else "empty"
                if line.job is None
                else "known"
                if known(line.job.job_id)
                else "accepted"
            )
            if outcome == "accepted" and line.job is not None:
                try:
                    queue.put(line.job)
                except InvalidInput as error:
                    line, outcome = Line(line.number, None, str(error)), "wrong"
            if outcome == "wrong":
                _report(shell, file, line)
            counts[outcome] += 1
            update(counts.total(), counts.total())
    _sum_up(shell, file, counts)
    _tell_what_waits(shell)
    if counts["wrong"]:
        raise typer.Exit(FAILED)


def read_lines(source: BinaryIO, shell: Shell) -> Iterator[Line]:
    """Yield each line that is not blank, with its job or its error."""
    seen: Counter[str] = Counter()
    for number, raw in enumerate(_raw_lines(source), 1):
        if not raw.strip():
            continue
        try:
            job = _job(raw, number, seen, shell)
            yield Line(number, None if job.is_empty else job)
        except InvalidInput as error:
            yield Line(number, None, str(error))


def _raw_lines(source: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file.

    A line that is longer than a job may be is truncated, so that no file can exhaust the memory.
    """
    from ....schema.job import MAX_JOB_BYTES

    while raw := source.readline(MAX_JOB_BYTES + 2):
        rest = raw
        while rest and not rest.endswith(b"\n"):
            rest = source.readline(MAX_JOB_BYTES)
        yield raw


def _job(raw: bytes, number: int, seen: Counter[str], shell: Shell) -> Job:
    from ....schema.job import MAX_JOB_BYTES
    from ....service.intake import HANDED_OVER, check_untried, make_job, redacted

    if len(raw) > MAX_JOB_BYTES:
        raise WrongUse(
            "more than {n} bytes, the maximum size of a job: shorten its texts", n=MAX_JOB_BYTES
        )
    data = json_object(raw, number)
    if data.get("request_id") in (None, ""):
        data["request_id"] = _request_id(data, seen)
    job = make_job(data, shell.settings, time.time)
    if job.kind not in HANDED_OVER:
        raise WrongUse(
            "kind: {kind} is a command; a file may only contain jobs of the kinds {known}",
            kind=job.kind,
            known=", ".join(HANDED_OVER),
        )
    check_untried(job)
    return redacted(job, shell.settings.historian.redact_jobs)


def _request_id(data: dict[str, Any], seen: Counter[str]) -> str:
    """Return an id made from the content of a line and the number of equal lines so far."""
    content = json.dumps(data, sort_keys=True, ensure_ascii=True)
    digest = hashlib.sha256(content.encode()).hexdigest()[:20]
    seen[digest] += 1
    return f"ingest-{digest}" + (f"-{seen[digest]}" if seen[digest] > 1 else "")


def _known_jobs(shell: Shell, queue: JobQueue) -> Callable[[str], bool]:
    """Return a function that is True for the id of a job in the queue or a filed job."""
    from ....schema.errors import DatabaseAway
    from ....schema.job import DONE
    from ....stores.opening import has_memory, open_backend, waiting_here

    try:
        if not has_memory(shell.settings):
            return queue.known_ids().__contains__
        backend = open_backend(shell.settings, queue)
        backend.tend()  # first hand over the jobs that waited on this machine
        waiting = queue.known_ids()
    except DatabaseAway:
        if not shell.settings.stores.spool:
            raise
        # Other jobs that are known in the database are recognised when the spool is handed over.
        return waiting_here(shell.settings).__contains__
    return lambda job_id: job_id in waiting or backend.ledger.has(DONE, job_id)


def _opened(file: str, stack: ExitStack) -> BinaryIO:
    from ....stores.files.ordinary import check_no_database

    if file == "-":
        return sys.stdin.buffer
    check_no_database(Path(file))
    try:
        return stack.enter_context(Path(file).open("rb"))
    except OSError as error:
        raise WrongUse(
            "{file!r} cannot be read: {why}", file=file, why=error.strerror or error
        ) from None


def _report(shell: Shell, file: str, line: Line) -> None:
    if shell.json:
        shell.emit(line=line.number, error=line.error)
    source = "<stdin>" if file == "-" else plain(file)
    shell.err.print(
        Text.assemble((f"{source}:{line.number}: ", "bold red"), plain(line.error)), soft_wrap=True
    )


def _tell_what_waits(shell: Shell) -> None:
    from ....stores.opening import waiting_here

    if waiting := len(waiting_here(shell.settings)):
        shell.note(
            "the database is unavailable: {n} {n:job waits|jobs wait} in {directory} and "
            "{n:is|are} handed over when it answers again, by a bot or worker of this machine or "
            "the next `historian ingest`",
            n=waiting,
            directory=shell.directory,
        )


def _sum_up(shell: Shell, file: str, counts: Counter[str], remark: str = "") -> None:
    if shell.json:
        shell.emit(file=file, **{key: counts[key] for key in OUTCOMES})
        return
    parts = [
        say(said, n=counts[name])
        for name, said in OUTCOMES.items()
        if counts[name] or name == "accepted"
    ]
    hint = (
        say("; `historian worker --drain` files {n:it|them}", n=counts["accepted"])
        if counts["accepted"]
        else ""
    )
    shell.tell(listed([*parts, *([remark] if remark else [])]) + hint)
