"""A LangChain chat model as a `ChatModel`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...schema.errors import ModelError
from ...schema.protocols import Answer, Usage
from ..chat.model import PROBE_PURPOSE
from ..chat.structured_output import Method, MethodMemory, Question, ask_structured
from ..endpoint import FormRejected, clean_text
from ..usage import UsageMeter
from .calls import endpoint_of, translated

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage


@dataclass(eq=False, repr=False)
class LangChainChatModel:
    """A `ChatModel` (see schema/protocols) over any `BaseChatModel`. Who made that one closes it."""

    given: BaseChatModel
    timeout_seconds: float

    def __post_init__(self) -> None:
        self._endpoint = endpoint_of(self.given, "chat_model")
        self._usage = UsageMeter()
        self._memory = MethodMemory()

    @property
    def model(self) -> str:
        return self._endpoint.model

    async def structured(self, answer: type[Answer], *, purpose: str, system: str, user: str) -> Answer:
        """Return one answer in the form of `answer`. Each request has its own time limit.

        Raises ModelUnavailable, ModelRefused or ModelAnswerUnusable.
        """

        async def ask(question: Question) -> AIMessage:
            return await self._request(purpose, question.messages, question)

        texts = {"system": clean_text(system), "user": clean_text(user)}
        try:
            return await ask_structured(ask, self._memory, answer, who=self._endpoint.name, **texts)
        except ModelError as error:
            error.args = (self._endpoint.secrets.mask(str(error)),)  # a refusal is told in the model's own words
            raise

    async def probe(self) -> None:
        """Ask for one word. Raises ModelUnavailable or ModelRefused where a real call would fail too."""
        await self._request(PROBE_PURPOSE, [("user", "Say OK.")])

    def usage(self) -> Mapping[str, Usage]:
        return self._usage.by_purpose()

    async def aclose(self) -> None:
        return None

    async def _request(self, purpose: str, messages: Any, question: Question | None = None) -> AIMessage:
        started = time.monotonic()
        try:
            async with translated(self._endpoint, self.timeout_seconds):
                message = await self._answered(list(messages), {"run_name": f"historian {purpose}"}, question)
        except BaseException:
            self._usage.count(purpose, failed_calls=1, seconds=time.monotonic() - started)
            raise
        tokens = message.usage_metadata
        self._usage.count(
            purpose,
            calls=1,
            seconds=time.monotonic() - started,
            prompt_tokens=tokens["input_tokens"] if tokens else 0,
            completion_tokens=tokens["output_tokens"] if tokens else 0,
        )
        return message

    async def _answered(self, messages: list[Any], config: Any, question: Question | None) -> AIMessage:
        """Ask in the way that LangChain has for each method; a model that does not know one raises something."""
        from langchain_core.messages import AIMessage

        method = Method.TEXT if question is None else question.method
        if question is not None and method is Method.TOOL_CALL:
            bound = self.given.bind_tools([question.form.tool], tool_choice=question.form.name)
            return await bound.ainvoke(messages, config)
        if question is not None and method is Method.JSON_SCHEMA:
            schema = {"title": question.form.name, "description": question.form.description, **question.form.schema}
            answered = await self.given.with_structured_output(schema, method="json_schema", include_raw=True).ainvoke(
                messages, config
            )
            raw = answered.get("raw") if isinstance(answered, Mapping) else None
            if not isinstance(raw, AIMessage):
                raise FormRejected(f"{self._endpoint.name} gives no message with a JSON schema.")
            return raw
        return await self.given.ainvoke(messages, config)
