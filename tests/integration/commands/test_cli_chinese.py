"""The command line in Chinese: what people read is Chinese, what programs read is the same in every language."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from historian.interfaces.cli.app import app
from support.command import Called, historian
from support.queue_rows import put_broken
from support.servers.openai_server import OpenAIServer

ZH, EN = {"HISTORIAN_LANGUAGE": "zh"}, {"HISTORIAN_LANGUAGE": "en"}

TURN: dict[str, Any] = {
    "action_summary": "我昨天给他推荐了《三体》",
    "new_info": ["我喜欢科幻小说"],
    "user_id": "42",
    "user_name": "阿明",
    "group_id": "7001",
    "group_name": "读书会",
    "bot_name": "小史",
    "timestamp": "2026-02-21T17:30:00+08:00",
    "timezone": "Asia/Shanghai",
}

NAMED = """
    historian LangGraph GitHub GitLab Mermaid Markdown Prometheus SQLite PostgreSQL MCP HTTP JSON ISO UTF stdin stdout stderr zip
    id token config toml text summary timestamp start end name message action fact user group public private all auto zh default
    True False
"""
NAMES = frozenset(NAMED.split())
"""Latin words of a Chinese text that are names: of things, formats, keys, and values of options."""

ASCII = re.compile(r"[!-~]+")
QUOTED = re.compile(r"`[^`\n]*`|'[^'\n]*'|\"[^\"\n]*\"|<[a-z|]+>")
"""Commands to type, values, keys of JSON, choices."""


def english_words(text: str, known: frozenset[str] = frozenset()) -> list[str]:
    """The words of the Latin alphabet that are no names: a name has a sign or digit within it, is all capitals, or known."""
    runs = [run.strip("()[]{},.;:*!?…") for run in ASCII.findall(QUOTED.sub(" ", text))]
    return [
        run
        for run in runs
        if re.fullmatch(r"[A-Za-z]{2,}", run) and not run.isupper() and run not in NAMES | known
    ]


def commands() -> Iterator[tuple[str, ...]]:
    """Every command and group of commands, by the words one types."""
    top = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name, command in top.items():
        yield (name,)
        yield from ((name, below) for below in getattr(command, "commands", {}))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with a turn that was filed, one that waits, and a row that is no job."""
    folder = tmp_path_factory.mktemp("chinese")
    for number, last in ((1, ("worker", "--drain")), (2, ("jobs", "list"))):
        lines = json.dumps({**TURN, "request_id": f"turn-{number}"}, ensure_ascii=False) + "\n"
        assert historian("ingest", "-", "--data-dir", folder / "data", stdin=lines).status == 0
        assert historian(*last, "--data-dir", folder / "data").status == 0
    put_broken(folder / "data")
    return folder


@pytest.fixture
def call(data: Path) -> Callable[..., Called]:
    """`historian …` on that directory, in Chinese."""

    def called(*arguments: object, environ: dict[str, str] = ZH, **more: Any) -> Called:
        return historian(*arguments, "--data-dir", data / "data", environ=environ, **more)

    return called


def waiting_job(call: Callable[..., Called]) -> str:
    return str(call("jobs", "list", "--state", "pending", "--json").lines[0]["job_id"])


def filed_event(call: Callable[..., Called]) -> str:
    return str(call("events", "list", "--json").lines[0]["event_id"])


def words_of(lines: str) -> frozenset[str]:
    """Keys, states and texts that a command shows: all that its JSON lines hold."""
    return frozenset(re.findall(r"[A-Za-z]+", lines))


@pytest.mark.parametrize("words", [(), *commands()], ids=" ".join)
def test_help_is_all_chinese(words: tuple[str, ...]) -> None:
    called = historian(*words, "--help", environ=ZH)
    assert called.status == 0
    assert called.out.startswith("用法：")
    names = {command for path in commands() for command in path}
    assert english_words(called.out, frozenset(names)) == []
    assert historian(*words, "--help", environ=EN).out.startswith("Usage: ")


@pytest.mark.parametrize(
    "arguments",
    [
        "jobs list",
        "jobs list --state failed",
        "events list",
        "events list --relative",
        "search 科幻 --user 42 --group 7001",
        "search 科幻 --user 7",
        "context 科幻 --group 7001 --user 42",
        "profile list",
        "profile show user:42",
        "profile history user:42",
        "profile diff user:42",
        "summaries list 42",
        "stats",
        "index --list",
        "reembed --status",
        "gate 我昨天来过这里",
        "absolutize 我昨天来了 --bot-name 小史 --timestamp 2026-02-21T17:30:00+08:00",
    ],
)
def test_what_a_command_shows_is_chinese_and_its_json_the_same_in_both_languages(
    call: Callable[..., Called], arguments: str
) -> None:
    words = arguments.split()
    shown = call(*words)
    assert shown.status == 0, shown.err
    assert shown.out + shown.err
    chinese, english = (call(*words, "--json", environ=environ) for environ in (ZH, EN))
    assert english_words(shown.out + shown.err, words_of(chinese.out)) == []
    if words[0] in ("search", "stats"):  # a score fades and a waiting time grows as time goes by
        assert re.sub(r"[\d.]+", "0", chinese.out) == re.sub(r"[\d.]+", "0", english.out)
    else:
        assert (chinese.out, chinese.err) == (english.out, english.err)
    assert chinese.status == english.status == 0


def test_a_job_and_an_event_are_shown_alike(call: Callable[..., Called]) -> None:
    for words in (
        ("jobs", "show", waiting_job(call)),
        ("jobs", "show", "broken.json"),
        ("events", "show", filed_event(call)),
    ):
        chinese, english = (call(*words, "--json", environ=environ).out for environ in (ZH, EN))
        assert english_words(call(*words).out, words_of(chinese)) == []
        assert chinese == english


def test_doctor_speaks_chinese_to_people_and_english_to_programs(
    call: Callable[..., Called],
) -> None:
    shown = call("doctor")
    assert shown.status == 0
    assert english_words(shown.out) == []
    assert "磁盘" in shown.out and "配置了的都能用。" in shown.out
    chinese, english = (
        re.sub(r"[\d.]+", "0", call("doctor", "--json", environ=environ).out)
        for environ in (ZH, EN)
    )
    assert chinese == english


def test_doctor_says_in_chinese_what_a_model_answers(call: Callable[..., Called]) -> None:
    with OpenAIServer(responder=lambda request: {"sum": 5}) as server:
        models = {
            f"HISTORIAN__MODELS__CHAT__{key}": value
            for key, value in (("BASE_URL", server.base_url), ("MODEL", "m-1"))
        }
        shown = call("doctor", environ={**ZH, **models})
    assert "m-1 按要求的格式回答" in shown.out
    assert english_words(shown.out) == []


def test_init_names_the_file_and_what_to_do_next(tmp_path: Path) -> None:
    target = tmp_path / "config.toml"
    first, again = (historian("init", target, environ=ZH) for _ in range(2))
    assert first.status == 0 and again.status == 1
    assert english_words(first.out) == english_words(again.err) == []
    assert again.err.startswith("错误：")
    written = target.read_text(encoding="utf-8")
    historian("init", target, "--force", environ=EN)
    assert target.read_text(encoding="utf-8") == written


def test_a_worker_tells_in_chinese_what_it_did(tmp_path: Path) -> None:
    lines = json.dumps(TURN, ensure_ascii=False) + "\nnot json\n"
    taken = historian("ingest", "-", "--data-dir", tmp_path, stdin=lines, environ=ZH)
    assert taken.status == 1
    assert "收下 1 个任务，1 行无效" in taken.out and "不是 JSON" in taken.err
    done = historian("worker", "--drain", "--data-dir", tmp_path, environ=ZH)
    assert "已归档 1" in done.out
    stats = historian("stats", "--data-dir", tmp_path, environ=ZH)
    assert "`historian worker` 的上一次运行：" in stats.out
    assert english_words(taken.out + done.out + done.err + stats.out) == []


def test_notes_are_indexed_in_chinese(call: Callable[..., Called], tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text("# 茶\n\n阿明只喝绿茶。\n", encoding="utf-8")
    shown = call("index", tmp_path, "--group", "7001")
    assert re.search("^新 +1", shown.out, re.MULTILINE)
    assert english_words(shown.out + shown.err + call("index", "--list").out) == []


def test_leaving_and_coming_back_is_told_in_chinese(tmp_path: Path) -> None:
    directory, archive = ("--data-dir", tmp_path / "data"), tmp_path / "ming.zip"
    friend = {
        **TURN,
        "user_id": "43",
        "user_name": "阿泰",
        "group_id": "",
        "new_info": ["阿泰和阿明一起喝茶"],
    }
    lines = "".join(json.dumps(turn, ensure_ascii=False) + "\n" for turn in (TURN, friend))
    historian("ingest", "-", *directory, stdin=lines)
    historian("worker", "--drain", *directory)
    calls = [
        ("export", "user", "42", archive),
        ("forget", "user", "42", "--yes"),
        ("forget", "user", "42", "--yes"),
        ("import", archive, "--even-forgotten"),
        ("import", archive, "--even-forgotten"),
    ]
    for words in calls:
        shown = historian(*words, *directory, environ=ZH)
        assert shown.status == 0, shown.err
        assert shown.out
        assert english_words(shown.out + shown.err) == [], words
        assert words[0] != "forget" or "文章或摘要" in shown.out


def test_old_summaries_come_in_in_chinese(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text(
        json.dumps(
            [
                {
                    "summary": "小史给阿明讲了故事",
                    "timestamp": "2026-02-20T10:00:00+08:00",
                    "user_id": "42",
                }
            ]
        ),
        encoding="utf-8",
    )
    shown = historian(
        "migrate", tmp_path / "old.json", "--rewrite", "--data-dir", tmp_path / "data", environ=ZH
    )
    assert shown.status == 0, shown.err
    assert english_words(shown.out + shown.err) == []


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ("dance", 2, "没有命令 'dance'"),
        ("jbos list", 2, "没有命令 'jbos'。是不是 'jobs'？"),
        ("jobs list --foo", 2, "没有选项 --foo"),
        ("index --grou 1", 2, "没有选项 --grou。是不是 --group？"),
        (
            "jobs list --state x",
            2,
            "--state 的值不对：'x' 不在 'all', 'pending', 'processing', 'failed' 之中",
        ),
        ("jobs list --limit 0", 2, "--limit 的值不对：至少 1"),
        ("jobs list --limit many", 2, "--limit 的值不对：要一个数"),
        ("worker --metrics-port 99999", 2, "--metrics-port 的值不对：至多 65535"),
        ("jobs list --limit", 2, "选项 --limit 要带一个值"),
        ("jobs list --json=1", 2, "选项 --json 不带值"),
        ("jobs show", 2, "缺少 JOB"),
        ("forget", 2, "缺少 user|group"),
        ("jobs list a b", 2, "多出来的参数：a b"),
        ("jobs show nobody", 1, "队列里没有任务 'nobody'"),
        ("jobs retry", 2, "请给出任务"),
        ("events show nobody", 1, "没有事件 'nobody'"),
        ("events list --from gestern", 2, "'gestern' 不是时间"),
        ("search 茶", 2, "哪个会话？"),
        ("search 茶 --all --user 1", 2, "--all 不能与 --group 或 --user 同用"),
        ("profile show 42", 2, "user:ID 或 group:ID"),
        ("profile show user:7", 1, "没有画像 'user:7'"),
        ("profile rollback user:42 9", 1, "没有留着"),
        ("chapters show 42", 1, "还没有文章"),
        ("export user 7 nobody.zip --data-dir nowhere", 1, "还没有存下任何东西"),
        ("ingest nowhere.jsonl", 2, "读不了"),
        ("index nowhere", 2, "不是目录"),
        ("reembed --rollback --status", 2, "只写一个"),
        ("mcp", 2, "哪个会话？"),
    ],
)
def test_a_refusal_is_in_chinese(
    data: Path, tmp_path: Path, arguments: str, status: int, message: str
) -> None:
    words = arguments.replace("nowhere", str(tmp_path / "nowhere")).split()
    before = [] if "--data-dir" in words else ["--data-dir", str(data / "data")]
    refused = historian(*before, *words, environ=ZH)
    assert refused.status == status
    assert "错误：" in refused.err and message in refused.err
    said = [line for line in refused.err.splitlines() if not line.startswith("用法：")]
    assert english_words(re.sub(r"：[^：]*[Nn]o such file.*", "", "\n".join(said))) == []


@pytest.mark.parametrize(
    "arguments",
    ["search --json", "--json jobs list --limit 0", "dance --json", "jobs list --json --foo"],
)
def test_the_parser_speaks_english_to_programs(arguments: str) -> None:
    refused = historian(*arguments.split(), environ=ZH)
    assert refused.status == 2 and refused.err == historian(*arguments.split(), environ=EN).err
    assert refused.err.startswith("Usage: ")


def test_before_anything_is_stored_that_is_said(tmp_path: Path) -> None:
    called = historian("jobs", "list", "--data-dir", tmp_path / "none", environ=ZH)
    assert called.err == f"还没有存下任何东西：{tmp_path / 'none'} 不存在\n"
    quiet = historian("jobs", "list", "--json", "--data-dir", tmp_path / "none", environ=ZH)
    assert quiet.err.startswith("nothing is stored yet: ")


def test_a_filter_answers_wrong_lines_alike(call: Callable[..., Called]) -> None:
    lines = 'no json\n{"text": 1}\n{"text": "我来了", "language": "fr"}\n{"text": "我昨天来了"}\n'
    for name in ("gate", "absolutize"):
        chinese, english = (
            call(name, "--json", stdin=lines, environ=environ) for environ in (ZH, EN)
        )
        assert chinese == english
        assert len(chinese.lines) == 4


def test_wrong_lines_of_a_file_are_reported_alike_to_programs(tmp_path: Path) -> None:
    lines = "no json\n[]\n" + json.dumps(TURN) + "\n"
    answers = [
        historian(
            "ingest",
            "-",
            "--json",
            "--data-dir",
            tmp_path / code,
            stdin=lines,
            environ={"HISTORIAN_LANGUAGE": code},
        )
        for code in ("zh", "en")
    ]
    assert answers[0] == answers[1]
    assert answers[0].lines[0]["error"].startswith("not JSON")


def test_a_run_of_the_worker_is_reported_alike_to_programs(tmp_path: Path) -> None:
    reports = []
    for code in ("zh", "en"):
        directory = ("--data-dir", tmp_path / code)
        historian("ingest", "-", *directory, stdin=json.dumps(TURN) + "\n")
        reports.append(
            historian(
                "worker", "--drain", "--json", *directory, environ={"HISTORIAN_LANGUAGE": code}
            ).out
        )
    assert len({re.sub(r"[\d.]+(e-\d+)?", "0", report) for report in reports}) == 1


def test_a_real_process_chooses_by_its_environment(tmp_path: Path) -> None:
    for environ, expected in (
        ({"LANG": "zh_CN.UTF-8"}, "用法："),
        ({"LANG": "zh_CN.UTF-8", **EN}, "Usage: "),
    ):
        ended = subprocess.run(
            [sys.executable, "-m", "historian.interfaces.cli", "jobs", "--help"],
            env={"PATH": "", "PYTHONUTF8": "1", **environ},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        assert ended.stdout.startswith(expected), ended.stderr
