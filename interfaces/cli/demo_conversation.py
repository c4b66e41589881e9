"""The conversations of `historian demo`, read from `demo.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...schema.scope import Scope

SECRET = "sk-" + "demo4Qv9Tz7LmX2" + "Rb8NwK3pYc6HsJ1d"
"""A made-up API key in the format of a model provider."""


@dataclass(frozen=True)
class SampleTurn:
    """One job of the sample conversation, and a remark on what it demonstrates."""

    remark: str
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SampleQuestion:
    """One question, its scope, and a remark on what it demonstrates.

    The text of one of the best events contains `expects`. If `expects` is empty, the question must
    find nothing.
    """

    text: str
    remark: str
    user_id: str
    group_id: str = ""
    expects: str = ""

    @property
    def scope(self) -> Scope:
        from ...schema.scope import Scope

        return (
            Scope.group(self.group_id, self.user_id)
            if self.group_id
            else Scope.private(self.user_id)
        )


@cache
def conversation() -> tuple[list[SampleTurn], list[SampleQuestion]]:
    """Return the turns in order, and the questions."""
    text = (
        Path(__file__)
        .with_name("demo.toml")
        .read_text(encoding="utf-8")
        .replace("{secret}", SECRET)
    )
    sample = tomllib.loads(text)
    turns = [
        SampleTurn(turn.pop("remark"), {**sample["places"][turn.pop("place")], **turn})
        for turn in sample["turns"]
    ]
    return turns, [SampleQuestion(**question) for question in sample["questions"]]
