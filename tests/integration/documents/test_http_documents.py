"""docs/http.md and its Chinese twin, the clients in `examples/`, and the container: what they say is so."""

import asyncio
import fnmatch
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from historian import CognitiveService, SettingsError, make_web_app
from historian.schema.settings.source import parse_settings
from support.command import NO_MODELS
from support.servers.web import GROUP_100, OPERATOR, Web, listening, opened_web, web_settings
from support.waiting import eventually_now

ROOT = Path(__file__).parents[3]
PAGES = ["docs/http.md", "docs/http.zh-CN.md"]
NODE = shutil.which("node")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
_, BUILD, IMAGE = DOCKERFILE.split("\nFROM ")


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", read(page), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_the_page_is_that_of_the_example(page: str) -> None:
    (shown,) = blocks(page, "ts")
    assert read("examples/http_client.ts").partition("\n")[2] == shown
    assert len([line for line in shown.splitlines() if line]) <= 12


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_the_code_for_the_process_of_a_bot_serves_its_memory_until_a_signal(
    tmp_path: Path, page: str
) -> None:
    (shown,) = blocks(page, "python")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = f'[web]\ntoken = "{OPERATOR}"\nport = {port}\n'
    (tmp_path / "config.toml").write_text(token, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-c", shown], cwd=tmp_path, env={**os.environ, **NO_MODELS}
    )
    try:
        stats = f"http://127.0.0.1:{port}/api/v1/stats"
        eventually_now(lambda: answered(stats), seconds=60)
        report = httpx.get(stats, headers={"Authorization": f"Bearer {OPERATOR}"}).json()
        assert report["events"] == 0 and "worker" in report
        process.send_signal(signal.SIGINT)
        process.wait(30)
    finally:
        process.kill()
        process.wait()


def answered(url: str) -> bool:
    try:
        return httpx.get(url).status_code == 401
    except httpx.TransportError:
        return False


async def test_a_memory_without_a_token_is_not_served_by_a_bot(tmp_path: Path) -> None:
    async with CognitiveService.open(web_settings(tmp_path, token=""), worker=False) as memory:
        with pytest.raises(SettingsError, match=r"web\.token"):
            make_web_app(memory)


@pytest.mark.parametrize("page", PAGES)
def test_the_settings_of_the_page_load(page: str) -> None:
    (shown,) = blocks(page, "toml")
    web = parse_settings(tomllib.loads(shown), environ={}, base=ROOT).web
    assert set(web.scope_tokens) == {"group:7001", "user:1001"}


async def openapi(directory: Path) -> dict[str, Any]:
    async with opened_web(directory) as web:
        schema: dict[str, Any] = await web.json("GET", "/api/v1/openapi.json")
        return schema


@pytest.mark.parametrize("page", PAGES)
async def test_the_page_names_every_address_and_no_other(tmp_path: Path, page: str) -> None:
    told = set()
    for cell in re.findall(
        r"^\| (`(?:GET|POST|PATCH|DELETE)`?[ ,].*?) \|", read(page), re.MULTILINE
    ):
        for methods, path in re.findall(r"((?:`?[A-Z]+`?(?:, )?)+) (/[\w/{}]+)`", cell):
            told |= {(method, f"/api/v1{path}") for method in re.findall("[A-Z]+", methods)}
    schema = await openapi(tmp_path)
    assert told == {
        (method.upper(), path) for path, item in schema["paths"].items() for method in item
    }


async def test_what_the_page_says_is_the_operators_is_so_and_nothing_else_is(
    tmp_path: Path,
) -> None:
    named = set()
    for row in re.findall(r"^\| (`.*?) \| (.*?) \|$", read(PAGES[0]), re.MULTILINE):
        if row[1].endswith("(operator)"):
            named |= {f"/api/v1{path}" for path in re.findall(r"(/[\w/{}]+)", row[0])}
    async with opened_web(tmp_path) as web:
        schema = await web.json("GET", "/api/v1/openapi.json")
        refused = {
            path
            for path, item in schema["paths"].items()
            for method in item
            if await is_refused(web, method.upper(), path)
        }
    assert refused == named


async def is_refused(web: Web, method: str, path: str) -> bool:
    """True if a token of a conversation is told that this is for the operator."""
    whose = {"entity": "user:7", "user_id": "7", "revision": 1}
    sent = {"params": whose} if method == "GET" else {"json": whose}
    ids = {
        "event_id": "a-0:0",
        "job_id": "a-0",
        "message_id": "m1",
        "line_id": "l1",
        "correction_id": "c1",
    }
    answer = await web.ask(method, path.format(**ids), GROUP_100, **sent)
    return answer.status_code == 403 and "operator" in answer.text


async def run(command: list[str], directory: Path, **environ: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=directory,
        env={**os.environ, **environ},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode()


@pytest.mark.slow
@pytest.mark.parametrize("example", ["http_client.py", "http_client.ts"])
async def test_a_client_in_another_process_remembers_in_its_second_run_what_it_said_in_the_first(
    tmp_path: Path, example: str
) -> None:
    command = [sys.executable, str(ROOT / "examples" / example)]
    if example.endswith(".ts"):
        if NODE is None:
            pytest.skip("node is not installed")
        # Every line of it is JavaScript too: the types are inferred.
        command = [NODE, str(shutil.copy(ROOT / "examples" / example, tmp_path / "client.mjs"))]
    async with opened_web(tmp_path, worker=True) as web, listening(web.app) as port:
        environ = {"HISTORIAN_URL": f"http://127.0.0.1:{port}", "HISTORIAN_TOKEN": OPERATOR}
        assert "nothing is remembered yet" in await run(command, tmp_path, **environ)
        assert await web.memory.settled(30)
        assert "science fiction" in await run(command, tmp_path, **environ)


# The container, without docker.


def test_the_image_installs_extras_that_exist_with_the_pinned_versions() -> None:
    (line,) = re.findall(r"^RUN .*pip install (.*)$", BUILD, re.MULTILINE)
    extras = re.search(r'"/source\[([\w,]+)\]"', line)
    project = tomllib.loads(read("pyproject.toml"))["project"]
    assert extras is not None and set(extras[1].split(",")) <= set(project["optional-dependencies"])
    assert "web" in extras[1] and "-c /source/constraints.txt" in line
    for stage in (BUILD, IMAGE):
        python = re.match(r"python:(3\.\d+)-slim", stage)
        assert (
            python is not None
            and f"Programming Language :: Python :: {python[1]}" in project["classifiers"]
        )


def test_the_image_gets_what_the_package_is_built_of_and_nothing_else() -> None:
    rules = [
        line for line in read(".dockerignore").splitlines() if line and not line.startswith("#")
    ]
    assert rules[0] == "*" and rules[-1] == "**/__pycache__"
    taken = {rule.removeprefix("!") for rule in rules[1:-1]}
    packages = tomllib.loads(read("pyproject.toml"))["tool"]["setuptools"]["packages"]
    rooms = {name.split(".")[1] for name in packages if name.count(".") == 1}
    files = {
        "pyproject.toml",
        "constraints.txt",
        "README.md",
        "LICENSE",
        "__init__.py",
        "__main__.py",
        "py.typed",
    }
    assert taken == rooms | files
    assert not any(
        fnmatch.fnmatch(name, rule)
        for rule in taken
        for name in (".venv", ".git", "data", "config.toml", "tests")
    )


def test_the_image_runs_without_rights_over_a_volume_and_tells_its_health() -> None:
    lines = IMAGE.splitlines()
    user = next(line.split()[1] for line in lines if line.startswith("USER "))
    assert user not in ("root", "0") and f"--create-home {user}" in IMAGE
    assert "VOLUME /data" in lines and f"-o {user} -g {user} -m 700 /data" in IMAGE
    environment = dict(re.findall(r"(HISTORIAN__\w+)=(\S+)", IMAGE))
    settings = parse_settings({}, environ=environment, base=Path("/data"))
    assert (
        Path(settings.cognitive.data_dir).is_relative_to("/data") and settings.web.host == "0.0.0.0"
    )
    assert f"EXPOSE {settings.web.port}" in lines
    assert 'CMD ["historian", "serve"]' in lines


async def test_the_health_check_of_the_image_tells_a_server_that_answers_from_one_that_does_not(
    tmp_path: Path,
) -> None:
    (check,) = re.findall(r"^HEALTHCHECK .*CMD (\[.*\])$", IMAGE, re.MULTILINE)
    _, *arguments = json.loads(check)
    async with opened_web(tmp_path) as web, listening(web.app) as port:
        command = [sys.executable, *(one.replace(":8765/", f":{port}/") for one in arguments)]
        assert await run(command, tmp_path) == ""
    ended = await asyncio.to_thread(subprocess.run, command, capture_output=True)
    assert ended.returncode != 0


def test_the_compose_file_publishes_on_loopback_alone_and_wants_a_token() -> None:
    (service,) = yaml.safe_load(read("examples/compose.yaml"))["services"].values()
    assert (ROOT / "examples" / service["build"] / "Dockerfile").is_file()
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    environment = service["environment"]
    assert environment["HISTORIAN__WEB__TOKEN"].startswith("${HISTORIAN_TOKEN:?")
    given = {
        **environment,
        "HISTORIAN__WEB__TOKEN": OPERATOR,
        "HISTORIAN__COGNITIVE__TIMEZONE": "UTC",
    }
    assert parse_settings({}, environ=given, base=Path("/data")).web.hosts == ["historian"]
    assert (
        service["volumes"] == ["memory:/data"]
        and service["read_only"]
        and service["cap_drop"] == ["ALL"]
    )
