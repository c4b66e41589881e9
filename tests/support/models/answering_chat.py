"""A chat model in the process that gives prepared answers, in the form of the question or as an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from historian.schema.protocols import Usage


class AnsweringChat:
    """Gives its answers in turn, the last one for ever; an exception among them is raised. Notes (purpose, system, user)."""

    model = "test"

    def __init__(self, *answers: dict[str, Any] | Exception) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, str, str]] = []

    async def structured(self, answer: type[Any], *, purpose: str, system: str, user: str) -> Any:
        self.asked.append((purpose, system, user))
        given = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(given, Exception):
            raise given
        return answer.model_validate(given)

    async def probe(self) -> None: ...

    def usage(self) -> Mapping[str, Usage]:
        return {}

    async def aclose(self) -> None: ...
