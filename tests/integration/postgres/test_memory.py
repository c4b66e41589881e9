"""One memory in PostgreSQL: many bots and workers, the queue of files while the server is away, and who is forgotten."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path

import psycopg
import pytest
from historian import CognitiveService, HistorianStore, Scope
from historian.interfaces.studio import graphs as studio
from historian.interfaces.studio.memory import close_opened
from historian.schema.settings import Settings
from historian.service.components import open_parts
from historian.service.recall.reader import MemoryReader
from historian.service.upkeep.reembedding import ReembeddingStopped, change_model
from support.command import NO_MODELS, historian
from support.memory import group_fields, private_fields, settings_for
from support.postgres import Schema, on_server, server_url
from support.recall import WordEmbedder

SAID = ["阿明喜欢龙井茶", "阿明养了一只猫", "阿明周末去爬山"]
GROUP, ANN = Scope.group("100", user_id="42"), Scope.private("7")


def on_machine(name: str, directory: Path, schema: Schema) -> Settings:
    """Settings of a machine with its own data directory, and the memory in `schema`."""
    return on_server(settings_for(directory / name), schema.name)


async def test_a_bot_remembers_in_postgresql_and_another_machine_reads_it(
    tmp_path: Path, schema: Schema
) -> None:
    async with CognitiveService.open(on_machine("a", tmp_path, schema)) as memory:
        await memory.enqueue_job(
            **group_fields(request_id="r1", action_summary="我给他推荐了《三体》")
        )
        assert await memory.settled(30)
        assert (await memory.stats())["events"] == 1
    async with CognitiveService.open(on_machine("b", tmp_path, schema), worker=False) as reader:
        assert "三体" in await reader.build_context("三体", GROUP)
        assert await reader.build_context("三体", ANN) == ""
    assert not (tmp_path / "a" / "index.sqlite").exists()


@pytest.mark.slow
async def test_of_two_workers_one_does_the_idle_work_and_both_do_jobs(
    tmp_path: Path, schema: Schema
) -> None:
    async with (
        CognitiveService.open(on_machine("a", tmp_path, schema)) as one,
        CognitiveService.open(on_machine("b", tmp_path, schema)) as two,
    ):
        for n in range(40):
            await one.enqueue_job(
                **private_fields(
                    request_id=f"r{n}", user_id=f"u{n % 8}", new_info=[f"Ann likes tea number {n}"]
                )
            )
        assert await two.settled(60)
        assert (await two.stats())["events"] == 40
        leaders = [
            memory
            for memory in (one, two)
            if memory.lifecycle.worker and memory.lifecycle.worker._ownership.is_held
        ]
        assert len(leaders) == 1


def environment(directory: Path, schema: Schema) -> dict[str, str]:
    return {
        "HISTORIAN__COGNITIVE__DATA_DIR": str(directory),
        "HISTORIAN__STORES__URL": server_url(),
        "HISTORIAN__STORES__SCHEMA_NAME": schema.name,
    }


@pytest.mark.slow
def test_the_command_line_works_on_a_server_as_on_files(tmp_path: Path, schema: Schema) -> None:
    here = environment(tmp_path / "a", schema)
    lines = [
        json.dumps(group_fields(request_id=f"r{n}", new_info=[text])) for n, text in enumerate(SAID)
    ]
    assert historian("ingest", "-", stdin="\n".join(lines), environ=here).status == 0
    drained = historian("worker", "--drain", "--json", environ=here)
    assert drained.status == 0 and drained.lines[-1]["left"] == {
        "pending": 0,
        "processing": 0,
        "failed": 0,
    }
    (stats,) = historian("stats", "--json", environ=here).lines
    assert (
        stats["events"]["count"] == 3
        and stats["stored_in"].endswith(f"?schema={schema.name}")
        and stats["bytes"] > 0
    )
    found = {
        line["part"]: line["state"] for line in historian("doctor", "--json", environ=here).lines
    }
    assert found["database"] == found["queue"] == "ok" and found["owner"] == "off"
    assert historian("backup", tmp_path / "backup", environ=here).status != 0
    elsewhere = environment(tmp_path / "b", schema)
    assert "龙井" in historian("search", "茶", "--group", "100", "--json", environ=elsewhere).out
    archive = tmp_path / "group.zip"
    assert historian("export", "group", "100", archive, environ=elsewhere).status == 0
    (report,) = historian("forget", "group", "100", "--yes", "--json", environ=elsewhere).lines
    assert report["clean"] and report["removed"]["events"] == 3
    assert historian("search", "茶", "--group", "100", "--json", environ=here).lines == []
    assert historian("import", archive, "--even-forgotten", environ=here).status == 0
    assert "龙井" in historian("search", "茶", "--group", "100", "--json", environ=elsewhere).out


def test_a_password_is_told_nowhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    given = {
        "HISTORIAN__COGNITIVE__DATA_DIR": str(tmp_path),
        "HISTORIAN__STORES__URL": "postgresql://historian:s3cr3t-Zq81@127.0.0.1:9/memory",
    }
    caplog.set_level(logging.DEBUG)
    for command in (["doctor", "-vv"], ["stats"], ["worker", "--drain"], ["ingest", "-"]):
        called = historian(
            *command,
            stdin=json.dumps(group_fields(request_id="r", new_info=["我喜欢茶"])),
            environ=given,
        )
        assert "s3cr3t" not in called.out + called.err
    assert "s3cr3t" not in caplog.text
    refused = historian(
        "stats",
        environ={**given, "HISTORIAN__STORES__URL": "mysql://historian:s3cr3t-Zq81@host/memory"},
    )
    assert (
        refused.status != 0
        and "HISTORIAN__STORES__URL" in refused.err
        and "s3cr3t" not in refused.err
    )


@pytest.mark.slow
async def test_somebody_is_forgotten_while_two_workers_do_the_jobs_of_others(
    tmp_path: Path, schema: Schema
) -> None:
    async with (
        CognitiveService.open(on_machine("a", tmp_path, schema)) as one,
        CognitiveService.open(on_machine("b", tmp_path, schema)) as two,
        CognitiveService.open(on_machine("c", tmp_path, schema), worker=False) as bot,
    ):
        for n in range(10):
            await one.enqueue_job(
                **private_fields(
                    request_id=f"a{n}", new_info=[f"Ann keeps a parrot called Zq81-{n}"]
                )
            )
        assert await one.settled(60)
        for n in range(40):
            fields = private_fields(request_id=f"r{n}", user_id=f"u{n % 8}", user_name="Ben")
            await (one, two)[n % 2].enqueue_job(**fields, new_info=[f"Ben likes tea number {n}"])
        report = await bot.forget_user("7", wait_seconds=60)
        assert report.clean and report.removed["events"] == 10
        assert await bot.settled(60)
        assert (await bot.stats())["events"] == 40
        assert "Zq81" not in await two.build_context("parrot", ANN)
    with psycopg.connect(server_url()) as connection:
        tables = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema.name,)
        ).fetchall()
        for (table,) in tables:
            held = f"SELECT count(*) FROM {schema.name}.{table} t WHERE t::text LIKE '%Zq81%'"
            assert connection.execute(held.encode()).fetchone() == (0,), table


async def test_readers_and_stores_of_an_application_work_on_a_server(
    tmp_path: Path, schema: Schema
) -> None:
    settings = on_machine("a", tmp_path, schema)
    async with CognitiveService.open(settings) as memory:
        await memory.enqueue_job(
            **group_fields(request_id="r1", action_summary="我给他推荐了《三体》")
        )
        assert await memory.settled(30)
    reader = MemoryReader.open(on_machine("b", tmp_path, schema))
    assert ["三体" in hit.event.text for hit in await reader.search_events("三体", GROUP)] == [True]
    await reader.aclose()
    with HistorianStore(settings) as store:
        store.put(("app", "users"), "7", {"likes": "a parrot"})
    with HistorianStore(on_machine("c", tmp_path, schema)) as store:
        found = store.search(("app",), query="parrot")
        assert [item.value for item in found] == [{"likes": "a parrot"}]


@pytest.mark.slow
async def test_the_graphs_of_studio_run_over_a_server(
    tmp_path: Path, schema: Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**environment(tmp_path, schema), **NO_MODELS}.items():
        monkeypatch.setenv(name, value)
    try:
        assert (await studio.historian().ainvoke({}, context={}))["filed"] == "new"
        assert (await studio.talk().ainvoke({}, context={}))["filed"] == "new"
        assert (await studio.reflection().ainvoke({}, context={}))["filed"]
        assert (await studio.recall().ainvoke({}, context={}))["hits"]
    finally:
        close_opened()


async def test_the_embedding_model_is_changed_on_a_server(tmp_path: Path, schema: Schema) -> None:
    settings = on_machine("a", tmp_path, schema)
    async with CognitiveService.open(settings) as memory:
        for n, text in enumerate(SAID):
            await memory.enqueue_job(**group_fields(request_id=f"r{n}", new_info=[text]))
        assert await memory.settled(30)
        opened = memory.lifecycle.opened
        assert opened is not None
        with pytest.raises(ReembeddingStopped, match="only the owner"):
            await change_model(opened.parts, WordEmbedder())
    parts = open_parts(settings, clock=time.time)
    changed = await change_model(parts, WordEmbedder())
    assert changed.outcome == "built" and parts.events.embedded_count() == len(SAID)
    assert (await change_model(parts, WordEmbedder())).outcome == "same"
    await parts.aclose()
