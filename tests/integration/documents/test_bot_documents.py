"""docs/bots.md and its Chinese twin: the same code in both, run as it stands there; the guidance is what the code returns."""

import json
import os
import re
import signal
import subprocess
import sys
import typing
from datetime import datetime
from pathlib import Path

import pytest
from historian.interfaces.langchain.end_tool import system_prompt_text
from historian.schema.language import Language
from historian.schema.names import Names
from historian.text.rewriting.absolutize import absolutize
from mcp import Client, StdioServerParameters
from support.command import NO_MODELS, at_noon, historian
from support.servers.openai_server import OpenAIServer
from support.servers.telegram_server import TOKEN, TelegramServer

ROOT = Path(__file__).parents[3]
PAGES = ["docs/bots.md", "docs/bots.zh-CN.md"]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| (.+?) \| (action_summary|new_info) \| (.+?) \|$", re.MULTILINE)
SCRIPTS = {
    **os.environ,
    **NO_MODELS,
    **at_noon(),
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
}


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [body for name, body in FENCE.findall(text) if name == language]


def run(directory: Path, snippet: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", snippet],
        cwd=directory,
        env=SCRIPTS,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    return ended.stdout


def records(directory: Path, *scope: str) -> list[str]:
    """What is filed of a conversation; of the private chat with user 1001 if none is given."""
    data = ("--data-dir", directory / "data" / "cognitive")
    assert historian("worker", "--drain", "--json", *data).status == 0
    return [
        line["text"]
        for line in historian(
            "events", "list", *(scope or ("--user", "1001")), "--json", *data
        ).lines
    ]


@pytest.mark.parametrize("language", ["python", "json", "sh"])
def test_both_pages_show_the_same_code(language: str) -> None:
    english, chinese = (blocks(page, language) for page in PAGES)
    assert english
    assert [in_chinese(block) for block in english] == chinese


IN_CHINESE = {
    '"--language", "en", ': "",  # Chinese is the default
    " --language en": "",
    'system_prompt_text("en")': 'system_prompt_text("zh")',
    '"Ann"}        # in a group: "group_id" too': '"阿明"}      # 在群里再加 "group_id"',
    "# below that it logs addresses, and so the token": "# 再低的级别会记下地址，也就记下了 token",
    "# the data directory of ./config.toml, like": "# ./config.toml 的数据目录，和",
    "CognitiveService.open()\n        await store": "CognitiveService.open() 一样\n        await store",
    "--name Ann": "--name 阿明",
    '"--user-name", "Ann"': '"--user-name", "阿明"',
    '"Ann", "bot_name"': '"阿明", "bot_name"',
    '"nickname": "Ann"': '"nickname": "阿明"',
    '"bot_name": "Clio"': '"bot_name": "小史"',
    "Noted.": "记住了。",
    "I promised to remind her tomorrow": "我答应明天提醒他",
    "She has a cat called Tom": "他养了一只叫阿橘的猫",
    "I have a cat called Tom": "我养了一只叫阿橘的猫",
    "My cat is called Tom": "我的猫叫阿橘",
    "What is my cat called?": "我的猫叫什么？",
    "Her favourite tea is Longjing": "她最喜欢的茶是龙井",
    "Which tea do I like?": "我喜欢喝什么茶？",
    "From memory, for reference only:": "记忆，仅供参考：",
}
"""What the code of the English page says otherwise on the Chinese one."""


def in_chinese(block: str) -> str:
    for english, chinese in IN_CHINESE.items():
        block = block.replace(english, chinese)
    return block


def test_the_english_page_is_in_english_but_for_the_guidance_in_chinese() -> None:
    text = (
        (ROOT / PAGES[0])
        .read_text(encoding="utf-8")
        .replace("[中文]", "")
        .replace(system_prompt_text("zh").strip(), "")
    )
    assert re.findall(r"[㐀-鿿]+", text) == []


def test_the_servers_of_the_english_page_speak_english() -> None:
    commands = [" ".join(server["args"]) for server in configured().values() if "args" in server]
    commands += [
        line
        for block in blocks(PAGES[0], "sh")
        for line in block.splitlines()
        if line.startswith("historian mcp")
    ]
    assert len(commands) == 3
    assert all(" --language en " in command for command in commands)


@pytest.mark.parametrize("page", PAGES)
def test_the_guidance_on_the_page_is_what_the_code_returns(page: str) -> None:
    quoted = [block.strip() for block in blocks(page, "text")]
    assert sorted(quoted) == sorted(
        system_prompt_text(language).strip() for language in typing.get_args(Language)
    )


@pytest.mark.parametrize(
    ("page", "bot", "user", "group"),
    [(PAGES[0], "Clio", "Ann", "Book Club"), (PAGES[1], "小史", "阿明", "读书会")],
)
def test_what_the_page_says_is_on_record_is_what_the_rules_make_of_it(
    page: str, bot: str, user: str, group: str
) -> None:
    names = Names(bot_name=bot, user_name=user, group_name=group, group_id="7001")
    moment = datetime.fromisoformat("2026-02-20T22:10:00+08:00")
    rows = ROW.findall((ROOT / page).read_text(encoding="utf-8"))
    assert len(rows) == 3
    for told, field, filed in rows:
        kind: typing.Literal["action", "fact"] = "action" if field == "action_summary" else "fact"
        assert absolutize(told, moment, "Asia/Shanghai", names, kind).text == filed


def test_a_raw_bot_is_wired_in_ten_lines() -> None:
    body = blocks(PAGES[0], "python")[0].partition("async def on_message")[2].splitlines()[1:]
    assert len(body) <= 10


@pytest.mark.parametrize("page", PAGES)
def test_every_bot_of_the_page_hands_over_time_and_id_and_logs_what_became_of_the_turn(
    page: str,
) -> None:
    bots = [block for block in blocks(page, "python") if "handle_end_call(memory" in block]
    assert len(bots) == 3
    for block in bots:
        (call,) = (line for line in block.splitlines() if "handle_end_call(memory" in line)
        assert "log.info(" in call and re.search(r'turn = \{"request_id": .*, "timestamp": ', block)


@pytest.mark.slow
def test_talk_that_is_handed_over_as_the_page_shows_is_filed(tmp_path: Path) -> None:
    assert run(tmp_path, blocks("docs/calls.md", "python")[0]) == ""
    assert any("I moved to Vienna" in text for text in records(tmp_path, "--group", "7001"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "said", "filed"),
    [
        (
            PAGES[0],
            "Noted.",
            [r"Ann has a cat called Tom", r"Clio promised to remind Ann on 2026-02-22"],
        ),
        (PAGES[1], "记住了。", [r"小史答应2026-02-22提醒阿明", r"阿明养了一只叫阿橘的猫"]),
    ],
)
def test_the_raw_bot_files_its_turn_of_the_day_of_its_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, said: str, filed: list[str]
) -> None:
    monkeypatch.setitem(SCRIPTS, "HISTORIAN__COGNITIVE__TIMEZONE", "Asia/Shanghai")
    wiring, trial, *_ = blocks(page, "python")
    assert run(tmp_path, wiring + "\n" + trial) == f"{said}\n"
    for text, expected in zip(sorted(records(tmp_path)), filed, strict=True):
        assert re.fullmatch(expected, text)


def with_ask_model(page: str, beginning: str) -> str:
    """The block of a page that defines a function, with the trial's model before it."""
    trial = next(
        block for block in blocks(page, "python") if block.startswith("async def ask_model")
    )
    (block,) = (block for block in blocks(page, "python") if beginning in block)
    return trial.partition("async def send")[0] + block


@pytest.mark.slow
def test_the_telegram_bot_files_its_turns(tmp_path: Path) -> None:
    with TelegramServer() as server:
        snippet = with_ask_model(PAGES[0], "async def on_telegram_message").replace(
            "https://api.telegram.org", server.base_url
        )
        first = server.say("I have a cat called Tom", user=1001)
        server.say("I have a cat called Tom", user=1001, group=-7001)
        environ = {**SCRIPTS, "TELEGRAM_BOT_TOKEN": TOKEN, "NO_PROXY": "127.0.0.1"}
        with subprocess.Popen(
            [sys.executable, "-c", snippet], cwd=tmp_path, env=environ, stderr=subprocess.PIPE
        ) as process:
            server.wait_until_confirmed()
            server.deliver_again(first)
            server.wait_for_sent(3)
            server.wait_until_confirmed()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        assert [(sent["chat_id"], sent["text"]) for sent in server.sent] == [
            (1001, "Noted."),
            (-7001, "Noted."),
            (1001, "Noted."),
        ]
    assert TOKEN.encode() not in err
    assert (
        len(records(tmp_path, "--user", "tg:1001"))
        == len(records(tmp_path, "--group", "tg:-7001"))
        == 2
    )


DISCORD = """
import asyncio
from datetime import datetime
from types import SimpleNamespace as Some

class Intents(Some):
    default = classmethod(lambda cls: cls(message_content=False))

def message(number, author, guild, text, mentions):
    async def send(content):
        print(guild, content)
    channel = Some(id=7001, send=send)
    at = datetime.fromisoformat("2026-02-21T09:30:00+00:00")
    return Some(id=number, author=author, guild=guild, channel=channel, clean_content=text, mentions=mentions, created_at=at)

class Client:
    user = Some(id=900, bot=True)
    def __init__(self, *, intents):
        assert intents.message_content
    async def close(self):
        pass
    async def play(self):
        ann = Some(id=1001, bot=False, display_name="Ann")
        await self.setup_hook()
        await self.on_message(message(1, ann, None, "I have a cat called Tom", []))
        await self.on_message(message(2, ann, "guild", "@Clio I have a cat called Tom", [self.user]))
        await self.on_message(message(3, ann, "guild", "Hello all", []))
        await self.on_message(message(4, self.user, None, "Noted.", []))
        await self.close()
    def run(self, token):
        assert token == "token of the test"
        asyncio.run(self.play())
"""


@pytest.mark.slow
def test_the_discord_bot_files_its_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "discord.py").write_text(DISCORD, encoding="utf-8")
    monkeypatch.setitem(SCRIPTS, "DISCORD_BOT_TOKEN", "token of the test")
    monkeypatch.setitem(SCRIPTS, "HISTORIAN__COGNITIVE__TIMEZONE", "Asia/Shanghai")
    assert (
        run(tmp_path, with_ask_model(PAGES[0], "class Bot(discord.Client)"))
        == "None Noted.\nguild Noted.\n"
    )
    assert (
        len(records(tmp_path, "--user", "dc:1001"))
        == len(records(tmp_path, "--group", "dc:7001"))
        == 2
    )
    assert any(
        re.search("remind Ann on 2026-02-22", text)
        for text in records(tmp_path, "--user", "dc:1001")
    )


@pytest.mark.slow
def test_the_graph_files_its_turn_and_the_chain_reads_it(tmp_path: Path) -> None:
    agent, nodes, graph, store, chain = blocks(PAGES[0], "python")[-5:]
    with OpenAIServer(behaviour="converses") as server:
        assert (
            run(tmp_path, graph.replace("http://127.0.0.1:11434/v1", server.base_url))
            == "好的，我知道了。\n"
        )
        assert "Ann has a cat called Tom" in records(tmp_path)
        assert (
            run(tmp_path, chain.replace("http://127.0.0.1:11434/v1", server.base_url))
            == "好的，我知道了。\n"
        )
        asked = "\n".join(
            str(message["content"]) for message in server.requests()[-1].body["messages"]
        )
        assert "- Ann has a cat called Tom" in asked
        (tmp_path / "agent").mkdir()
        assert (
            run(tmp_path / "agent", agent.replace("http://127.0.0.1:11434/v1", server.base_url))
            == "好的，我知道了。\n"
        )
        assert "I have a cat called Tom" in records(tmp_path / "agent")
        assert (
            run(tmp_path / "agent", nodes.replace("http://127.0.0.1:11434/v1", server.base_url))
            == "好的，我知道了。\n"
        )
        assert run(
            tmp_path, store.replace("http://127.0.0.1:11434/v1", server.base_url)
        ).splitlines()[-1]
        run(tmp_path / "agent", nodes.replace("http://127.0.0.1:11434/v1", server.base_url))
        recalled, asked = (
            str(message["content"]) for message in server.requests()[-1].body["messages"]
        )
        assert "I have a cat called Tom" in recalled and asked == "What is my cat called?"


def test_every_historian_command_on_the_page_is_one() -> None:
    lines = [line for block in blocks(PAGES[0], "sh") for line in block.splitlines()]
    for line in lines:
        words = line.split()
        if words[0] == "python":
            assert (ROOT / words[1]).is_file(), line
        else:
            assert words[0] == "historian"
            assert historian(*words[1:], "--help").status == 0, line


def configured() -> dict[str, dict[str, typing.Any]]:
    """The servers of the client configurations on the page, those with a command and those with an address."""
    found = [json.loads(block)["mcpServers"] for block in blocks(PAGES[0], "json")]
    return {
        f"{number}-{name}": server
        for number, servers in enumerate(found)
        for name, server in servers.items()
    }


@pytest.mark.slow
async def test_a_client_starts_the_server_that_the_page_configures(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(f'[cognitive]\ndata_dir = "{tmp_path / "bot"}"\n')
    server = next(server for server in configured().values() if "command" in server)
    arguments = [word.replace("/home/ann/bot", str(tmp_path)) for word in server["args"]]
    command = str(Path(sys.executable).parent / server["command"])
    async with Client(
        StdioServerParameters(command=command, args=arguments, env=NO_MODELS, cwd=tmp_path)
    ) as client:
        assert len((await client.list_tools()).tools) == 4


def test_the_other_servers_that_the_page_configures_are_started_by_commands_that_exist() -> None:
    with_command = [server for server in configured().values() if "command" in server]
    assert [server["command"] for server in with_command] == ["historian"] * 2
    for server in with_command:
        assert historian(*server["args"], "--help").status == 0
    (url,) = [server["url"] for server in configured().values() if "url" in server]
    (line,) = [
        line for block in blocks(PAGES[0], "sh") for line in block.splitlines() if "--http" in line
    ]
    assert url == f"http://127.0.0.1:{line.split()[-1]}/mcp"


@pytest.mark.parametrize("page", [*PAGES, "examples/nonebot_plugin/README.md"])
def test_every_link_leads_somewhere(page: str) -> None:
    for target in re.findall(
        r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / page).read_text(encoding="utf-8")
    ):
        assert (ROOT / page).parent.joinpath(target).exists(), target
