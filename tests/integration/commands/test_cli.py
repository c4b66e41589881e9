"""The command line, through its own entry: in this process where that is enough, as a process where it matters."""

import asyncio
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from historian.interfaces.cli.shell import Shell
from historian.retrieval import driver
from historian.schema.protocols import Vector
from historian.schema.settings import Settings
from historian.schema.settings.source import load_settings, parse_settings
from historian.service.components import open_parts
from historian.stores.files.owner_lock import OwnerLock
from historian.stores.sqlite.queue import QUEUE, SqliteJobQueue
from support.command import NO_MODELS, Called, historian
from support.events import file_messages
from support.memory import settings_for
from support.queue_rows import put_broken
from support.recall import WordEmbedder
from support.servers.openai_server import OpenAIServer

TURNS: list[dict[str, Any]] = [
    {
        "action_summary": "我昨天给他推荐了《三体》",
        "new_info": ["我喜欢科幻小说"],
        "user_id": "42",
        "user_name": "阿明",
        "group_id": "-1001234",
        "group_name": "读书会",
        "bot_name": "小史",
        "timestamp": "2026-02-21T17:30:00+08:00",
        "timezone": "Asia/Shanghai",
    },
    {
        "action_summary": "I told her about tea",
        "new_info": "She likes green tea",
        "user_id": "@ann:matrix.org",
        "user_name": "Ann",
        "bot_name": "Clio",
        "timestamp": "2026-02-22T08:00:00+00:00",
        "timezone": "Europe/Lisbon",
    },
]
ENVIRONMENT = {**os.environ, **NO_MODELS, "COLUMNS": "160"}


@contextmanager
def held(directory: Path) -> Iterator[None]:
    """Somebody else owns the directory."""
    lock = OwnerLock(directory)
    lock.acquire(time.time(), worker=True)
    with lock:
        yield


def write_lines(path: Path, *lines: Any) -> Path:
    text = "\n".join(
        line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines
    )
    path.write_text(text + "\n", encoding="utf-8")
    return path


@pytest.fixture
def call(tmp_path: Path) -> Callable[..., Called]:
    """`historian …` on a data directory of the test's own."""

    def called(*arguments: object, **more: Any) -> Called:
        return historian(*arguments, "--data-dir", tmp_path / "data", **more)

    return called


@pytest.fixture(scope="module")
def filed_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with the two turns filed, to be copied."""
    folder = tmp_path_factory.mktemp("filed")
    assert (
        historian(
            "ingest", write_lines(folder / "jobs.jsonl", *TURNS), "--data-dir", folder / "data"
        ).status
        == 0
    )
    drained = historian("worker", "--drain", "--data-dir", folder / "data")
    assert drained.status == 0, drained.err
    return folder / "data"


@pytest.fixture
def filed(call: Callable[..., Called], filed_data: Path, tmp_path: Path) -> Callable[..., Called]:
    """`historian …` on a data directory of the test's own, with the two turns filed."""
    shutil.copytree(filed_data, tmp_path / "data")
    return call


def event_ids(call: Callable[..., Called], *conditions: object) -> list[str]:
    return [event["event_id"] for event in call("events", "list", "--json", *conditions).lines]


# ingest


def test_wrong_lines_are_named_and_the_good_ones_are_taken(
    call: Callable[..., Called], tmp_path: Path
) -> None:
    file = write_lines(
        tmp_path / "jobs.jsonl",
        TURNS[0],
        "not json",
        {"action_summary": "x"},
        {**TURNS[1], "timestamp": "2026-02-21T17:30:00"},
        {**TURNS[1], "moood": 1},
        {**TURNS[1], "request_type": "group"},
        "",
        {"user_id": "1", "new_info": []},
        TURNS[1],
    )
    called = call("ingest", file)
    assert called.status == 1
    assert f"{file}:2: not JSON" in called.err
    assert f"{file}:3: user_id" in called.err
    assert f"{file}:4: timestamp: 2026-02-21T17:30:00 has no UTC offset" in called.err
    assert f"{file}:5: moood: unknown field" in called.err
    assert f"{file}:6: group_id: missing in a group job" in called.err
    assert "2 jobs accepted, 1 without content, 5 invalid lines" in called.out
    assert len(call("jobs", "list", "--json").lines) == 2


def test_one_is_said_in_the_singular_and_lines_of_stdin_are_named_so(
    call: Callable[..., Called],
) -> None:
    lines = "not json\n" + json.dumps(TURNS[0]) + "\n"
    called = call("ingest", "-", stdin=lines)
    assert called.err.startswith("<stdin>:1: not JSON")
    assert called.out == "1 job accepted, 1 invalid line; `historian worker --drain` files it\n"
    assert call("worker", "--drain").status == 0


def test_with_strict_one_wrong_line_keeps_everything_out(
    call: Callable[..., Called], tmp_path: Path
) -> None:
    called = call("ingest", write_lines(tmp_path / "jobs.jsonl", TURNS[0], "not json"), "--strict")
    assert called.status == 1
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"user_id": "x" * 200},
        {"user_id": ""},
        {"user_id": "a\nb"},
        {"timezone": "Mars/Olympus"},
        {"timestamp": "2026-02-21T17:30:00"},
        {"action_summary": "长" * 400_000},
        {"recent_messages": "x"},
    ],
)
def test_a_job_that_is_wrong_writes_nothing(
    call: Callable[..., Called], tmp_path: Path, wrong: dict[str, Any]
) -> None:
    called = call("ingest", write_lines(tmp_path / "jobs.jsonl", {**TURNS[0], **wrong}), "--json")
    assert called.status == 1
    assert called.lines[0]["line"] == 1
    assert called.lines[-1]["accepted"] == 0
    assert not list((tmp_path / "data").rglob("*.json"))


def test_the_same_file_again_or_grown_longer_makes_no_second_job(
    call: Callable[..., Called], tmp_path: Path
) -> None:
    file = write_lines(tmp_path / "jobs.jsonl", TURNS[0], TURNS[0])
    counts = [call("ingest", file, "--json").lines[-1]]
    counts.append(call("ingest", file, "--json").lines[-1])
    write_lines(file, TURNS[0], TURNS[0], TURNS[1])
    counts.append(call("ingest", file, "--json").lines[-1])
    assert [(one["accepted"], one["known"]) for one in counts] == [(2, 0), (0, 2), (1, 2)]


def test_what_was_filed_is_known_too(filed: Callable[..., Called], tmp_path: Path) -> None:
    file = write_lines(tmp_path / "jobs.jsonl", *TURNS)
    assert filed("ingest", file, "--json").lines == [
        {"file": str(file), "accepted": 0, "known": 2, "empty": 0, "wrong": 0}
    ]


def test_a_line_of_many_megabytes_is_one_wrong_line(
    call: Callable[..., Called], tmp_path: Path
) -> None:
    file = tmp_path / "jobs.jsonl"
    file.write_bytes(b"x" * 5_000_000 + b"\n" + json.dumps(TURNS[0]).encode() + b"\n")
    called = call("ingest", file, "--json")
    assert [line.get("line") for line in called.lines] == [1, None]
    assert "more than 1048576 bytes" in called.lines[0]["error"]
    assert called.lines[-1]["accepted"] == 1


def test_jobs_may_come_from_stdin_and_secrets_never_reach_the_disk(
    call: Callable[..., Called], tmp_path: Path
) -> None:
    secret = "sk-" + "abcdefGH12345678ijklMNOP"
    line = {"action_summary": f"api_key={secret}", "user_id": 5}
    assert call("ingest", "-", stdin=json.dumps(line) + "\n").status == 0
    (job,) = call("jobs", "list", "--json").lines
    assert job["user_id"] == "5"
    assert secret not in json.dumps(job)


def test_a_file_that_is_not_there_is_wrong_use(call: Callable[..., Called]) -> None:
    called = call("ingest", "gone.jsonl")
    assert called.status == 2
    assert "error: 'gone.jsonl' cannot be read" in called.err


# worker


def test_draining_files_everything_and_tells_what_it_cost(
    call: Callable[..., Called], tmp_path: Path
) -> None:
    call("ingest", write_lines(tmp_path / "jobs.jsonl", *TURNS))
    called = call("worker", "--drain", "--json")
    (report,) = called.lines
    assert called.status == 0
    assert report["done"] == 2
    assert report["events"] == 4
    assert report["absolute_share"] == 1.0
    assert report["first_pass_share"] == 1.0
    assert report["jobs_per_second"] > 0
    assert report["left"] == {"pending": 0, "processing": 0, "failed": 0}
    assert report["usage"] == {}
    assert call("stats", "--json").lines[0]["last_run"] == report


def test_draining_an_empty_queue_is_done_at_once(call: Callable[..., Called]) -> None:
    called = call("worker", "--drain")
    assert called.status == 0
    assert "none" in called.out


def test_a_second_worker_names_the_first_and_fails(
    filed: Callable[..., Called], tmp_path: Path
) -> None:
    with held(tmp_path / "data"):
        called = filed("worker", "--drain")
    assert called.status == 1
    assert f"owned by process {os.getpid()}" in called.err


def test_a_worker_beside_a_command_waits_until_that_is_done(
    filed: Callable[..., Called], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, real = OwnerLock(tmp_path / "data"), Shell.note

    def noted(self: Shell, message: str, /, **values: object) -> None:
        real(self, message, **values)
        if message.startswith("waiting"):
            lock.release()

    monkeypatch.setattr(Shell, "note", noted)
    lock.acquire(time.time())
    called = filed("worker", "--drain")
    assert (
        called.status == 0
        and f"waiting: {tmp_path / 'data'} is owned by process {os.getpid()}" in called.err
    )


def test_with_memory_switched_off_nothing_is_worked_on(call: Callable[..., Called]) -> None:
    called = call("worker", "--drain", environ={"HISTORIAN__COGNITIVE__ENABLED": "false"})
    assert called.status == 1
    assert "cognitive.enabled = false" in called.err


@pytest.mark.slow
def test_a_search_waits_for_an_embedder_that_is_slow_to_load(
    call: Callable[..., Called], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class ColdEmbedder(WordEmbedder):
        async def embed_query(self, text: str) -> Vector:
            if not self.calls:
                await asyncio.sleep(0.5)
            return await super().embed_query(text)

    monkeypatch.setattr(driver, "MODEL_SECONDS", 0.25)
    monkeypatch.setattr("historian.models.given.make_embedder", lambda *_: ColdEmbedder())
    assert call("ingest", write_lines(tmp_path / "jobs.jsonl", *TURNS)).status == 0
    assert call("worker", "--drain").status == 0
    found = call("search", "科幻", "--group", "-1001234", "--json")
    assert "returned a reduced result" not in found.err
    assert all("dense" in hit["scores"] for hit in found.lines) and found.lines


@pytest.mark.slow
def test_draining_is_given_up_while_the_model_stays_away(
    call: Callable[..., Called], tmp_path: Path
) -> None:
    model = {
        "HISTORIAN__MODELS__CHAT__BASE_URL": "http://127.0.0.1:9/v1",
        "HISTORIAN__MODELS__CHAT__MODEL": "m",
    }
    call("ingest", write_lines(tmp_path / "jobs.jsonl", TURNS[0]))
    called = call("worker", "--drain", environ=model)
    assert called.status == 1
    assert "stopped with 1 job waiting on disk" in called.err
    assert len(call("jobs", "list", "--state", "pending", "--json").lines) == 1


# search and context


def test_a_search_finds_in_its_scope_and_nowhere_else(filed: Callable[..., Called]) -> None:
    (hit, *_) = filed("search", "科幻", "--group", "-1001234", "--json").lines
    assert hit["text"] == "阿明喜欢科幻小说"
    assert hit["score"] > 0
    assert filed("search", "科幻", "--group", "7", "--json").lines == []
    assert filed("search", "科幻", "--user", "42", "--json").lines == []
    assert filed("search", "科幻", "--all", "--json").lines[0]["event_id"] == hit["event_id"]


def test_a_search_can_be_narrowed(filed: Callable[..., Called]) -> None:
    def texts(*conditions: object) -> list[str]:
        return [
            hit["text"]
            for hit in filed("search", "tea 三体 科幻", "--all", "--json", *conditions).lines
        ]

    assert len(texts()) == 4
    assert set(texts("--kind", "fact")) == {"阿明喜欢科幻小说", "Ann likes green tea"}
    assert len(texts("--to", "2026-02-21")) == 2
    assert len(texts("--from", "2026-02-22")) == 2
    assert len(texts("--top-k", "1")) == 1
    assert filed("search", "科幻", "--group", "-1001234", "--user", "43", "--json").lines == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "x"], "which conversation?"),
        (
            ["search", "x", "--all", "--user", "1"],
            "--all cannot be combined with --group or --user",
        ),
        (["search", "x", "--user", ""], "user_id: empty; pass the platform's own id"),
        (["context", "x"], "which conversation?"),
        (["events", "list", "--group", "a\nb"], "group_id: "),
        (["jobs", "retry"], "give either a job or --all"),
    ],
)
def test_wrong_use_is_told_in_one_line_with_status_2(
    call: Callable[..., Called], arguments: list[str], message: str
) -> None:
    called = call(*arguments)
    assert called.status == 2
    assert called.out == ""
    (line,) = called.err.splitlines()
    assert line.startswith("error: ")
    assert message in line


def test_the_context_is_what_a_prompt_gets(filed: Callable[..., Called]) -> None:
    called = filed("context", "推荐一本书", "--group", "-1001234", "--user", "42", "--json")
    assert "小史2026-02-20给阿明推荐了《三体》" in called.lines[0]["context"]
    assert filed("context", "推荐一本书", "--group", "7", "--json").lines == [{"context": ""}]


def test_the_context_keeps_the_limit_of_a_recall_where_the_embedder_hangs(
    filed: Callable[..., Called], monkeypatch: pytest.MonkeyPatch
) -> None:
    import_module(
        "historian.models.openai_client"
    )  # on a busy machine, loading it takes the three seconds of the recall
    monkeypatch.setattr("historian.models.embeddings.remote.FIRST_SECONDS", 60.0)
    with OpenAIServer() as server:
        server.fail("embeddings", "hang")
        environ = {
            "HISTORIAN__MODELS__EMBEDDING__PROVIDER": "openai",
            "HISTORIAN__MODELS__EMBEDDING__BASE_URL": server.base_url,
            "HISTORIAN__MODELS__EMBEDDING__MODEL": "test",
            "HISTORIAN__COGNITIVE__QUERY__RECALL_TIMEOUT_SECONDS": "3",
        }
        started = time.monotonic()
        called = filed("context", "推荐一本书", "--group", "-1001234", "--json", environ=environ)
    assert "《三体》" in called.lines[0]["context"]
    assert time.monotonic() - started < 50, (
        "a request may take a minute; loading the client takes a second or two"
    )


def test_with_memory_switched_off_the_context_is_the_last_plain_summaries(
    filed: Callable[..., Called],
) -> None:
    off = {"HISTORIAN__COGNITIVE__ENABLED": "false"}
    called = filed("context", "推荐一本书", "--group", "-1001234", "--json", environ=off)
    assert "我昨天给他推荐了《三体》" in called.lines[0]["context"]
    assert "memory is switched off" in called.err
    assert filed("search", "科幻", "--group", "-1001234", "--json", environ=off).lines == []


def test_what_waits_in_the_queue_is_found_and_marked(
    call: Callable[..., Called], tmp_path: Path
) -> None:
    call("ingest", write_lines(tmp_path / "jobs.jsonl", TURNS[1]))
    hits = call("search", "green tea", "--user", "@ann:matrix.org", "--json").lines
    assert hits and all(hit["pending"] for hit in hits)
    assert "not filed yet" in call("search", "green tea", "--user", "@ann:matrix.org").out


# events


def test_events_are_listed_newest_first_and_by_conversation(filed: Callable[..., Called]) -> None:
    events = filed("events", "list", "--json").lines
    assert [event["user_id"] for event in events] == ["@ann:matrix.org"] * 2 + ["42"] * 2
    assert len(event_ids(filed, "--group", "-1001234")) == 2
    assert event_ids(filed, "--job", events[0]["job_id"]) == sorted(
        event["event_id"] for event in events[:2]
    )
    assert "Ann likes green tea" in filed("events", "list").out


def test_an_event_is_corrected_and_removed_with_its_line_in_the_profile(
    filed: Callable[..., Called],
) -> None:
    first, second = event_ids(filed, "--group", "-1001234")
    assert (
        filed("events", "edit", first, "阿明喜欢推理小说", "--json").lines[0]["text"]
        == "阿明喜欢推理小说"
    )
    assert "阿明喜欢推理小说" in filed("profile", "show", "user:42").out
    assert filed("events", "show", first, "--json").lines[0]["text"] == "阿明喜欢推理小说"
    assert filed("search", "推理", "--group", "-1001234", "--json").lines[0]["event_id"] == first
    goes = filed("events", "delete", first, "--dry-run")
    assert goes.status == 0 and "line of user:42" in goes.out and "nothing was changed" in goes.out
    assert filed("events", "delete", first, second).status == 0
    assert event_ids(filed, "--group", "-1001234") == []
    assert "推理小说" not in filed("profile", "list").out


def test_messages_are_searched_listed_and_withdrawn_and_stand_as_they_were_said(
    call: Callable[..., Called], tmp_path: Path
) -> None:
    parts = open_parts(settings_for(tmp_path / "data"), clock=time.time)
    file_messages(parts.events, ["谁有空搬家？", "我周五搬家", "那我来帮忙"])
    asyncio.run(parts.aclose())
    here = ("--group", "7")
    (found,) = call(
        "search", "周五搬家", *here, "--kind", "message", "-k", "1", "--neighbours", "1", "--json"
    ).lines
    assert (found["speaker"], found["text"], found["message_id"]) == ("小林", "我周五搬家", "m1")
    assert (found["said_by"], found["role"], found["reply_to"]) == ("42", "user", "m0")
    assert found["times"] == ["3:2026-02-27"] and found["sources"] == []
    assert [one["message_id"] for one in (*found["before"], *found["after"])] == ["m0", "m2"]
    table = call("search", "周五搬家", *here, "-k", "1", "--neighbours", "1").out
    assert "小林: 我周五 (2026-02-27)搬家" in table and "小林: 那我来帮忙" in table
    listed = call("events", "list", *here, "--kind", "message").out
    assert "小林: 我周五 (2026-02-27)搬家" in listed and "≈" not in listed.partition("\n")[2]
    assert call("events", "list", *here, "--relative").out == "no events\n"
    refused = call("events", "edit", found["event_id"], "我周六搬家")
    assert refused.status == 2 and "messages cannot be edited" in refused.err
    assert call("events", "withdraw", "m1", "m9", *here, "--json").lines == [{"messages": 1}]
    assert call("events", "withdraw", "m1", *here).out == "0 messages withdrawn\n"
    assert [one["message_id"] for one in call("events", "list", *here, "--json").lines] == [
        "m2",
        "m0",
    ]
    assert call("events", "withdraw", "m0").status == 2
    everywhere = call("search", "搬家", "--all", "--neighbours", "1")
    assert everywhere.status == 2 and "--neighbours" in everywhere.err


def test_a_superseded_record_is_marked_names_both_ends_and_is_made_to_hold_again(
    call: Callable[..., Called], tmp_path: Path
) -> None:
    told = [
        {
            **TURNS[1],
            "request_id": f"home{n}",
            "action_summary": "",
            "new_info": [text],
            "timestamp": f"2026-03-0{n + 1}T09:00:00+08:00",
        }
        for n, text in enumerate(["Ann lives in Lisbon", "Ann moved to Vienna"])
    ]
    call("ingest", write_lines(tmp_path / "jobs.jsonl", *told))
    call("worker", "--drain")
    assert "× Ann lives in Lisbon" in call("events", "list").out
    assert call("events", "show", "home0-0:0", "--json").lines[0]["superseded_by"] == "home1-0:0"
    assert call("events", "show", "home1-0:0", "--json").lines[0]["supersedes"] == ["home0-0:0"]
    assert "home0-0:0: Ann lives in Lisbon" in call("events", "show", "home1-0:0").out
    assert call("events", "edit", "home0-0:0").status == 2
    assert (
        call("events", "edit", "home0-0:0", "--holds").out
        == "home0-0:0 is true again: Ann lives in Lisbon\n"
    )
    assert "× Ann" not in call("events", "list").out


def test_what_is_changed_beside_an_owner_is_changed_at_once_and_redacted(
    filed: Callable[..., Called], tmp_path: Path
) -> None:
    event_id, *others = event_ids(filed)
    secret = "AKIAQ7RT5LPW2ZXK9NVM"
    with held(tmp_path / "data"):
        called = filed("events", "edit", event_id, f"her key is {secret}")
        assert called.status == 0 and secret not in called.out + called.err
        assert (
            filed("events", "show", event_id, "--json").lines[0]["text"] == "her key is [API_KEY]"
        )
        assert filed("events", "delete", event_id, "--json").lines[0]["action"] == "delete_event"
        assert event_ids(filed) == others
    assert [
        path
        for path in (tmp_path / "data").rglob("*")
        if path.is_file() and secret.encode() in path.read_bytes()
    ] == []


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["show", "gone:0"], 1), (["edit", "gone:0", "text"], 1), (["delete", "gone:0"], 2)],
)
def test_an_event_that_is_not_there_is_named(
    filed: Callable[..., Called], arguments: list[str], status: int
) -> None:
    called = filed("events", *arguments)
    assert called.status == status
    assert "no event 'gone:0'" in called.err


# profiles


def test_a_profile_is_shown_compared_and_rolled_back(
    filed: Callable[..., Called], tmp_path: Path
) -> None:
    turn = {**TURNS[0], "new_info": ["我讨厌剧透"], "action_summary": ""}
    filed("ingest", write_lines(tmp_path / "more.jsonl", turn))
    filed("worker", "--drain")
    (profile,) = filed("profile", "show", "user:42", "--json").lines
    assert profile["revision"] == 2
    assert "剧透" in profile["summary"]
    assert [one["revision"] for one in filed("profile", "history", "user:42", "--json").lines] == [
        2,
        1,
    ]
    assert "+- 阿明讨厌剧透" in filed("profile", "diff", "user:42", "--json").lines[0]["diff"]
    assert filed("profile", "rollback", "user:42", "1").status == 0
    (profile,) = filed("profile", "show", "user:42", "--json").lines
    assert profile["revision"] == 3
    assert "剧透" not in profile["summary"]


def test_a_line_is_shown_edited_deleted_and_brought_back(filed: Callable[..., Called]) -> None:
    (profile,) = filed("profile", "show", "user:42", "--json").lines
    (line,) = profile["lines"]
    event = next(
        one["event_id"]
        for one in filed("events", "list", "--json").lines
        if one["text"] == "阿明喜欢科幻小说"
    )
    assert (line["text"], line["told"], line["last_day"], line["evidence"]) == (
        "阿明喜欢科幻小说",
        1,
        "2026-02-21",
        [event],
    )
    table = filed("profile", "show", "user:42").out
    assert all(
        text in table for text in (line["line_id"], line["kind"], "2026-02-21", "阿明喜欢科幻小说")
    )
    done = filed(
        "profile",
        "edit-line",
        line["line_id"],
        "阿明喜欢推理小说",
        "--kind",
        "taste",
        "--tag",
        "书",
    )
    assert done.status == 0 and "to undo it" in done.out
    assert filed("events", "show", event, "--json").lines[0]["text"] == "阿明喜欢推理小说"
    pinned = filed("profile", "edit-line", line["line_id"], "--pinned", "--expires", "2126-01-01")
    assert (
        pinned.status == 0
        and "★ × 阿明喜欢推理小说 (until 2126-01-01)" in filed("profile", "show", "user:42").out
    )
    goes = filed("profile", "delete-line", line["line_id"], "--dry-run", "--json").lines[0]
    assert [one["event_id"] for one in goes["events"]] == [event] and goes["correction_id"] == ""
    (deleted,) = filed("profile", "delete-line", line["line_id"], "--messages", "--json").lines
    assert "推理" not in filed("profile", "list").out and event not in event_ids(filed)
    listed = filed("corrections", "--json").lines
    assert [one["action"] for one in listed] == ["delete_line", "edit_line", "edit_line"]
    assert deleted["correction_id"] in filed("corrections").out
    assert "brought back" in filed("undo", deleted["correction_id"]).out
    assert "阿明喜欢推理小说" in filed("profile", "list").out and event in event_ids(filed)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["profile", "edit-line", "gone", "text"], "there is no line"),
        (["profile", "edit-line", "gone"], "TEXT: missing"),
        (["profile", "edit-line", "{line}", " "], "text: empty"),
        (["profile", "edit-line", "{line}", "--kind", "food"], "kind: expected one of identity"),
        (["profile", "edit-line", "{line}", "text", "--user", "9"], "there is no line"),
        (["profile", "delete-line", "../../etc/passwd"], "there is no line"),
        (["undo", "gone"], "there is no correction"),
        (["pin", "text"], "which conversation?"),
        (["pin", "", "--user", "42"], "text: empty"),
        (["pin", "x", "--user", "42", "--expires", "soon"], "expires_at: expected a day"),
        (["unpin", "gone"], "which conversation?"),
        (["pins"], "which conversation?"),
    ],
)
def test_a_correction_that_cannot_be_made_says_why_and_changes_nothing(
    filed: Callable[..., Called], arguments: list[str], says: str
) -> None:
    before = filed("profile", "show", "user:42", "--json").lines
    called = filed(*(one.format(line=before[0]["lines"][0]["line_id"]) for one in arguments))
    assert called.status == 2 and says in called.err
    assert filed("profile", "show", "user:42", "--json").lines == before


def test_a_pin_is_made_before_anything_is_stored_listed_and_removed(
    call: Callable[..., Called],
) -> None:
    (pinned,) = call(
        "pin", "不要提前任", "--group", "-1001234", "--expires", "2126-01-01", "--json"
    ).lines
    assert pinned["pinned"] and pinned["until"] == "2126-01-01"
    assert pinned["line_id"] in call("pins", "--group", "-1001234").out
    assert "不要提前任" in call("context", "你好", "--group", "-1001234").out
    assert call("pins", "--user", "42").out == "no pins\n"
    for told in ("unpinned", "there is no such pin"):
        assert told in call("unpin", pinned["line_id"], "--group", "-1001234").out


def test_all_profiles_are_listed_with_their_layers(filed: Callable[..., Called]) -> None:
    found = {
        (one["entity_type"], one["entity_id"], one["layer"])
        for one in filed("profile", "list", "--json").lines
    }
    assert found == {("user", "42", ""), ("user", "@ann:matrix.org", "private")}
    assert (
        filed("profile", "show", "user:@ann:matrix.org", "--layer", "private", "--json").lines[0][
            "name"
        ]
        == "Ann"
    )


def test_a_revision_that_is_not_kept_is_named(filed: Callable[..., Called]) -> None:
    called = filed("profile", "rollback", "user:42", "9")
    assert called.status == 1
    assert "revision 9 of 'user:42' is not stored" in called.err


def test_all_profiles_are_written_as_files_to_be_read(
    filed: Callable[..., Called], tmp_path: Path
) -> None:
    folder = tmp_path / "view"
    count = len(filed("profile", "list", "--json").lines)
    assert filed("profile", "export", folder, "--json").lines == [{"profiles": count}]
    assert len(list(folder.rglob("*.md"))) == count and "科幻小说" in (
        folder / "users" / "42.md"
    ).read_text(encoding="utf-8")
    again = filed("profile", "export", folder)
    assert again.status == 2 and "is not empty" in again.err


def test_a_profile_is_not_there_where_nothing_is_stored(call: Callable[..., Called]) -> None:
    called = call("profile", "show", "user:9")
    assert called.status == 1
    assert "nothing is stored yet" in called.err


# jobs


def test_a_row_that_is_no_job_is_shown_with_its_reason(
    filed: Callable[..., Called], tmp_path: Path
) -> None:
    name = "broken-0"
    put_broken(tmp_path / "data", "{broken", state="pending", job_id=name)
    filed("worker", "--drain")
    (failed,) = filed("jobs", "list", "--state", "failed", "--json").lines
    assert failed["name"] == name
    assert failed["error"]
    assert filed("jobs", "show", name).status == 0
    assert filed("jobs", "retry", "--all", "--json").lines == [{"retried": 0}]


def test_a_job_is_shown_with_all_it_carries(call: Callable[..., Called], tmp_path: Path) -> None:
    call("ingest", write_lines(tmp_path / "jobs.jsonl", {**TURNS[0], "request_id": "r1"}))
    (job,) = call("jobs", "show", "r1-0", "--json").lines
    assert (job["state"], job["group_name"]) == ("pending", "读书会")
    assert "我喜欢科幻小说" in call("jobs", "show", "r1-0").out
    called = call("jobs", "show", "r2-0")
    assert called.status == 1
    assert "'r2-0' is not in the queue" in called.err


def test_before_anything_is_stored_listing_says_so_and_makes_nothing(
    call: Callable[..., Called], tmp_path: Path
) -> None:
    listing = (
        ["jobs", "list"],
        ["events", "list"],
        ["profile", "list"],
        ["search", "x", "--all"],
        ["stats"],
        ["corrections"],
    )
    for arguments in (*listing, ["pins", "--user", "42"]):
        called = call(*arguments)
        assert called.status == 0
        assert "nothing is stored yet" in called.err
    assert not (tmp_path / "data").exists()


# init, doctor, demo


def test_init_writes_a_file_that_explains_every_key_and_changes_none(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert historian("init", path).status == 0
    text = path.read_text(encoding="utf-8")
    assert text.count("# zh: ") == text.count("# en: ")
    assert parse_settings(tomllib.loads(text), environ={}, base=tmp_path).query == Settings().query
    assert load_settings(path, environ={}) == load_settings(
        environ={}, directory=tmp_path / "elsewhere"
    ).model_copy(update={"cognitive": load_settings(path, environ={}).cognitive})


def test_init_leaves_a_file_that_exists_alone_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("mine", encoding="utf-8")
    called = historian("init", "--config", path)
    assert called.status == 1
    assert "exists and was not changed" in called.err
    assert path.read_text(encoding="utf-8") == "mine"
    assert historian("init", path, "--force").status == 0


def test_a_wrong_setting_ends_a_command_with_one_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "config.toml", "[cognitive.query]", "auto_top_k = 0")
    called = historian("stats", "--config", path)
    assert called.status == 2
    (line,) = called.err.splitlines()
    assert line.startswith("error: cognitive.query.auto_top_k = 0: ")


def test_doctor_is_content_with_nothing_configured_and_leaves_nothing_behind(
    call: Callable[..., Called], tmp_path: Path
) -> None:
    called = call("doctor", "--json")
    assert called.status == 0
    states = {line["part"]: line["state"] for line in called.lines}
    assert states == {
        "memory": "ok",
        "disk": "ok",
        "database": "ok",
        "queue": "ok",
        "owner": "off",
        "embedding": "off",
        "chat": "off",
        "historian": "off",
        "answers": "ok",
        "rerank": "off",
    }
    assert not (tmp_path / "data").exists()


def test_doctor_names_the_part_that_fails_and_what_to_do(filed: Callable[..., Called]) -> None:
    environ = {
        "HISTORIAN__MODELS__RERANK__BASE_URL": "http://127.0.0.1:9/v1",
        "HISTORIAN__MODELS__RERANK__MODEL": "m",
    }
    called = filed("doctor", environ=environ)
    assert called.status == 1
    assert "correct [models.rerank]" in called.out


def test_doctor_asks_every_model_that_is_configured(filed: Callable[..., Called]) -> None:
    with OpenAIServer(responder=lambda request: {"sum": 5}) as server:
        section = {"BASE_URL": server.base_url, "MODEL": "test", "API_KEY": "none"}
        environ = {
            f"HISTORIAN__MODELS__{name}__{key}": value
            for name in ("CHAT", "EMBEDDING", "RERANK")
            for key, value in section.items()
        }
        environ |= {
            "HISTORIAN__MODELS__EMBEDDING__PROVIDER": "openai",
            "HISTORIAN__MODELS__HISTORIAN__MODEL": "small",
        }
        called = filed("doctor", "--json", environ=environ)
        asked = {kind: server.count(kind) for kind in ("chat", "embeddings", "rerank")}
    states = {line["part"]: line["state"] for line in called.lines}
    assert all(asked.values()), asked
    assert states["embedding"] == "ok", called.out
    assert (states["chat"], states["historian"]) == ("ok", "ok"), called.out
    assert states["rerank"] in ("ok", "warning"), called.out
    assert called.status == 0


def test_doctor_tells_a_model_that_answers_nonsense_from_one_that_works(
    filed: Callable[..., Called],
) -> None:
    with OpenAIServer(behaviour="garbage") as server:
        environ = {
            "HISTORIAN__MODELS__CHAT__BASE_URL": server.base_url,
            "HISTORIAN__MODELS__CHAT__MODEL": "test",
        }
        called = filed("doctor", "--json", environ=environ)
    chat = next(line for line in called.lines if line["part"] == "chat")
    assert chat["state"] == "failed"
    assert called.status == 1


def test_draining_with_a_model_tells_calls_and_tokens_by_purpose(
    call: Callable[..., Called], tmp_path: Path
) -> None:
    call("ingest", write_lines(tmp_path / "jobs.jsonl", *TURNS))
    with OpenAIServer() as server:
        environ = {
            "HISTORIAN__MODELS__CHAT__BASE_URL": server.base_url,
            "HISTORIAN__MODELS__CHAT__MODEL": "test",
            "HISTORIAN__COGNITIVE__HISTORIAN__REWRITE_MODE": "always",
        }
        called = call("worker", "--drain", environ=environ)
        assert called.status == 0, called.err
    last_run = call("stats", "--json").lines[0]["last_run"]
    usage, jobs = last_run["usage"], last_run["jobs"]
    assert set(usage) == {"rewrite", "merge_profile"} and jobs.keys() == {"filed", "merged"}
    assert (
        usage["merge_profile"]["calls_per_job"]
        == round(usage["merge_profile"]["calls"] / jobs["filed"], 3)
        > 0
    )
    assert usage["rewrite"]["calls_per_job"] >= 1
    assert usage["rewrite"]["prompt_tokens_per_job"] > 0
    assert "merge profile" in called.out


def test_doctor_tells_that_a_directory_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file, no folder", encoding="utf-8")
    called = historian("doctor", "--json", "--data-dir", tmp_path / "data" / "inside")
    assert called.status == 1
    disk = next(line for line in called.lines if line["part"] == "disk")
    assert disk["state"] == "failed"
    assert disk["remedy"]


def test_the_demo_recalls_what_it_learnt_and_keeps_conversations_apart() -> None:
    called = historian("demo", "--json", environ={"HISTORIAN__MODELS__EMBEDDING__PROVIDER": "none"})
    assert called.status == 0, called.err
    steps = called.lines
    jobs = [one for one in steps if one["step"] == "job"]
    assert [one["duplicate"] for one in jobs] == [False] * 6 + [True]
    assert {item["passed"] for one in jobs for item in one["items"]} == {True, False}
    elsewhere = [one for one in steps if one["step"] == "recall" and not one["expects"]]
    assert all(one["hits"] == [] for one in elsewhere)
    assert steps[-1]["secret_on_disk"] is False


# as a process


def run(*arguments: object, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "historian.interfaces.cli", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        env=more.pop("env", ENVIRONMENT),
        **more,
    )


def test_jobs_list_costs_little_more_than_the_libraries_it_stands_on(tmp_path: Path) -> None:
    SqliteJobQueue(tmp_path / "data" / QUEUE, clock=time.time).close()
    script = Path(sys.executable).with_name("historian")
    libraries = (
        sys.executable,
        "-c",
        "import asyncio, numpy, pydantic, rich.table, sqlite3, typer",
    )
    listing = (str(script), "jobs", "list", "--data-dir", str(tmp_path / "data"))
    assert in_one_of_three(lambda: processor_seconds(*listing) < 5 * processor_seconds(*libraries))


def test_importing_the_package_costs_next_to_nothing() -> None:
    bare, package = ((sys.executable, "-c", code) for code in ("pass", "import historian"))
    assert in_one_of_three(lambda: processor_seconds(*package) - processor_seconds(*bare) < 0.3)


def in_one_of_three(holds: Callable[[], bool]) -> bool:
    """Return True as soon as a comparison of costs holds: what the neighbours do makes some runs cost more."""
    return any(holds() for _ in range(3))


def processor_seconds(*command: str) -> float:
    """What a command costs; its own seconds, since the clock on the wall counts the neighbours' too."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_small_commands_import_nothing_heavy() -> None:
    code = (
        "import sys; from historian.interfaces.cli.app import app\n"
        "print([name for name in ('langgraph', 'chromadb', 'openai', 'langchain_core', 'numpy') if name in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        encoding="utf-8",
        check=True,
        env=ENVIRONMENT,
    )
    assert shown.stdout.strip() == "[]"


def test_shared_options_are_taken_before_and_after_the_command(tmp_path: Path) -> None:
    data = ["--data-dir", tmp_path]
    before, after = historian("--json", *data, "stats"), historian("stats", *data, "--json")
    assert before.status == after.status == 0
    assert before.lines[0]["queue"] == after.lines[0]["queue"]


def test_version_and_nonsense_end_as_they_should() -> None:
    assert run("--version").stdout.startswith("historian 0.")
    nonsense = run("dance")
    assert nonsense.returncode == 2
    assert "No such command 'dance'" in nonsense.stderr


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "jobs.jsonl", *[{"action_summary": "x" * 2000, "user_id": n} for n in range(100)]
    )
    historian("ingest", file, "--data-dir", tmp_path / "data")
    listing = "-m historian.interfaces.cli jobs list --limit 100 --json"
    command = f"{sys.executable} {listing} --data-dir {tmp_path / 'data'} | head -c 10"
    shown = subprocess.run(
        ["sh", "-c", command], capture_output=True, encoding="utf-8", env=ENVIRONMENT, timeout=60
    )
    assert shown.stderr == ""


def test_nothing_but_a_terminal_is_coloured(tmp_path: Path) -> None:
    assert "\x1b" not in run("gate", "我昨天来了").stdout


def test_a_filter_answers_each_line_before_the_next_comes() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "historian.interfaces.cli", "gate", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=ENVIRONMENT,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for text, count in (("我来了", 1), ("小林唱歌", 0)):
            process.stdin.write(json.dumps({"text": text}) + "\n")
            process.stdin.flush()
            assert len(json.loads(process.stdout.readline())["violations"]) == count
        process.stdin.close()
        assert process.wait(timeout=30) == 0


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_worker_in_good_order(tmp_path: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        [
            sys.executable,
            "-m",
            "historian.interfaces.cli",
            "worker",
            "--data-dir",
            str(tmp_path / "data"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=ENVIRONMENT,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("working on ")
        os.kill(process.pid, number)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert "jobs" in out
