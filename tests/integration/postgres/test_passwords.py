"""A server that wants a password, and setups that are wrong: one line says what is wrong, and no password is told anywhere."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from historian import CognitiveService, Scope
from support.command import historian
from support.memory import group_fields, settings_for
from support.postgres import OwnServer, fresh_schema, on_server

pytestmark = pytest.mark.slow

RIGHT, WRONG = "Rk72-r1ght", "Zq81-s3cr3t/p@ss?"
JOB = json.dumps(group_fields(request_id="r1", new_info=["我喜欢茶"]))


class Guarded:
    """A server on loopback where `keeper` has the password RIGHT."""

    def __init__(self) -> None:
        self._server = OwnServer()
        self.at = self._server.listen()
        self.execute(f"CREATE ROLE keeper LOGIN PASSWORD '{RIGHT}'")
        self.execute("CREATE DATABASE memory OWNER keeper")
        self.execute("CREATE EXTENSION vector", "memory")

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Execute a statement as the superuser."""
        with psycopg.connect(self._server.url, dbname=database, autocommit=True) as connection:
            connection.execute(statement.encode())

    def url(self, password: str, database: str = "memory") -> str:
        return f"postgresql://keeper:{quote(password, safe='')}@{self.at}/{database}"

    def close(self) -> None:
        self._server.close()


@pytest.fixture(scope="module")
def guarded() -> Iterator[Guarded]:
    guarded = Guarded()
    yield guarded
    guarded.close()


def environment(directory: Path, url: str, **more: str) -> dict[str, str]:
    """Variables of a command; none of them stands for a password that whoever runs the tests may have set."""
    nobody = {"PGPASSWORD": "", "PGPASSFILE": str(directory / "no-such-file")}
    places = {
        "HISTORIAN__COGNITIVE__DATA_DIR": str(directory / "data"),
        "HISTORIAN__STORES__URL": url,
    }
    return {**nobody, **places, **more}


def option(guarded: Guarded, directory: Path) -> dict[str, str]:
    return environment(
        directory, f"postgresql://keeper@{guarded.at}/memory?password={quote(WRONG, safe='')}"
    )


def variable(guarded: Guarded, directory: Path) -> dict[str, str]:
    return environment(directory, f"postgresql://keeper@{guarded.at}/memory", PGPASSWORD=WRONG)


def file(guarded: Guarded, directory: Path) -> dict[str, str]:
    place = directory / "pgpass"
    place.write_text(f"{guarded.at}:memory:keeper:{WRONG}\n")
    place.chmod(0o600)
    return environment(directory, f"postgresql://keeper@{guarded.at}/memory", PGPASSFILE=str(place))


def direct(guarded: Guarded, directory: Path) -> dict[str, str]:
    return environment(
        directory, guarded.url(RIGHT), HISTORIAN__STORES__DIRECT_URL=guarded.url(WRONG)
    )


def pooled(guarded: Guarded, directory: Path) -> dict[str, str]:
    return environment(
        directory, guarded.url(WRONG), HISTORIAN__STORES__DIRECT_URL=guarded.url(RIGHT)
    )


GIVEN: dict[str, Callable[[Guarded, Path], dict[str, str]]] = {
    "in the address": lambda guarded, directory: environment(directory, guarded.url(WRONG)),
    "as an option of the address": option,
    "in PGPASSWORD": variable,
    "in a file": file,
    "in the address of sessions": direct,
    "in that of the pooler": pooled,
    "nowhere": lambda guarded, directory: environment(
        directory, f"postgresql://keeper@{guarded.at}/memory"
    ),
}
COMMANDS = (["doctor"], ["stats"], ["worker", "--drain"])


def said(secrets: tuple[str, ...], text: str) -> list[str]:
    return [secret for secret in secrets if secret in text]


@pytest.mark.parametrize("given", GIVEN)
def test_a_wrong_password_is_one_line_with_the_remedy_and_is_repeated_nowhere(
    tmp_path: Path, guarded: Guarded, caplog: pytest.LogCaptureFixture, given: str
) -> None:
    caplog.set_level(logging.DEBUG)
    environ = GIVEN[given](guarded, tmp_path)
    for command in COMMANDS:
        for flags in ([], ["--json", "-vv", "--log-json"]):
            called = historian(*command, *flags, environ=environ)
            assert called.status != 0 and not said(("s3cr3t", RIGHT), called.out + called.err), (
                command
            )
            if not flags and command != ["doctor"]:
                (line,) = called.err.splitlines()
                assert "check user and password in stores.url" in line and "keeper" in line
    found = historian("search", "茶", "--group", "100", environ=environ)
    (line,) = found.err.splitlines()
    assert "check user and password in stores.url" in line and not said(
        ("s3cr3t", RIGHT), found.out + found.err
    )
    found = {line["part"]: line for line in historian("doctor", "--json", environ=environ).lines}
    assert found["database"][
        "state"
    ] == "failed" and "check user and password in stores.url" in str(found["database"])
    assert not said(("s3cr3t", RIGHT), caplog.text)
    assert all(
        "s3cr3t" not in place.read_text(errors="replace")
        for place in (tmp_path / "data").rglob("*")
        if place.is_file()
    )


def test_a_memory_does_not_move_to_a_server_that_refuses_the_password(
    tmp_path: Path, guarded: Guarded, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    here = environment(tmp_path, "")
    assert historian("ingest", "-", stdin=JOB, environ=here).status == 0
    for flags in ([], ["-vv"]):
        called = historian("migrate", "--to", guarded.url(WRONG), *flags, environ=here)
        assert called.status != 0 and "s3cr3t" not in called.out + called.err
        if not flags:
            (line,) = called.err.splitlines()
            assert "check user and password in stores.url" in line
    assert "s3cr3t" not in caplog.text
    moved = historian(
        "migrate", "--to", guarded.url(RIGHT), "--schema", fresh_schema(), environ=here
    )
    assert moved.status == 0 and RIGHT not in moved.out + moved.err


async def test_a_bot_with_a_wrong_password_tells_it_once_and_keeps_what_it_is_given(
    tmp_path: Path, guarded: Guarded, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    schema = fresh_schema()
    async with CognitiveService.open(
        on_server(settings_for(tmp_path), schema, guarded.url(WRONG))
    ) as memory:
        (told,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
        assert "check user and password in stores.url" in told.getMessage()
        assert await memory.enqueue_job(**json.loads(JOB)) is not None
        assert "茶" in await memory.build_context("茶", Scope.group("100", user_id="42"))
        assert "s3cr3t" not in repr(await memory.stats())
    assert "s3cr3t" not in caplog.text
    async with CognitiveService.open(
        on_server(settings_for(tmp_path), schema, guarded.url(RIGHT))
    ) as memory:
        assert await memory.settled(30) and (await memory.stats())["events"] == 1
    assert RIGHT not in caplog.text


def test_what_is_wrong_with_a_server_or_a_schema_is_one_line_with_the_remedy(
    tmp_path: Path, guarded: Guarded
) -> None:
    guarded.execute("CREATE DATABASE bare OWNER keeper")
    guarded.execute("ALTER DATABASE bare SET extension_control_path = '/nowhere'")
    guarded.execute("CREATE DATABASE closed OWNER keeper")
    guarded.execute("ALTER DATABASE closed ALLOW_CONNECTIONS false")
    newer = environment(tmp_path, guarded.url(RIGHT), HISTORIAN__STORES__SCHEMA_NAME="newer")
    assert historian("stats", environ=newer).status == 0
    guarded.execute(
        "INSERT INTO newer.migrations (number) SELECT max(number) + 1 FROM newer.migrations",
        "memory",
    )
    wrong = {
        "install pgvector on the database server": environment(
            tmp_path, guarded.url(RIGHT, "bare")
        ),
        "createdb": environment(tmp_path, guarded.url(RIGHT, "nothing")),
        "not currently accepting connections": environment(tmp_path, guarded.url(RIGHT, "closed")),
        "upgrade langgraph-historian": newer,
        "stores.vectors = 'float32'": environment(
            tmp_path,
            guarded.url(RIGHT),
            HISTORIAN__STORES__SCHEMA_NAME="newer",
            HISTORIAN__STORES__VECTORS="half",
        ),
    }
    for remedy, environ in wrong.items():
        if "vectors" in remedy:
            guarded.execute(
                "DELETE FROM newer.migrations WHERE number = (SELECT max(number) FROM newer.migrations)",
                "memory",
            )
        for command in (["stats"], ["worker", "--drain"]):
            called = historian(*command, environ=environ)
            (line,) = called.err.splitlines()
            assert called.status != 0 and remedy in line and RIGHT not in line, remedy
        found = {
            line["part"]: line for line in historian("doctor", "--json", environ=environ).lines
        }
        assert found["database"]["state"] == "failed" and remedy in str(found["database"]), remedy
