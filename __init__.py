"""Historian: long-term memory for chat bots.

The public names are imported when they are first used, so that `import historian` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .interfaces.langchain.retriever import CognitiveRetriever
    from .schema.errors import HistorianError, InvalidInput, SettingsError, StorageError
    from .schema.event import Event, EventFilter
    from .schema.hit import Hit, ProfileHit
    from .schema.job import Job
    from .schema.profile import Profile
    from .schema.scope import SHARED_NOTES, Scope
    from .schema.settings import Settings
    from .schema.settings_source import load_settings
    from .service.cognitive import CognitiveService
    from .service.jobs.worker import HistorianWorker

__version__ = "0.1.0"

_WHERE = {
    "CognitiveRetriever": ".interfaces.langchain.retriever",
    "CognitiveService": ".service.cognitive",
    "Event": ".schema.event",
    "EventFilter": ".schema.event",
    "HistorianError": ".schema.errors",
    "HistorianWorker": ".service.jobs.worker",
    "Hit": ".schema.hit",
    "InvalidInput": ".schema.errors",
    "Job": ".schema.job",
    "Profile": ".schema.profile",
    "ProfileHit": ".schema.hit",
    "SHARED_NOTES": ".schema.scope",
    "Scope": ".schema.scope",
    "Settings": ".schema.settings",
    "SettingsError": ".schema.errors",
    "StorageError": ".schema.errors",
    "load_settings": ".schema.settings_source",
}

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
    "Profile",
    "ProfileHit",
    "HistorianWorker",
    "CognitiveRetriever",
    "HistorianError",
    "InvalidInput",
    "SettingsError",
    "StorageError",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_WHERE[name], __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})
