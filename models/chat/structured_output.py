"""The ladder: one answer of a given form from any model behind any server, in as few calls as possible.

Rungs, best first: a forced tool call; a `json_schema` response format; the form described in the prompt. Each answer is
read for all that it holds, so that a server that ignores `tool_choice` and writes the call into its text costs no
second request (from then on it is asked for `json_schema`, which costs that server's models fewer tokens than a tool
they are not made to call). An answer that has JSON of the wrong form gets one repair turn at once, on the same rung, with the
validation error; an answer with none sends the ladder to the next rung, and the repair turn comes last. At most four
answers are paid for. Which rung worked is remembered, per form, and the next call starts there; a request that the
server turns down (HTTP 400 and its like) costs nothing and is not sent in that form again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic

from ...schema.errors import ModelAnswerUnusable, ModelError
from ...schema.protocols import Answer
from ..endpoint import FormFailed, FormRejected
from .answer_reading import Reading, read_answer
from .answer_schema import AnswerForm, answer_form

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

_LONGEST_QUOTED_ANSWER = 2000
"""Characters of an unusable answer that the repair turn shows to the model."""


class Rung(StrEnum):
    """How an answer is asked for, best first."""

    TOOL_CALL = "tool call"
    JSON_SCHEMA = "json_schema"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Question:
    """One request of the ladder: the messages as (role, content) and what is added for the rung."""

    messages: Sequence[tuple[str, str]]
    rung: Rung
    form: AnswerForm


Ask = Callable[[Question], Awaitable["AIMessage"]]


@dataclass(slots=True)
class RungMemory:
    """What was learnt about one endpoint and model.

    `worked`: the rung to start on, by form, and `last` for forms not asked for yet. `rejected`: rungs that the server
    turns down. `proven`: rungs that gave a good answer. `useless`: rungs answered with nothing usable, by form, where
    another rung was answered well.
    """

    worked: dict[str, Rung] = field(default_factory=dict)
    last: Rung = Rung.TOOL_CALL
    rejected: set[Rung] = field(default_factory=set)
    proven: set[Rung] = field(default_factory=set)
    useless: set[tuple[str, Rung]] = field(default_factory=set)

    def order(self, form: str) -> list[Rung]:
        """The rungs to try: the one that worked, then the others from the best down, without those turned down."""
        first = self.worked.get(form, self.last)
        rungs = [first, *(rung for rung in Rung if rung is not first)]
        return [rung for rung in rungs if rung not in self.rejected] or list(Rung)

    def success(self, form: str, rung: Rung, *, in_text: bool, rejected: Iterable[Rung], useless: Iterable[Rung]) -> None:
        """`rung` gave a good answer where the others did not: so it was their form, and not the input."""
        self.proven.add(rung)
        self.rejected |= set(rejected) - self.proven
        self.useless |= {(form, other) for other in useless}
        self.useless.discard((form, rung))
        if rung is Rung.TOOL_CALL and in_text:
            cheaper = [Rung.JSON_SCHEMA] if Rung.JSON_SCHEMA not in self.rejected else [Rung.TEXT]
            rung = next((other for other in cheaper if (form, other) not in self.useless), rung)
        self.worked[form] = self.last = rung


class _Climb(Generic[Answer]):
    """One question's way up the ladder."""

    def __init__(self, ask: Ask, memory: RungMemory, answer: type[Answer], who: str, system: str, user: str) -> None:
        self._ask = ask
        self._who = who
        self._memory = memory
        self._answer = answer
        self._form = answer_form(answer)
        self._system = system
        self._user = user
        self._turned_down: dict[Rung, ModelError] = {}
        self._problems: list[tuple[Rung, str]] = []
        self._may_repair = True

    async def run(self) -> Answer:
        last: tuple[Rung, Reading[Answer]] | None = None
        for rung in self._memory.order(self._form.name):
            reading = await self._try(rung, self._messages(rung))
            if reading is None:
                continue
            if reading.value is None and reading.is_near and self._may_repair:
                reading = await self._repair(rung, reading) or reading
            if reading.value is not None:
                return self._good(rung, reading.value, in_text=reading.in_text)
            last = rung, reading
        if last is None:
            raise self._all_turned_down()
        if self._may_repair:
            rung, reading = last
            repaired = await self._repair(rung, reading)
            if repaired is not None and repaired.value is not None:
                return self._good(rung, repaired.value, in_text=repaired.in_text)
        raise ModelAnswerUnusable(
            f"{self._who} gave no usable {self._form.name!r} in {len(self._problems)} answers: "
            + "; ".join(dict.fromkeys(f"{rung}: {problem}" for rung, problem in self._problems))
        )

    async def _try(self, rung: Rung, messages: list[tuple[str, str]]) -> Reading[Answer] | None:
        """One request; None where the server turned this form of it down."""
        try:
            message = await self._ask(Question(messages, rung, self._form))
        except FormRejected as error:
            self._turned_down[rung] = error
            return None
        except FormFailed as error:
            # a crash tells of the form only where the form has never passed: else the server is simply in trouble
            if rung in self._memory.proven:
                raise
            self._turned_down[rung] = error
            return None
        reading = read_answer(message, self._answer)
        if reading.is_declined:
            raise ModelAnswerUnusable(f"{self._who} gave no {self._form.name!r}: {reading.problem}")
        if reading.value is None:
            self._problems.append((rung, reading.problem))
        return reading

    async def _repair(self, rung: Rung, reading: Reading[Answer]) -> Reading[Answer] | None:
        self._may_repair = False
        quoted = [("assistant", reading.said[:_LONGEST_QUOTED_ANSWER])] if reading.said else []
        complaint = (
            f"That answer can not be used: {reading.problem}.\n"
            f"Answer again with one JSON object of this form and nothing else:\n{self._form.shape}"
        )
        return await self._try(rung, [*self._opening(), ("user", self._user), *quoted, ("user", complaint)])

    def _messages(self, rung: Rung) -> list[tuple[str, str]]:
        user = self._user
        if rung is not Rung.TOOL_CALL:
            user += f"\n\nAnswer with one JSON object of this form and nothing else:\n{self._form.shape}"
        return [*self._opening(), ("user", user)]

    def _opening(self) -> list[tuple[str, str]]:
        return [("system", self._system)] if self._system.strip() else []

    def _good(self, rung: Rung, value: Answer, *, in_text: bool) -> Answer:
        self._memory.success(
            self._form.name,
            rung,
            in_text=in_text,
            rejected=[other for other, error in self._turned_down.items() if isinstance(error, FormRejected)],
            useless={other for other, _ in self._problems} - {rung},
        )
        return value

    def _all_turned_down(self) -> ModelError:
        """No rung was answered at all: an endpoint that has answered before does not want this input."""
        errors = list(self._turned_down.values())
        for error in errors:
            if isinstance(error, FormFailed):
                return error
        if self._memory.proven:
            return ModelAnswerUnusable(f"This input is turned down in every form, others were not: {errors[-1]}")
        return errors[-1]


async def climb(ask: Ask, memory: RungMemory, answer: type[Answer], *, who: str, system: str, user: str) -> Answer:
    """An `answer` to `user`, asked through `ask`; `who` is asked, in the words of a message.

    Raises what `ask` raises, or ModelAnswerUnusable.
    """
    return await _Climb(ask, memory, answer, who, system, user).run()


def request_arguments(question: Question, extra_body: dict[str, Any]) -> dict[str, Any]:
    """What a rung adds to the request, as keyword arguments of the chat model.

    `response_format` goes through `extra_body`: as an argument of its own, the client would parse the answer itself and
    fail where it is cut off or not JSON, and what the model said would be lost.
    """
    if question.rung is Rung.TOOL_CALL:
        name = question.form.name
        return {"tools": [question.form.tool], "tool_choice": {"type": "function", "function": {"name": name}}}
    if question.rung is Rung.JSON_SCHEMA:
        return {"extra_body": {**extra_body, "response_format": question.form.response_format}}
    return {}
