"""Observation through the service: no secret on disk, no scope crossed, nothing half-written."""

from __future__ import annotations

import json
import logging
import os
import random
import signal
import sqlite3
import string
import subprocess
import sys
import textwrap
import urllib.parse
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from historian import make_end_tool, make_memory_tools
from historian.interfaces.langchain.callbacks import (
    ObservationHandler,
    observe_hooks,
    observe_messages,
)
from historian.schema.errors import InvalidInput
from historian.schema.event import EventFilter
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from support.events import file_texts
from support.memory import group_fields, settings_for
from support.servers.openai_answers import echo_responder, form_asked_for
from support.servers.openai_server import OpenAIServer
from support.stores import open_events, refusing_writes

GROUP = Scope.group("100", "42")
DICE = random.Random(20260221)


def drawn(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """A made-up secret body; it stands in no file, so no scanner takes it for real."""
    return "".join(DICE.choices(alphabet, k=length))


SECRETS: dict[str, str] = {
    "openai": "sk-" + "proj-" + drawn(24) + "T3" + "Blbk" + "FJ" + drawn(24),
    "aws": "AK" + "IA" + drawn(16, string.ascii_uppercase + "234567"),
    "github": "gh" + "p_" + drawn(36),
    "slack": "xo" + "xb-" + drawn(12, string.digits) + "-" + drawn(24),
    "telegram": drawn(10, "123456789") + ":AA" + drawn(33),
    "jwt": "ey" + "J" + drawn(20) + "." + drawn(40) + "." + drawn(43),
    "stripe": "sk_" + "live_" + drawn(24),
    "google": "AI" + "za" + drawn(35),
    "pem": "-----BEGIN "
    + "PRIVATE KEY-----\n"
    + "\n".join(drawn(64) for _ in range(6))
    + "\n-----END "
    + "PRIVATE KEY-----",
    "mail": "lihua" + drawn(5, string.digits) + "@" + "mailbox.example.cn",
    "phone": "138" + drawn(8, "23456789"),
    "id_card": "11010519491231" + "002X",
    "bank_card": "4111 1111 " + "1111 1111",
}
NAMED: dict[str, str] = {
    "password": "Tr0u" + "b4dor&" + drawn(4),
    "db_password": "plain" + "word" + drawn(3, string.ascii_lowercase),
    "api_key": drawn(32),
    "refresh_token": drawn(40),
    "cookie": "SESSDATA=" + drawn(20) + "; bili_jct=" + drawn(32, "0123456789abcdef"),
}
URL_SECRET = drawn(12)


def coats(secret: str) -> dict[str, str]:
    """The ways in which a secret lies about; what holds a blank or a line break in no address."""
    coats = {
        "raw": secret,
        "json": json.dumps({"out": secret}),
        "json twice": json.dumps(json.dumps({"out": secret})),
        "url": "https://x.test/?q=" + urllib.parse.quote(secret, safe="=:@"),
    }
    return (
        coats
        if len(secret.split()) == 1
        else {name: coat for name, coat in coats.items() if name != "url"}
    )


def traces(secret: str) -> set[bytes]:
    """What would betray a secret in a file, whatever it was written with."""
    forms = {
        secret,
        json.dumps(secret)[1:-1],
        urllib.parse.quote(secret, safe=""),
        repr(secret)[1:-1],
    }
    forms |= set(secret.splitlines()[1:-1])
    return {form.encode() for form in forms if len(form) >= 8}


def files_that_hold(directory: Path, secret: str) -> list[str]:
    found = []
    for path in directory.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            found += [f"{path.name}: {form!r}" for form in traces(secret) if form in content]
    return found


class Config:
    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"Config({self.text!r})"


async def plant(memory: CognitiveService) -> None:
    """Every secret in every coat: in arguments, results, nested values, exceptions, objects, messages."""
    for label, secret in SECRETS.items():
        for coat, worn in coats(secret).items():
            where = f"{label} {coat}"
            await memory.on_tool_executed(
                "fetch", {"body": worn, "n": where}, f"{where}: {worn} done", scope=GROUP
            )
            await memory.on_tool_executed(
                "nest",
                [{"deep": [{"er": (worn, {worn: where})}]}],
                {"a": {"b": [worn]}},
                scope=GROUP,
            )
            await memory.on_tool_executed(
                "fail", worn, RuntimeError(f"{where} went wrong with {worn}"), scope=GROUP
            )
            await memory.on_tool_executed("bytes", worn.encode(), Config(worn), scope=GROUP)
            memory.feed_message(
                "user", f"{where} 给你 {worn} 记一下", "s1", scope=GROUP, name="阿明"
            )
            long = "filler " * 1_141 + worn + " and more" * 500
            await memory.on_tool_executed("long", {}, long, scope=GROUP)
    for name, secret in NAMED.items():
        await memory.on_tool_executed(
            "login", {name: secret, "user": "ann"}, {"echo": [{name: secret}]}, scope=GROUP
        )
        await memory.on_tool_executed(
            "fields",
            {"fields": [{"name": name, "value": secret}]},
            json.dumps({name: secret}),
            scope=GROUP,
        )
        for worn in coats(f"{name}={secret}").values():
            await memory.on_tool_executed("env", "", worn, scope=GROUP)
        memory.feed_message("assistant", json.dumps({"headers": {name: secret}}), "s1", scope=GROUP)
    await memory.on_tool_executed(
        "db", f"postgres://app:{URL_SECRET}@db.internal/shop", OSError(URL_SECRET), scope=GROUP
    )


@pytest.mark.slow
async def test_no_planted_secret_is_in_any_byte_under_the_data_directory(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    file_log = logging.FileHandler(data.parent / "historian.log")
    logging.getLogger().addHandler(file_log)
    caplog.set_level(logging.DEBUG)
    try:
        async with CognitiveService.open(
            settings_for(data, observation={"queue_max": 100_000})
        ) as memory:
            assert memory.observation is not None
            await plant(memory)
            assert await memory.observation.settled(300)
            statistics = memory.observation.statistics
            assert statistics.stored > 300
            assert statistics.unusable == statistics.dropped == 0
            live = [
                trace
                for secret in [*SECRETS.values(), *NAMED.values()]
                for trace in files_that_hold(tmp_path, secret)
            ]
        assert (data / "index.sqlite").stat().st_size > 100_000
    finally:
        logging.getLogger().removeHandler(file_log)
        file_log.close()
    assert live == []
    assert [
        trace
        for secret in [*SECRETS.values(), *NAMED.values()]
        for trace in files_that_hold(tmp_path, secret)
    ] == []
    output = "".join(capsys.readouterr()) + caplog.text
    assert not any(secret in output for secret in SECRETS.values())
    events = open_events(data)
    assert events.search_keywords("filler", EventFilter(GROUP.key), 1), "what is harmless is kept"
    events.close()


async def test_what_is_observed_is_recalled_in_its_scope_alone(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        assert memory.observation is not None
        await memory.on_tool_executed(
            "library", {"title": "三体"}, "《三体》在三楼书架，编号 I247", scope=GROUP
        )
        assert await memory.observation.settled(10)
        found = (await memory.search_events("三体 书架", GROUP))[0].event
        assert "I247" in found.text and found.gate_reasons == ("观察到的原话，没有改写。",)
        assert await memory.search_events("三体 书架", Scope.private("42")) == []
        assert await memory.search_events("三体 书架", Scope.group("101", "42")) == []
        assert (await memory.stats())["observation"]["stored"] == 1


async def test_automatic_recall_prefers_finished_memory_and_the_tools_find_all(
    tmp_path: Path,
) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        assert memory.observation is not None and memory.lifecycle.opened is not None
        for n in range(80):
            await memory.on_tool_executed(
                "library", {"n": n}, f"lantern lantern lantern shelf {n}", scope=GROUP
            )
        assert await memory.observation.settled(20)
        asked = "where by the lantern of the library is the shelf?"
        alone = await memory.build_context(asked, GROUP, top_k=3)
        assert alone.count("shelf") == 3, "with nothing else there is, observations are recalled"
        file_texts(
            memory.lifecycle.opened.parts.events,
            ["Ann keeps her boots by the lantern.", "Ann's letters hang on the lantern."],
            group="100",
        )
        block = await memory.build_context(asked, GROUP, top_k=3)
        assert "boots" in block and "letters" in block and block.count("shelf") == 1
        assert "shelf" not in await memory.build_context(asked, GROUP, top_k=2)
        found = await memory.search_events("lantern", GROUP, top_k=10)
        assert sum(hit.event.source == "observation" for hit in found) >= 8


async def test_switched_off_it_costs_nothing(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path / "data", enabled=False)) as memory:
        await memory.on_tool_executed("t", {}, "r")
        memory.feed_message("user", "hello")
        assert memory.observation is None
    assert not (tmp_path / "data").exists()


def talk_events(request: dict[str, Any]) -> dict[str, Any]:
    if form_asked_for(request) != "record_events":
        return echo_responder(request)
    return {"events": [{"text": "阿明对海鲜过敏。", "messages": [3], "speaker": "阿明"}]}


async def test_a_model_reads_the_messages_of_a_session_together_once_it_had_its_time(
    tmp_path: Path,
) -> None:
    talk = [
        ("user", "我要订一家国贸附近的酒店，我的手机是" + "138" + "12345678"),
        ("assistant", "我已经帮你订了国贸附近的如家酒店"),
        ("user", "我对海鲜过敏，吃饭别推荐海鲜"),
    ]
    with OpenAIServer(responder=talk_events) as server:
        settings = settings_for(
            tmp_path,
            base_url=server.base_url,
            observation={"summary_interval_seconds": 0.6},
            historian={"rewrite_mode": "auto"},
        )
        async with CognitiveService.open(settings) as memory:
            assert memory.observation is not None and memory.lifecycle.opened is not None
            events = memory.lifecycle.opened.parts.events
            for role, text in talk:
                memory.feed_message(
                    role,
                    text,
                    "s1",
                    scope=Scope.private("42"),
                    name="阿明" if role == "user" else "",
                )
            assert await memory.observation.settled(10)
            assert events.count(EventFilter(None, sources=("message",))) == 3
            assert await memory.settled(20)
            assert events.count(EventFilter(None, sources=("message",))) == 3, "each is one record"
            (event,) = events.find(EventFilter(None, sources=("job",)))
            (first, *_) = [one for one in server.requests() if one.form == "record_events"]
        assert "138" + "12345678" not in str(first.body)
        assert all(text[:4] in str(first.body) for _, text in talk), (
            "all of the conversation at once"
        )
    assert event.scope == Scope.private("42") and event.text == "阿明对海鲜过敏。"


async def test_a_langchain_handler_feeds_tools_and_models(tmp_path: Path) -> None:
    @tool
    def look_up(title: str) -> str:
        """Find a book."""
        if title == "none":
            raise ValueError("no such book on any shelf")
        return f"{title} stands on shelf 7"

    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        assert memory.observation is not None
        handler = ObservationHandler(memory, scope=GROUP, session_id="g100")
        config: Any = {"callbacks": [handler]}
        await look_up.ainvoke({"title": "Dune"}, config)
        with pytest.raises(ValueError, match="shelf"):
            look_up.invoke({"title": "none"}, config)
        model = GenericFakeChatModel(messages=iter([AIMessage("Dune is on the seventh shelf")]))
        await model.ainvoke([HumanMessage("where can I find Dune?")], config)
        assert await memory.observation.settled(10)
    events = open_events(tmp_path)
    texts = [event.text for event in events.find(EventFilter(GROUP.key), newest_first=False)]
    events.close()
    assert 'look_up({"title": "Dune"}) → Dune stands on shelf 7' in texts
    assert 'look_up({"title": "none"}) → ValueError: no such book on any shelf' in texts
    assert "where can I find Dune?" in texts
    assert "Dune is on the seventh shelf" in texts


async def test_a_graph_node_feeds_each_message_once(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        assert memory.observation is not None
        builder = StateGraph(MessagesState)
        builder.add_node("observe", observe_messages(memory, scope=GROUP))  # type: ignore[arg-type]
        builder.add_edge(START, "observe")
        builder.add_edge("observe", END)
        graph = builder.compile()
        call = {"name": "weather", "args": {"city": "Hangzhou"}, "id": "c1"}
        messages = [
            HumanMessage("will it rain in Hangzhou?", id="1"),
            AIMessage("", tool_calls=[call], id="2"),
            ToolMessage("light rain in the evening", tool_call_id="c1", id="3"),
            AIMessage("Yes, in the evening", id="4"),
        ]
        for _ in range(2):
            result = await graph.ainvoke({"messages": messages})
        assert [message.id for message in result["messages"]] == ["1", "2", "3", "4"]
        assert memory.observation.statistics.noted == 3
        assert await memory.observation.settled(10)
        assert (await memory.search_events("rain", GROUP, top_k=5))[0].event.text.startswith(
            ("weather(", "user:")
        )


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([{"role": "user", "content": "a quiet lake"}], 1),
        ([("user", "a quiet lake"), ("ai", "and a wide one")], 2),
        (("user", "a quiet lake"), 1),
        ("a quiet lake", 1),
        (["a quiet lake"], 1),
        (HumanMessage("a quiet lake"), 1),
        ([HumanMessage([{"type": "text", "text": "a quiet lake"}])], 1),
        ([5, None, {"a": 1}, ("user",), HumanMessage("a quiet lake")], 1),
        ([{"role": "tool", "content": "a quiet lake", "tool_call_id": "c1"}], 1),
        (None, 0),
        (5, 0),
    ],
)
async def test_a_graph_node_takes_messages_in_every_form_and_never_raises(
    tmp_path: Path, messages: object, expected: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        assert memory.observation is not None
        node = observe_messages(memory, scope=GROUP)
        for _ in range(2):
            assert node({"messages": messages}) == {}
        assert memory.observation.statistics.noted == expected
    assert "lake" not in caplog.text


async def test_a_graph_node_keeps_conversations_apart_under_one_session_id(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        assert memory.observation is not None
        node = observe_messages(
            memory, scope=lambda state: Scope.group(state["group"]), session_id="one"
        )
        for group in ("1", "2", "1"):
            assert (
                node({"messages": [HumanMessage(f"said in group {group}")], "group": group}) == {}
            )
        assert await memory.observation.settled(10)
        assert memory.observation.statistics.noted == 2
        for group in ("1", "2"):
            (hit,) = await memory.search_events("said", Scope.group(group))
            assert hit.event.text == f"said in group {group}"


async def test_neither_node_nor_handler_raises_where_the_session_is_anothers_and_a_wrong_scope_is_told_at_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        assert memory.observation is not None
        memory.feed_message("user", "said in private", "one", scope=Scope.private("42"))
        assert (
            observe_messages(memory, scope=GROUP, session_id="one")(
                {"messages": [HumanMessage("swordfish")]}
            )
            == {}
        )
        assert (
            observe_messages(memory, scope=lambda state: state["missing"])(
                {"messages": [HumanMessage("swordfish")]}
            )
            == {}
        )
        handler, run = ObservationHandler(memory, scope=GROUP, session_id="one"), uuid4()
        handler.on_tool_start({}, "swordfish", run_id=run)
        handler.on_tool_end("swordfish", run_id=run)
        handler.on_chat_model_start({}, [[HumanMessage("swordfish")]], run_id=run)
        handler.on_llm_end(None, run_id=run)  # type: ignore[arg-type]
        assert memory.observation.statistics.noted == 1
        assert "belongs to p:42" in caplog.text
        assert "swordfish" not in caplog.text
        for make in (observe_messages, ObservationHandler):
            with pytest.raises(InvalidInput, match="scope: expected a Scope"):
                make(memory, scope="g:100")


async def test_hooks_feed_it_for_bots_without_a_framework(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        assert memory.observation is not None
        end = observe_hooks(memory)
        memory.hooks.emit(
            "tool_executed", name="t", arguments={}, result="a quiet lake", scope=GROUP
        )
        memory.hooks.emit(
            "message", role="user", content="I like quiet lakes", session_id="s", scope=GROUP
        )
        memory.hooks.emit(
            "message", role="user", content="whose scope nobody knows", session_id="other"
        )
        end()
        memory.hooks.emit("tool_executed", name="t", arguments={}, result="unheard", scope=GROUP)
        assert await memory.observation.settled(10)
        assert len(await memory.search_events("quiet", GROUP, top_k=5)) == 2
        assert memory.observation.statistics.noted == 2


CHILD = """
import asyncio, sys
from pathlib import Path
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from support.memory import group_fields, settings_for

async def main():
    async with CognitiveService.open(settings_for(Path(sys.argv[1]), observation={"queue_max": 100000}), worker=False) as memory:
        print("open", flush=True)
        n = 0
        while True:
            for _ in range(50):
                await memory.on_tool_executed("step", {"n": n}, f"result number {n} " * 40, scope=Scope.group("100"))
                n += 1
            await asyncio.sleep(0.01)
            print(memory.observation.statistics.stored, flush=True)

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("stored", [1, 200, 500])
def test_killed_while_it_stores_the_index_is_whole_and_goes_on(tmp_path: Path, stored: int) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD), str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if line.strip().isdecimal() and int(line) >= stored:
                break
        child.send_signal(signal.SIGKILL)
        child.stdout.read()
    connection = sqlite3.connect(tmp_path / "index.sqlite")
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.execute("INSERT INTO event_keywords (event_keywords) VALUES ('integrity-check')")
    connection.close()
    store = open_events(tmp_path)
    survived = store.count()
    assert survived >= stored
    assert len(store.search_keywords("result", EventFilter("g:100"), 100_000)) == survived
    event = store.find(EventFilter("g:100"), limit=1)[0]
    assert store.file_new([event], [None]) == []
    store.close()


async def test_a_directory_that_becomes_read_only_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        assert memory.observation is not None
        assert memory.lifecycle.opened is not None
        with refusing_writes(memory.lifecycle.opened.parts.backend.database):
            await memory.on_tool_executed(
                "t", {}, "written later, when the disk takes it", scope=GROUP
            )
            assert not await memory.observation.settled(0.3)
            assert await memory.build_context("disk", GROUP) == ""
        assert await memory.observation.settled(10)
        assert len(await memory.search_events("disk", GROUP)) == 1


async def test_a_full_disk_stops_nothing(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        assert memory.observation is not None
        assert memory.lifecycle.opened is not None
        with refusing_writes(memory.lifecycle.opened.parts.backend.database, "full"):
            for n in range(50):
                await memory.on_tool_executed("t", {"n": n}, f"number {n} " * 300, scope=GROUP)
            assert not await memory.observation.settled(0.5)
        assert await memory.observation.settled(20)
        stored = memory.lifecycle.opened.parts.events.find(EventFilter(GROUP.key), limit=10_000)
        assert len({event.job_id for event in stored}) == 50


def held_by_jobs() -> dict[str, str]:
    """What a job must not keep at its own level (`secrets`): personal data may be just what is to be remembered."""
    keys = {
        label: secret
        for label, secret in SECRETS.items()
        if label not in ("mail", "phone", "id_card", "bank_card")
    }
    return keys | {name: f"{name}={secret}" for name, secret in NAMED.items() if name != "cookie"}


@pytest.mark.slow
async def test_no_secret_in_jobs_hooks_handlers_graph_states_or_notes_is_in_any_byte(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    data, folder = tmp_path / "data", tmp_path / "notes"
    folder.mkdir()
    caplog.set_level(logging.DEBUG)
    handed = held_by_jobs()
    (folder / "keys.md").write_text(
        "\n\n".join(f"Note on {label}: {worn}" for label, worn in handed.items())
    )
    names = {label: label.replace("_", " ") for label in handed}

    @tool
    def fetch(body: str) -> str:
        """Fetch something."""
        raise ValueError(f"cannot fetch {body}")

    async def hand_over(memory: CognitiveService, label: str, worn: str, n: int) -> None:
        await memory.enqueue_job(
            action_summary=f"小史把 {names[label]} 发给了阿明：{worn}",
            new_info=[f"阿明记下了 {worn}"],
            **group_fields(
                request_id=f"{label}-{n}", recent_messages=[{"sender_name": "阿明", "text": worn}]
            ),
        )

    settings = settings_for(
        data, notes_dir=str(folder), notes_scope="group:100", observation={"queue_max": 10_000}
    )
    async with CognitiveService.open(settings) as memory:
        assert memory.observation is not None
        end = observe_hooks(memory)
        config: Any = {"callbacks": [ObservationHandler(memory, scope=GROUP, session_id="s")]}
        builder = StateGraph(MessagesState)
        builder.add_node("observe", observe_messages(memory, scope=GROUP))  # type: ignore[arg-type]
        builder.add_edge(START, "observe")
        builder.add_edge("observe", END)
        graph = builder.compile()
        for label, secret in handed.items():
            # Every other coat, by turns: each is a job, a graph run and a tool.
            for n, worn in list(enumerate(coats(secret).values()))[len(label) % 2 :: 2]:
                await hand_over(memory, label, worn, n)
                memory.hooks.emit(
                    "tool_executed",
                    name="t",
                    arguments={"in": [worn]},
                    result=OSError(worn),
                    scope=GROUP,
                )
                memory.hooks.emit(
                    "message", role="user", content={"text": worn}, session_id="h", scope=GROUP
                )
                call = {"name": "fetch", "args": {"deep": {"er": [worn]}}, "id": f"{label}{n}"}
                state = [
                    HumanMessage(worn),
                    AIMessage(worn, tool_calls=[call]),
                    ToolMessage(worn, tool_call_id=call["id"]),
                ]
                await graph.ainvoke({"messages": state})
                with pytest.raises(ValueError, match="cannot fetch"):
                    fetch.invoke({"body": worn}, config)
        end()
        assert await memory.observation.settled(120)
        assert await memory.settled(120)
        assert [
            trace for secret in handed.values() for trace in files_that_hold(data, bare(secret))
        ] == []
        assert memory.observation.statistics.unusable == 0
    for name in ("index.sqlite", "index.sqlite-wal"):
        (data / name).write_bytes(b"garbage " * 20_000)
    async with CognitiveService.open(settings, worker=False) as memory:
        for label, secret in handed.items():
            await hand_over(memory, label, secret, 99)
            assert secret not in await memory.build_context(names[label], GROUP)
    assert (data / "MEMORY.md").is_file()
    assert [
        trace for secret in handed.values() for trace in files_that_hold(data, bare(secret))
    ] == []
    assert not any(bare(secret) in caplog.text for secret in handed.values())


def bare(secret: str) -> str:
    """The value of `name=value`."""
    name, _, value = secret.partition("=")
    return value if name in NAMED else secret


async def test_what_memorys_own_tools_return_is_not_observed(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        end = make_end_tool(memory, group_fields())
        calls_made = [
            *((one, {"query": "tea", "about": "tea"}) for one in make_memory_tools(memory, GROUP)),
            (end, {}),
        ]
        handler, undo = ObservationHandler(memory, scope=GROUP), observe_hooks(memory)
        node = observe_messages(memory, scope=GROUP)
        for own, arguments in calls_made:
            asked = {name: value for name, value in arguments.items() if name in own.args}
            answer = await own.ainvoke(asked, config={"callbacks": [handler]})
            memory.hooks.emit(
                "tool_executed", name=own.name, arguments=asked, result=answer, scope=GROUP
            )
            node({"messages": [ToolMessage(answer, name=own.name, tool_call_id="1")]})
        memory.hooks.emit("tool_executed", name="weather", arguments={}, result="rain", scope=GROUP)
        undo()
        assert memory.observation is not None and await memory.observation.settled(10)
        found = await memory.list_events(GROUP)
        assert len(found) == 1 and "rain" in found[0].text
