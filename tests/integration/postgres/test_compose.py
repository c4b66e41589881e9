"""The services of `examples/compose.postgres.yaml`, run without containers: their commands, variables and checks."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import psycopg
import pytest
import yaml
from historian.interfaces.cli.app import app
from historian.schema.settings.source import parse_settings
from support.command import NO_MODELS
from support.memory import group_fields
from support.postgres import OwnServer
from support.servers.ports import free_port
from support.waiting import eventually_now

ROOT = Path(__file__).parents[3]
COMPOSE = yaml.safe_load((ROOT / "examples/compose.postgres.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
GIVEN = {"POSTGRES_PASSWORD": "Rk72-" + "r1ght" * 4, "HISTORIAN_TOKEN": "x" * 48}
JOBS = 60


def filled(value: str) -> str:
    """What compose puts into the place of `${NAME:?why}` and `${NAME:-default}`."""
    return re.sub(
        r"\$\{(\w+)(?::[-?]([^}]*))?\}", lambda found: GIVEN.get(found[1], found[2]), value
    )


def environment(name: str) -> dict[str, str]:
    return {key: filled(str(value)) for key, value in SERVICES[name]["environment"].items()}


def image() -> dict[str, Any]:
    """What the image sets: `ENV`, `CMD` and `HEALTHCHECK` of the Dockerfile."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (variables,) = re.findall(r"^ENV (.+)$", text, re.MULTILINE)
    assert "postgres" in re.findall(r"/source\[([a-z,]+)\]", text)[0].split(",")
    (check, command) = re.findall(r"CMD (\[.+\])$", text, re.MULTILINE)
    return {
        "environment": dict(one.split("=", 1) for one in shlex.split(variables)),
        "healthcheck": json.loads(check),
        "command": json.loads(command),
    }


def test_every_variable_command_and_volume_of_the_services_around_postgresql_exists() -> None:
    assert set(SERVICES) == {"database", "worker", "bot"}
    commands = {command.name for command in app.registered_commands}
    for name in ("worker", "bot"):
        program, command = SERVICES[name].get("command", image()["command"])
        assert program == "historian" and command in commands
        variables = {**image()["environment"], **environment(name)}
        assert "" not in variables.values()
        settings = parse_settings({}, environ=variables, base=ROOT)
        assert (
            settings.stores.url == "postgresql://historian@database/historian"
            and "PGPASSWORD" in variables
        )
        assert SERVICES[name]["depends_on"] == {"database": {"condition": "service_healthy"}}
        assert "test" in SERVICES["database"]["healthcheck"]
        mounts = [one.rpartition(":") for one in SERVICES[name]["volumes"]]
        assert [place for *_, place in mounts] == ["/data"] and Path(
            settings.cognitive.data_dir
        ).is_relative_to("/data")
        assert all(volume in COMPOSE["volumes"] for volume, *_ in mounts if volume)
    assert SERVICES["worker"]["deploy"]["replicas"] == 2 and "volumes" in SERVICES["database"]
    assert all(published.startswith("127.0.0.1:") for published in SERVICES["bot"]["ports"])


@pytest.fixture
def database() -> Iterator[tuple[OwnServer, str]]:
    """The service `database`: a server whose user and password are those of its variables, and where it listens."""
    server = OwnServer()
    try:
        at, variables = server.listen(), environment("database")
        user = variables["POSTGRES_USER"]
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute(
                f"CREATE ROLE {user} SUPERUSER LOGIN PASSWORD '{variables['POSTGRES_PASSWORD']}'".encode()
            )
            connection.execute(f"CREATE DATABASE {user} OWNER {user}".encode())
        yield server, at
    finally:
        server.close()


@pytest.mark.slow
def test_a_job_that_is_handed_over_through_the_api_is_filed_by_a_worker(
    tmp_path: Path, database: tuple[OwnServer, str]
) -> None:
    server, at = database
    kind, program, *arguments = SERVICES["database"]["healthcheck"]["test"]
    host, _, port = at.partition(":")
    assert kind == "CMD"
    subprocess.run(
        [server.bin_path / program, *arguments, "-h", host, "-p", port],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    web_port = free_port()
    api = f"http://127.0.0.1:{web_port}"

    def started(name: str, number: int, processes: ExitStack) -> subprocess.Popen[bytes]:
        variables = {**image()["environment"], **environment(name)}
        variables["HISTORIAN__STORES__URL"] = variables["HISTORIAN__STORES__URL"].replace(
            "@database/", f"@{at}/"
        )
        variables["HISTORIAN__COGNITIVE__DATA_DIR"] = str(tmp_path / f"{name}{number}")
        # A container has loopback and ports of its own.
        variables |= {
            "HISTORIAN__WEB__HOST": "127.0.0.1",
            "HISTORIAN__WEB__PORT": str(web_port),
            "PATH": os.environ["PATH"],
        }
        _, *command = SERVICES[name].get("command", image()["command"])
        process = subprocess.Popen(
            [sys.executable, "-m", "historian", *command],
            env={**os.environ, **NO_MODELS, **variables},
        )
        processes.callback(process.wait, 30)
        processes.callback(process.terminate)
        return process

    def asked(path: str, **fields: Any) -> Any:
        data = json.dumps(fields).encode() if fields else None
        headers = {
            "Authorization": f"Bearer {GIVEN['HISTORIAN_TOKEN']}",
            "Content-Type": "application/json",
        }
        with urlopen(Request(f"{api}/api/v1{path}", data, headers), timeout=10) as answer:
            return json.load(answer)

    def is_healthy() -> bool:
        interpreter, *check = image()["healthcheck"]
        assert interpreter == "python"
        check = [one.replace("8765", str(web_port)) for one in check]
        return subprocess.run([sys.executable, *check], stderr=subprocess.DEVNULL).returncode == 0

    with ExitStack() as processes:
        bot = started("bot", 0, processes)
        workers = [
            started("worker", n, processes) for n in range(SERVICES["worker"]["deploy"]["replicas"])
        ]
        eventually_now(is_healthy, seconds=120, every=0.5)
        for n in range(JOBS):
            asked(
                "/jobs",
                **group_fields(
                    request_id=f"r{n}",
                    user_id=f"u{n}",
                    group_id=f"g{n}",
                    new_info=[f"我喜欢编号{n}的书"],
                ),
            )
        eventually_now(lambda: asked("/stats")["events"] == JOBS, seconds=120, every=0.2)
        for process in (*workers, bot):
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
    reports = [
        json.loads((tmp_path / f"worker{n}/last_run.json").read_text()) for n in range(len(workers))
    ]
    assert sum(report["done"] for report in reports) >= 1
