"""The reply of the configured chat model, to which the memory tools are offered."""

from __future__ import annotations

from typing import Any

from historian import CognitiveService, handle_memory_call, memory_tool_schemas
from langchain_core.messages import ToolMessage
from langchain_openai import ChatOpenAI

from .turns import Turn

ROUNDS = 4
"""The maximum number of model calls per turn; a model that keeps calling tools is stopped."""


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

    async def __call__(self, turn: Turn) -> str:
        may = {
            "may_correct": not turn.scope.group_id
        }  # in a group, anybody could otherwise delete messages of others
        model = self._model.bind_tools(memory_tool_schemas(turn.language, **may))
        messages: list[Any] = list(turn.messages)
        texts: list[str] = []
        for _ in range(ROUNDS):
            message = await model.ainvoke(messages)
            if message.text.strip():
                texts.append(message.text.strip())
            if not message.tool_calls:
                break
            messages.append(message)
            for call in message.tool_calls:
                asked = call["name"], call["args"], turn.scope
                found = await handle_memory_call(
                    self._memory, *asked, language=turn.language, **may
                )
                messages.append(ToolMessage(found, tool_call_id=call["id"]))
        return "\n".join(texts)
