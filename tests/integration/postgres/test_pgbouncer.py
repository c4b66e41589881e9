"""A bot and two workers whose transactions go through PgBouncer, as the page on scaling sets it up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from historian import CognitiveService, Scope
from historian.schema.errors import StorageError
from historian.schema.settings import Settings
from historian.stores.postgres.database import PostgresDatabase
from support.command import historian
from support.memory import private_fields, settings_for
from support.postgres import OwnServer
from support.servers.pgbouncer import PgBouncer, pgbouncer

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
PASSWORD = "Rk72-r1ght"
POOL = 4


class Pooled:
    """A server where `historian` owns the database `memory`, and the pooler before it."""

    def __init__(self, server: OwnServer, at: str, bouncer: PgBouncer) -> None:
        self._server = server
        self.bouncer = bouncer
        self.url = f"postgresql://historian:{PASSWORD}@{bouncer.at}/memory"
        self.direct_url = f"postgresql://historian:{PASSWORD}@{at}/memory"

    def follow_the_page(self) -> None:
        """Do what the page on scaling tells to do once."""
        page = (ROOT / "docs/scaling.md").read_text(encoding="utf-8")
        (statements,) = re.findall(r"^```sql\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        execute(self._server, statements, "memory")
        self.bouncer.console("RECONNECT")

    def settings(self, directory: Path, **stores: Any) -> Settings:
        given = {"url": self.url, "direct_url": self.direct_url, "pool_max": 4, **stores}
        settings = settings_for(directory)
        return settings.model_copy(update={"stores": settings.stores.model_copy(update=given)})


def execute(server: OwnServer, statement: str, database: str = "postgres") -> None:
    with psycopg.connect(server.url, dbname=database, autocommit=True) as connection:
        connection.execute(statement.encode())


@pytest.fixture(scope="module")
def pooled() -> Iterator[Pooled]:
    server = OwnServer()
    try:
        at = server.listen()
        execute(server, f"CREATE ROLE historian LOGIN PASSWORD '{PASSWORD}'")
        execute(server, "CREATE DATABASE memory OWNER historian")
        execute(server, "CREATE EXTENSION vector", "memory")
        with pgbouncer(
            at, "memory", "historian", PASSWORD, pool_size=POOL, runs_as=server.system_user
        ) as bouncer:
            yield Pooled(server, at, bouncer)
    finally:
        server.close()


def test_a_role_that_does_not_name_the_schema_is_told_what_to_do(pooled: Pooled) -> None:
    with pytest.raises(StorageError, match=r"ALTER ROLE … SET search_path = other, public"):
        PostgresDatabase(pooled.url, direct_url=pooled.direct_url, schema_name="other")


async def test_a_bot_and_two_workers_file_recall_and_forget_through_a_few_connections(
    tmp_path: Path, pooled: Pooled
) -> None:
    pooled.follow_the_page()
    async with (
        CognitiveService.open(pooled.settings(tmp_path / "a")) as one,
        CognitiveService.open(pooled.settings(tmp_path / "b")) as two,
        CognitiveService.open(pooled.settings(tmp_path / "bot"), worker=False) as bot,
    ):
        for n in range(60):
            fields = private_fields(request_id=f"r{n}", user_id=f"u{n % 6}", user_name="Ann")
            await bot.enqueue_job(**fields, new_info=[f"Ann likes tea number {n}"])
        assert await bot.settled(60)
        assert (await two.stats())["events"] == 60
        assert "tea number" in await bot.build_context("tea", Scope.private("u3"))
        report = await bot.forget_user("u3", wait_seconds=60)
        assert report.clean and report.removed["events"] == 10
        assert await two.build_context("tea", Scope.private("u3")) == ""
        assert (await one.stats())["events"] == 50
        (pool,) = (
            row for row in pooled.bouncer.console("SHOW POOLS") if row["database"] == "memory"
        )
        assert pool["pool_mode"] == "transaction" and pool["cl_active"] + pool["cl_waiting"] >= 3
        assert pool["sv_active"] + pool["sv_idle"] + pool["sv_used"] <= POOL
        (transactions,) = (
            row["total_xact_count"]
            for row in pooled.bouncer.console("SHOW STATS")
            if row["database"] == "memory"
        )
        assert transactions > 60 * 5, "the jobs went another way"
        assert one.lifecycle.worker is not None and two.lifecycle.worker is not None


def test_the_commands_work_through_it(tmp_path: Path, pooled: Pooled) -> None:
    pooled.follow_the_page()
    environ = {
        "HISTORIAN__COGNITIVE__DATA_DIR": str(tmp_path),
        "HISTORIAN__STORES__URL": pooled.url,
        "HISTORIAN__STORES__DIRECT_URL": pooled.direct_url,
    }
    found = {
        line["part"]: line["state"] for line in historian("doctor", "--json", environ=environ).lines
    }
    assert found["database"] == found["queue"] == "ok"
    assert historian("worker", "--drain", environ=environ).status == 0
