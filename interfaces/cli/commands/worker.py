"""`historian worker`: runs the worker as a separate process."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from ....schema.errors import OwnerLockHeld, StorageError
from ..invocation import command
from ..language import say
from ..opening import opened_parts
from ..run_report import jobs_done, make_report, print_report, save_report
from ..shell import CommandFailed, Shell

if TYPE_CHECKING:
    from ....service.components import Parts
    from ....service.jobs.worker import HistorianWorker

log = logging.getLogger(__name__)

STOP_SECONDS = 10.0
"""Seconds that running jobs may still take after SIGINT or SIGTERM. Unfinished jobs are returned to
the queue and resumed later."""
LOOK_SECONDS, OWNER_SECONDS = 1.0, 0.5
"""Seconds between two checks of the database file and of the progress; seconds between two attempts
to become the owner of the data directory."""


@command("worker")
async def worker(
    shell: Shell,
    drain: Annotated[bool, Option("--drain", help="Exit when no job is left.")] = False,
    metrics_port: Annotated[
        int | None,
        Option(
            "--metrics-port",
            metavar="PORT",
            min=0,
            max=65535,
            help="Serve /metrics on 127.0.0.1 (0: any port).",
        ),
    ] = None,
) -> None:
    """File the jobs of the queue, until stopped by Ctrl-C or SIGTERM, or with --drain until none is left."""
    shell.needs_memory()
    while await _work(shell, drain, metrics_port):
        shell.note("another file has replaced the database; opening it")


async def _work(shell: Shell, drain: bool, metrics_port: int | None) -> bool:
    """Own the data directory and run the worker, as described for `worker`.

    Return True if the database file was replaced by another one.
    """
    from ....service.telemetry.metrics import serving_metrics

    async with opened_parts(shell.settings) as parts:
        with ExitStack() as stack:
            historian = await _owning(shell, parts, stack)
            if metrics_port is not None:
                port = stack.enter_context(
                    serving_metrics(metrics_port, lambda: _metrics(historian, parts))
                )
                shell.note("metrics: {url}", url=f"http://127.0.0.1:{port}/metrics")
            started = time.monotonic()
            complete = await _run(historian, parts, shell, drain=drain)
            if complete is None:
                return True
            report = make_report(historian.statistics, parts.chat, time.monotonic() - started)
        counts = await asyncio.to_thread(parts.queue.counts, time.time())
    report["left"] = {
        "pending": counts.pending,
        "processing": counts.processing,
        "failed": counts.failed,
    }
    try:
        save_report(shell.directory, report)
    except StorageError as error:
        log.warning("`historian stats` will not show this run: %s", error)
    print_report(shell, report)
    if counts.failed:
        hint = (
            "`historian jobs list --state failed` shows why, `historian jobs retry --all` "
            "retries them"
        )
        shell.tell(hint)
    if not complete:
        raise CommandFailed(
            "stopped with {n} {n:job|jobs} waiting on disk: {outage}; find the cause with "
            "`historian doctor`, then run this again",
            n=counts.pending,
            outage=historian.outage or say("the model did not answer"),
        )
    return False


async def _owning(shell: Shell, parts: Parts, stack: ExitStack) -> HistorianWorker:
    """Become the owner of the data directory and return the worker.

    While a short-lived command is the owner, wait until it ends. Raises OwnerLockHeld if another
    worker is the owner.
    """
    from ....service.running.ownership import owned_worker

    said = ""
    while True:
        try:
            return await asyncio.to_thread(stack.enter_context, owned_worker(parts))
        except OwnerLockHeld as error:
            if not error.passing:
                raise
            if said != str(error):  # the message changes when the owner is suspended
                said = str(error)
                shell.note("waiting: {error}", error=error)
            await asyncio.sleep(OWNER_SECONDS)


def _metrics(historian: HistorianWorker, parts: Parts) -> dict[str, Any]:
    from ....service.report import model_names, usage_report

    return {
        "models": model_names(parts),
        "queue": asdict(parts.queue.counts(time.time())),
        "events": parts.events.count(),
        "worker": historian.statistics.as_dict(),
        "outage": historian.outage,
        "usage": usage_report(parts),
    }


async def _run(
    historian: HistorianWorker, parts: Parts, shell: Shell, *, drain: bool
) -> bool | None:
    """Run the worker until it is done or stopped by a signal.

    After a second signal, running jobs are not waited for. Return the result of the worker's `run`,
    or None if the database file was replaced.
    """
    loop = asyncio.get_running_loop()
    stopping: list[asyncio.Task[None]] = []

    async def look(update: Callable[[int, int], None]) -> None:
        while parts.backend.place != "replaced":
            if parts.backend.needs_tending:
                await asyncio.to_thread(parts.backend.tend)
            if is_watched:
                counts, done = (
                    await asyncio.to_thread(parts.queue.counts, time.time()),
                    jobs_done(historian.statistics),
                )
                update(done, done + counts.pending + counts.processing)
            await asyncio.sleep(LOOK_SECONDS)
        await historian.stop(STOP_SECONDS)

    def stop() -> None:
        patience = 0.0 if stopping else STOP_SECONDS
        if not stopping:
            shell.note("stopping; press Ctrl-C again to stop at once")
        stopping.append(loop.create_task(historian.stop(patience)))

    is_watched = drain and shell.err.is_terminal and not shell.json
    with _on_signals(loop, stop):
        if not drain and not shell.json:
            shell.note("working on {directory}; Ctrl-C stops", directory=parts.backend.name)
        with shell.progress("filing", hidden=not is_watched) as update:
            watching = asyncio.create_task(look(update))
            try:
                complete = await historian.run(drain=drain)
                return None if not stopping and parts.backend.place == "replaced" else complete
            finally:
                watching.cancel()
                await asyncio.gather(watching, *stopping, return_exceptions=True)


def _on_signals(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> ExitStack:
    """Install `stop` as the handler of SIGINT and SIGTERM.

    Closing the returned stack removes the handlers.
    """
    handlers = ExitStack()
    for one in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(one, stop)
            handlers.callback(loop.remove_signal_handler, one)
        except NotImplementedError:  # on Windows only the signal module supports handlers
            signal.signal(one, lambda *_: loop.call_soon_threadsafe(stop))
            handlers.callback(signal.signal, one, signal.SIG_DFL)
    return handlers
