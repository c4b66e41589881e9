"""`historian stats`: statistics of the memory, the queue and the last run."""

from __future__ import annotations

import sys
import time
from typing import Annotated, Any

from typer import Option

from ..invocation import command
from ..language import say
from ..opening import opened_stores
from ..run_report import print_report, read_report
from ..shell import Shell
from .data.forget import STAGES

SHOWN = ("stored_in", "bytes", "owner", "queue", "events", "profiles", "vectors", "forgetting")
"""The keys of the statistics that are printed for people."""


@command("stats")
def stats(
    shell: Shell,
    prometheus: Annotated[
        bool, Option("--prometheus", help="Print metrics in the text format of Prometheus.")
    ] = False,
) -> None:
    """Show the queue, the events, the profiles and the last run of the worker in numbers."""
    if not shell.needs_data():
        if shell.json:
            shell.emit(data_dir=str(shell.directory), exists=False)
        return
    report = collect(shell)
    last = report["last_run"]
    if prometheus:
        from ....service.telemetry.metrics import metrics_text

        events = report["events"]
        known = {"queue": report["queue"], "events": events["count"], "worker": last or {}}
        known["vectors"] = {
            "waiting": events["without_vector"],
            "oldest_waiting_seconds": events["oldest_without_vector_seconds"],
        }
        sys.stdout.write(metrics_text({**known, "usage": (last or {}).get("usage")}))
    elif shell.json:
        shell.emit(**report)
    else:
        _print(shell, report)
        if last:
            shell.tell()
            shell.tell("The last run of `historian worker`:")
            print_report(shell, last)


def _print(shell: Shell, report: dict[str, Any]) -> None:
    forgetting = {whom: say(STAGES[stage]) for whom, stage in report["forgetting"].items()}
    owner = report["owner"] or say("none: jobs wait until a bot or `historian worker` runs")
    told = {**report, "forgetting": forgetting, "owner": owner}
    shell.report(told, *SHOWN)
    if not report["enabled"]:
        shell.tell("memory is switched off (cognitive.enabled = false)")


def collect(shell: Shell) -> dict[str, Any]:
    """Return all statistics as JSON data."""
    from ....schema.event import EventFilter
    from ....service.report import queue_report, vectors_report

    with opened_stores(shell) as parts:
        fingerprint = parts.events.fingerprint()
        vectors = vectors_report(parts.events, time.time())
        owner = parts.backend.workers.owner()
        return {
            "data_dir": str(shell.directory),
            "stored_in": parts.backend.name,
            "exists": True,
            "enabled": shell.settings.cognitive.enabled,
            "bytes": parts.backend.size(),
            "owner": str(owner) if owner else "",
            "queue": queue_report(parts.queue.counts(time.time())),
            "events": {
                "count": parts.events.count(),
                "scopes": len(parts.events.scopes()),
                "relative": parts.events.count(EventFilter(None, is_absolute=False)),
                "without_vector": vectors["waiting"],
                "oldest_without_vector_seconds": vectors["oldest_waiting_seconds"],
            },
            "profiles": len(parts.profiles.keys()),
            "vectors": {"model": fingerprint[0], "dimension": fingerprint[1]}
            if fingerprint
            else None,
            "forgetting": parts.backend.forget_requests.stages(),
            "last_run": read_report(shell.directory),
        }
