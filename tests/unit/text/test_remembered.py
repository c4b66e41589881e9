"""What functions remember of texts is dropped when somebody is forgotten."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import historian.retrieval
import historian.text
from historian.retrieval.request import is_talk
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules
from historian.text.messages.content import has_content
from historian.text.remembered import empty_remembered
from support.jobs import make_job

OF_NO_TEXTS = {"calendar", "people", "finding._zone"}
"""Modules, or functions, that remember days, zones and long patterns."""


def bounded_caches() -> Iterator[tuple[str, Any]]:
    """Yield the functions of the text and retrieval rooms that remember a bounded number of results."""
    for room in (historian.text, historian.retrieval):
        for found in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            module = importlib.import_module(found.name)
            classes = [
                one
                for one in vars(module).values()
                if isinstance(one, type) and one.__module__ == found.name
            ]
            for name, one in [
                entry for holder in (module, *classes) for entry in vars(holder).items()
            ]:
                function = one.__func__ if isinstance(one, staticmethod) else one
                if (
                    type(function) is type(lru_cache(has_content))
                    and function.cache_parameters()["maxsize"] is not None
                ):
                    place = function.__module__.rpartition(".")[2]
                    if not OF_NO_TEXTS & {place, f"{place}.{name}"}:
                        yield f"{place}.{name}", function


def test_no_function_remembers_a_text_after_they_were_emptied() -> None:
    by_rules(make_job(action_summary="", new_info=["我和Tom住在《青瓦巷》7号，“安静”"]), Settings())
    is_talk("小林住在青瓦巷"), has_content("小林住在青瓦巷")
    caches = dict(bounded_caches())
    assert {"content.has_content", "request.is_talk"} <= caches.keys()
    assert sum(one.cache_info().currsize for one in caches.values()) > 5
    empty_remembered()
    assert {
        name: one.cache_info().currsize for name, one in caches.items() if one.cache_info().currsize
    } == {}
