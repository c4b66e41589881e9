"""The memory that the graphs work on in LangGraph Studio: opened once a process, when the first run needs it.

Where neither `HISTORIAN_CONFIG` nor `HISTORIAN__COGNITIVE__DATA_DIR` names one, it is a temporary directory into which the
conversations of `historian demo` are put first, so that a recall finds something; it is gone when the server ends. A
configured memory is the bot's own: what a run files there stays. Like any process beside the owner, Studio writes
`index.sqlite` and the profiles, and leaves Chroma to the owner.
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
from ...schema.settings_source import CONFIG_VARIABLE, PREFIX, load_settings, parse_settings
from ...service.components import Parts, open_parts, open_queue
from ...service.intake import make_job, redacted
from ...service.timezones import configured_timezone
from ..cli.demo_conversation import conversation
from .forms import RecallOptions

DATA_DIR_VARIABLE = f"{PREFIX}COGNITIVE__DATA_DIR"

_lock = threading.Lock()
_opened: list[Memory] = []


@dataclass(frozen=True)
class Memory:
    """Open parts, the recalls over them by their options, and the folder to remove at the end where it is a temporary one."""

    parts: Parts
    timezone: str
    folder: tempfile.TemporaryDirectory[str] | None = None
    recalls: dict[RecallOptions, RecallContext] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        return self.parts.settings

    def close(self) -> None:
        """Close the database, a temporary memory is gone with its folder. At the interpreter's end no loop can be waited for,
        and the threads and connections of models end with the process."""
        self.parts.events.close()
        if self.folder is not None:
            self.folder.cleanup()


async def opened() -> Memory:
    """The memory of this process. Raises SettingsError, StorageError."""
    if _opened:
        return _opened[0]
    # A context of its own: the runs that file the sample are no part of the run that is waiting for them.
    return await asyncio.to_thread(contextvars.Context().run, _open_once)


def _open_once() -> Memory:
    with _lock:
        if not _opened:
            memory = open_memory()
            atexit.register(memory.close)
            _opened.append(memory)
        return _opened[0]


def open_memory() -> Memory:
    """A memory as the environment says. Blocking; raises SettingsError, StorageError."""
    if os.environ.get(CONFIG_VARIABLE) or os.environ.get(DATA_DIR_VARIABLE):
        settings = load_settings()
        return _memory(settings)
    folder = tempfile.TemporaryDirectory(prefix="historian-studio-", ignore_cleanup_errors=True)
    environ = {**os.environ, DATA_DIR_VARIABLE: folder.name}
    memory = _memory(parse_settings({}, environ=environ, base=Path(folder.name)), folder)
    asyncio.run(file_sample(memory.parts))
    return memory


def _memory(settings: Settings, folder: tempfile.TemporaryDirectory[str] | None = None) -> Memory:
    parts = open_parts(settings, queue=open_queue(settings, time.time), clock=time.time)
    # The machine's time zone is read from files, which must not happen on the server's event loop.
    return Memory(parts, configured_timezone(settings.cognitive.timezone), folder)


async def file_sample(parts: Parts) -> None:
    """Let the historian file the conversations of the demo, by rules, whatever model is configured."""
    graph = compile_historian()
    context = replace(parts.context(), chat=None)
    for turn in conversation()[0]:
        job = redacted(make_job(turn.fields, parts.settings, parts.clock), parts.settings.historian.redact_jobs)
        await graph.ainvoke({"job": job.model_dump()}, context=context)
