"""The examples are run as a user runs them: as processes, over a data directory that outlives them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.command import NO_MODELS, historian
from support.servers.openai_server import OpenAIServer

EXAMPLES = Path(__file__).parents[3] / "examples"

pytestmark = pytest.mark.slow


def environment(directory: Path, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        **NO_MODELS,
        "HISTORIAN__COGNITIVE__DATA_DIR": str(directory),
        "PYTHONIOENCODING": "utf-8",
        **more,
    }


def endpoint(server: OpenAIServer) -> dict[str, str]:
    return {
        "HISTORIAN__MODELS__CHAT__BASE_URL": server.base_url,
        "HISTORIAN__MODELS__CHAT__MODEL": "test",
    }


def run(
    directory: Path, example: str, *arguments: str, said: str = "", **environ: str
) -> subprocess.CompletedProcess[str]:
    ended = subprocess.run(
        [sys.executable, str(EXAMPLES / example), *arguments],
        cwd=directory,
        env=environment(directory / "data", **environ),
        input=said,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    return ended


def records(directory: Path, user: str) -> list[str]:
    """What is filed of a private chat, after the queue is worked off."""
    assert historian("worker", "--drain", "--json", "--data-dir", directory / "data").status == 0
    listed = historian("events", "list", "--user", user, "--json", "--data-dir", directory / "data")
    return [line["text"] for line in listed.lines]


def test_the_terminal_bot_remembers_in_a_second_process_what_the_first_was_told(
    tmp_path: Path,
) -> None:
    first = run(tmp_path, "terminal_bot.py", "--name", "阿明", "--once", "我最喜欢的茶是龙井")
    assert "替身模型" in first.stdout
    assert "no model in models.chat" in first.stderr
    asked = "我最喜欢什么茶？\n你了解我什么？\n"
    second = run(tmp_path, "terminal_bot.py", "--name", "阿明", said=asked)
    assert "阿明最喜欢的茶是龙井" in second.stdout
    assert records(tmp_path, "terminal:阿明") == ["阿明最喜欢的茶是龙井"]


def test_the_terminal_bot_speaks_english_and_remembers_under_the_id_it_is_given(
    tmp_path: Path,
) -> None:
    said = "My cat is called Tom\nI have two sisters\nhello\nWhat is my cat called?\n"
    ended = run(
        tmp_path, "terminal_bot.py", "--language", "en", "--name", "Ann", "--user", "ann", said=said
    )
    assert "cat is called Tom" in ended.stdout
    assert "sisters" not in ended.stdout
    assert sorted(records(tmp_path, "ann")) == ["Ann has two sisters", "Ann's cat is called Tom"]
    assert records(tmp_path, "terminal:Ann") == []


def test_the_terminal_bot_hands_over_its_turns_even_with_a_model_that_forgets_to_end_them(
    tmp_path: Path,
) -> None:
    with OpenAIServer(behaviour="converses_and_forgets_end") as server:
        said = "我最喜欢的茶是龙井\n我最喜欢什么茶？\n"
        ended = run(tmp_path, "terminal_bot.py", "--name", "阿明", said=said, **endpoint(server))
        assert ended.stdout.splitlines() == ["小史: 好的，我知道了。"] * 2
        prompts = [
            seen.body["messages"]
            for seen in server.requests()
            if len(seen.body.get("tools", ())) > 1
        ]
        assert "action_summary" in prompts[0][0]["content"]
        last = [str(message["content"]) for message in prompts[-1] if message["role"] == "user"]
        assert last[0].startswith("<memory>")
        assert "他最喜欢的茶是龙井" in last[0] or "阿明最喜欢的茶是龙井" in last[0]
    assert "阿明最喜欢的茶是龙井" in records(tmp_path, "terminal:阿明")


def test_what_is_told_to_a_model_that_never_ends_a_turn_is_remembered_as_talk(
    tmp_path: Path,
) -> None:
    with OpenAIServer(behaviour="refusal_text") as server:
        ended = run(
            tmp_path,
            "terminal_bot.py",
            "--name",
            "阿明",
            "--once",
            "我最喜欢的茶是龙井",
            **endpoint(server),
        )
        assert "the model did not call end" in ended.stderr
    assert "我最喜欢的茶是龙井" in records(tmp_path, "terminal:阿明")


def test_the_terminal_bot_says_what_is_wrong_with_an_endpoint_and_goes_on(tmp_path: Path) -> None:
    with OpenAIServer(behaviour="401") as server:
        ended = subprocess.run(
            [sys.executable, str(EXAMPLES / "terminal_bot.py")],
            cwd=tmp_path,
            env=environment(tmp_path / "data", **endpoint(server)),
            input="one\ntwo\n",
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
    assert ended.returncode == 1
    assert ended.stderr.count("the model cannot be asked") == 2
    assert "Traceback" not in ended.stderr


def test_the_terminal_bot_ends_at_once_when_it_is_interrupted_while_it_waits(
    tmp_path: Path,
) -> None:
    command = [
        sys.executable,
        str(EXAMPLES / "terminal_bot.py"),
        "--language",
        "en",
        "--name",
        "Ann",
    ]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(tmp_path / "data"), text=True, **pipes
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("My cat is called Tom\nhello\n")
        process.stdin.flush()
        assert "Noted" in process.stdout.readline()
        assert "Hello" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
    assert records(tmp_path, "terminal:Ann") == ["Ann's cat is called Tom"]


def test_the_chain_answers_from_a_memory_made_for_it(tmp_path: Path) -> None:
    answered = run(tmp_path, "langchain_rag.py").stdout
    assert "阿明最喜欢的茶是龙井" in answered
    assert "Bristol" not in answered
    assert not (tmp_path / "data").exists()


def test_the_agent_remembers_in_another_conversation_and_in_another_process_what_it_was_told(
    tmp_path: Path,
) -> None:
    told, answered = run(
        tmp_path, "langchain_agent.py", "My cat is called Tom", "What is my cat called?"
    ).stdout.split("\n", 1)
    assert "Noted" in told and "cat is called Tom" in answered
    assert (
        "cat is called Tom" in run(tmp_path, "langchain_agent.py", "What is my cat called?").stdout
    )
    assert (
        "nothing"
        in run(tmp_path, "langchain_agent.py", "--user", "1002", "What is my cat called?").stdout
    )
    assert "My cat is called Tom" in records(tmp_path, "1001")


def test_the_chain_gives_a_real_model_the_records_of_one_conversation(tmp_path: Path) -> None:
    job = '{"user_id": "42", "user_name": "阿明", "new_info": "他喜欢龙井茶"}\n{"user_id": "43", "new_info": "他喜欢普洱茶"}'
    assert historian("ingest", "-", "--data-dir", tmp_path / "data", stdin=job).status == 0
    assert len(records(tmp_path, "42")) == 1
    with OpenAIServer(behaviour="converses") as server:
        ended = run(
            tmp_path, "langchain_rag.py", "--user", "42", "阿明喜欢什么茶？", **endpoint(server)
        )
        assert ended.stdout.strip() == "好的，我知道了。"
        (seen,) = server.requests()
        texts = [str(message["content"]) for message in seen.body["messages"]]
        assert texts[-1] == "阿明喜欢什么茶？"
        assert "龙井" in texts[-2]
        assert "普洱" not in "".join(texts)
