"""The memory of the graphs in LangGraph Studio, opened once a process by the first run.

If neither `HISTORIAN_CONFIG` nor `HISTORIAN__COGNITIVE__DATA_DIR` is set, it is a temporary directory that is filled with the
conversations of `historian demo` and removed when the server ends. A configured memory is that of the bot: what a run files
there stays. Like every process but the owner, Studio writes events and profiles, and does not open the derived index.
"""

from __future__ import annotations

import asyncio
import atexit
import contextvars
import os
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...graph.historian import compile_historian
from ...retrieval.recall_states import RecallContext
from ...schema.settings import Settings
from ...schema.settings.source import CONFIG_VARIABLE, PREFIX, load_settings, parse_settings
from ...service.components import Parts, open_parts
from ...service.intake import make_job, redacted
from ...service.timezones import configured_timezone
from ..cli.demo_conversation import conversation

DATA_DIR_VARIABLE, STORES_VARIABLE = f"{PREFIX}COGNITIVE__DATA_DIR", f"{PREFIX}STORES__URL"

_lock = threading.Lock()
_opened: list[Memory] = []


@dataclass(frozen=True)
class Memory:
    """Open parts, their recalls by options, and the temporary folder, if any, that `close` removes."""

    parts: Parts
    timezone: str
    folder: tempfile.TemporaryDirectory[str] | None = None
    recalls: dict[str, RecallContext] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        return self.parts.settings

    def close(self) -> None:
        """Close the database and remove the temporary folder. Models are not closed: no event loop runs at the interpreter's
        exit, and their threads and connections end with the process."""
        self.parts.backend.close()
        if self.folder is not None:
            self.folder.cleanup()


async def opened() -> Memory:
    """Return the memory of this process. Raises SettingsError, StorageError."""
    if _opened:
        return _opened[0]
    # In an empty context, because the runs that file the sample are not part of the run that waits for them.
    return await asyncio.to_thread(contextvars.Context().run, _open_once)


def _open_once() -> Memory:
    with _lock:
        if not _opened:
            _opened.append(open_memory())
            atexit.register(close_opened)
        return _opened[0]


def close_opened() -> None:
    """Close the memory of this process if it is open, and remove its temporary folder. A second call does nothing."""
    with _lock:
        while _opened:
            _opened.pop().close()


def open_memory() -> Memory:
    """Open the memory that the environment configures. Blocking; raises SettingsError, StorageError."""
    if any(map(os.environ.get, (CONFIG_VARIABLE, DATA_DIR_VARIABLE, STORES_VARIABLE))):
        settings = load_settings()
        return _memory(settings)
    folder = tempfile.TemporaryDirectory(prefix="historian-studio-", ignore_cleanup_errors=True)
    environ = {**os.environ, DATA_DIR_VARIABLE: folder.name}
    memory = _memory(parse_settings({}, environ=environ, base=Path(folder.name)), folder)
    asyncio.run(file_sample(memory.parts))
    return memory


def _memory(settings: Settings, folder: tempfile.TemporaryDirectory[str] | None = None) -> Memory:
    parts = open_parts(settings, clock=time.time)
    # The machine's time zone is read from files, which must not happen on the server's event loop.
    return Memory(parts, configured_timezone(settings.cognitive.timezone), folder)


async def file_sample(parts: Parts) -> None:
    """File the conversations of the demo by rules, without the configured model."""
    graph = compile_historian()
    context = replace(parts.context(), chat=None)
    for turn in conversation()[0]:
        job = redacted(make_job(turn.fields, parts.settings, parts.clock), parts.settings.historian.redact_jobs)
        await graph.ainvoke({"job": job.model_dump()}, context=context)
