"""The memory of the graphs in LangGraph Studio, opened once per process by the first run.

If none of `HISTORIAN_CONFIG`, `HISTORIAN__COGNITIVE__DATA_DIR` and `HISTORIAN__STORES__URL` is set,
the memory is a temporary directory. It is filled with the conversations of `historian demo`, and
deleted when the server ends. A configured memory may be that of a bot: events that a run stores
there are permanent. Studio is not the owner of the data directory. It therefore writes events and
profiles, but does not open the derived vector index.
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
    """The open stores and models, and the cached recalls by options.

    `folder` is the temporary folder that `close` removes, or None.
    """

    parts: Parts
    timezone: str
    folder: tempfile.TemporaryDirectory[str] | None = None
    recalls: dict[str, RecallContext] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        return self.parts.settings

    def close(self) -> None:
        """Close the database and remove the temporary folder.

        Models are not closed: no event loop runs when the interpreter exits, and the threads and
        connections of models end with the process.
        """
        self.parts.backend.close()
        if self.folder is not None:
            self.folder.cleanup()


async def opened() -> Memory:
    """Return the memory of this process. Raises SettingsError, StorageError."""
    if _opened:
        return _opened[0]
    # The context is empty, because the runs that file the sample are not part of the present run.
    return await asyncio.to_thread(contextvars.Context().run, _open_once)


def _open_once() -> Memory:
    with _lock:
        if not _opened:
            _opened.append(open_memory())
            atexit.register(close_opened)
        return _opened[0]


def close_opened() -> None:
    """Close the memory of this process if it is open, and remove its temporary folder.

    A second call does nothing.
    """
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
    # Finding the time zone of the machine reads files and must not block the server's event loop.
    return Memory(parts, configured_timezone(settings.cognitive.timezone), folder)


async def file_sample(parts: Parts) -> None:
    """File the conversations of the demo by rules, without the configured model."""
    graph = compile_historian()
    context = replace(parts.context(), chat=None)
    for turn in conversation()[0]:
        job = redacted(
            make_job(turn.fields, parts.settings, parts.clock), parts.settings.historian.redact_jobs
        )
        await graph.ainvoke({"job": job.model_dump()}, context=context)
