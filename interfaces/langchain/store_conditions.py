"""The conditions of a search of the store: parts of namespaces, and comparisons of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.store import base

from ...schema.errors import InvalidInput


def fits(condition: base.MatchCondition, name: tuple[str, ...]) -> bool:
    path = condition.path
    part = (
        name[: len(path)]
        if condition.match_type == "prefix"
        else name[-len(path) :]
        if path
        else ()
    )
    return len(part) == len(path) and all(
        wanted in ("*", label) for label, wanted in zip(part, path, strict=True)
    )


def compared(value: Any, wanted: Any) -> bool:
    """Return True if a value matches a filter.

    It matches if it is equal, if it fulfils the operators, or if it is a mapping whose values match
    those of the filter.
    """
    if not isinstance(wanted, Mapping):
        return bool(value == (list(wanted) if isinstance(wanted, tuple) else wanted))
    if any(str(name).startswith("$") for name in wanted):
        return all(_operated(value, operator, against) for operator, against in wanted.items())
    return isinstance(value, dict) and all(
        compared(value.get(name), one) for name, one in wanted.items()
    )


def _operated(value: Any, operator: str, against: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool(value == against) is (operator == "$eq")
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise InvalidInput(f"filter: {operator!r:.20} is not one of $eq, $ne, $gt, $gte, $lt, $lte")
    try:
        found, bound = float(value), float(against)
    except (TypeError, ValueError):
        return False
    return {
        "$gt": found > bound,
        "$gte": found >= bound,
        "$lt": found < bound,
        "$lte": found <= bound,
    }[operator]
