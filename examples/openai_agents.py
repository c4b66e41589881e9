"""Memory for the OpenAI Agents SDK (`pip install openai-agents`): a session that remembers, recall,
and the memory tools.

    python examples/openai_agents.py "I'm allergic to peanuts" "What am I allergic to?"

There are three parts, each of which can be used alone:

- `RememberingSession` wraps any session of the SDK and also hands its messages over to memory.
- `recalling(memory, scope)` is a `call_model_input_filter`: it puts the recalled block before the
  user's last message, only for this call of the model.
- `memory_tools(memory, scope)` are tools with which the model searches the memory.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from agents import (
    Agent,
    FunctionTool,
    Model,
    OpenAIChatCompletionsModel,
    RunConfig,
    Runner,
    Session,
    SQLiteSession,
    TResponseInputItem,
)
from agents.run import CallModelData, ModelInputData
from historian import (
    CognitiveService,
    HistorianError,
    Scope,
    Settings,
    handle_memory_call,
    load_settings,
    memory_tool_schemas,
)
from openai import AsyncOpenAI


def said(item: TResponseInputItem) -> tuple[str, str] | None:
    """Return the role and the text of a message of a person or of the agent; None for other items
    such as tool calls.
    """
    role = item.get("role")
    if role not in ("user", "assistant"):
        return None
    content: Any = item.get("content") or ""
    text = (
        content
        if isinstance(content, str)
        else "\n".join(str(part.get("text") or "") for part in content)
    )
    return (str(role), text) if text.strip() else None


class RememberingSession:
    """A wrapper of the session of one conversation. `names` are keyword arguments of
    `CognitiveService.remember`.
    """

    def __init__(
        self, inner: Session, memory: CognitiveService, scope: Scope, **names: str
    ) -> None:
        self._inner, self._memory, self._scope, self._names = inner, memory, scope, names
        self.session_id, self.session_settings = inner.session_id, inner.session_settings

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        return await self._inner.get_items(limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        await self._inner.add_items(items)
        talk = [message for item in items if (message := said(item))]
        if talk:
            await self._memory.remember(talk, self._scope, **self._names)

    async def pop_item(self) -> TResponseInputItem | None:
        return await self._inner.pop_item()

    async def clear_session(self) -> None:
        """Clear the conversation. The memory is not changed (see `forget_user`)."""
        await self._inner.clear_session()


def recalling(
    memory: CognitiveService, scope: Scope
) -> Callable[[CallModelData[Any]], Coroutine[Any, Any, ModelInputData]]:
    """Return a filter for `RunConfig(call_model_input_filter=…)`."""

    async def with_memory(data: CallModelData[Any]) -> ModelInputData:
        given = data.model_data
        users = [
            place
            for place, item in enumerate(given.input)
            if item.get("role") == "user" and said(item)
        ]
        if not users:
            return given
        (_, text) = said(given.input[users[-1]]) or ("", "")
        recalled: list[Any] = await memory.build_messages(text, scope)
        place = users[-1]
        return ModelInputData(
            input=[*given.input[:place], *recalled, *given.input[place:]],
            instructions=given.instructions,
        )

    return with_memory


def memory_tools(memory: CognitiveService, scope: Scope) -> list[FunctionTool]:
    """Return `search_events`, `get_profile` and the other tools, bound to one conversation."""

    def tool(name: str, description: str, parameters: dict[str, Any]) -> FunctionTool:
        async def call(_: Any, arguments: str) -> str:
            return await handle_memory_call(memory, name, arguments, scope)

        return FunctionTool(name, description, parameters, call, strict_json_schema=False)

    return [tool(**schema["function"]) for schema in memory_tool_schemas()]


def configured_model(settings: Settings) -> Model:
    """Return `models.chat`: any OpenAI-compatible endpoint."""
    chat = settings.models.chat
    client = AsyncOpenAI(
        base_url=chat.base_url or None, api_key=chat.api_key or "none", timeout=chat.timeout_seconds
    )
    return OpenAIChatCompletionsModel(chat.model, client)


async def run(options: argparse.Namespace) -> None:
    settings = load_settings(options.config)
    scope = Scope.private(options.user)
    async with CognitiveService.open(options.config) as memory:
        await memory.ready()
        agent = Agent(
            "assistant", tools=list(memory_tools(memory, scope)), model=configured_model(settings)
        )
        config = RunConfig(call_model_input_filter=recalling(memory, scope), tracing_disabled=True)
        for number, text in enumerate(
            options.texts
        ):  # each text is a separate conversation: only memory connects them
            session = RememberingSession(
                SQLiteSession(f"{options.user}-{number}"), memory, scope, user_name=options.name
            )
            print(
                (await Runner.run(agent, text, session=session, run_config=config)).final_output,
                flush=True,
            )
            await (
                memory.flush()
            )  # so that the next conversation finds the messages, which otherwise wait for more
            await memory.settled(60)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Talk to an agent of the OpenAI Agents SDK that remembers."
    )
    parser.add_argument(
        "texts", nargs="+", metavar="TEXT", help="what to say, each in a conversation of its own"
    )
    parser.add_argument("--config", help="the settings (else HISTORIAN_CONFIG, else ./config.toml)")
    parser.add_argument("--user", default="1001", help="the id under which you are remembered")
    parser.add_argument("--name", default="Ann", help="your name")
    try:
        asyncio.run(run(parser.parse_args()))
    except HistorianError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
