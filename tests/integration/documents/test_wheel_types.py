"""A user's file that uses the public names passes `mypy --strict` against the wheel."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import historian
import pytest
from integration.documents.test_wheel import build, copy_of_the_sources

USED = """
from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from langchain.agents import create_agent
from langchain_core.documents import BaseDocumentCompressor
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

import historian
from historian import (
    END_TOOL_NAME,
    METRICS_CONTENT_TYPE,
    SHARED_NOTES,
    CognitiveRetriever,
    CognitiveService,
    Event,
    EventFilter,
    ForgetReport,
    HistorianEmbeddings,
    HistorianError,
    HistorianMiddleware,
    HistorianStore,
    HistorianWorker,
    Hit,
    InvalidInput,
    Job,
    JsonLines,
    ModelError,
    ObservationHandler,
    Profile,
    ProfileHit,
    RecentMessage,
    Scope,
    Settings,
    SettingsError,
    StorageError,
    end_tool_schema,
    handle_end_call,
    handle_memory_call,
    json_handler,
    load_settings,
    make_end_tool,
    make_memory_tools,
    make_web_app,
    make_web_server,
    memory_tool_schemas,
    observe_hooks,
    observe_messages,
    recall_node,
    remember_node,
    system_prompt_text,
)
from historian.graphs import historian_graph, recall_graph, reflection_graph, states, talk, turn


def texts(hits: Sequence[Hit]) -> list[str]:
    return [hit.event.text for hit in hits]


async def bot(settings: Settings, model: BaseChatModel, vectors: Embeddings, order: BaseDocumentCompressor) -> str:
    scope: Scope = Scope.group("100", "42")
    async with CognitiveService.open(settings, chat_model=model, embeddings=vectors, reranker=order) as memory:
        await memory.ready()
        ids: list[str] = await memory.remember([HumanMessage("I like tea")], scope, user_name="Ann")
        job: str | None = await memory.enqueue_job("I told her a story", ["She likes tea"], user_id="42", group_id="100")
        await memory.flush(scope)
        found: list[Hit] = await memory.search("tea", scope, kind="fact", time_from=datetime.now(), top_k=3)
        listed: list[Event] = await memory.get_all(scope, limit=3, is_absolute=True)
        changed: Event = await memory.update(listed[0].event_id, "She likes coffee", scope=scope)
        await memory.delete(changed.event_id, scope=scope)
        profile: Profile | None = await memory.get_profile("user", "42", scope)
        people: list[ProfileHit] = await memory.search_profiles("tea", scope)
        block: str = await memory.build_context("tea", scope, language="auto")
        messages: list[dict[str, str]] = await memory.build_messages("tea", scope)
        language: str = memory.language_of(scope)
        state: str = memory.reading_state()
        memory.on_tool_executed("weather", {}, "rain", scope=scope)
        undo = observe_hooks(memory)
        undo()
        tools = [*make_memory_tools(memory, scope, language="auto"), make_end_tool(memory, {"user_id": "42"})]
        answer: str = await handle_memory_call(memory, "search_events", {"query": "tea"}, scope)
        ended: str = await handle_end_call(memory, "{}", {"user_id": "42"}, replied=lambda: True)
        agent = create_agent(model, tools, middleware=[HistorianMiddleware(memory, scope)])
        handler = ObservationHandler(memory, scope=scope)
        await agent.ainvoke({"messages": [HumanMessage("tea?")]}, config={"callbacks": [handler]})
        nodes = [recall_node(memory), remember_node(memory), observe_messages(memory, scope=scope)]
        graph = historian_graph(memory, checkpointer=InMemorySaver())
        await graph.ainvoke(turn(memory, "I told her a story", user_id="42"), {"configurable": {"thread_id": "1"}})
        await graph.ainvoke(talk(memory, [("user", "I like tea")], Scope.private("42")))
        hits = (await recall_graph(memory).ainvoke({"query": "tea", "user_id": "42"}))["hits"]
        await reflection_graph(memory).ainvoke(states(memory, "I like tea", "42"))
        report: ForgetReport = await memory.forget_user("42")
        worker: HistorianWorker | None = memory.lifecycle.worker
        async with HistorianStore(memory, index={"dims": 3, "embed": vectors}) as store:
            await store.aput(("notes",), "a", {"text": "tea"})
        print(make_web_app(memory).openapi())
        await make_web_server(memory).serve()
        retriever = CognitiveRetriever(memory=memory, scope=scope, k=3)
        documents = await retriever.ainvoke("tea")
        return block + answer + ended + await memory.metrics_text()


def plain() -> tuple[list[dict[str, Any]], str]:
    HistorianEmbeddings(provider="local")
    EventFilter(None, kinds=("fact",))
    RecentMessage(sender_id="42", text="tea")
    json_handler()
    JsonLines()
    known: list[type[HistorianError]] = [InvalidInput, ModelError, SettingsError, StorageError]
    print(END_TOOL_NAME, METRICS_CONTENT_TYPE, SHARED_NOTES.key, historian.__version__, Job, known)
    return [*memory_tool_schemas(said="tea"), end_tool_schema("en")], system_prompt_text("auto", said="tea")


if __name__ == "__main__":
    print(load_settings(None), asyncio, plain())
"""


@pytest.mark.slow
def test_a_users_file_over_all_public_names_is_typed(tmp_path: Path) -> None:
    assert not [name for name in historian.__all__ if name not in USED]
    wheel = build(copy_of_the_sources(tmp_path / "source"), tmp_path / "dist")
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--target",
        str(packages),
        str(wheel),
    ]
    subprocess.run(install, check=True)
    others = dict.fromkeys((*sys.path, sysconfig.get_path("purelib")))
    (packages / "others.pth").write_text(
        "\n".join(path for path in others if path.endswith("site-packages"))
    )
    (tmp_path / "bot.py").write_text(USED, encoding="utf-8")
    (tmp_path / "wrong.py").write_text(
        "from historian import Scope\n\nkey: int = Scope.group(100).key\n", encoding="utf-8"
    )
    python = str(environment / "bin" / "python")
    checked = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file=",
            "--python-executable",
            python,
            "bot.py",
            "wrong.py",
        ],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
    )
    errors = [line for line in checked.stdout.splitlines() if " error: " in line]
    assert len(errors) == 1 and errors[0].startswith("wrong.py:3: error: Incompatible types"), (
        checked.stdout + checked.stderr
    )
    used = subprocess.run(
        [python, "-c", "import historian; print(historian.__file__)"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
    )
    assert used.stdout.strip().startswith(str(packages))
