"""AstrBot itself, started in the folder ASTRBOT_ROOT with its plugins, a model that says what stdin wrote for it, and no network.

Runs in AstrBot's own environment. stdin: one JSON object a line, `{"text", "user", "name", "group", "answer", "id"}`, or with
`recalled` the notice that this message was recalled; stdout: one JSON object a line, what the bot `sent` and its model `saw`.
"""

import asyncio
import json
import os
import socket
import sys
import time
import uuid
from typing import Any

_getaddrinfo = socket.getaddrinfo


def getaddrinfo(host: Any, *more: Any, **options: Any) -> Any:
    if host not in ("127.0.0.1", "localhost", None):
        raise OSError(f"a test looks for {host}")
    return _getaddrinfo(host, *more, **options)


socket.getaddrinfo = getaddrinfo
sys.path.insert(0, os.environ["ASTRBOT_ROOT"])  # plugins are imported as data.plugins.NAME.main
REAL_OUT = sys.stdout
sys.stdout = sys.stderr  # AstrBot logs to stdout

from astrbot.core import LogBroker, db_helper  # noqa: E402
from astrbot.core.core_lifecycle import AstrBotCoreLifecycle  # noqa: E402
from astrbot.core.message.components import At, Plain  # noqa: E402
from astrbot.core.platform import (  # noqa: E402
    AstrBotMessage,
    AstrMessageEvent,
    MessageMember,
    MessageType,
    PlatformMetadata,
)
from astrbot.core.platform.astrbot_message import Group  # noqa: E402
from astrbot.core.provider.entities import LLMResponse  # noqa: E402
from astrbot.core.provider.provider import Provider  # noqa: E402
from astrbot.core.provider.register import register_provider_adapter  # noqa: E402


@register_provider_adapter("scripted", "a model of the test")
class Scripted(Provider):
    answer = ""
    saw: list[Any]

    def get_current_key(self) -> str:
        return ""

    def set_key(self, key: str) -> None: ...

    async def get_models(self) -> list[str]:
        return ["scripted"]

    async def text_chat(self, prompt: Any = None, session_id: Any = None, image_urls: Any = None, func_tool: Any = None,
                        contexts: Any = None, **more: Any) -> LLMResponse:  # fmt: skip
        self.saw = self._ensure_message_to_dicts(contexts) + (
            [{"role": "user", "content": prompt}] if prompt else []
        )
        return LLMResponse("assistant", completion_text=self.answer)


class Event(AstrMessageEvent):
    async def send(self, message: Any) -> None:
        self.get_extra("sent").append(message.get_plain_text())
        await super().send(message)


def event_of(said: dict[str, Any]) -> Event:
    message = AstrBotMessage()
    message.type = MessageType.GROUP_MESSAGE if said.get("group") else MessageType.FRIEND_MESSAGE
    message.self_id, message.message_id = "900", said.get("id") or uuid.uuid4().hex
    message.session_id = said.get("group") or said["user"]
    message.group = Group(said["group"], "读书会") if said.get("group") else None
    message.sender = MessageMember(said["user"], said["name"])
    message.message = [*([At(qq="900")] if said.get("group") else []), Plain(said["text"])]
    message.message_str, message.raw_message, message.timestamp = (
        said["text"],
        None,
        int(time.time()),
    )
    if recalled := said.get("recalled"):  # as the adapter of OneBot gives notices
        message.message, message.raw_message = (
            [],
            {"notice_type": "friend_recall", "message_id": recalled},
        )
    event = Event(
        said["text"],
        message,
        PlatformMetadata("qq", "a platform of the test", "qq"),
        message.session_id,
    )
    event.set_extra("sent", [])
    return event


async def main() -> None:
    bot = AstrBotCoreLifecycle(LogBroker(), db_helper)
    await bot.initialize()
    model = Scripted(
        {
            "id": "scripted",
            "type": "scripted",
            "model_config": {"model": "scripted"},
            "modalities": [],
        },
        {},
    )
    bot.provider_manager.provider_insts.append(model)
    bot.provider_manager.inst_map["scripted"] = model
    bot.provider_manager.curr_provider_inst = model
    (pipeline,) = bot.pipeline_scheduler_mapping.values()
    for line in sys.stdin:
        said = json.loads(line)
        model.answer, model.saw = said.get("answer", ""), []
        event = event_of(said)
        await pipeline.execute(event)
        answered = {"sent": [text for text in event.get_extra("sent") if text], "saw": model.saw}
        print(json.dumps(answered, ensure_ascii=False), file=REAL_OUT, flush=True)
    for plugin in bot.plugin_manager.context.get_all_stars():
        if plugin.star_cls is not None and hasattr(plugin.star_cls, "terminate"):
            await plugin.star_cls.terminate()


asyncio.run(main())
os._exit(0)  # AstrBot leaves tasks behind
