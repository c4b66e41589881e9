"""Structured output: one answer of a given form, from any model, in as few calls as possible.

There are three methods, best first: a forced tool call; a `json_schema` response format; a
description of the form in the prompt.

- The whole answer is searched for JSON. So a server that ignores `tool_choice` and writes the call
  into its text causes no second request. Later questions to it start with `json_schema`, which
  needs fewer tokens there.
- An answer with JSON of the wrong form gets one repair turn at once, by the same method, with the
  validation error. An answer without JSON leads to the next method; the repair turn is then the
  last attempt. So one question needs at most four answers.
- The method that worked is remembered per form, and the next question starts with it.
- A request that the server rejects (HTTP 400 and similar) costs nothing. That method is not used
  again, if another one worked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, cast

from ...schema.errors import ContentDeclined, ModelAnswerUnusable, ModelError
from ...schema.protocols import Answer
from ..endpoint import FormFailed, FormRejected, InputRejected
from .answer_reading import EMPTY, AnswerReading, read_answer
from .answer_schema import AnswerForm, answer_form

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.runnables import Runnable

_LONGEST_QUOTED_ANSWER = 2000
"""Maximum number of characters of an unusable answer that the repair turn shows to the model."""


class Method(StrEnum):
    """The ways to ask for an answer, best first."""

    TOOL_CALL = "tool call"
    JSON_SCHEMA = "json_schema"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Question:
    """One request: messages as (role, content), the method, and the form (None: any text)."""

    messages: Sequence[tuple[str, str]]
    method: Method
    form: AnswerForm | None


Ask = Callable[[Question], Awaitable["AIMessage"]]


@dataclass(slots=True)
class MethodMemory:
    """The methods that work with one endpoint and model.

    `worked` is the method to start with, by form; `last` is the one for forms without an entry.
    `rejected` are the methods that the server rejects, `proven` those that gave a usable answer.
    `useless` are (form, method) pairs without a usable answer where another method gave one.
    """

    worked: dict[str, Method] = field(default_factory=dict)
    last: Method = Method.TOOL_CALL
    rejected: set[Method] = field(default_factory=set)
    proven: set[Method] = field(default_factory=set)
    useless: set[tuple[str, Method]] = field(default_factory=set)

    def order(self, form: str) -> list[Method]:
        """Return the methods to try: the one that worked, then the best ones; no rejected ones."""
        first = self.worked.get(form, self.last)
        return [
            method for method in dict.fromkeys((first, *Method)) if method not in self.rejected
        ] or list(Method)

    def success(
        self,
        form: str,
        method: Method,
        *,
        in_text: bool,
        rejected: Iterable[Method],
        useless: Iterable[Method],
    ) -> None:
        """Record that `method` gave a usable answer and the other methods did not.

        So the other methods were at fault, not the input.
        """
        self.proven.add(method)
        self.rejected |= set(rejected) - self.proven
        self.useless |= {(form, other) for other in useless}
        self.useless.discard((form, method))
        if method is Method.TOOL_CALL and in_text:
            cheaper = Method.TEXT if Method.JSON_SCHEMA in self.rejected else Method.JSON_SCHEMA
            method = method if (form, cheaper) in self.useless else cheaper
        self.worked[form] = self.last = method


@dataclass(slots=True)
class _Exchange(Generic[Answer]):
    """One question that is asked by one method after the other."""

    ask: Ask
    memory: MethodMemory
    answer: type[Answer]
    who: str
    system: str
    user: str
    errors: dict[Method, ModelError] = field(default_factory=dict)
    problems: list[tuple[Method, str]] = field(default_factory=list)
    is_repaired: bool = False

    @property
    def form(self) -> AnswerForm:
        return answer_form(self.answer)

    async def run(self) -> Answer:
        last: tuple[Method, AnswerReading[Answer]] | None = None
        for method in self.memory.order(self.form.name):
            asked = "" if method is Method.TOOL_CALL else f"\n\nAnswer with {self._described()}"
            reading = await self._try(method, self.user + asked)
            if reading is None:
                continue
            if reading.value is None and reading.is_near:
                reading = await self._repair(method, reading)
            if reading.value is not None:
                return self._usable(method, reading.value, in_text=reading.in_text)
            last = method, reading
        if last is None:
            raise self._rejected_by_all()
        reading = await self._repair(*last)
        if reading.value is not None:
            return self._usable(last[0], reading.value, in_text=reading.in_text)
        unusable = (
            ContentDeclined
            if {problem for _, problem in self.problems} == {EMPTY}
            else ModelAnswerUnusable
        )
        raise unusable(
            f"{self.who} gave no usable {self.form.name!r} in {len(self.problems)} answers: "
            + "; ".join(dict.fromkeys(f"{method}: {problem}" for method, problem in self.problems))
        )

    async def _try(self, method: Method, *turns: str) -> AnswerReading[Answer] | None:
        """Send one request and return the reading, or None if the server rejects the method.

        `turns` are the texts of the user and, if there are three, of the assistant in between.
        """
        roles = ("user", "assistant", "user") if len(turns) > 2 else ("user", "user")
        system = [("system", self.system)] if self.system.strip() else []
        try:
            message = await self.ask(
                Question([*system, *zip(roles, turns, strict=False)], method, self.form)
            )
        except (FormRejected, FormFailed) as error:
            # HTTP 500 may be due to the method only if the method has never worked; otherwise the
            # server itself has a problem.
            if isinstance(error, FormFailed) and method in self.memory.proven:
                raise
            self.errors[method] = error
            return None
        reading = await asyncio.to_thread(read_answer, message, self.answer)
        if reading.is_declined:
            raise ContentDeclined(f"{self.who} gave no {self.form.name!r}: {reading.problem}")
        if reading.value is None:
            self.problems.append((method, reading.problem))
        return reading

    async def _repair(
        self, method: Method, reading: AnswerReading[Answer]
    ) -> AnswerReading[Answer]:
        """Ask the model once per question to correct its answer, and return the new reading.

        Return `reading` if this was done before or the server rejects the request.
        """
        if self.is_repaired:
            return reading
        self.is_repaired = True
        quoted = [reading.said[:_LONGEST_QUOTED_ANSWER]] if reading.said else []
        complaint = (
            f"That answer cannot be used: {reading.problem}.\nAnswer again with {self._described()}"
        )
        return await self._try(method, self.user, *quoted, complaint) or reading

    def _described(self) -> str:
        return f"one JSON object of this form and nothing else:\n{self.form.shape}"

    def _usable(self, method: Method, value: Answer, *, in_text: bool) -> Answer:
        rejected = [
            other for other, error in self.errors.items() if isinstance(error, FormRejected)
        ]
        useless = {other for other, _ in self.problems} - {method}
        self.memory.success(
            self.form.name, method, in_text=in_text, rejected=rejected, useless=useless
        )
        return value

    def _rejected_by_all(self) -> ModelError:
        """Return the error for a question that the server rejected by every method.

        If the endpoint has answered before, this input is at fault.
        """
        errors = list(self.errors.values())
        failed = next((error for error in errors if isinstance(error, FormFailed)), None)
        if failed is None and self.memory.proven:
            return InputRejected(
                "Every method rejected this input, although other inputs were accepted: "
                f"{errors[-1]}"
            )
        return failed or errors[-1]


async def ask_structured(
    ask: Ask, memory: MethodMemory, answer: type[Answer], *, who: str, system: str, user: str
) -> Answer:
    """Return an `answer` to the prompts `system` and `user`. `who` names the model in messages.

    Raises ModelAnswerUnusable (or its subclass ContentDeclined), and the errors of `ask`.
    """
    return await _Exchange(ask, memory, answer, who, system, user).run()


def runnable_of(
    model: BaseChatModel, question: Question, times_refused: int = 0
) -> Runnable[Any, Any]:
    """Return a runnable that asks the model by the method of the question.

    It returns a message, or a mapping with the message as `raw`. LangChain raises various errors if
    the model does not support the method. `times_refused` is the number of times that the server
    has refused `tool_choice`.
    """
    form = question.form
    if form is None or question.method is Method.TEXT:
        return model
    if question.method is Method.TOOL_CALL:
        choice = (form.name, "required", None)[times_refused]
        return model.bind_tools([form.tool], tool_choice=choice)
    if bind_schema := getattr(model, "bind_schema", None):
        return cast("Runnable[Any, Any]", bind_schema(form.response_format))
    schema = {"title": form.name, "description": form.description, **form.schema}
    return model.with_structured_output(schema, method="json_schema", include_raw=True)
