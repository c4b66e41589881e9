"""What a tool tells the model of wrong arguments is in one language, whichever layer found the fault."""

import re
from pathlib import Path
from typing import Any

import pytest
from historian.interfaces.langchain.end_tool import handle_end_call, make_end_tool
from historian.interfaces.langchain.tools import handle_memory_call, make_memory_tools
from historian.interfaces.mcp.server import McpMemory, Writer, answer_call
from historian.schema.language import Language
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from support.memory import private_fields, settings_for

HERE = Scope.private("7")
FIELDS = r"query|top_k|kind|time_from|time_to|about|entity_type|new_info(?:\.\d+)?|action_summary|force|user_id|true|false|JSON"
NAMES = r"'action'|'fact'|'message'|'user'|'group'|'dance'|search_events|get_profile|search_profiles|recall_deeply|propose_recall"

WRONG_CALLS: list[tuple[str, Any, str]] = [
    ("search_events", {}, "query"),
    ("search_events", {"query": 5}, "query"),
    ("search_events", {"query": "x", "top_k": "many"}, "top_k"),
    ("search_events", {"query": "x", "kind": "both"}, "kind"),
    ("search_events", {"query": "x", "time_from": "some day"}, "time_from"),
    ("search_events", "[1]", "JSON"),
    ("search_events", "no json", "JSON"),
    ("propose_recall", {}, "about"),
    ("get_profile", {"entity_type": "dog"}, "entity_type"),
    ("dance", {}, "dance"),
]


def assert_in_one_language(answer: str, language: str, named: str) -> None:
    assert named in answer
    if language == "en":
        assert re.search("[\u3000-\u9fff\uff00-\uffef]", answer) is None, answer
    else:
        left = re.sub(f"{FIELDS}|{NAMES}|2026-02-\\d\\d", "", answer)
        assert re.search("[A-Za-z]{2,}", left) is None, answer
        assert re.search("[\u4e00-\u9fff]", answer)


@pytest.fixture
async def memory(tmp_path: Path) -> Any:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as service:
        yield service


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(("name", "arguments", "named"), WRONG_CALLS)
async def test_the_tools_of_memory(
    memory: CognitiveService, name: str, arguments: Any, named: str, language: Language
) -> None:
    assert_in_one_language(
        await handle_memory_call(memory, name, arguments, HERE, language=language), language, named
    )
    if isinstance(arguments, dict) and name != "dance":
        (tool,) = [
            one for one in make_memory_tools(memory, HERE, language=language) if one.name == name
        ]
        assert_in_one_language(await tool.ainvoke(arguments), language, named)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"action_summary": 5}, "action_summary"),
        ({"new_info": [{}]}, "new_info.0"),
        ({"force": "perhaps"}, "force"),
        ("x", "JSON"),
    ],
)
async def test_the_end_tool(
    memory: CognitiveService, arguments: Any, named: str, language: Language
) -> None:
    assert_in_one_language(
        await handle_end_call(memory, arguments, private_fields(), language=language),
        language,
        named,
    )
    if isinstance(arguments, dict):
        answer = await make_end_tool(memory, private_fields(), language=language).ainvoke(arguments)
        assert_in_one_language(answer, language, named)
    unfit = private_fields(user_id="")
    assert_in_one_language(
        await handle_end_call(memory, '{"new_info": "x"}', unfit, language=language),
        language,
        "user_id",
    )


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(
    ("name", "arguments", "named"),
    [
        ("recall", {}, "query"),
        ("recall", {"query": "x", "top_k": 0}, "top_k"),
        ("recall", {"query": "x", "top_k": "many"}, "top_k"),
        ("remember", {"action_summary": 5}, "action_summary"),
        ("remember", {"action_summary": "x" * 1_100_000}, ""),
        *[one for one in WRONG_CALLS if one[0] == "search_events" and isinstance(one[1], dict)],
    ],
)
async def test_the_mcp_server(
    tmp_path: Path, name: str, arguments: dict[str, Any], named: str, language: Language
) -> None:
    async with McpMemory(
        settings_for(tmp_path), HERE, language=language, writer=Writer()
    ) as memory:
        answer = await answer_call(memory, name, arguments)
    assert answer.is_error
    assert_in_one_language(answer.text, language, named)
