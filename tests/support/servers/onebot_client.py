"""A OneBot v11 client on loopback: it connects to a bot's process, says what users say, and takes what the bot sends."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from support.waiting import eventually_async
from websockets.asyncio.client import ClientConnection, connect

SELF_ID = 900
SECONDS = 60.0


class OneBotClient:
    """The client's end of one connection."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._message_id = 0
        self.calls: list[dict[str, Any]] = []

    async def say(
        self, text: str, *, user: int, group: int | None = None, name: str = "", to_bot: bool = True
    ) -> None:
        """A user's message, in private or in a group (there it begins with @bot)."""
        self._message_id += 1
        message: list[dict[str, Any]] = [{"type": "text", "data": {"text": text}}]
        if group is not None and to_bot:
            message.insert(0, {"type": "at", "data": {"qq": str(SELF_ID)}})
        event = {
            "time": 1_771_666_200 + self._message_id,
            "self_id": SELF_ID,
            "post_type": "message",
            "message_type": "private" if group is None else "group",
            "sub_type": "friend" if group is None else "normal",
            "message_id": self._message_id,
            "user_id": user,
            "message": message,
            "raw_message": text,
            "font": 0,
            "sender": {"user_id": user, "nickname": name},
            **({} if group is None else {"group_id": group}),
        }
        await self._connection.send(json.dumps(event))

    async def recall(self, message_id: int, *, user: int, group: int | None = None) -> None:
        """A notice that a message was recalled."""
        event = {
            "time": 1_771_667_000,
            "self_id": SELF_ID,
            "post_type": "notice",
            "notice_type": "friend_recall" if group is None else "group_recall",
            "message_id": message_id,
            "user_id": user,
            **({} if group is None else {"group_id": group, "operator_id": user}),
        }
        await self._connection.send(json.dumps(event))

    @property
    def said_last(self) -> int:
        """The id of the last message that a user sent."""
        return self._message_id

    async def answer(self) -> str:
        """The text of the next message that the bot sends; its other calls are answered meanwhile."""
        async with asyncio.timeout(SECONDS):
            while True:
                call = json.loads(await self._connection.recv())
                self.calls.append(call)
                is_message = call["action"] == "send_msg"
                data = (
                    {"message_id": 10_000}
                    if is_message
                    else {"group_id": 7001, "group_name": "读书会"}
                )
                reply = {"status": "ok", "retcode": 0, "data": data, "echo": call["echo"]}
                await self._connection.send(json.dumps(reply))
                if is_message:
                    return "".join(
                        part["data"].get("text", "") for part in call["params"]["message"]
                    )

    async def ask(self, text: str, **who: Any) -> str:
        await self.say(text, **who)
        return await self.answer()


@asynccontextmanager
async def running_bot(
    script: Path, directory: Path, environ: Mapping[str, str]
) -> AsyncIterator[OneBotClient]:
    """Run a NoneBot script as a process and be its client; the process ends with the block, by SIGTERM."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        **environ,
        "DRIVER": "~fastapi",
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "LOG_LEVEL": "INFO",
    }
    log = directory / "bot.log"
    process = _started(script, directory, environment, log)
    try:
        connection = await _connected(port, process, log)
        async with connection:
            try:
                yield OneBotClient(connection)
            except TimeoutError:
                raise AssertionError(f"the bot did not answer:\n{log.read_text()}") from None
    finally:
        process.terminate()
        try:
            await asyncio.to_thread(process.wait, 30)
        finally:
            with suppress(ProcessLookupError):
                process.kill()


def _started(
    script: Path, directory: Path, environment: Mapping[str, str], log: Path
) -> subprocess.Popen[bytes]:
    with log.open("w") as output:
        return subprocess.Popen(
            [sys.executable, str(script)],
            cwd=directory,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


async def _connected(port: int, process: subprocess.Popen[bytes], log: Path) -> ClientConnection:
    async def connected() -> ClientConnection | None:
        assert process.poll() is None, log.read_text()
        with suppress(OSError):
            headers = {"X-Self-ID": str(SELF_ID)}
            return await connect(
                f"ws://127.0.0.1:{port}/onebot/v11/ws", additional_headers=headers, proxy=None
            )
        return None

    return await eventually_async(connected, seconds=SECONDS, every=0.1)
