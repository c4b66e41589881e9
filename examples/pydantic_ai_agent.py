"""Memory for Pydantic AI (`pip install "pydantic-ai-slim[openai]"`): one capability that recalls,
remembers and offers the tools.

    python examples/pydantic_ai_agent.py "I'm allergic to peanuts" "What am I allergic to?"

`Agent(model, capabilities=[Historian(memory, scope)])` is all that is needed;
`memory_toolset(memory, scope)` provides only the tools.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from historian import (
    CognitiveService,
    HistorianError,
    Scope,
    Settings,
    handle_memory_call,
    load_settings,
    memory_tool_schemas,
)
from pydantic_ai import Agent, FunctionToolset, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, UserPromptPart
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.run import AgentRunResult


def memory_toolset(memory: CognitiveService, scope: Scope) -> FunctionToolset[Any]:
    """Return `search_events`, `get_profile` and the other tools, bound to one conversation."""

    def tool(name: str, description: str, parameters: dict[str, Any]) -> Tool[Any]:
        async def call(**arguments: Any) -> str:
            return await handle_memory_call(memory, name, arguments, scope)

        return Tool.from_schema(call, name, description, parameters)

    return FunctionToolset([tool(**schema["function"]) for schema in memory_tool_schemas()])


@dataclass
class Historian(AbstractCapability[Any]):
    """Recall before each call of the model, remember after the run. `names` are keyword arguments
    of `CognitiveService.remember`.

    The recalled block is put before the last message of the user only for this call of the model.
    It does not enter the history.
    """

    memory: CognitiveService
    scope: Scope
    names: dict[str, str] = field(default_factory=dict)

    def get_toolset(self) -> FunctionToolset[Any]:
        return memory_toolset(self.memory, self.scope)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        messages = request_context.messages
        asked = [
            (place, text)
            for place, message in enumerate(messages)
            for role, text in said([message])
            if role == "user"
        ]
        if asked:
            place, text = asked[-1]
            if block := await self.memory.build_context(text, self.scope):
                request_context.messages = [
                    *messages[:place],
                    ModelRequest([UserPromptPart(block)]),
                    *messages[place:],
                ]
        return request_context

    async def after_run(
        self, ctx: RunContext[Any], *, result: AgentRunResult[Any]
    ) -> AgentRunResult[Any]:
        if talk := said(result.new_messages()):
            await self.memory.remember(talk, self.scope, **self.names)
        return result


def said(messages: Sequence[ModelMessage]) -> list[tuple[str, str]]:
    """Return the messages of the user and the agent as pairs of role and text."""
    found: list[tuple[str, str]] = []
    for message in messages:
        if isinstance(message, ModelResponse):
            found.append(("assistant", message.text or ""))
            continue
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                texts = (
                    [part.content]
                    if isinstance(part.content, str)
                    else [one for one in part.content if isinstance(one, str)]
                )
                found.append(("user", "\n".join(texts)))
    return [(role, text) for role, text in found if text.strip()]


def configured_model(settings: Settings) -> Model:
    """Return `models.chat`: any OpenAI-compatible endpoint."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    chat = settings.models.chat
    return OpenAIChatModel(
        chat.model,
        provider=OpenAIProvider(base_url=chat.base_url or None, api_key=chat.api_key or "none"),
    )


async def run(options: argparse.Namespace) -> None:
    model = configured_model(load_settings(options.config))
    async with CognitiveService.open(options.config) as memory:
        await memory.ready()
        agent = Agent(
            model,
            capabilities=[
                Historian(memory, Scope.private(options.user), {"user_name": options.name})
            ],
        )
        for (
            text
        ) in options.texts:  # each text is a separate conversation: only memory connects them
            print((await agent.run(text)).output, flush=True)
            await (
                memory.flush()
            )  # so that the next conversation finds the messages, which otherwise wait for more
            await memory.settled(60)


def main() -> int:
    parser = argparse.ArgumentParser(description="Talk to a Pydantic AI agent that remembers.")
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
