"""The OpenAI Agents SDK runs an agent over `examples/openai_agents.py`; the model says what a test wrote for it."""

import importlib
from pathlib import Path
from typing import Any

import pytest
from historian import CognitiveService, Scope
from support.memory import settings_for

agents = pytest.importorskip(
    "agents", reason='the OpenAI Agents SDK is not installed: pip install -e ".[frameworks]"'
)

from agents.items import ModelResponse  # noqa: E402
from agents.usage import Usage  # noqa: E402
from openai.types.responses import (  # noqa: E402
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

ANN = Scope.private("7")


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples"))
    return importlib.import_module("openai_agents")


class Scripted(agents.Model):  # type: ignore[name-defined, misc]
    """Answers with the script's texts and tool calls; `seen` are the inputs."""

    def __init__(self, *script: Any) -> None:
        self.script, self.seen = list(script), list[Any]()

    async def get_response(
        self, system_instructions: Any, input: Any, *more: Any, **options: Any
    ) -> ModelResponse:
        self.seen.append([dict(item) for item in input])
        step = self.script.pop(0)
        if isinstance(step, str):
            part = ResponseOutputText(type="output_text", text=step, annotations=[])
            output: Any = ResponseOutputMessage(
                id="m", type="message", role="assistant", status="completed", content=[part]
            )
        else:
            name, arguments = step
            output = ResponseFunctionToolCall(
                call_id="c", type="function_call", name=name, arguments=arguments
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *more: Any, **options: Any) -> Any:
        raise NotImplementedError


async def test_what_was_said_in_one_session_is_recalled_in_another_and_found_by_the_tools(
    tmp_path: Path, example: Any
) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        config = agents.RunConfig(
            call_model_input_filter=example.recalling(memory, ANN), tracing_disabled=True
        )

        async def converse(model: Scripted, text: str, name: str) -> str:
            agent = agents.Agent(
                "assistant", tools=list(example.memory_tools(memory, ANN)), model=model
            )
            session = example.RememberingSession(
                agents.SQLiteSession(name), memory, ANN, user_name="Ann", bot_name="Clio"
            )
            assert isinstance(session, agents.Session)
            answer = str(
                (
                    await agents.Runner.run(agent, text, session=session, run_config=config)
                ).final_output
            )
            items = await session.get_items()
            assert items[0]["content"] == text and not any(
                "<memory>" in str(item) for item in items if item.get("role") == "user"
            )
            await memory.flush()
            assert await memory.settled(30)
            return answer

        assert await converse(Scripted("Noted."), "I'm allergic to peanuts", "first") == "Noted."
        model = Scripted(("search_events", '{"query": "allergic"}'), "Peanuts.")
        assert await converse(model, "What am I allergic to?", "second") == "Peanuts."
        recalled, asked = model.seen[0]
        assert recalled["role"] == "user" and "I'm allergic to peanuts" in recalled["content"]
        assert asked["content"] == "What am I allergic to?"
        assert "I'm allergic to peanuts" in str(model.seen[1][-1]["output"])
        assert await memory.search_events("peanuts", Scope.private("8")) == []


async def test_clearing_a_session_leaves_memory_alone(tmp_path: Path, example: Any) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        session = example.RememberingSession(
            agents.SQLiteSession("s"), memory, ANN, user_name="Ann"
        )
        await session.add_items(
            [{"role": "user", "content": "I'm vegetarian"}, {"type": "reasoning", "summary": []}]
        )
        assert (await session.pop_item())["type"] == "reasoning"
        await session.clear_session()
        assert await session.get_items() == []
        assert [hit.event.text for hit in await memory.search_events("vegetarian", ANN)]
