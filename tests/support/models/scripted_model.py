"""A chat model that says what a test wrote for it, and keeps what it was given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field


class ScriptedModel(BaseChatModel):
    """Answers with `script`, one entry a call: a message, a text, or an error that is raised. `seen` is what each call got."""

    script: list[Any]
    seen: list[list[BaseMessage]] = Field(default_factory=list)
    offered: list[str] = Field(default_factory=list)
    descriptions: list[str] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self, tools: Sequence[Any], **more: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        self.offered[:] = [tool.name for tool in tools]
        self.descriptions[:] = [tool.description for tool in tools]
        return self  # type: ignore[return-value]  # a chat model is that Runnable

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:
        self.seen.append(list(messages))
        said = self.script.pop(0)
        if isinstance(said, Exception):
            raise said
        return ChatResult(
            generations=[ChatGeneration(message=AIMessage(said) if isinstance(said, str) else said)]
        )

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> Iterator[ChatGenerationChunk]:
        (generation,) = self._generate(messages).generations
        for word in generation.message.text.split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(f"{word} "))


def calls(name: str, **arguments: Any) -> AIMessage:
    """A message of a model that calls a tool."""
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{name}"}])
