"""`historian ingest`: jobs from a file of JSON lines into the queue.

A line is one object with the fields of a job (`action_summary`, `new_info`, `user_id`, `group_id`, …). Without a
`request_id` it gets one made from what it says: the same file again, or the same file grown longer, makes no second
job; the same line twice within a file makes two.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer
from rich.progress import Progress
from rich.text import Text

from ....schema.errors import InvalidInput
from ..console import counted, plain
from ..invocation import FAILED, CommandFailed, Shell, command
from ..language import both, either
from ..root import app

if TYPE_CHECKING:
    from ....schema.job import Job


@dataclass(frozen=True)
class Line:
    """One line of the file, read: its job, or what is wrong with it. Both None: it says nothing."""

    number: int
    job: Job | None
    error: str = ""


@command(
    app,
    "ingest",
    zh="把一个文件里的任务放进队列。\n\n"
    "错的行报出行号和字段，好的照收，退出码 1；加 --strict 就一行也不收。同一个文件再来一次不会多出任务。",
)
def ingest(
    shell: Shell,
    file: Annotated[
        str, typer.Argument(metavar="FILE.jsonl", help=both("一行一个任务；- 读 stdin。", "One job a line; - for stdin."))
    ],
    strict: Annotated[
        bool,
        typer.Option("--strict", help=both("有一行错就什么也不写。", "Write nothing if any line is wrong."), show_default=False),
    ] = False,
) -> None:
    """Put the jobs of a file into the queue.

    Wrong lines are named with their number and field, the good ones are taken, and the status is 1; with --strict
    nothing is taken then. The same file again makes no second job.
    """
    from ....service.components import open_queue

    if not shell.settings.cognitive.enabled:
        raise CommandFailed(
            either(
                "记忆已关闭（cognitive.enabled = false）；打开它才能收任务",
                "memory is switched off (cognitive.enabled = false); switch it on to take jobs in",
            )
        )
    with ExitStack() as stack:
        source = _opened(file, stack)
        if strict:
            lines: Iterator[Line] = iter(list(read_lines(source, shell)))
            lines, checked = iter(kept := list(lines)), [line for line in kept if line.error]
            if checked:
                for line in checked:
                    _report(shell, file, line)
                _sum_up(
                    shell, file, Counter(wrong=len(checked)), either("什么也没有写（--strict）", "nothing was written (--strict)")
                )
                raise typer.Exit(FAILED)
        else:
            lines = read_lines(source, shell)
        counts: Counter[str] = Counter()
        queue = open_queue(shell.settings, time.time)
        known = _known_jobs(shell)
        progress = stack.enter_context(Progress(console=shell.err, transient=True, disable=not shell.err.is_terminal))
        task = progress.add_task(either("收入任务", "jobs taken in"), total=None)
        for line in lines:
            if line.error:
                _report(shell, file, line)
                counts["wrong"] += 1
            elif line.job is None:
                counts["empty"] += 1
            elif known(line.job.job_id):
                counts["known"] += 1
            else:
                try:
                    queue.put(line.job)
                except InvalidInput as error:
                    _report(shell, file, Line(line.number, None, str(error)))
                    counts["wrong"] += 1
                else:
                    counts["accepted"] += 1
            progress.update(task, advance=1)
    _sum_up(shell, file, counts, "")
    if counts["wrong"]:
        raise typer.Exit(FAILED)


def read_lines(source: BinaryIO, shell: Shell) -> Iterator[Line]:
    """Every line that is not blank, as a job or with what is wrong with it."""
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
    """The lines of a file; of one that is far too long only its beginning, so that no file can fill the memory."""
    from ....schema.job import MAX_JOB_BYTES

    while raw := source.readline(MAX_JOB_BYTES + 2):
        rest = raw
        while rest and not rest.endswith(b"\n"):
            rest = source.readline(MAX_JOB_BYTES)
        yield raw


def _job(raw: bytes, number: int, seen: Counter[str], shell: Shell) -> Job:
    from ....schema.job import MAX_JOB_BYTES
    from ....service.intake import make_job, redacted

    if len(raw) > MAX_JOB_BYTES:
        raise InvalidInput(
            either(
                f"超过 {MAX_JOB_BYTES} 字节，一个任务最多这么大：请缩短文字",
                f"more than {MAX_JOB_BYTES} bytes, which is what a job may have: shorten its texts",
            )
        )
    try:
        data = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError as error:
        where = error.start + 1
        raise InvalidInput(
            either(f"不是 UTF-8（第 {where} 字节）；请转换文件", f"not UTF-8 (byte {where}); convert the file")
        ) from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(either(f"不是 JSON：{error}", f"not JSON: {error}")) from None
    if not isinstance(data, dict):
        raise InvalidInput(either("应为一个 JSON 对象，字段同任务", "expected a JSON object with the fields of a job"))
    if data.get("request_id") in (None, ""):
        data["request_id"] = _request_id(data, seen)
    return redacted(make_job(data, shell.settings, time.time), shell.settings.historian.redact_jobs)


def _request_id(data: dict[str, Any], seen: Counter[str]) -> str:
    """An id made from what the line says, and from how often the file has said it so far."""
    content = json.dumps(data, sort_keys=True, ensure_ascii=True)
    digest = hashlib.sha256(content.encode()).hexdigest()[:20]
    seen[digest] += 1
    return f"ingest-{digest}" + (f"-{seen[digest]}" if seen[digest] > 1 else "")


def _known_jobs(shell: Shell) -> Any:
    """A test for jobs that are in the queue or were filed before."""
    from ....service.components import open_queue
    from ....service.jobs.attempts import DONE
    from ....stores.sqlite.index_schema import open_index
    from ....stores.sqlite.ledger import SqliteLedger

    waiting = set(open_queue(shell.settings, time.time).known_ids())
    index = shell.directory / "index.sqlite"
    if not index.exists():
        return waiting.__contains__
    ledger = SqliteLedger(open_index(index))
    return lambda job_id: job_id in waiting or ledger.has(DONE, job_id)


def _opened(file: str, stack: ExitStack) -> BinaryIO:
    if file == "-":
        return sys.stdin.buffer
    try:
        return stack.enter_context(Path(file).open("rb"))
    except OSError as error:
        why = error.strerror or error
        raise InvalidInput(either(f"{file!r} 读不了：{why}", f"{file!r} cannot be read: {why}")) from None


def _report(shell: Shell, file: str, line: Line) -> None:
    if shell.json:
        shell.emit(line=line.number, error=line.error)
    source = "<stdin>" if file == "-" else plain(file)
    shell.err.print(Text.assemble((f"{source}:{line.number}: ", "bold red"), plain(line.error)), soft_wrap=True)


def _sum_up(shell: Shell, file: str, counts: Counter[str], remark: str) -> None:
    numbers = {key: counts[key] for key in ("accepted", "known", "empty", "wrong")}
    if shell.json:
        shell.emit(file=file, **numbers)
        return
    accepted, known, empty, wrong = numbers.values()
    parts = [either(f"收下 {accepted} 个任务", f"{counted(accepted, 'job')} accepted")]
    parts += [either(f"{known} 个已经有了", f"{known} known already")] if known else []
    parts += [either(f"{empty} 行没有内容", f"{empty} with nothing to say")] if empty else []
    parts += [either(f"{wrong} 行有错", counted(wrong, "wrong line"))] if wrong else []
    parts += [remark] if remark else []
    hint = either(
        "；`historian worker --drain` 会归档", f"; `historian worker --drain` files {'it' if accepted == 1 else 'them'}"
    )
    shell.say(either("，", ", ").join(parts) + (hint if accepted else ""))
