"""Pydantic AI runs an agent over `examples/pydantic_ai_agent.py`; the model says what a test wrote for it."""

import importlib
from pathlib import Path
from typing import Any

import pytest
from historian import CognitiveService, Scope
from support.memory import settings_for

pydantic_ai = pytest.importorskip(
    "pydantic_ai", reason='Pydantic AI is not installed: pip install -e ".[frameworks]"'
)

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart  # noqa: E402
from pydantic_ai.models.function import FunctionModel  # noqa: E402

ANN = Scope.private("7")


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples"))
    return importlib.import_module("pydantic_ai_agent")


async def test_what_one_run_was_told_the_next_one_recalls_and_finds(
    tmp_path: Path, example: Any
) -> None:
    script: list[Any] = [
        TextPart("Noted."),
        ToolCallPart("search_events", {"query": "allergic"}),
        TextPart("Peanuts."),
    ]
    seen: list[list[Any]] = []

    def answer(messages: list[Any], info: Any) -> ModelResponse:
        assert {"search_events", "get_profile", "search_profiles", "recall_deeply"} <= {
            tool.name for tool in info.function_tools
        }
        seen.append(list(messages))
        return ModelResponse([script.pop(0)])

    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        names = {"user_name": "Ann", "bot_name": "Clio"}
        agent = pydantic_ai.Agent(
            FunctionModel(answer), capabilities=[example.Historian(memory, ANN, names)]
        )

        async def converse(text: str) -> Any:
            ended = await agent.run(text)
            assert "<memory>" not in str(
                [part for message in ended.new_messages()[:1] for part in message.parts]
            )
            await memory.flush()
            assert await memory.settled(30)
            return ended

        assert (await converse("I'm allergic to peanuts")).output == "Noted."
        assert (await converse("What am I allergic to?")).output == "Peanuts."
        recalled, asked = [part.content for message in seen[1] for part in message.parts]
        assert "I'm allergic to peanuts" in recalled and asked == "What am I allergic to?"
        assert "I'm allergic to peanuts" in seen[2][-1].parts[0].content
        assert await memory.search_events("peanuts", Scope.private("8")) == []
