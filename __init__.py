"""Historian: long-term memory for chat bots.

The names below are the public interface: `from historian import …`. Each name is imported at its
first use, so that `import historian` is fast. Every module inside the package is internal and may
change in any release.
"""

from __future__ import annotations

import sys
import warnings
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .interfaces.langchain.callbacks import ObservationHandler, observe_hooks, observe_messages
    from .interfaces.langchain.embeddings import HistorianEmbeddings
    from .interfaces.langchain.end_tool import (
        END_TOOL_NAME,
        end_tool_schema,
        handle_end_call,
        make_end_tool,
        system_prompt_text,
    )
    from .interfaces.langchain.middleware import HistorianMiddleware
    from .interfaces.langchain.retriever import CognitiveRetriever
    from .interfaces.langchain.store import HistorianStore
    from .interfaces.langchain.tools import (
        handle_memory_call,
        make_memory_tools,
        memory_tool_schemas,
    )
    from .interfaces.langchain.turns import recall_node, remember_node
    from .interfaces.web.server import make_web_app, make_web_server
    from .schema.errors import HistorianError, InvalidInput, ModelError, SettingsError, StorageError
    from .schema.event import Event, EventFilter
    from .schema.forgetting import ForgetReport
    from .schema.hit import Hit, ProfileHit
    from .schema.job import Job, RecentMessage
    from .schema.profile import Profile
    from .schema.scope import SHARED_NOTES, Scope
    from .schema.settings import Settings
    from .schema.settings.source import load_settings
    from .service.cognitive import CognitiveService
    from .service.jobs.worker import HistorianWorker
    from .service.telemetry.metrics import METRICS_CONTENT_TYPE
    from .service.telemetry.structured_logs import JsonLines, json_handler

from .schema import VERSION

__version__ = VERSION

__all__ = [  # noqa: RUF022 - in the order in which a newcomer meets them
    "CognitiveService",
    "Scope",
    "SHARED_NOTES",
    "Settings",
    "load_settings",
    "Event",
    "EventFilter",
    "Hit",
    "Job",
    "RecentMessage",
    "Profile",
    "ProfileHit",
    "ForgetReport",
    "HistorianWorker",
    "HistorianMiddleware",
    "recall_node",
    "remember_node",
    "HistorianStore",
    "CognitiveRetriever",
    "HistorianEmbeddings",
    "make_memory_tools",
    "memory_tool_schemas",
    "handle_memory_call",
    "END_TOOL_NAME",
    "make_end_tool",
    "end_tool_schema",
    "handle_end_call",
    "system_prompt_text",
    "ObservationHandler",
    "observe_messages",
    "observe_hooks",
    "make_web_app",
    "make_web_server",
    "METRICS_CONTENT_TYPE",
    "JsonLines",
    "json_handler",
    "HistorianError",
    "InvalidInput",
    "ModelError",
    "SettingsError",
    "StorageError",
]

_NAMES = {
    ".interfaces.langchain.callbacks": ("ObservationHandler", "observe_hooks", "observe_messages"),
    ".interfaces.langchain.embeddings": ("HistorianEmbeddings",),
    ".interfaces.langchain.end_tool": (
        "END_TOOL_NAME",
        "end_tool_schema",
        "handle_end_call",
        "make_end_tool",
        "system_prompt_text",
    ),
    ".interfaces.langchain.middleware": ("HistorianMiddleware",),
    ".interfaces.langchain.retriever": ("CognitiveRetriever",),
    ".interfaces.langchain.store": ("HistorianStore",),
    ".interfaces.langchain.tools": (
        "handle_memory_call",
        "make_memory_tools",
        "memory_tool_schemas",
    ),
    ".interfaces.langchain.turns": ("recall_node", "remember_node"),
    ".interfaces.web.server": ("make_web_app", "make_web_server"),
    ".schema.errors": (
        "HistorianError",
        "InvalidInput",
        "ModelError",
        "SettingsError",
        "StorageError",
    ),
    ".schema.event": ("Event", "EventFilter"),
    ".schema.hit": ("Hit", "ProfileHit"),
    ".schema.job": ("Job", "RecentMessage"),
    ".schema.profile": ("Profile",),
    ".schema.scope": ("SHARED_NOTES", "Scope"),
    ".schema.settings": ("Settings",),
    ".schema.settings.source": ("load_settings",),
    ".service.cognitive": ("CognitiveService",),
    ".service.jobs.worker": ("HistorianWorker",),
    ".service.telemetry.metrics": ("METRICS_CONTENT_TYPE",),
    ".service.telemetry.structured_logs": ("JsonLines", "json_handler"),
    ".schema.forgetting": ("ForgetReport",),
}
_WHERE = {name: module for module, names in _NAMES.items() for name in names}

_OLD_PLACES = (
    "interfaces.callbacks",
    "interfaces.end_tool",
    "interfaces.retriever",
    "interfaces.tools",
    "service.structured_logs",
)
"""Former modules that earlier documents named. Names imported from them still work, with a
DeprecationWarning that says to import them from the package."""


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_WHERE[name], __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})


def _from_old_place(place: str, name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module '{__name__}.{place}' has no attribute {name!r}")
    warnings.warn(
        f"{__name__}.{place} is gone: use `from {__name__} import {name}`",
        DeprecationWarning,
        stacklevel=2,
    )
    return __getattr__(name)


for _place in _OLD_PLACES:
    _module = ModuleType(f"{__name__}.{_place}")
    _module.__dict__["__getattr__"] = partial(_from_old_place, _place)
    sys.modules[_module.__name__] = _module
