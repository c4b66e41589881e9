"""The reply of the configured chat model, with memory's tools and `end` on offer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import openai
from historian import END_TOOL_NAME, CognitiveService, end_tool_schema, handle_memory_call, memory_tool_schemas
from langchain_core.messages import AIMessage, ToolMessage
from langchain_openai import ChatOpenAI

from .turns import Reply, Turn

ROUNDS = 4
"""So many answers a turn; a model that goes on looking things up is stopped."""

REMINDER = {
    "zh": "（系统提示）你已经回复了。现在只调用 end。",
    "en": "(From the system) You have replied. Now call end, and nothing else.",
}


class ModelAnswer:
    """`models.chat` of Historian's settings as the function that answers."""

    def __init__(self, memory: CognitiveService) -> None:
        chat = memory.settings.models.chat
        self._memory = memory
        self._model = ChatOpenAI(
            model=chat.model,
            base_url=chat.base_url or None,
            api_key=chat.api_key or "none",
            temperature=chat.temperature,
            timeout=chat.timeout_seconds,
            max_tokens=chat.max_answer_tokens or None,
            extra_body=chat.extra_body or None,
        )

    async def __call__(self, turn: Turn) -> Reply:
        tools = [*memory_tool_schemas(turn.language), end_tool_schema(turn.language)]
        model = self._model.bind_tools(tools)
        messages: list[Any] = list(turn.messages)
        texts: list[str] = []
        for _ in range(ROUNDS):
            message = await model.ainvoke(messages)
            if message.text.strip():
                texts.append(message.text.strip())
            if (end := end_arguments(message)) is not None:
                return Reply("\n".join(texts), end=end)
            if not message.tool_calls:
                break
            messages.append(message)
            for call in message.tool_calls:
                found = await handle_memory_call(self._memory, call["name"], call["args"], turn.scope, language=turn.language)
                messages.append(ToolMessage(found, tool_call_id=call["id"]))
        text = "\n".join(texts)
        return Reply(text, ask_end=lambda: self._ask_end(turn, text))

    async def _ask_end(self, turn: Turn, text: str) -> Mapping[str, Any] | None:
        """For models that forget to call `end`: ask for that alone."""
        reminder = {"role": "user", "content": REMINDER[turn.language]}
        messages = [*turn.messages, {"role": "assistant", "content": text}, reminder]
        tools = [end_tool_schema(turn.language)]
        try:
            message = await self._model.bind_tools(tools, tool_choice=END_TOOL_NAME).ainvoke(messages)
        except openai.BadRequestError:  # some servers take no forced choice
            message = await self._model.bind_tools(tools).ainvoke(messages)
        return end_arguments(message)


def end_arguments(message: AIMessage) -> Mapping[str, Any] | None:
    """The arguments of the call of `end` in a message, if there is one."""
    return next((call["args"] for call in message.tool_calls if call["name"] == END_TOOL_NAME), None)
