"""The Telegram bot against a Bot API on loopback: as a process of its own, and its parts inside of the test."""

import asyncio
import contextlib
import importlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from historian import CognitiveService, Scope
from support.command import NO_MODELS, historian
from support.memory import settings_for
from support.servers.openai_server import OpenAIServer
from support.servers.telegram_server import ME, TOKEN, TelegramServer

EXAMPLES = Path(__file__).parents[3] / "examples"
GROUP = -100_7001
BOT = f"@{ME['username']}"

telegram_bot: Any = None


@pytest.fixture(autouse=True)
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples import each other by their plain names."""
    global telegram_bot
    monkeypatch.syspath_prepend(str(EXAMPLES))
    telegram_bot = importlib.import_module("telegram_bot")


@pytest.fixture
def server() -> Iterator[TelegramServer]:
    with TelegramServer() as server:
        yield server


def environment(directory: Path, **more: str) -> dict[str, str]:
    patience = {
        "HISTORIAN__COGNITIVE__QUERY__RECALL_TIMEOUT_SECONDS": "10",
        "NO_PROXY": "127.0.0.1",
    }
    data = {"HISTORIAN__COGNITIVE__DATA_DIR": str(directory / "data"), "PYTHONIOENCODING": "utf-8"}
    return {**os.environ, **NO_MODELS, **patience, **data, "TELEGRAM_BOT_TOKEN": TOKEN, **more}


def records(directory: Path, *scope: str) -> list[dict[str, Any]]:
    """What is filed, after the queue is worked off."""
    drained = historian("worker", "--drain", "--json", "--data-dir", directory / "data")
    assert drained.status == 0, drained.err
    return historian("events", "list", *scope, "--json", "--data-dir", directory / "data").lines


def texts(directory: Path, *scope: str) -> list[str]:
    return told(records(directory, *scope))


def told(lines: list[dict[str, Any]]) -> list[str]:
    """What people said, oldest first."""
    return [
        f"{line['speaker']}: {line['text']}" for line in reversed(lines) if line["role"] == "user"
    ]


async def filed(polling: Any, *scope: str) -> list[str]:
    """What the historian in this process files, as another process reads it."""
    await polling.memory.flush()
    assert await polling.memory.settled(30)
    data = polling.memory.settings.cognitive.data_dir
    listed = await asyncio.to_thread(
        historian, "events", "list", *scope, "--json", "--data-dir", data
    )
    return told(listed.lines)


@contextlib.contextmanager
def running(
    directory: Path, server: TelegramServer, *, end: signal.Signals = signal.SIGINT, **environ: str
) -> Iterator[subprocess.Popen[str]]:
    """The bot as a process, its log in bot.log; it is interrupted at the end of the block, and ends as it should."""
    command = [
        sys.executable,
        str(EXAMPLES / "telegram_bot.py"),
        "--api-base",
        server.base_url,
        "--verbose",
    ]
    log = directory / "bot.log"
    with (
        log.open("w") as output,
        subprocess.Popen(
            command,
            cwd=directory,
            env=environment(directory, **environ),
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process,
    ):
        try:
            yield process
            process.send_signal(end)
            assert process.wait(30) == 130, log.read_text()
        finally:
            process.kill()
    assert "Traceback" not in log.read_text()


@contextlib.asynccontextmanager
async def polling_on(
    server: TelegramServer, directory: Path, model: Any = None, **settings: Any
) -> AsyncIterator[Any]:
    """The bot's polling in this process; `.memory` and `.waits` are those of the bot, no wait takes any time."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    settings = {"query": {"recall_timeout_seconds": 10.0}, **settings}
    async with (
        CognitiveService.open(settings_for(directory / "data", **settings)) as memory,
        httpx.AsyncClient() as client,
    ):
        stand_in = importlib.import_module("stand_in_model").StandInModel()
        bot = importlib.import_module("remembering_bot").RememberingBot(
            memory, model or stand_in, "Telegram", "小史", "tg:900"
        )
        polling = telegram_bot.Polling(
            telegram_bot.BotApi(client, TOKEN, server.base_url, sleep), bot, ME
        )
        polling.memory, polling.waits = memory, waits
        yield polling


@pytest.mark.slow
def test_what_it_was_told_it_knows_in_the_next_turn_and_what_a_group_says_among_itself_it_observes(
    tmp_path: Path, server: TelegramServer
) -> None:
    with running(tmp_path, server):
        server.say("我最喜欢的茶是龙井", user=1001)
        assert "交给记忆" in server.wait_for_sent(1)[0]["text"]
        server.say("我最喜欢什么茶？", user=1001)
        assert "我最喜欢的茶是龙井" in server.wait_for_sent(2)[1]["text"], (
            "what waits to be filed is recalled too"
        )
        server.say(f"😀 {BOT} 我养了一只叫阿橘的猫", user=1001, group=GROUP)
        assert server.wait_for_sent(3)[2]["chat_id"] == GROUP
        server.say("周五一起去爬香山", user=1002, name="小林", group=GROUP)
        server.wait_until_confirmed()
        server.say(f"{BOT} 我们周五去哪儿？", user=1001, group=GROUP)
        assert "香山" in server.wait_for_sent(4)[3]["text"]
        server.say(f"{BOT} 我最喜欢什么茶？", user=1001, group=-100_7002)
        assert "龙井" not in server.wait_for_sent(5)[4]["text"]
        server.wait_until_confirmed()
    assert server.sent[0] == {"chat_id": 1001, "text": server.sent[0]["text"]}
    assert server.sent[2]["reply_parameters"]["message_id"] == 1
    assert texts(tmp_path, "--user", "tg:1001") == [
        "阿明: 我最喜欢的茶是龙井",
        "阿明: 我最喜欢什么茶？",
    ]
    in_group = texts(tmp_path, "--group", f"tg:{GROUP}")
    assert in_group == [
        "阿明: 😀 我养了一只叫阿橘的猫",
        "小林: 周五一起去爬香山",
        "阿明: 我们周五去哪儿？",
    ]


@pytest.mark.slow
def test_the_token_is_in_no_log_and_in_no_file(tmp_path: Path, server: TelegramServer) -> None:
    server.script("getMe", 502, 0)
    server.script("sendMessage", 0, 500)
    with running(tmp_path, server):
        server.say("我最喜欢的茶是龙井", user=1001)
        server.wait_for_sent(1)
        server.wait_until_confirmed()
    assert "sendMessage: 500" in (tmp_path / "bot.log").read_text()
    secret = TOKEN.partition(":")[2].encode()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 3
    assert [path for path in files if secret in path.read_bytes()] == []


@pytest.mark.slow
def test_a_configured_model_is_given_what_is_recalled_and_who_speaks_where(
    tmp_path: Path, server: TelegramServer
) -> None:
    with OpenAIServer(behaviour="converses_and_forgets_end") as model:
        endpoint = {
            "HISTORIAN__MODELS__CHAT__BASE_URL": model.base_url,
            "HISTORIAN__MODELS__CHAT__MODEL": "test",
        }
        with running(tmp_path, server, end=signal.SIGTERM, **endpoint):
            server.say(f"{BOT} 我最喜欢的茶是龙井", user=1001, group=GROUP)
            assert server.wait_for_sent(1)[0]["text"] == "好的，我知道了。"
            server.wait_until_confirmed()
        system = model.requests()[0].body["messages"][0]["content"]
        assert "在Telegram群“读书会”里。现在和你说话的是阿明" in system
    assert "阿明: 我最喜欢的茶是龙井" in texts(tmp_path, "--group", f"tg:{GROUP}")


@pytest.mark.slow
async def test_an_update_that_comes_twice_makes_one_job(
    tmp_path: Path, server: TelegramServer
) -> None:
    async with polling_on(server, tmp_path) as polling:
        update = server.say("我养了一只叫阿橘的猫", user=1001)
        await polling.round()
        assert server.unconfirmed() == [update["update_id"]]
        server.deliver_again(update)
        await polling.round()
        assert len(server.sent) == 1
    # A new process, which knows nothing of the first.
    async with polling_on(server, tmp_path) as polling:
        server.deliver_again(update)
        await polling.round()
        assert len(server.sent) == 2
        assert await filed(polling, "--user", "tg:1001") == ["阿明: 我养了一只叫阿橘的猫"]


@pytest.mark.slow
async def test_an_edited_message_replaces_the_former_one_and_is_not_answered(
    tmp_path: Path, server: TelegramServer
) -> None:
    async with polling_on(server, tmp_path) as polling:
        update = server.say("我养了一只叫阿橘的猫", user=1001)
        await polling.round()
        assert await filed(polling, "--user", "tg:1001") == ["阿明: 我养了一只叫阿橘的猫"]
        server.edit(update, "我养了一只叫阿橘的狗")
        await polling.round()
        assert len(server.sent) == 1 and server.calls[-1][1]["allowed_updates"] == [
            "message",
            "edited_message",
        ]
        assert await filed(polling, "--user", "tg:1001") == ["阿明: 我养了一只叫阿橘的狗"]
        server.say("我养了什么？", user=1001)
        await polling.round()
        assert "狗" in server.sent[-1]["text"] and "猫" not in server.sent[-1]["text"]


@pytest.mark.slow
async def test_too_many_requests_and_errors_of_the_server_are_waited_out(
    tmp_path: Path, server: TelegramServer
) -> None:
    async with polling_on(server, tmp_path) as polling:
        server.script("sendMessage", 429, retry_after=37)
        server.script("sendMessage", 502, 0)
        server.script("getUpdates", 409, 503, 0)
        server.say("我养了一只叫阿橘的猫", user=1001)
        await polling.round()
        assert len(server.sent) == 1
        assert server.count("sendMessage") == 4
        first, second, third, *of_sending = polling.waits
        assert 0.8 <= first <= 1.2 < 1.6 <= second <= 2.4 < 3.2 <= third <= 4.8
        assert of_sending[0] == 37
        assert len(of_sending) == 3


@pytest.mark.slow
async def test_what_cannot_be_sent_is_given_up_and_remembered_all_the_same(
    tmp_path: Path, server: TelegramServer
) -> None:
    async with polling_on(server, tmp_path) as polling:
        server.script("sendMessage", 403)
        server.say("我养了一只叫阿橘的猫", user=1001)
        await polling.round()
        assert server.count("sendMessage") == 1
        server.script("sendMessage", *[500] * telegram_bot.SEND_ATTEMPTS)
        server.say("我喜欢普洱茶", user=1002, name="小林")
        await polling.round()
        assert server.count("sendMessage") == 1 + telegram_bot.SEND_ATTEMPTS
        assert server.sent == []
        assert await filed(polling, "--user", "tg:1001") == ["阿明: 我养了一只叫阿橘的猫"]
        assert await filed(polling, "--user", "tg:1002") == ["小林: 我喜欢普洱茶"]


@pytest.mark.slow
async def test_only_what_is_done_with_is_confirmed_when_the_bot_is_interrupted(
    tmp_path: Path, server: TelegramServer
) -> None:
    stand_in = importlib.import_module("stand_in_model").StandInModel
    done, never = asyncio.Event(), asyncio.Event()

    class Stuck(stand_in):  # type: ignore[misc, valid-type]
        async def _agenerate(self, messages: Any, *more: Any, **options: Any) -> Any:
            if "卡住" in messages[-1].text:
                done.set()
                await never.wait()
            return self._generate(messages, *more, **options)

    async with polling_on(server, tmp_path, Stuck()) as polling:
        first = server.say("我养了一只叫阿橘的猫", user=1001)
        stuck = server.say("这句话会卡住", user=1001)
        task = asyncio.create_task(polling.round())
        await asyncio.wait_for(done.wait(), 30)
        assert server.unconfirmed() == [first["update_id"], stuck["update_id"]]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await polling.confirm()
        assert server.unconfirmed() == [stuck["update_id"]]
        assert await filed(polling, "--user", "tg:1001") == ["阿明: 我养了一只叫阿橘的猫"]


@pytest.mark.slow
async def test_profile_and_forgetme(tmp_path: Path, server: TelegramServer) -> None:
    async def asked(polling: Any, text: str, **who: Any) -> str:
        server.say(text, **{"user": 1001, **who})
        await polling.round()
        return str(server.sent[-1]["text"])

    async with polling_on(server, tmp_path) as polling:
        assert (
            await asked(polling, "/start")
            == "和我聊天，我会记得。/profile 看看我记得你什么，/forgetme 让我忘记你。"
        )
        assert await asked(polling, "/profile") == "我还没有记下什么。"
        await asked(polling, "我喜欢龙井茶")
        await asked(polling, f"{BOT} 我会弹吉他", group=GROUP)
        await asked(polling, f"{BOT} 我喜欢普洱", user=1002, name="小林", group=GROUP)
        server.say("周六我去看画展", user=1001, group=GROUP)
        await polling.round()
        await polling.memory.flush()
        assert await polling.memory.settled(30)
        await polling.memory.enqueue_job(
            new_info=["他喜欢龙井茶"], user_id="tg:1001", user_name="阿明"
        )
        assert await polling.memory.settled(30)
        assert "龙井" in await asked(polling, "/profile")
        assert "龙井" not in await asked(polling, f"/profile{BOT}", group=GROUP)
        assert await asked(polling, "/profile group") == "这里不是群聊。"
        assert "请发送：/forgetme 确认" in await asked(polling, "/forgetme")
        assert "龙井" in await asked(polling, "/profile")
        assert await asked(polling, "/forgetme 确认") == "已经忘记了。"
        assert await asked(polling, "/profile") == "我还没有记下什么。"
        assert "没有记忆" in await asked(polling, "我喜欢什么茶？")
        found = await polling.memory.search_events("吉他 画展 普洱", Scope.group(f"tg:{GROUP}"))
        assert [hit.event.said for hit in found if hit.event.role == "user"] == ["小林: 我喜欢普洱"]
        assert not any("吉他" in hit.event.text or "画展" in hit.event.text for hit in found)
        kept = await polling.memory.search_events("龙井", Scope.private("tg:1001"))
        assert not any("龙井" in hit.event.text for hit in kept)


@pytest.mark.slow
async def test_a_model_that_fails_is_apologised_for_and_what_was_said_is_remembered_all_the_same(
    tmp_path: Path, server: TelegramServer
) -> None:
    with OpenAIServer(behaviour="401") as model:
        openai = importlib.import_module("langchain_openai").ChatOpenAI
        broken = openai(model="test", base_url=model.base_url, api_key="none", max_retries=0)
        async with polling_on(server, tmp_path, broken) as polling:
            server.say("我养了一只叫阿橘的猫", user=1001)
            await polling.round()
            assert server.sent[-1]["text"] == "现在回答不了，请稍后再试。"
            await polling.confirm()
            assert server.unconfirmed() == []
            assert await filed(polling, "--user", "tg:1001") == ["阿明: 我养了一只叫阿橘的猫"]


def start(
    directory: Path, server: TelegramServer, *arguments: str, token: str
) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        str(EXAMPLES / "telegram_bot.py"),
        "--api-base",
        server.base_url,
        *arguments,
    ]
    environ = environment(directory, TELEGRAM_BOT_TOKEN=token)
    return subprocess.run(
        command, cwd=directory, env=environ, capture_output=True, encoding="utf-8", timeout=60
    )


@pytest.mark.slow
@pytest.mark.parametrize("token", ["", "not a token", "900:a/../b"])
def test_without_a_token_nothing_is_called(
    tmp_path: Path, server: TelegramServer, token: str
) -> None:
    ended = start(tmp_path, server, token=token)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert re.fullmatch(r"error: TELEGRAM_BOT_TOKEN holds no bot token; .*\n", ended.stderr)
    assert server.calls == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_token_that_is_refused_and_an_address_that_is_none_are_said(
    tmp_path: Path, server: TelegramServer
) -> None:
    ended = start(tmp_path, server, token="901:another")
    assert (ended.returncode, ended.stderr) == (
        1,
        "error: Telegram does not take the token of TELEGRAM_BOT_TOKEN: 401 Unauthorized\n",
    )
    ended = start(tmp_path, server, "--api-base", "127.0.0.1:80", token=TOKEN)
    assert (ended.returncode, ended.stderr.split(":")[0]) == (2, "error")
    assert "Traceback" not in ended.stderr


def message(
    text: str, *entities: dict[str, Any], group: bool = True, **more: Any
) -> dict[str, Any]:
    chat = (
        {"id": GROUP, "type": "group", "title": "读书会"}
        if group
        else {"id": 1001, "type": "private"}
    )
    sender = {"id": 1001, "is_bot": False, "first_name": "Ann", "last_name": "Lee"}
    said = {
        "message_id": 7,
        "date": 1_771_666_200,
        "chat": chat,
        "from": sender,
        "text": text,
        "entities": [*entities],
    }
    return {**said, **more}


def test_a_message_becomes_what_was_heard() -> None:
    heard = telegram_bot.heard_of(message("hello", group=False), ME)
    assert (heard.scope, heard.user_name, heard.to_bot) == (
        Scope.private("tg:1001"),
        "Ann Lee",
        True,
    )
    assert (heard.request_id, heard.at) == ("telegram:900:1001:7", "2026-02-21T09:30:00+00:00")
    heard = telegram_bot.heard_of(message("hello"), ME)
    assert (heard.scope, heard.group_name, heard.to_bot) == (
        Scope.group(f"tg:{GROUP}", "tg:1001"),
        "读书会",
        False,
    )


def test_a_mention_counts_in_utf_16_and_is_taken_out() -> None:
    mention = {"type": "mention", "offset": 3, "length": len(BOT)}
    heard = telegram_bot.heard_of(message(f"😀 {BOT.upper()} hi", mention), ME)
    assert (heard.text, heard.to_bot) == ("😀 hi", True)
    by_name = {"type": "text_mention", "offset": 0, "length": 2, "user": {"id": ME["id"]}}
    assert telegram_bot.heard_of(message("小史 hi", by_name), ME).text == "hi"
    other = {"type": "mention", "offset": 0, "length": 4}
    assert not telegram_bot.heard_of(message("@ann hi", other), ME).to_bot
    assert telegram_bot.heard_of(message(BOT, {**mention, "offset": 0}), ME).text == BOT


def test_a_reply_to_the_bot_is_for_the_bot() -> None:
    heard = telegram_bot.heard_of(
        message("yes", reply_to_message={"message_id": 6, "from": ME}), ME
    )
    assert heard.to_bot and heard.reply_to == f"telegram:900:{GROUP}:6"
    other = telegram_bot.heard_of(
        message("yes", reply_to_message={"message_id": 6, "from": {"id": 1002}}), ME
    )
    assert not other.to_bot and not telegram_bot.heard_of(message("yes"), ME).reply_to


@pytest.mark.parametrize(
    ("text", "group", "command", "said"),
    [
        ("/profile group", True, "profile", "group"),
        (f"/forgetme{BOT} yes", True, "forgetme", "yes"),
        ("/FORGETME", False, "forgetme", ""),
        ("/weather Leeds", False, "", "/weather Leeds"),
        ("/profile@another_bot", True, None, ""),
        ("/weather Leeds", True, None, ""),
    ],
)
def test_commands(text: str, group: bool, command: str | None, said: str) -> None:
    entity = {"type": "bot_command", "offset": 0, "length": len(text.split()[0])}
    heard = telegram_bot.heard_of(message(text, entity, group=group), ME)
    assert (None if heard is None else heard.command) == command
    assert heard is None or heard.text == said


@pytest.mark.parametrize(
    "more",
    [
        {"from": {"id": 5, "is_bot": True, "first_name": "x"}},
        {"text": ""},
        {"text": None},
        {"from": None},
    ],
)
def test_bots_and_service_messages_are_not_heard(more: dict[str, Any]) -> None:
    assert telegram_bot.heard_of({**message("hi"), **more}, ME) is None


def test_long_replies_are_cut_where_telegram_counts() -> None:
    pieces = importlib.import_module("remembering_bot").pieces
    assert pieces("😀" * 5, 4) == ["😀😀", "😀😀", "😀"]
    assert pieces("abcd", 4) == ["abcd"]
    assert pieces(" ", 4) == []
