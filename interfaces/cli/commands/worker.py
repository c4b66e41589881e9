"""`historian worker`: the historian as a process of its own."""

from __future__ import annotations

import asyncio
import logging
import random
import signal
import time
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ....schema.errors import StorageError
from ..console import counted, fields
from ..invocation import CommandFailed, Shell, command
from ..language import both, either
from ..root import app
from ..run_report import jobs_done, make_report, report_lines, save_report, usage_table

if TYPE_CHECKING:
    from ....service.components import Parts
    from ....service.jobs.worker import HistorianWorker

log = logging.getLogger(__name__)

STOP_SECONDS = 10.0
"""How long running jobs may go on after SIGINT or SIGTERM; what is not done then is given back, and resumed next time."""
COUNT_SECONDS = 1.0
"""How often the progress bar counts the queue."""


@command(app, "worker", zh="归档队列里的任务，直到 Ctrl-C 或 SIGTERM；加 --drain 则做完为止。")
async def worker(
    shell: Shell,
    drain: Annotated[
        bool, typer.Option("--drain", help=both("没有任务了就结束。", "End when no job is left."), show_default=False)
    ] = False,
    metrics_port: Annotated[
        int | None,
        typer.Option(
            "--metrics-port",
            metavar="PORT",
            min=0,
            max=65535,
            help=both("在 127.0.0.1 上提供 /metrics（0：随便哪个端口）。", "Serve /metrics on 127.0.0.1 (0: any port)."),
            show_default=False,
        ),
    ] = None,
) -> None:
    """File the jobs of the queue, until stopped by Ctrl-C or SIGTERM, or with --drain until none is left."""
    from ....service.components import open_parts, open_queue
    from ....service.ownership import owned_worker
    from ....service.telemetry.metrics_server import serving_metrics

    settings = shell.settings
    if not settings.cognitive.enabled:
        raise CommandFailed(
            either(
                "记忆已关闭（cognitive.enabled = false）；任务在磁盘上等它打开",
                "memory is switched off (cognitive.enabled = false); its jobs wait on disk until it is switched on",
            )
        )
    queue = await asyncio.to_thread(open_queue, settings, time.time)
    parts = await asyncio.to_thread(open_parts, settings, queue=queue, clock=time.time)
    try:
        with ExitStack() as stack:
            historian = await asyncio.to_thread(stack.enter_context, owned_worker(parts, random=random.random))
            if metrics_port is not None:
                port = stack.enter_context(serving_metrics(metrics_port, lambda: _metrics(historian, parts)))
                shell.err.print(f"{either('指标：', 'metrics: ')}http://127.0.0.1:{port}/metrics", soft_wrap=True)
            started = time.monotonic()
            complete = await _run(historian, parts, shell, drain=drain)
            report = make_report(historian.statistics, parts.chat, time.monotonic() - started)
    finally:
        await parts.aclose()
    counts = queue.counts(time.time())
    report["left"] = {"pending": counts.pending, "processing": counts.processing, "failed": counts.failed}
    try:
        save_report(shell.directory, report)
    except StorageError as error:
        log.warning("`historian stats` will not show this run: %s", error)
    _print(shell, report)
    if not complete:
        raise CommandFailed(
            either(
                f"放弃了，还有 {counts.pending} 个任务在磁盘上等着：{historian.outage or '模型一直没有回答'}；"
                "`historian doctor` 说明哪里不对，之后再运行一次",
                f"gave up with {counted(counts.pending, 'job')} waiting on disk: {historian.outage or 'the model stayed away'}; "
                "`historian doctor` tells what is wrong, then run this again",
            )
        )


def _metrics(historian: HistorianWorker, parts: Parts) -> str:
    from ....service.report import model_names, usage_report
    from ....service.telemetry.metrics import metrics_text

    return metrics_text(
        {
            "models": model_names(parts),
            "queue": asdict(parts.queue.counts(time.time())),
            "events": parts.events.count(),
            "worker": historian.statistics.as_dict(),
            "outage": historian.outage,
            "usage": usage_report(parts),
        }
    )


async def _run(historian: HistorianWorker, parts: Parts, shell: Shell, *, drain: bool) -> bool:
    """Run until done or stopped by a signal; a second signal does not wait for running jobs."""
    loop = asyncio.get_running_loop()
    stopping: list[asyncio.Task[None]] = []

    def stop() -> None:
        patience = 0.0 if stopping else STOP_SECONDS
        if not stopping:
            shell.err.print(either("正在停下；再来一次就立即停", "stopping; once more to stop at once"))
        stopping.append(loop.create_task(historian.stop(patience)))

    signals = [signal.SIGINT, signal.SIGTERM]
    _install(loop, signals, stop)
    if not drain and not shell.json:
        shell.err.print(
            either(f"正在处理 {shell.directory}；按 Ctrl-C 停下", f"working on {shell.directory}; Ctrl-C stops"), soft_wrap=True
        )
    progress = Progress(
        TextColumn(either("归档", "filing")),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:.1f}/s"),
        TimeElapsedColumn(),
        console=shell.err,
        transient=True,
        disable=not (drain and shell.err.is_terminal and not shell.json),
    )
    try:
        with progress:
            watching = asyncio.create_task(_watch(progress, historian, parts))
            try:
                return await historian.run(drain=drain)
            finally:
                watching.cancel()
                await asyncio.gather(watching, *stopping, return_exceptions=True)
    finally:
        _uninstall(loop, signals)


def _install(loop: asyncio.AbstractEventLoop, signals: list[signal.Signals], stop: Any) -> None:
    for one in signals:
        try:
            loop.add_signal_handler(one, stop)
        except NotImplementedError:  # Windows: the loop takes no handlers; the signal module does, in the main thread
            signal.signal(one, lambda *_: loop.call_soon_threadsafe(stop))


def _uninstall(loop: asyncio.AbstractEventLoop, signals: list[signal.Signals]) -> None:
    for one in signals:
        try:
            loop.remove_signal_handler(one)
        except NotImplementedError:
            signal.signal(one, signal.SIG_DFL)


async def _watch(progress: Progress, historian: HistorianWorker, parts: Parts) -> None:
    """Keep the progress bar true."""
    if progress.disable:
        return
    task = progress.add_task("", total=None, rate=0.0)
    started = time.monotonic()
    while True:
        counts = await asyncio.to_thread(parts.queue.counts, time.time())
        counted = time.monotonic()
        while time.monotonic() - counted < COUNT_SECONDS:
            done = jobs_done(historian.statistics)
            total = max(done, done + counts.pending + counts.processing)
            rate = done / max(time.monotonic() - started, 0.001)
            progress.update(task, completed=done, total=total, rate=rate)
            await asyncio.sleep(0.1)


def _print(shell: Shell, report: dict[str, Any]) -> None:
    if shell.json:
        shell.emit(**report)
        return
    left = report["left"]
    waiting = left["pending"] + left["processing"]
    left_over = either(f"等待 {waiting}，放弃 {left['failed']}", f"{waiting} waiting, {left['failed']} given up")
    shell.out.print(fields({**report_lines(report), either("剩下", "left"): left_over}))
    if report["usage"]:
        shell.out.print()
        shell.out.print(usage_table(report["usage"]))
    if left["failed"]:
        shell.say(
            either(
                "\n`historian jobs list --state failed` 说明原因，`historian jobs retry --all` 放回队列",
                "\n`historian jobs list --state failed` tells why, `historian jobs retry --all` brings them back",
            )
        )
