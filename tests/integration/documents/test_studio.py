"""LangGraph Studio's server over `langgraph.json`, in a clone at another path: what its forms get is what the graphs do."""

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from historian.interfaces.studio import graphs as studio
from historian.interfaces.studio.forms import (
    HistorianForm,
    HistorianOptions,
    RecallForm,
    RecallOptions,
    ReflectionForm,
    ReflectionOptions,
    overridden,
)
from historian.schema.settings import Settings
from support.command import historian
from support.servers.openai_server import OpenAIServer
from support.servers.studio_server import ROOT, Studio, studio_server

GRAPHS = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with studio_server(tmp_path_factory.mktemp("studio")) as running:
        yield running


def ask(server: Studio, method: str, path: str, body: Any = None) -> Any:
    answer = httpx.request(method, f"{server.url}{path}", json=body, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


def run(
    server: Studio, name: str, values: dict[str, Any], context: dict[str, Any] | None = None
) -> Any:
    """The outcome of a run without a thread."""
    return ask(
        server,
        "POST",
        "/runs/wait",
        {"assistant_id": name, "input": values, "context": context or {}},
    )


@pytest.mark.slow
def test_the_graphs_of_the_file_are_offered_with_a_description_their_drawing_and_explained_forms(
    server: Studio,
) -> None:
    offered = {
        assistant["graph_id"]: assistant
        for assistant in ask(server, "POST", "/assistants/search", {})
    }
    assert set(offered) == set(GRAPHS) == {"historian", "talk", "recall", "reflection"}
    for name, assistant in offered.items():
        assert assistant["description"] == GRAPHS[name]["description"]
        drawn = ask(server, "GET", f"/assistants/{assistant['assistant_id']}/graph")
        nodes = {node["id"] for node in drawn["nodes"]}
        own = set(
            re.findall(
                r"^ {4}(\w+)[(\[]",
                historian("graph", "historian" if name == "talk" else name).out,
                re.MULTILINE,
            )
        )
        assert nodes == own | {"accept"}
        schemas = ask(server, "GET", f"/assistants/{assistant['assistant_id']}/schemas")
        for form in ("input_schema", "context_schema"):
            fields = schemas[form]["properties"]
            assert fields
            for field in fields.values():
                assert re.search(r"[\u4e00-\u9fff].*[a-z]", field["description"]), field
                assert "default" in field or field["type"] == "array"


@pytest.mark.slow
def test_the_historian_runs_from_an_untouched_form(server: Studio) -> None:
    outcome = run(server, "historian", {})
    assert outcome["filed"] == "new"
    assert [item["passed"] for item in outcome["items"]] == [True, True, True]
    assert (
        outcome["items"][0]["candidate"] == "小史答应阿明2026-02-26 早上把《三体》的书单发到读书会"
    )
    assert outcome["written"] == ["user:1001#2"]  # the sample made the first revision


@pytest.mark.slow
def test_talk_runs_from_an_untouched_form(server: Studio) -> None:
    outcome = run(server, "talk", {})
    assert len(outcome["talk"]) > 3 and not outcome["items"], (
        "without a model messages stay as they were said"
    )
    found = run(server, "recall", {"query": "谁要去成都出差？", "group_id": "7001"})
    assert any(hit["text"].startswith("我下个月要去成都出差") for hit in found["hits"])
    assert (
        "sender_id"
        in run(server, "talk", {"messages": [{"content": "嗨"}]})["__error__"]["message"]
    )


@pytest.mark.slow
def test_what_one_run_files_another_recalls_in_its_conversation_only(server: Studio) -> None:
    said = {
        "action_summary": "",
        "new_info": ["She collects stamps from Iceland"],
        "user_id": "eve",
        "user_name": "Eve",
    }
    filed = run(
        server,
        "historian",
        {**said, "group_id": "", "group_name": "", "bot_name": "Clio"},
        {"rewrite_mode": "rules"},
    )
    assert [item["candidate"] for item in filed["items"]] == ["Eve collects stamps from Iceland"]
    question = {"query": "What does Eve collect?", "user_id": "eve"}
    found = run(server, "recall", {**question, "group_id": ""}, {"fusion": "rrf"})
    assert [hit["text"] for hit in found["hits"]] == ["Eve collects stamps from Iceland"]
    elsewhere = run(server, "recall", {**question, "group_id": "7001"})
    assert "Iceland" not in json.dumps(elsewhere)


@pytest.mark.slow
def test_the_recall_runs_from_an_untouched_form_and_finds_the_sample(server: Studio) -> None:
    hits = run(server, "recall", {})["hits"]
    assert "杭州" in hits[0]["text"]
    assert len(hits) == 3


@pytest.mark.slow
def test_the_reflection_runs_from_an_untouched_form_and_files_a_summary(server: Studio) -> None:
    outcome = run(server, "reflection", {})
    assert (
        outcome["filed"]
        and outcome["draft"]["written_by"] == "rules"
        and "陈工: 我下个月" in outcome["draft"]["text"]
    )
    assert "written" not in outcome, "an article is written by a model alone"
    said = [{"content": "我刚开始学做陶艺"}]
    assert (
        run(server, "reflection", {"states": said, "threshold": 9_000, "reflect": False}).get(
            "written"
        )
        is None
    )
    assert "nothing was said" in run(server, "reflection", {"states": []})["__error__"]["message"]


@pytest.mark.slow
def test_a_form_that_makes_no_job_is_answered_with_what_is_wrong(server: Studio) -> None:
    outcome = run(server, "historian", {"action_summary": "", "new_info": []})
    assert "nothing to remember" in outcome["__error__"]["message"]
    outcome = run(server, "historian", {"timestamp": "yesterday"})
    assert "ISO 8601" in outcome["__error__"]["message"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize(
    ("page", "found", "filed"),
    [("docs/studio.md", "peanuts", "Ann moved to Leeds"), ("docs/studio.zh-CN.md", "花生", "小林")],
)
def test_the_calls_of_the_page_are_answered(
    server: Studio, page: str, found: str, filed: str
) -> None:
    lines = [
        line
        for line in (ROOT / page).read_text(encoding="utf-8").splitlines()
        if line.startswith("curl ")
    ]
    answers = []
    for line in lines:
        command = line.replace("http://127.0.0.1:2024/", f"{server.url}/")
        answers.append(
            json.loads(
                subprocess.run(
                    ["sh", "-c", command], capture_output=True, check=True, timeout=60
                ).stdout
            )
        )
    untouched, asked, written = answers
    assert len(untouched["hits"]) == 3
    assert found in asked["hits"][0]["text"]
    (item,) = written["items"]
    assert item["candidate"].startswith(filed) and item["passed"]


@pytest.mark.slow
def test_a_question_of_no_conversation_is_an_error_and_no_empty_answer(server: Studio) -> None:
    nobody = run(server, "recall", {"query": "阿明住在哪里？", "group_id": "", "user_id": ""})
    assert "user_id, group_id: both are empty" in nobody["__error__"]["message"]
    assert "query: empty" in run(server, "recall", {"query": " "})["__error__"]["message"]
    assert run(server, "recall", {"query": "阿明住在哪里？", "user_id": ""})["hits"], (
        "a group needs nobody who asks"
    )


@pytest.mark.slow
def test_each_step_can_be_watched_and_looked_at_afterwards(server: Studio) -> None:
    """Studio asks for these streams; what recall's steps hand to each other (tables of vectors) must not break them."""
    for name in GRAPHS:
        thread = ask(server, "POST", "/threads", {})["thread_id"]
        asked = {
            "assistant_id": name,
            "input": {},
            "stream_mode": ["updates", "values", "debug", "messages-tuple"],
        }
        answer = httpx.post(f"{server.url}/threads/{thread}/runs/stream", json=asked, timeout=60)
        assert answer.status_code == 200
        assert "event: error" not in answer.text
        assert "event: debug" in answer.text
        assert ask(server, "GET", f"/threads/{thread}/state")["next"] == []


@pytest.mark.slow
def test_the_server_calls_nobody_blocks_nothing_and_runs_the_code_it_lies_beside(
    server: Studio,
) -> None:
    run(server, "recall", {})
    assert server.noted == {"watching"}
    assert "blocking call" not in server.printed
    assert (server.sources / "interfaces" / "__pycache__").is_dir()


@pytest.mark.slow
def test_a_web_page_and_a_foreign_name_are_refused_and_studio_is_not(server: Studio) -> None:
    def threads() -> int:
        return len(ask(server, "POST", "/threads/search", {"limit": 1000}))

    before = threads()
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Host": "evil.example"},
    ):
        for method, path in (
            ("POST", "/threads"),
            ("POST", "/runs/wait"),
            ("GET", "/ok"),
            ("GET", "/docs"),
            ("OPTIONS", "/threads"),
        ):
            answer = httpx.request(
                method, f"{server.url}{path}", headers=headers, json={}, timeout=60
            )
            assert answer.status_code == 403, (headers, path)
            assert "access-control-allow-origin" not in answer.headers
    assert threads() == before
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    for origin in ("https://smith.langchain.com", server.url, "http://localhost:3000"):
        allowed = httpx.options(f"{server.url}/threads", headers={"Origin": origin, **asked})
        assert allowed.status_code == 200 and allowed.headers["access-control-allow-origin"] in (
            "*",
            origin,
        )
        assert (
            httpx.post(
                f"{server.url}/threads", headers={"Origin": origin}, json={}, timeout=60
            ).status_code
            == 200
        )


@pytest.mark.slow
@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
def test_what_was_typed_into_a_form_is_on_no_disk_when_the_server_has_ended(
    tmp_path: Path, ended_by: signal.Signals
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    said = "She hides the spare key under the blue flowerpot"
    with studio_server(
        tmp_path / "server", environ={"TMPDIR": str(temporary)}, ended_by=ended_by
    ) as server:
        thread = ask(server, "POST", "/threads", {})["thread_id"]
        form = {"new_info": [said], "action_summary": "", "user_name": "Ann"}
        ask(
            server,
            "POST",
            f"/threads/{thread}/runs/wait",
            {"assistant_id": "historian", "input": form},
        )
        (memory,) = temporary.glob("historian-studio-*")
        assert memory.stat().st_mode & 0o077 == 0
    assert list(temporary.glob("historian-studio-*")) == []
    left = [
        path
        for path in tmp_path.rglob("*")
        if path.is_file() and b"blue flowerpot" in path.read_bytes()
    ]
    assert left == []


@pytest.mark.slow
def test_a_configured_memory_and_its_models_are_used(tmp_path: Path) -> None:
    with OpenAIServer() as models:
        config = tmp_path / "config.toml"
        config.write_text(
            '[cognitive]\ndata_dir = "kept"\ntimezone = "Asia/Shanghai"\n[cognitive.historian]\nrewrite_mode = "always"\n'
            + "".join(
                f'[models.{part}]\nbase_url = "{models.base_url}"\nmodel = "test"\n'
                for part in ("chat", "embedding", "rerank")
            ),
            encoding="utf-8",
        )
        with studio_server(
            tmp_path / "server", environ={"HISTORIAN_CONFIG": str(config)}
        ) as server:
            outcome = run(server, "historian", {})
            assert [item["rewritten_by"] for item in outcome["items"]] == ["model"] * 3
            by_rules = run(server, "historian", {"request_id": "again"}, {"rewrite_mode": "rules"})
            assert [item["rewritten_by"] for item in by_rules["items"]] == ["rules"] * 3
            assert (
                run(server, "historian", {"request_id": "again"}, {"rewrite_mode": "rules"})[
                    "filed"
                ]
                == "before"
            )
            assert len(run(server, "recall", {})["hits"]) == 3
            assert "blocking call" not in server.printed
        assert models.count(form="record_texts") == 1
        assert models.count("rerank") == 1
    found = historian("events", "list", "--config", config, "--json").lines
    assert len(found) == 6  # and none of the sample


def test_the_factories_bring_no_checkpointer() -> None:
    for path in (graph["path"] for graph in GRAPHS.values()):
        module, _, factory = path.partition(":")
        assert module == studio.__name__
        assert getattr(studio, factory)().checkpointer is None


def test_options_left_alone_change_nothing_and_chosen_ones_only_themselves() -> None:
    settings = Settings()
    assert overridden(settings, "historian", HistorianOptions()) == settings
    assert overridden(settings, "query", RecallOptions()) == settings
    assert overridden(settings, "shortterm", ReflectionOptions()) == settings
    by_rules = overridden(settings, "historian", HistorianOptions(rewrite_mode="rules"))
    assert by_rules.historian.rewrite_mode == "rules"
    chosen = overridden(settings, "query", RecallOptions(vector_weight=0.0))
    assert chosen.query == settings.query.model_copy(update={"vector_weight": 0.0})


def test_every_field_of_the_forms_has_an_example_value() -> None:
    assert HistorianForm().action_summary
    assert RecallForm().query
    assert ReflectionForm().states
