"""`historian mcp`, asked by the SDK's own client: over stdio, over HTTP on loopback, and inside one process."""

import asyncio
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from historian.interfaces.cli.commands.searching import patient
from historian.interfaces.mcp.server import McpMemory, Writer, make_mcp_server
from historian.interfaces.mcp.token import http_token
from historian.schema.errors import InvalidInput, SettingsError
from historian.schema.language import LanguageChoice
from historian.schema.profile import ProfileKey
from historian.schema.scope import Scope
from historian.schema.settings import Settings
from historian.service.components import open_parts
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from profiles import profile_of
from support.command import NO_MODELS, historian
from support.events import file_messages, file_texts
from support.memory import settings_for
from support.queue_rows import rows

READING = ["get_profile", "recall", "search_events", "search_profiles"]
WRITING = [
    "correct_memory",
    "forget_message",
    "list_pins",
    "pin_memory",
    "remember",
    "unpin_memory",
]
ELSEWHERE = ("瓷器", "玉佩", "porcelain", "jade")
"""What was said in other conversations than group 100, and nowhere in it."""


def fill(settings: Settings) -> None:
    """Group 100 talks of tea; group 200 of porcelain, and user 42, in private, of jade."""
    parts = open_parts(settings, clock=lambda: 0.0)
    try:
        file_texts(
            parts.events, ["阿明在读书会说他喜欢龙井茶"], "a-0", group="100", user_name="阿明"
        )
        file_texts(
            parts.events,
            ["阿明在另一个群说他收藏瓷器", "Ann collects porcelain and tea"],
            "b-0",
            group="200",
        )
        file_texts(parts.events, ["阿明私下说他有一块玉佩", "jade and tea"], "c-0", group=None)
        for key, summary in {
            ProfileKey("group", "100"): "- 每周五读书，喝茶",
            ProfileKey("group", "200"): "- 鉴赏瓷器 porcelain，喝茶",
            ProfileKey("user", "42"): "- 喜欢龙井茶",
            ProfileKey("user", "42", "private"): "- 有一块玉佩 jade",
        }.items():
            profile = profile_of(key, summary, name="阿明")
            stored = parts.profiles.write(
                profile, expected_revision=0, job_id="p-0", now="2026-02-21T17:30:00+08:00"
            )
            parts.backend.profile_index.put(stored, None)
    finally:
        asyncio.run(parts.aclose())


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    settings = patient(settings_for(tmp_path_factory.mktemp("memory")), 60.0)
    fill(settings)
    return settings


def command(settings: Settings, *arguments: str) -> StdioServerParameters:
    directory = settings.cognitive.data_dir
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "historian.interfaces.cli", "mcp", "--data-dir", directory, *arguments],
        env=NO_MODELS,
        cwd=Path(directory).parent,
    )


async def told(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool answers; the test fails where it answers with an error."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return "\n".join(block.text for block in result.content)


async def refused(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    """The words with which a tool refuses a call."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(result.content[0].text)


@pytest.mark.slow
async def test_over_stdio_a_client_reads_one_conversation_and_cannot_write(
    filled: Settings,
) -> None:
    async with Client(
        command(filled, "--group", "100", "--user", "42", "--language", "zh")
    ) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert sorted(tools) == READING
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
        assert client.server_info.name == "historian"
        assert "recall" in (client.instructions or "")
        assert "龙井茶" in await told(client, "recall", query="阿明喜欢喝什么茶？")
        assert "龙井茶" in await told(
            client, "search_events", query="龙井茶", time_from="2026-01-01"
        )
        assert "喜欢龙井茶" in await told(client, "get_profile")
        assert "每周五读书" in await told(client, "get_profile", entity_type="group")
        assert "龙井茶" in await told(client, "search_profiles", query="谁喜欢龙井茶")
        with pytest.raises(MCPError, match="没有 'remember' 这个工具，只有"):
            await client.call_tool("remember", {"new_info": ["x"]})
    assert not rows(Path(filled.cognitive.data_dir), "pending")


@pytest.mark.slow
def test_what_is_remembered_over_stdio_is_recalled_and_filed(tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "memory")
    arguments = (
        "--user",
        "7",
        "--user-name",
        "Ann",
        "--bot-name",
        "Clio",
        "--language",
        "auto",
        "--allow-writes",
    )

    async def converse() -> None:
        async with Client(command(settings, *arguments)) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == {*READING, *WRITING}
            answer = await told(
                client, "remember", new_info=["She keeps bees"], action_summary="I lent her a veil"
            )
            assert answer == "Handed over to memory."
            assert "nothing was written" in await told(client, "remember")
            assert "bees" in await told(client, "recall", query="What does she keep, bees?")

    asyncio.run(converse())
    drained = historian("worker", "--drain", "--json", "--data-dir", tmp_path / "memory")
    assert drained.status == 0, drained.err
    listed = historian("events", "list", "--json", "--data-dir", tmp_path / "memory")
    assert sorted(line["text"] for line in listed.lines) == [
        "Ann keeps bees",
        "Clio lent Ann a veil",
    ]


@contextmanager
def http_server(settings: Settings, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    parameters = command(settings, "--http", "0", *arguments)
    process = subprocess.Popen(
        [parameters.command, *parameters.args],
        env={**NO_MODELS, "PATH": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stdout is not None
    try:
        line = process.stderr.readline()
        assert line.startswith("listening on http://127.0.0.1:"), line + process.stderr.read()
        yield line.split()[2].rstrip(";"), process
    finally:
        process.kill()
        process.wait(10)
        process.stderr.close()
        process.stdout.close()


@pytest.mark.slow
async def test_over_http_on_loopback_several_clients_read_and_web_pages_do_not(
    filled: Settings,
) -> None:
    with http_server(filled, "--group", "100", "--language", "zh") as (url, process):
        assert process.stderr is not None
        announced, _, token = process.stderr.readline().strip().rpartition("Bearer ")
        assert announced == "clients send the header Authorization: " and len(token) >= 32

        async def ask(n: int) -> str:
            async with (
                create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                return await told(client, "recall", query=f"阿明喜欢喝什么茶？{n}")

        assert all("龙井茶" in answer for answer in await asyncio.gather(*map(ask, range(4))))
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        accepting = {
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {token}",
        }
        none = {"Accept": accepting["Accept"]}
        async with httpx.AsyncClient(trust_env=False) as web:
            rebound = await web.post(
                url, json=ping, headers={**accepting, "Host": "evil.example:80"}
            )
            foreign = await web.post(
                url, json=ping, headers={**accepting, "Origin": "https://evil.example"}
            )
            without = [
                await web.request(method, url, json=ping, headers=none | sent)
                for method in ("POST", "GET", "DELETE")
                for sent in (
                    {},
                    {"Authorization": f"Bearer {token}x"},
                    {"Authorization": f"Basic {token}"},
                )
            ]
        assert (rebound.status_code, foreign.status_code) == (421, 403)
        assert {(one.status_code, one.headers["www-authenticate"]) for one in without} == {
            (401, "Bearer")
        }
        process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(process.wait, 20) == 0
        assert process.stdout is not None
        assert process.stdout.read() == ""


def test_the_token_over_http_is_the_environments_or_a_new_one_each_time() -> None:
    given = "0123456789abcdef"
    assert http_token({"HISTORIAN_MCP_TOKEN": given}) == (given, False)
    (first, is_new), (second, _) = http_token({}), http_token({"HISTORIAN_MCP_TOKEN": ""})
    assert is_new and first != second and len(first) >= 32
    for wrong in ("short", "0123456789 abcdef", "0123456789abcdé€f"):
        with pytest.raises(SettingsError, match="HISTORIAN_MCP_TOKEN") as caught:
            http_token({"HISTORIAN_MCP_TOKEN": wrong})
        assert wrong not in str(caught.value)


PRYING = [
    "龙井茶",
    "瓷器",
    "玉佩",
    "porcelain",
    "jade tea",
    "group 200",
    "g:200",
    "p:42",
    "所有群说过的话",
    "%",
    "* OR 1=1",
]
TRICKS: list[dict[str, Any]] = [
    {},
    {"group_id": "200"},
    {"scope": "g:200", "scope_key": "g:200"},
    {"user_id": "42"},
    {"request_type": "private", "user_id": "42"},
    {"entity_type": "group", "entity_id": "200"},
    {"entity_type": "user", "entity_id": "42", "layer": "private"},
    {"top_k": 500},
]


@pytest.mark.parametrize(
    "scope", [Scope.group("100"), Scope.group("100", "42"), Scope.private("999")]
)
async def test_whatever_a_client_asks_another_conversation_is_not_in_the_answer(
    filled: Settings, scope: Scope
) -> None:
    query = filled.query.model_copy(update={"admin_user_ids": ["999", "42"]})
    settings = filled.model_copy(
        update={"cognitive": filled.cognitive.model_copy(update={"query": query})}
    )
    async with McpMemory(settings, scope) as memory, Client(make_mcp_server(memory)) as client:
        answered = 0
        for question in PRYING:
            for trick in TRICKS:
                for tool in READING:
                    result = await client.call_tool(tool, {"query": question, **trick})
                    text = "\n".join(block.text for block in result.content)
                    assert not [word for word in ELSEWHERE if word in text], (
                        tool,
                        question,
                        trick,
                        text,
                    )
                    answered += not result.is_error
        assert answered >= 5 * len(
            PRYING
        )  # the other tricks are arguments that there are not, which is said
        own = await told(client, "search_events", query="龙井茶")
        assert ("龙井茶" in own) == (scope.request_type == "group")


async def test_the_server_of_the_other_group_has_what_this_one_withholds(filled: Settings) -> None:
    async with (
        McpMemory(filled, Scope.group("200")) as memory,
        Client(make_mcp_server(memory)) as client,
    ):
        assert "瓷器" in await told(client, "search_events", query="瓷器")


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("recall", {}, "query"),
        ("recall", {"query": "x", "top_k": "many"}, "top_k"),
        ("recall", {"query": "x", "top_k": 0}, "top_k"),
        ("search_events", {"query": "x", "kind": "rumour"}, "kind"),
        ("search_events", {"query": "x", "time_from": "yesterday"}, "time_from"),
        ("get_profile", {"entity_type": "planet"}, "entity_type"),
        ("remember", {"new_info": [{}]}, "new_info"),
    ],
)
async def test_wrong_arguments_are_refused_with_their_name(
    tmp_path: Path, tool: str, arguments: dict[str, Any], named: str
) -> None:
    settings = settings_for(tmp_path)
    memory = McpMemory(settings, Scope.private("7"), language="en", writer=Writer())
    async with memory, Client(make_mcp_server(memory)) as client:
        assert named in await refused(client, tool, arguments)
    assert not rows(tmp_path)


async def test_a_reading_server_makes_nothing_and_finds_memory_once_it_is_there(
    tmp_path: Path,
) -> None:
    settings = patient(settings_for(tmp_path / "later"), 60.0)
    async with (
        McpMemory(settings, Scope.group("100")) as memory,
        Client(make_mcp_server(memory)) as client,
    ):
        assert await told(client, "recall", query="龙井茶") == "没有相关的记忆。"
        assert not (tmp_path / "later").exists()
        await asyncio.to_thread(fill, settings)
        assert "龙井茶" in await told(client, "recall", query="喜欢喝什么茶")


async def test_a_message_is_withdrawn_by_a_server_that_may_write_and_by_no_other(
    tmp_path: Path,
) -> None:
    settings = patient(settings_for(tmp_path), 60.0)
    parts = open_parts(settings, clock=lambda: 0.0)
    file_messages(parts.events, ["谁有空搬家？", "我周五搬家"], group="100")
    await parts.aclose()
    for writer, names in ((None, READING), (Writer(), sorted((*READING, *WRITING)))):
        memory = McpMemory(settings, Scope.group("100", "42"), language="en", writer=writer)
        async with memory, Client(make_mcp_server(memory)) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert sorted(tools) == names
            if writer is None:
                with pytest.raises(MCPError, match="forget_message"):
                    await client.call_tool("forget_message", {"message_id": "m1"})
                assert "周五" in await told(
                    client, "search_events", query="搬家", kind="message", neighbours=1
                )
                continue
            assert (
                tools["forget_message"].annotations
                and tools["forget_message"].annotations.destructive_hint
            )
            assert await told(client, "forget_message", message_id="m1") == "Withdrawn."
            assert "周五" not in await told(client, "search_events", query="搬家")


async def test_a_client_corrects_and_pins_and_the_answers_name_what_went(tmp_path: Path) -> None:
    settings = patient(settings_for(tmp_path), 60.0)
    memory = McpMemory(settings, Scope.private("7"), language="en", writer=Writer("Ann"))
    async with memory, Client(make_mcp_server(memory)) as client:
        await told(
            client,
            "remember",
            new_info=["She is vegetarian", "She likes vegetarian pizza", "She has two cats"],
        )
        service = await memory.opened()
        assert service is not None and await service.settled(30)
        tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        for name, reads, destroys in (
            ("correct_memory", False, True),
            ("pin_memory", False, False),
            ("list_pins", True, None),
        ):
            hints = tools[name]
            assert hints and (hints.read_only_hint, hints.destructive_hint) == (reads, destroys)
        replaced = await told(
            client, "correct_memory", wrong="has two cats", right="Ann has three cats"
        )
        assert (
            replaced.startswith("Corrected; this was replaced:")
            and "two cats" in replaced
            and "correction-" in replaced
        )
        unclear = await told(client, "correct_memory", wrong="vegetarian")
        assert "Call again with its id" in unclear and "pizza" in unclear
        target = re.search(r"- (\S+): Ann is vegetarian", unclear)
        assert target is not None
        assert "Ann is vegetarian" in await told(
            client, "correct_memory", wrong="vegetarian", target_id=target[1]
        )
        assert "does not say that" in await told(client, "correct_memory", wrong="quantum physics")
        block = await told(
            client, "recall", query="What do you know of Ann, her food and her cats?"
        )
        assert "three cats" in block and "two cats" not in block and "is vegetarian" not in block
        pinned = await told(
            client, "pin_memory", text="Never mention her ex", expires_at="2126-01-01"
        )
        line_id = pinned.rpartition(" ")[2]
        assert f"- {line_id}: Never mention her ex (2126-01-01)" in await told(client, "list_pins")
        assert "Never mention her ex" in await told(client, "recall", query="hello")
        answers = [await told(client, "unpin_memory", line_id=line_id) for _ in range(2)]
        assert answers == ["Unpinned.", "There is no pin of this id."]
        assert await told(client, "list_pins") == "There are no pins in this conversation."


async def test_with_memory_switched_off_remember_says_so(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, enabled=False)
    memory = McpMemory(settings, Scope.private("7"), language="en", writer=Writer())
    async with memory, Client(make_mcp_server(memory)) as client:
        assert "switched off" in await told(client, "remember", new_info=["She keeps bees"])
        assert "bees" in await told(client, "recall", query="bees")


async def described(client: Client) -> str:
    """The first words of the tool that searches."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    return str(tools["search_events"].description)[:10]


async def test_the_tools_speak_the_language_of_what_is_filed_then_of_what_is_said(
    tmp_path: Path,
) -> None:
    settings = patient(settings_for(tmp_path), 60.0)
    parts = open_parts(settings, clock=lambda: 0.0)
    file_texts(
        parts.events,
        ["Ann told the group that she likes green tea"],
        "a-0",
        group="100",
        user_name="Ann",
    )
    await parts.aclose()
    async with (
        McpMemory(settings, Scope.group("100"), language="auto") as memory,
        Client(make_mcp_server(memory)) as client,
    ):
        assert (client.instructions or "").startswith("The long-term") and (
            await described(client)
        ).startswith("Search")
        assert "reference only" in await told(client, "recall", query="Which tea, green tea?")
        assert "reference only" in await told(
            client, "search_events", query="群里谁喜欢绿茶 tea"
        ), "a search is nobody's speech"
        assert "参考资料" in await told(client, "recall", query="群里谁喜欢绿茶 tea")
        assert (await described(client)).startswith("在本会话")


@pytest.mark.parametrize(
    ("configured", "asked", "answer"),
    [("auto", None, "Nothing"), ("zh", None, "没有"), ("zh", "auto", "Nothing")],
)
async def test_where_nothing_is_filed_the_call_tells_the_language_unless_one_is_configured(
    tmp_path: Path, configured: str, asked: LanguageChoice | None, answer: str
) -> None:
    settings = settings_for(tmp_path / "none", language=configured)
    async with (
        McpMemory(settings, Scope.private("7"), language=asked) as memory,
        Client(make_mcp_server(memory)) as client,
    ):
        for tool in ("search_events", "recall"):
            assert (await told(client, tool, query="What do I like to drink?")).startswith(answer)


def test_without_the_sdk_the_error_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(SettingsError, match=r"langgraph-historian\[mcp\]"):
        make_mcp_server(McpMemory(settings_for(tmp_path), Scope.private("7")))
    called = historian("mcp", "--user", "7", "--data-dir", tmp_path)
    assert called.status == 2
    assert "langgraph-historian[mcp]" in called.err


def test_the_command_wants_one_conversation_and_for_writing_a_person(tmp_path: Path) -> None:
    assert "which conversation?" in historian("mcp", "--data-dir", tmp_path).err
    called = historian("mcp", "--group", "100", "--allow-writes", "--data-dir", tmp_path)
    assert called.status == 2
    assert "--user" in called.err
    with pytest.raises(InvalidInput, match="the user who speaks"):
        McpMemory(settings_for(tmp_path), Scope.group("100"), writer=Writer())
