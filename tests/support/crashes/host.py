"""A warm parent that forks workers to be killed.

Heavy imports take seconds, and a crash matrix starts hundreds of workers; so this process imports everything once, also what its
children turn out to need, and forks a child for each run. It reads one JSON object a line from standard input and answers each
with one:

    {"directory": …, "base_url": …, "kill_at": n or null, "trace": path or null, "kill_after": seconds or null,
     "concurrency": n, "shortterm": {…}, "rewrite_mode": mode, "merge_after": seconds,
     "work": name} → {"signal": 9 or 0, "status": exit status}

A child drains the queue, or does another work of `support.crashes.works`. Around every side effect stands a *point*: a name and
"before" or "after". The child writes the points it passes to `trace`, and sends itself SIGKILL at point number `kill_at`.
With `at_work` it does so at the first point from there on that a job passes. With `hold`, each of the jobs named there waits at a
point of its own; when all stand there the child stops (SIGSTOP), and they go on when it goes on.
"""

from __future__ import annotations

import asyncio
import functools
import gc
import inspect
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import chromadb.api.rust  # noqa: F401 - this and what follows is imported here so that the children need not
import historian.service.jobs.worker  # noqa: F401
import openai.resources.chat.completions
import openai.resources.embeddings  # noqa: F401
from historian.graph import historian as graph_module
from historian.graph import reflection as reflection_module
from historian.models.chat.model import LangChainChatModel
from historian.models.embeddings.factory import RemoteEmbedder
from historian.schema.settings.source import parse_settings
from historian.service.backups import making
from historian.service.components import open_parts, open_queue
from historian.service.running.ownership import owned_worker
from historian.service.telemetry.structured_logs import _job
from historian.stores.chroma.index import ChromaIndex
from historian.stores.postgres.events.store import PostgresEventStore
from historian.stores.postgres.jobs.queue import PostgresJobQueue
from historian.stores.postgres.profile_index import PostgresProfileIndex
from historian.stores.sqlite.documents import MirroredArticles, MirroredProfiles
from historian.stores.sqlite.events.store import SqliteEventStore
from historian.stores.sqlite.profile_index import SqliteProfileIndex
from historian.stores.sqlite.queue import SqliteJobQueue
from historian.stores.tables.event_transfer import EventTransferTables
from historian.stores.tables.events.revisions import EventRevisionTables
from historian.stores.tables.ledger import LedgerTable
from historian.stores.tables.notes import NoteTables
from historian.stores.tables.profiles import ProfileStorage
from historian.stores.tables.state_buffer import StateBuffer
from historian.stores.tables.summaries import SummaryStorage
from historian.stores.threaded_saver import ThreadedSaver
from langchain_chroma import Chroma  # noqa: F401
from langchain_openai import ChatOpenAI, OpenAIEmbeddings  # noqa: F401
from support.cheap_graphs import remember_what_compiling_reads
from support.crashes.works import WORKS
from support.recall import WordEmbedder

SIDE_EFFECTS: list[tuple[Any, list[str]]] = [
    (
        SqliteJobQueue,
        ["put", "put_all", "claim", "complete", "take_over", "settle_filed", "hasten"],
    ),
    (StateBuffer, ["add", "release"]),
    (SummaryStorage, ["add", "mark_promoted"]),
    (MirroredArticles, ["write"]),
    (SqliteEventStore, ["file_job", "file_new", "file_messages", "supersede", "set_fingerprint"]),
    (EventRevisionTables, ["begin", "advance"]),
    (LedgerTable, ["add"]),
    (MirroredProfiles, ["write"]),
    (SqliteProfileIndex, ["put"]),
    (ChromaIndex, ["upsert", "note_numbers"]),
    (LangChainChatModel, ["structured"]),
    (RemoteEmbedder, ["embed_documents"]),
    (WordEmbedder, ["embed_documents"]),
    (EventTransferTables, ["bring", "file_jobs"]),
    (NoteTables, ["write", "touch"]),
    (PostgresJobQueue, ["claim", "complete", "take_over", "settle_filed"]),
    (PostgresEventStore, ["file_job", "file_new", "file_messages", "supersede", "set_fingerprint"]),
    (ProfileStorage, ["write"]),
    (PostgresProfileIndex, ["put"]),
    (making, ["copied"]),
    (ThreadedSaver, ["aput", "aput_writes", "adelete_thread"]),
    (os, ["replace", "unlink"]),
]
NODES: list[tuple[Any, list[str]]] = [
    (
        graph_module,
        ["extract", "rewrite", "gate", "embed", "link", "merge_profile", "write_profile"],
    ),
    (
        reflection_module,
        ["buffer", "summarise", "file_summary", "reconstruct", "check_article", "write_article"],
    ),
]


class Points:
    """Counts the points passed and kills the process at the one that was asked for."""

    def __init__(
        self,
        kill_at: int | None,
        trace: str | None,
        by: signal.Signals = signal.SIGKILL,
        *,
        at_work: bool = False,
    ) -> None:
        self._kill_at = kill_at
        self._at_work = at_work
        self._signal = by
        self._passed = 0
        self._trace = os.open(trace, os.O_WRONLY | os.O_CREAT | os.O_APPEND) if trace else None

    def passed(self, name: str) -> None:
        if self._trace is not None:
            os.write(self._trace, f"{name}\n".encode())
        if (
            self._kill_at is not None
            and self._passed >= self._kill_at
            and (_job.get() or not self._at_work)
        ):
            self._kill_at = None  # a stopped process may go on
            os.kill(os.getpid(), self._signal)
        self._passed += 1

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def wrapped_async(*args: Any, **kwargs: Any) -> Any:
                self.passed(f"{name} before")
                result = await function(*args, **kwargs)
                self.passed(f"{name} after")
                return result

            return wrapped_async

        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self.passed(f"{name} before")
            result = function(*args, **kwargs)
            self.passed(f"{name} after")
            return result

        return wrapped


class Holding:
    """Holds each of some jobs before or after one of its nodes; when all wait, the process stops itself."""

    def __init__(self, points: dict[str, str]) -> None:
        self._points = points
        self._gone_on = asyncio.Event()

    async def passed(self, name: str) -> None:
        if self._gone_on.is_set() or self._points.get(_job.get()) != name:
            return
        del self._points[_job.get()]
        if not self._points:
            os.kill(os.getpid(), signal.SIGSTOP)
            self._gone_on.set()
        await self._gone_on.wait()

    def around(self, name: str, node: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(node)
        async def wrapped(*args: Any, **kwargs: Any) -> Any:
            await self.passed(f"{name} before")
            result = await node(*args, **kwargs)
            await self.passed(f"{name} after")
            return result

        return wrapped


def instrument(points: Points) -> None:
    """Put a point before and after every node and every side effect."""
    for owner, names in SIDE_EFFECTS:
        for name in names:
            label = f"{getattr(owner, '__name__', owner)}.{name}"
            setattr(owner, name, points.around(label, getattr(owner, name)))
    for module, names in NODES:
        for name in names:
            setattr(module, name, points.around(name, getattr(module, name)))


async def drain(order: dict[str, Any]) -> bool:
    directory, base_url = order["directory"], order["base_url"]
    historian = {
        "concurrency": order.get("concurrency", 1),
        "poll_interval_seconds": 0.05,
        "rewrite_mode": order.get("rewrite_mode", "always"),
    }
    settings = parse_settings(
        {
            "stores": order.get("stores", {}),
            "cognitive": {
                "data_dir": directory,
                "timezone": "Asia/Shanghai",
                "shortterm": order.get("shortterm", {}),
                "historian": historian,
                "profile": {"merge_after_seconds": order.get("merge_after", 0)},
            },
            "models": {
                "chat": {"base_url": base_url, "model": "test", "api_key": "none"},
                "embedding": {
                    "provider": "openai",
                    "base_url": base_url,
                    "model": "test",
                    "api_key": "none",
                },
            },
        },
        environ={},
        base=Path(directory),
    )
    queue = open_queue(settings, time.time)
    parts = open_parts(settings, queue=queue, clock=time.time)
    try:
        with owned_worker(parts) as worker:
            return await worker.run(drain=True)
    finally:
        await parts.aclose()


def child(order: dict[str, Any]) -> int:
    if order.get("kill_after") is not None:
        signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, order["kill_after"])
    if order.get("silence"):
        order["stores"]["worker_timeout_seconds"] = order["silence"]
    if order.get("pid_file"):
        Path(order["pid_file"]).write_text(str(os.getpid()), encoding="utf-8")
    if order.get("kill_at") is not None or order.get("trace"):
        by = signal.SIGSTOP if order.get("stop") else signal.SIGKILL
        instrument(
            Points(
                order.get("kill_at"), order.get("trace"), by, at_work=order.get("at_work", False)
            )
        )
    if order.get("hold"):
        holding = Holding(order["hold"])
        for module, names in NODES:
            for name in names:
                setattr(module, name, holding.around(name, getattr(module, name)))
    if order.get("work"):
        WORKS[order["work"]](Path(order["directory"]))
        return 0
    done = asyncio.run(drain(order))
    return 0 if done else 3


def main() -> None:
    remember_what_compiling_reads()
    for compiled in (
        graph_module.compile_historian,
        graph_module.compile_rewriting,
        reflection_module.compile_reflection,
    ):
        compiled()
    print("ready", flush=True)
    for line in sys.stdin:
        gc.freeze()  # what a child's collector does not visit is not copied for the child either
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            status, known = 70, set(sys.modules)
            try:
                status = child(json.loads(line))
                os.write(
                    writing, "\n".join(name for name in sys.modules if name not in known).encode()
                )
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                os._exit(status)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as told:
            imported = told.read().split()
        _, status = os.waitpid(pid, 0)
        for name in (
            imported
        ):  # what one child needed, the next ones need too: most of their time would go into it
            with suppress(ImportError):
                import_module(name)
        killed = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        print(
            json.dumps({"signal": killed, "status": os.waitstatus_to_exitcode(status)}), flush=True
        )


if __name__ == "__main__":
    main()
