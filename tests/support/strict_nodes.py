"""Nodes that may return only what the state of their graph knows."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import pytest


def refuse_unknown_keys(
    patch: pytest.MonkeyPatch, graph: ModuleType, state: Any, nodes: Iterable[str]
) -> None:
    """Let the `nodes` of `graph` fail for a key that `state` does not have, which LangGraph drops without a word."""
    known = set(state.__annotations__) | set(inspect.get_annotations(state))

    def strict(node: Any) -> Any:
        async def checked(state: Any, runtime: Any) -> Any:
            update = await node(state, runtime)
            assert set(update) <= known, (
                f"{node.__name__} returned unknown keys {set(update) - known}"
            )
            return update

        checked.__name__ = node.__name__
        return checked

    for name in nodes:
        patch.setattr(graph, name, strict(getattr(graph, name)))
