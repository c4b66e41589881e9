"""A LangChain chat model as a `ChatModel`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...schema.protocols import Answer
from ..chat.model import PROBE, PROBE_PURPOSE, StructuredChat, note_tokens
from ..chat.structured_output import Method, Question
from ..endpoint import FormRejected
from .calls import endpoint_of, translated

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage


@dataclass(eq=False, repr=False)
class LangChainChatModel(StructuredChat):
    """A `ChatModel` over any `BaseChatModel`. Who made that one closes it."""

    given: BaseChatModel
    timeout_seconds: float

    def __post_init__(self) -> None:
        self.endpoint = endpoint_of(self.given, "chat_model")
        super().__post_init__()

    async def probe(self) -> None:
        """Ask for one word. Raises ModelUnavailable or ModelRefused where a real call would fail too."""
        await self._request(PROBE_PURPOSE, PROBE)

    async def aclose(self) -> None:
        return None

    async def _ask(self, answer: type[Answer], purpose: str, question: Question) -> AIMessage:
        return await self._request(purpose, question.messages, question)

    async def _request(self, purpose: str, messages: Any, question: Question | None = None) -> AIMessage:
        async with self._usage.call(purpose) as reported, translated(self.endpoint, self.timeout_seconds):
            message = await self._answered(list(messages), {"run_name": f"historian {purpose}"}, question)
            note_tokens(reported, message)
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
                raise FormRejected(f"{self.endpoint.name} gives no message with a JSON schema.")
            return raw
        return await self.given.ainvoke(messages, config)
