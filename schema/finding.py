"""The results of a check of an installation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["ok", "warning", "failed", "off"]


@dataclass(frozen=True, slots=True)
class DiagnosisFinding:
    """The result of a check and its remedy. Both are templates for `str.format`, filled with `values`."""

    state: State
    detail: str
    remedy: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)


def finding(state: State, detail: str, remedy: str = "", /, **values: object) -> DiagnosisFinding:
    """Return a finding. The keywords are the values of its placeholders."""
    return DiagnosisFinding(state, detail, remedy, values)
