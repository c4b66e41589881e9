"""A flood of requests on loopback, while the bot in the same process recalls."""

import asyncio
import json
import sys
import time
from pathlib import Path

import pytest
from historian.schema.scope import Scope
from support.events import file_texts
from support.servers.web import OPERATOR, listening, opened_web

FLOOD = Path(__file__).parents[2] / "support" / "servers" / "flood.py"
SECONDS = 2.0


@pytest.mark.slow
@pytest.mark.parametrize("token", [OPERATOR, "a-wrong-token-12345"])
async def test_a_flood_is_refused_while_recall_in_the_same_process_keeps_its_limit(
    tmp_path: Path, token: str
) -> None:
    async with (
        opened_web(tmp_path, requests_per_second=50.0, recall_seconds="auto") as web,
        listening(web.app) as port,
    ):
        opened = web.memory.lifecycle.opened
        assert opened is not None and await web.memory.ready(30)
        file_texts(
            opened.parts.events, [f"阿明读了第{n}本书" for n in range(500)], "a-0", group="100"
        )
        await web.memory.build_context("阿明读了第77本书吗？", Scope.group("100"))
        flood = await asyncio.create_subprocess_exec(
            *(sys.executable, str(FLOOD), str(port), token, "1000", str(SECONDS)),
            stdout=asyncio.subprocess.PIPE,
        )
        took: list[float] = []
        found = 0
        begun = time.perf_counter()
        while flood.returncode is None:
            started = time.perf_counter()
            block = await web.memory.build_context("阿明读了第77本书吗？", Scope.group("100", "42"))
            took.append(time.perf_counter() - started)
            found += "本书" in block
            await asyncio.wait({asyncio.ensure_future(flood.wait())}, timeout=0.02)
        assert flood.stdout is not None
        answers = json.loads(await flood.stdout.read())
        limit, lasted = opened.recall.time_limit(), time.perf_counter() - begun
    print(
        f"{sum(answers.values())} in {lasted:.1f} s: {answers}; {found} of {len(took)} recalls, the longest {max(took):.3f} s"
    )
    refused = answers.pop("429")
    assert set(answers) <= {"200", "401"} and sum(answers.values()) <= 50 * (lasted + 2) + 1
    assert refused > sum(answers.values())
    assert found  # how many depends on what else the machine does
    assert sorted(took)[int(0.95 * len(took))] < 2 * limit
