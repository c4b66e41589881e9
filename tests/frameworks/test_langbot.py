"""The plugin runtime of LangBot loads `examples/langbot_plugin` from its manifests and sends it the events of a turn."""

import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.servers.serving import TOKEN, serving
from support.waiting import eventually_async

pytest.importorskip(
    "langbot_plugin", reason='the SDK of LangBot is not installed: pip install -e ".[frameworks]"'
)

from langbot_plugin.api.entities import events
from langbot_plugin.api.entities.builtin.platform import entities, message
from langbot_plugin.api.entities.builtin.platform import events as platform_events
from langbot_plugin.api.entities.builtin.provider.session import LauncherTypes, Session
from langbot_plugin.api.entities.context import EventContext
from langbot_plugin.cli.run.controller import PluginRuntimeController
from langbot_plugin.cli.run.handler import PluginRuntimeHandler
from langbot_plugin.cli.utils.page_components import discover_plugin_components
from langbot_plugin.utils.discover.engine import ComponentDiscoveryEngine

PLUGIN = Path(__file__).parents[2] / "examples" / "langbot_plugin"

pytestmark = pytest.mark.slow


class Bot:
    """The host's side: it sends events as the runtime does, and takes back what the plugin made of them."""

    def __init__(self, handler: PluginRuntimeHandler) -> None:
        self._handler = handler
        self._queries = 0

    async def emit(self, event: Any) -> Any:
        context = EventContext.from_event(event)
        context.query_id = self._queries
        answer = await self._handler.actions["emit_event"](
            {"event_context": context.model_dump(mode="json")}
        )
        assert answer.code == 0, answer.message
        assert answer.data["emitted"]
        return EventContext.model_validate(answer.data["event_context"]).event

    async def say(
        self, text: str, reply: str, *, user: str = "1001", name: str = "阿明", group: str = ""
    ) -> str:
        """A turn; what memory added to the prompt."""
        self._queries += 1
        chain = message.MessageChain(
            [message.Source(id=self._queries, time=0), message.Plain(text=text)]
        )
        where: dict[str, Any] = {"launcher_type": "person", "launcher_id": user, "sender_id": user}
        if group:
            where |= {"launcher_type": "group", "launcher_id": group}
            place = entities.Group(id=group, name="读书会", permission=entities.Permission.Member)
            member = entities.GroupMember(
                id=user, member_name=name, permission=entities.Permission.Member, group=place
            )
            heard = platform_events.GroupMessage(sender=member, message_chain=chain)
            await self.emit(
                events.GroupMessageReceived(**where, message_event=heard, message_chain=chain)
            )
        else:
            friend = entities.Friend(id=user, nickname=name, remark="")
            heard = platform_events.FriendMessage(sender=friend, message_chain=chain)
            await self.emit(
                events.PersonMessageReceived(**where, message_event=heard, message_chain=chain)
            )
        prompted = await self.emit(
            events.PromptPreProcessing(session_name="s", default_prompt=[], prompt=[])
        )
        session = Session(
            launcher_type=LauncherTypes(where["launcher_type"]), launcher_id=where["launcher_id"]
        )
        ended = {"prefix": "", "response_text": reply, "finish_reason": "stop", "funcs_called": []}
        await self.emit(events.NormalMessageResponded(**where, session=session, **ended))
        return "".join(str(one.content) for one in prompted.prompt if one.role == "user")


async def started(address: str, monkeypatch: pytest.MonkeyPatch) -> Bot:
    monkeypatch.chdir(PLUGIN)
    monkeypatch.syspath_prepend(str(PLUGIN))
    for name in ("main", "components"):  # pytest imports a checkout called `main` by that name
        monkeypatch.delitem(sys.modules, name, raising=False)
    engine = ComponentDiscoveryEngine()
    manifest = engine.load_component_manifest(path="manifest.yaml", owner="builtin", no_save=True)
    assert manifest is not None
    controller = PluginRuntimeController(
        manifest, discover_plugin_components(manifest, engine), True, ""
    )
    controller.handler = PluginRuntimeHandler(None, controller.initialize)  # type: ignore[arg-type]  # nothing is sent over it
    controller.handler.plugin_container = controller.plugin_container
    await controller.initialize(
        {"enabled": True, "priority": 0, "plugin_config": {"address": address, "token": TOKEN}}
    )
    return Bot(controller.handler)


async def test_what_was_said_is_recalled_in_the_same_conversation_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path) as address:
        bot = await started(address, monkeypatch)
        assert await bot.say("我对花生过敏", "记住了。") == ""
        client = httpx.AsyncClient(base_url=address, headers={"Authorization": f"Bearer {TOKEN}"})

        async def filed() -> bool:
            answer = await client.post(
                "/api/v1/search", json={"scope": "user:1001", "query": "花生"}
            )
            return "我对花生过敏" in [
                hit["event"]["text"] for hit in answer.json()["hits"] if not hit["pending"]
            ]

        await eventually_async(filed, every=0.2)
        await client.aclose()
        assert "我对花生过敏" in await bot.say("我对什么过敏？", "花生。")
        assert "花生" not in await bot.say(
            "他对什么过敏？", "不知道。", user="1002", name="小林", group="7001"
        )


async def test_without_memory_the_turn_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bot = await started("http://127.0.0.1:9", monkeypatch)
    assert await bot.say("我对花生过敏", "好的。") == ""
    assert "Historian: /remember" in caplog.text
