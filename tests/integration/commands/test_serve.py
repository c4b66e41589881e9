"""`historian serve` as a process of its own: what it prints, what it answers, how it ends."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.command import NO_MODELS, historian
from support.memory import AT

COMMAND = [sys.executable, "-m", "historian.interfaces.cli", "serve", "--json", "--port", "0"]


@contextmanager
def served(
    directory: Path, *options: str, **environ: str
) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """Start the server; yield the process, and what it says of its address."""
    process = subprocess.Popen(
        [*COMMAND, "--data-dir", str(directory / "data"), *options],
        env={**os.environ, **NO_MODELS, **environ},
        cwd=directory,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_the_server_is_the_owner_files_what_it_takes_in_and_ends_at_a_signal(
    tmp_path: Path,
) -> None:
    with served(tmp_path) as (process, said):
        with httpx.Client(base_url=said["url"], timeout=30) as browser:
            assert browser.get("/api/v1/stats").status_code == 401
            assert browser.get(said["link"]).status_code == 303
            headers = {"Origin": said["url"]}
            turn = {
                "new_info": ["他喜欢科幻"],
                "user_id": "42",
                "user_name": "阿明",
                "timestamp": AT,
            }
            with browser.stream("GET", "/api/v1/steps") as steps:
                lines = steps.iter_lines()
                assert 'data: {"owner": true}' in lines  # reads on until it comes
                job_id = browser.post("/api/v1/jobs", json=turn, headers=headers).json()["job_id"]
                told = []
                for line in lines:
                    if line.startswith("data: "):
                        told.append(json.loads(line.removeprefix("data: ")))
                        if told[-1]["node"] == "__end__":
                            break
            assert {step["job_id"] for step in told} == {job_id} and told[-1]["outcome"] == "filed"
            events = browser.get("/api/v1/events").json()["events"]
            assert [event["text"] for event in events] == ["阿明喜欢科幻"]
        bearer = {"Authorization": f"Bearer {said['token']}"}
        assert httpx.get(f"{said['url']}/api/v1/stats", headers=bearer).json()["worker"][
            "jobs"
        ] == {"filed": 1}
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    with served(tmp_path, "--no-worker", HISTORIAN__WEB__TOKEN="a-token-of-sixteen") as (
        process,
        said,
    ):
        assert said["token"] == ""
        bearer = {"Authorization": "Bearer a-token-of-sixteen"}
        assert "worker" not in httpx.get(f"{said['url']}/api/v1/stats", headers=bearer).json()
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_an_address_that_others_reach_is_refused_without_a_token(tmp_path: Path) -> None:
    called = historian("serve", "--host", "0.0.0.0", "--data-dir", tmp_path)
    assert called.status == 2 and "web.token" in called.err


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        called = historian("serve", "--port", port, "--data-dir", tmp_path / "data")
    assert called.status == 2 and f"port {port}" in called.err
